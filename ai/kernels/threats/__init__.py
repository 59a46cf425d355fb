"""Searches for forced wins by threats, on positions with pattern counters."""
