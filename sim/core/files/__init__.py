"""Scene files: read, checked, written."""
