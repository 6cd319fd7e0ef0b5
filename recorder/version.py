"""Name and version as they stand in traces and bundles."""

SOFTWARE = "footpath 0.1.0"
