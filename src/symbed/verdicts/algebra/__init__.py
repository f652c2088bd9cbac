"""Exact algebra: proofs that two formulas are identical, and where they are defined."""
