"""How far to trust a distance: its interval, and what points and draws do not resolve."""
