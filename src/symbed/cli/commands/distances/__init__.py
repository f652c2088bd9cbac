"""Commands that measure: one distance, many of them, and what follows from them."""
