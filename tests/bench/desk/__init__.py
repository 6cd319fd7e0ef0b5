"""How long the lead's desk takes: the review queue with 50,000 items, and an attempt of 20,000 raw events."""
