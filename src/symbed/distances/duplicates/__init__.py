"""Groups of expressions that behave the same."""
