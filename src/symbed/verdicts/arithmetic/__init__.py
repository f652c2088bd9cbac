"""Exact numbers, balls and power series of balls, for every operator of the language."""
