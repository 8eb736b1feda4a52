"""Rivals of the searches that come from PyPI, on the data that the other drivers have."""
