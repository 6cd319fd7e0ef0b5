"""The comparison as pages, files and tables."""
