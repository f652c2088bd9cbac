"""The two example behaviors of the paper's first figures."""
