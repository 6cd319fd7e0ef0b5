"""How long the pages of a study of 100,000 assignments take."""
