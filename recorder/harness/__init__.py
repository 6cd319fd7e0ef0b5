"""Recording by a browser we start ourselves, and playing scripted inputs in it."""
