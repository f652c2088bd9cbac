"""Proofs that a function is no member of a family: by enclosures, equations and dimensions."""
