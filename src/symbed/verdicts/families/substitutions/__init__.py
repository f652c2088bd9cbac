"""Formulas for the parameters of one family in those of another: made, and checked."""
