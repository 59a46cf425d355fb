from __future__ import annotations

import numpy as np
import pytest

from benchmarks.one_order import explained


def positions(count: int = 300, points: int = 49) -> np.ndarray:
    free = np.random.default_rng(0).random((count, points)) < 0.7
    free[:, 0] |= ~free.any(axis=1)
    return free


def test_an_order_explains_all_of_its_own_moves():
    free = positions()
    order = np.random.default_rng(1).permutation(49)
    moves = np.array([next(point for point in order if row[point]) for row in free])
    assert explained(free, moves) == 1.0


def test_what_is_drawn_for_each_position_is_hardly_explained():
    free = positions()
    rng = np.random.default_rng(2)
    moves = np.array([rng.choice(np.flatnonzero(row)) for row in free])
    assert explained(free, moves) < 0.3


def test_an_order_with_exceptions_is_explained_in_part():
    free = positions(1000)
    moves = free.argmax(axis=1)
    moves[:200] = [np.flatnonzero(row)[-1] for row in free[:200]]
    assert explained(free, moves) == pytest.approx(0.8, abs=0.03)
