"""Scene files: reading, checking, writing."""
