"""Kernels: functions compiled by numba, with the board and the inner loops of the fast players.

Where numba is switched off or missing, the same functions run as plain Python. This slower twin
also plays until the first compilation is done. It gives identical moves: all integers fit in 63
bits, floats are computed in the same order, and random numbers come from `ai.kernels.randomness`.

Rules for kernels: explicit signatures, scalar loops, and one-element record arrays or numpy arrays
as arguments. Recursion needs a signature. There is no numpy randomness and no clock but the stop
flag of `ai.kernels.clock`. Modules with functions decorated by `jit.kernel` are found and compiled
automatically.
"""
