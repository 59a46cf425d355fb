"""Kernels of the exact solver: proof-number search with threat sequences."""
