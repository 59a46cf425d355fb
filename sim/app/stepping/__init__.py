"""Scenes that are stepped from outside, in child processes too."""
