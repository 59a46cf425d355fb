"""Compiled kernels: the board core that every fast player shares, and the players' inner loops.

The very same functions run uncompiled where numba is switched off or missing.
That slower twin plays until the first compilation is done and gives identical
moves: all integers stay within 63 bits, floats are computed one by one in the
same order, and random numbers come from `ai.kernels.randomness`.

Rules for kernels: explicit signatures, scalar loops, one-element record arrays
and numpy arrays as arguments, no recursion without a signature, no numpy
randomness, no time but the flag of `ai.kernels.clock`. A module that decorates
functions with `jit.kernel` is found and compiled by itself.
"""
