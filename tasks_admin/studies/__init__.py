"""The lead's study editor: presets, forms, what may change when, freezing, and what a plan looks like."""
