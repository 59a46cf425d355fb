"""Compiled kernels: the board core that every fast player shares, and the players' inner loops.

The very same functions run uncompiled where numba is switched off or missing.
That slower twin plays until the first compilation is done and gives identical
moves: all arithmetic is integer, stays within 63 bits, and draws its random
numbers from `ai.kernels.randomness`.

Rules for kernels: explicit signatures, scalar loops, one-element record arrays
as arguments, no recursion without a signature, no clock, no numpy randomness.
"""
