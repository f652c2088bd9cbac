"""The limits that the paper lists, each in numbers."""
