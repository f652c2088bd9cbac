"""Probabilistic grammars: their rules, their text format, and sampling from them."""
