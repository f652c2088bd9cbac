"""The engine: compiled programs, the native core that runs them, and its NumPy twin."""
