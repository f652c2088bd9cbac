"""Benchmarks: each module prints ratios, with all sides measured in one run, as medians."""
