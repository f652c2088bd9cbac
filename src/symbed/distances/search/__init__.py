"""Nearest neighbors, exactly: sketches bound distances, few are refined."""
