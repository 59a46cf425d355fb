"""Goishi on Windows, tried on Linux by Wine: `python -m tests.windows`."""
