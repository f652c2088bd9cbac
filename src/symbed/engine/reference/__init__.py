"""The NumPy engine: every kernel of the native core, readable, with the same bits."""
