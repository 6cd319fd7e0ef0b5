"""Adapters: how Footpath reaches the websites that people are recorded on."""
