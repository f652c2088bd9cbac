"""Fitting of free parameters to data by least squares."""
