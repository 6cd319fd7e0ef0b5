"""MiniWoB++ pages from the PyPI package ``miniwob`` (MIT), served with a shim."""
