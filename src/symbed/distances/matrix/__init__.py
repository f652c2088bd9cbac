"""Distance matrices, in memory or larger than memory."""
