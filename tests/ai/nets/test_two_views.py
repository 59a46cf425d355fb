"""Why the move network looks twice: what 609 weights can see of a five, written by hand.

A first-layer unit is lost to handing on the stones. Seven units are left for fours in four
directions of two sides. The mirror image turns one diagonal into the other.
"""

from __future__ import annotations

import numpy as np
import pytest

from ai.nets.architecture import ArchitectureError, InferenceNetwork, initial_weights
from ai.nets.move_net import move_net_architecture

SIZE = 15
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
ALMOST = 2.9
"""A unit answers above so many stones of one side in a line of five: four, and a place for one."""


def written_weights():
    """Units that count a line of five: three for own stones, four for the opponent's."""
    weights = {
        name: array * 0 for name, array in initial_weights(move_net_architecture(15), 0).items()
    }
    first, second, last = (weights[f"{name}.kernel"] for name in ("hidden_1", "hidden_2", "policy"))
    for direction, (row, column) in enumerate(STEPS):
        for place in range(-2, 3):
            line = (2 + place * row, 2 + place * column)
            second[(*line, 3, direction)] = 1.0
            last[(*line, direction, 0)] = 1.0
            if direction < 3:
                first[(*line, 0, direction)] = 1.0
    weights["hidden_1.bias"][:3] = -ALMOST
    first[2, 2, 0, 3], weights["hidden_1.bias"][3] = -1.0, 1.0  # the stones, as numbers from 0 to 2
    weights["hidden_2.bias"][:] = -5 - ALMOST
    for direction in range(3):  # an own four is worth three times an opponent's
        second[2, 2, direction, direction] += (3 * (4 - ALMOST) + 4 + ALMOST) / (4 - ALMOST)
    return weights


def fours():
    """All fours with a gap, closed at both ends, of both sides: (stones, gap, direction, color)."""
    for direction, (row, column) in enumerate(STEPS):
        for gap in range(5):
            for color in (1, -1):
                stones = np.zeros(SIZE * SIZE, np.float32)
                line = [(5 + k * row) * SIZE + 7 + k * column for k in range(-1, 6)]
                stones[line[1:6]] = color
                stones[[line[0], line[6]]] = -color
                stones[line[gap + 1]] = 0
                yield stones, line[gap + 1], direction, color


def missed(views):
    """The directions and colors of the fours whose gap is not the network's best point."""
    network = InferenceNetwork(move_net_architecture(SIZE, views), written_weights())
    found = []
    for stones, gap, direction, color in fours():
        scores = np.where(stones != 0, -np.inf, network.logits(stones[None, :, None])[0])
        if scores.argmax() != gap or (scores == scores.max()).sum() > 1:
            found.append((direction, color))
    return found


def test_one_view_misses_own_fours_of_one_direction_and_two_views_none():
    assert sum(array.size for array in written_weights().values()) == 609
    assert missed(1) == [(3, 1)] * 5
    assert missed(2) == []


def test_other_numbers_of_views_are_refused():
    with pytest.raises(ArchitectureError, match="views: expected 1 or 2, found 3"):
        move_net_architecture(15, 3)
