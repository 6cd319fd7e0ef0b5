"""What the recorder costs a page, side by side with rrweb's."""
