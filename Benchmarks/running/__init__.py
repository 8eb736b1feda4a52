"""Builds the drivers, runs them side by side, and writes what came out. Python's standard library only."""
