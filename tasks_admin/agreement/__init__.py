"""How far people agree: duplicates against primaries, people against each other, and people against the checkers."""
