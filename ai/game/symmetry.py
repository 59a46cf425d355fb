"""The eight symmetries of a square board (the dihedral group D4) as index permutations."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

SYMMETRY_COUNT: Final = 8
"""Of a square on which every empty point can be played."""


@cache
def symmetries(size: int) -> NDArray[np.intp]:
    """Return `[8, A]`: `points[symmetries(size)[s]]` is the board under symmetry `s`.

    Symmetry 0 is the identity, 1 to 3 turn by 90, 180 and 270 degrees
    counter-clockwise, 4 to 7 are the same after a mirroring left to right. Entry
    `[s, i]` is the point that comes to lie on point `i`, so a move `m` is carried
    to `invert(symmetries(size)[s])[m]`. The array is shared: do not write to it.
    """
    grid = np.arange(size * size).reshape(size, size)
    tables = [np.rot90(face, turns).ravel() for face in (grid, grid[:, ::-1]) for turns in range(4)]
    result = np.stack(tables).astype(np.intp)
    result.setflags(write=False)
    return result


@cache
def grid_symmetries(size: int, rows: int, *, is_upright: bool = False) -> NDArray[np.intp]:
    """Return `[S, A]` the symmetries of a grid, as in `symmetries`; 0 is the identity.

    A square has eight; a rectangle four: turned by 180 degrees and both mirrorings;
    one in which stones fall, two: the mirroring left to right.
    """
    if size == rows and not is_upright:
        return symmetries(size)
    grid = np.arange(size * rows).reshape(rows, size)
    faces = [grid, grid[:, ::-1]]
    if not is_upright:
        faces += [grid[::-1], grid[::-1, ::-1]]
    result = np.stack([face.ravel() for face in faces]).astype(np.intp)
    result.setflags(write=False)
    return result


def invert(permutation: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the permutation that undoes `permutation` (`[A]`)."""
    result = np.empty_like(permutation)
    result[permutation] = np.arange(len(permutation), dtype=permutation.dtype)
    return result


def compose(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the permutation that applies `first`, then `second` (`[A]` each)."""
    return first[second]
