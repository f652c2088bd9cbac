"""Commands that read, write, draw and fit formulas."""
