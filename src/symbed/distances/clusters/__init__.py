"""Clusters of expressions from a distance matrix."""
