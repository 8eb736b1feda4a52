"""Measures the browser beside other pages on a database."""
