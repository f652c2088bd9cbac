"""Distances: from behaviors to numbers, matrices, neighbours and clusters."""
