"""One module per format: a `signature` that knows its files, and a `read` that gives runs and rejections."""
