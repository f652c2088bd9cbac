"""Good and different: formulas under a loss bound that are far apart."""
