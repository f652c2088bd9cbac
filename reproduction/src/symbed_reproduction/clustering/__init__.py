"""Clustering (section 4.2): whether equivalent expressions end up together."""
