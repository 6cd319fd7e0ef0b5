"""What may leave the house: texts and pictures that a lead clears one by one, masks, and a list of what an export would hold."""
