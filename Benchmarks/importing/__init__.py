"""Imports databases of other kinds: writes them, copies them, and asks the copies for the same answers. Python's standard library only."""
