"""Kernels that look along the lines through one point: runs, five-row patterns, their search."""
