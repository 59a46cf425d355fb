"""Kernels of the alpha-beta search for five in a row, which uses the pattern counters."""
