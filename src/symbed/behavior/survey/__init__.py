"""Surveys: streams of sources observed by the million."""
