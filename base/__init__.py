"""Errors, files, options and the project manifest: shared by `sim` and `ai`, imports neither."""
