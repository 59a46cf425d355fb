"""Searches for threats on the pattern core."""
