"""Consistency (section 4.1): how alike repeated runs rank expressions."""
