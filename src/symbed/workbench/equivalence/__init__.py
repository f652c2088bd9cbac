"""Other spellings of an expression that mean the same, made by identities and checked."""
