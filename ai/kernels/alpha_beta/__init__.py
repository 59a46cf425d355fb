"""Kernels of the alpha-beta search on the pattern core."""
