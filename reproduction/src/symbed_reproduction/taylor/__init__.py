"""Taylor expansions: whether the measure follows the domain."""
