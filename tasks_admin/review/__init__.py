"""The lead's review of flagged rounds: the queue, its filters, and the rules that fill it."""
