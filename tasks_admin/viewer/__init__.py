"""What the attempt viewer shows: rows of events and steps, the timeline, and how the steps of two attempts align."""
