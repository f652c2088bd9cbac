"""Members of a family: drawn, taken as targets, searched in another family, polished."""
