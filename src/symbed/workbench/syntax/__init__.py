"""Syntactic measures: distances by spelling, beside the distance by behavior."""
