"""Zobrist keys: one number per color and point, XORed into a position's key.

The numbers come from a fixed splitmix64 sequence (Steele, Lea, Flood 2014), so
a key means the same in every process and on every machine. They have 63 bits
and so fit a signed 64-bit integer of the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class ZobristKeys:
    """The keys of one board size."""

    black: tuple[int, ...]
    """`[A]` key of a black stone on each point."""
    white: tuple[int, ...]
    """`[A]` key of a white stone on each point."""
    white_to_move: int
    """Key that is included whenever White is to move."""


def splitmix64(state: int) -> int:
    """Return a well-mixed 64-bit number from `state` (splitmix64)."""
    mixed = (state + 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


@cache
def zobrist_keys(size: int, rows: int | None = None) -> ZobristKeys:
    """Return the Zobrist keys of a board of `size`; `rows` if it is not square."""
    points = size * (size if rows is None else rows)
    numbers = [splitmix64((size << 32) + index) >> 1 for index in range(2 * points + 1)]
    return ZobristKeys(
        black=tuple(numbers[:points]),
        white=tuple(numbers[points : 2 * points]),
        white_to_move=numbers[-1],
    )
