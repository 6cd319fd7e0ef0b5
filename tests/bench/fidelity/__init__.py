"""Fidelity: tasks that nobody here wrote, driven by real input, recorded, cleaned and replayed; Playwright's recorder as the peer."""
