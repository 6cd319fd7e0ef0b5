"""Files that leads bring in by the browser."""
