"""Data to fit to and to test with: benchmark data sets that ship, and users' files."""
