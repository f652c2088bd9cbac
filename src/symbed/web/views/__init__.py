"""What the page shows of formulas, comparisons, collections and data, as plain values."""
