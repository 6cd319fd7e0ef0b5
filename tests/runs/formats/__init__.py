"""What each format gives of files as its harness writes them: a file per format."""
