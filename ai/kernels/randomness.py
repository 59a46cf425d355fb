"""Random numbers for kernels: the same sequence compiled and in plain Python.

The sum of a linear congruential and an xorshift generator of 32 bits each, two parts of Marsaglia's
KISS (1999). Every intermediate value stays below 2^63.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.game.lines import splitmix64
from ai.kernels.jit import INT, Record, fields_of, kernel, new_record

RANDOM: Final = np.dtype([("congruential", np.int64), ("xorshift", np.int64)], align=True)
"""Record of the state of a random generator."""

_MASK32: Final = 0xFFFFFFFF


def new_random() -> Record:
    """Return a random generator's record; seed it with `seed_random` before use."""
    return new_record(RANDOM)


def seed_random(random: Record, seed: int) -> None:
    """Seed the generator with any int."""
    mixed = splitmix64(seed & 0xFFFFFFFFFFFFFFFF)
    state = fields_of(random)
    state.congruential = mixed & _MASK32
    state.xorshift = (mixed >> 32) | 1  # never zero


@kernel(RANDOM, returns=INT)
def next_bits(random: Record) -> int:
    """Return a random int of 32 bits."""
    state = random[0]
    state.congruential = (69069 * state.congruential + 12345) & _MASK32
    bits: int = state.xorshift
    bits ^= (bits << 13) & _MASK32
    bits ^= bits >> 17
    bits ^= (bits << 5) & _MASK32
    state.xorshift = bits
    result: int = (state.congruential + bits) & _MASK32
    return result


@kernel(RANDOM, INT, returns=INT)
def next_below(random: Record, bound: int) -> int:
    """Return a random int from 0 to bound - 1."""
    return (next_bits(random) * bound) >> 32
