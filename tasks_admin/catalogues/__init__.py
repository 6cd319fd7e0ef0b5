"""Catalogues and plans that others already have, taken in."""
