"""Kernels that look along the lines through one point: runs of stones, patterns, and a search."""
