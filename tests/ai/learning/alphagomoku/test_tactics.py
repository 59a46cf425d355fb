"""The test positions of phase 2 hold the two threats that they are named after."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import BLACK, WHITE, Rules
from ai.game.threats import ThreatKind, find_threats
from ai.learning.alphagomoku.tactics import KINDS, tactic_positions


@pytest.mark.parametrize("kind", KINDS)
def test_the_point_makes_both_threats(kind):
    rules = Rules(9)
    samples = tactic_positions(rules, kind, 6, 4)
    assert len(samples) == 6
    for stones, policy, last in zip(samples.stones, samples.policy, samples.last, strict=True):
        point = int(policy.argmax())
        assert stones[last] == WHITE
        assert stones.sum() == 0  # Black is to move
        before = find_threats(stones.tolist(), rules)
        assert not [one for one in before if one.color == WHITE]
        assert not [one for one in before if one.kind is ThreatKind.FIVE]
        after = stones.copy()
        after[point] = BLACK
        threats = [one for one in find_threats(after.tolist(), rules) if one.color == BLACK]
        fives = [one for one in threats if one.kind is ThreatKind.FIVE]
        assert len(fives) == KINDS[kind].count("four")
        if "four" not in KINDS[kind]:  # each three becomes an open four in two places or more
            assert len([one for one in threats if one.kind is ThreatKind.OPEN_FOUR]) >= 4


def test_games_without_them_and_the_seed():
    assert tactic_positions(Rules(6, 4), "three-three", 3, 0) is None
    assert tactic_positions(Rules(7), "three-three", 3, 0) is None
    one, again = (tactic_positions(Rules(15), "four-three", 3, 5) for _ in range(2))
    np.testing.assert_array_equal(one.stones, again.stones)
