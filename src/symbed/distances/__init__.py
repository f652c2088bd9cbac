"""Distances: from behaviors to numbers, matrices, neighbors and clusters."""
