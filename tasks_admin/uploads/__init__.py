"""Files that leads bring in by the browser: kept aside, read by the worker, asked about where they do not tell enough."""
