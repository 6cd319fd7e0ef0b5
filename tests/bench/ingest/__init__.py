"""How much one server takes in, next to a bare COPY of the same bytes: `python -m tests.bench.ingest`."""
