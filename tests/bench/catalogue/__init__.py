"""How long it takes to take in a large catalogue."""
