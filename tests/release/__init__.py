"""What may leave the house."""
