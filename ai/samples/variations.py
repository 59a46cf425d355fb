"""Variations of threats: data augmentation by shifting, thinning and cluttering stones.

A threat does not depend on where on the board it stands, nor on most of the other stones. Each
remembered state with a threat is shifted, thinned out and cluttered a few times, and the threat
labelled anew. The random seed is the state itself, so that a learner restored from a checkpoint
has the same variations.
"""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Rules
from ai.samples.one_hot import Sample
from ai.samples.threats import has_row, threat_label

MOST_SHIFT: Final = 2
MOST_THINNED: Final = 0.3
"""Part of the stones that are taken away, at most."""
MOST_ADDED: Final = 4
_ATTEMPTS: Final = 4
"""Drawn for each variation, at most, until one holds a threat."""


def vary(
    stones: NDArray[np.int8], rules: Rules, count: int, *, with_own: bool = False
) -> list[Sample]:
    """Return at most `count` variations of a state, each with a threat in it.

    Args:
        stones: `[A]` from the learner's perspective; a state without a threat has no variations.
        rules: rules of the game; under gravity there are no variations.
        count: number of variations.
        with_own: see `ai.samples.threats.threat_label`.
    """
    if rules.gravity or threat_label(stones, rules, with_own=with_own) is None:
        return []
    digest = hashlib.blake2b(stones.tobytes(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    found = []
    for _ in range(count):
        for _ in range(_ATTEMPTS):
            varied = _cluttered(_thinned(_shifted(stones, rules, rng), rng), rng)
            label = threat_label(varied, rules, with_own=with_own)
            if label is not None and not has_row(varied, rules):
                found.append(Sample(varied, label))
                break
    return found


def _shifted(stones: NDArray[np.int8], rules: Rules, rng: np.random.Generator) -> NDArray[np.int8]:
    """Return all stones moved by up to two points; those that leave the board are gone."""
    down, right = (int(step) for step in rng.integers(-MOST_SHIFT, MOST_SHIFT + 1, size=2))
    grid = np.pad(stones.reshape(rules.rows, rules.size), MOST_SHIFT)
    top, left = MOST_SHIFT - down, MOST_SHIFT - right
    return grid[top : top + rules.rows, left : left + rules.size].ravel().copy()


def _thinned(stones: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int8]:
    """Return the state with some stones taken away."""
    gone = rng.random(len(stones)) < rng.random() * MOST_THINNED
    return np.where(gone, np.int8(0), stones)


def _cluttered(stones: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int8]:
    """Return the state with some stones added, of either side."""
    empty = np.flatnonzero(stones == 0)
    count = min(int(rng.integers(MOST_ADDED + 1)), len(empty))
    stones[rng.choice(empty, count, replace=False)] = rng.choice((1, -1), count)
    return stones
