"""What searches say that the evaluation is wrong by, learned while they go on.

Positions whose counters of patterns are the same share a place. What a search finds of one of them
moves the place's value; a part of it is added to the evaluation of the others.
"""

from __future__ import annotations

from typing import Final

from ai.kernels.alpha_beta.layout import (
    CORRECTION_SHIFT,
    CORRECTIONS,
    LOWER,
    TREE,
    UPPER,
    WIN,
)
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import CLASSES, OPEN_FOUR, OPEN_TWO, POSITION

MOST: Final = 400
"""Of a correction, in either direction."""
_SLOWNESS: Final = 64
"""Plies of depth with which a value would be replaced whole."""
_FACTOR: Final = 31
_DECIDED: Final = WIN // 2


@kernel(POSITION, returns=INT)
def correction_place(positions: Record) -> int:
    """Return the place that a position's counters lead to."""
    position = positions[0]
    found = 0
    own = position.side * CLASSES
    other = CLASSES - own
    for line_class in range(OPEN_TWO, OPEN_FOUR + 1):
        found = found * _FACTOR + position.points[own + line_class]
        found = found * _FACTOR + position.points[other + line_class]
    found ^= found >> 23
    place: int = position.side * CORRECTIONS + (found & (CORRECTIONS - 1))
    return place


@kernel(POSITION, TREE, returns=INT)
def correction_of(positions: Record, trees: Record) -> int:
    """Return what is added to the evaluation of a position."""
    tree = trees[0]
    if tree.correction == 0:
        return 0
    value: int = tree.corrections[correction_place(positions)]
    found: int = (value * tree.correction // 100) >> CORRECTION_SHIFT
    return found


@kernel(POSITION, TREE, INT, INT, INT)
def correct(positions: Record, trees: Record, level: int, depth: int, bound: int) -> None:
    """Learn from the best score of a level that was searched, unless it says nothing new."""
    tree = trees[0]
    score = tree.best[level]
    if tree.correction == 0 or abs(score) > _DECIDED:
        return
    off = score - tree.evals[level]
    if (bound == LOWER and off <= 0) or (bound == UPPER and off >= 0):
        return
    place = correction_place(positions)
    value = tree.corrections[place]
    off += correction_of(positions, trees)
    wanted = max(min(off, MOST), -MOST) << CORRECTION_SHIFT
    weight = min(depth + 1, _SLOWNESS // 4)
    tree.corrections[place] = value + (wanted - value) * weight // _SLOWNESS
