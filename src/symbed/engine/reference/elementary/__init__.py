"""Elementary functions from IEEE operations alone, the same lines as in ``native/elementary``."""
