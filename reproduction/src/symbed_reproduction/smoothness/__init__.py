"""Smoothness (section 4.3): whether expressions near the truth are good ones."""
