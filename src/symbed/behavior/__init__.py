"""Behaviors: what expressions do at the points of a probe, one by one or by the million."""
