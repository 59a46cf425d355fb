from __future__ import annotations

import numpy as np

from ai.game import WHITE, Rules, parse_diagram
from ai.samples.threats import has_row, threat_label, vary

RULES = Rules(7, 5, full_board_winner=WHITE)
OPEN_THREE = parse_diagram(
    """
    . . . . . . .
    . . . . . O .
    . . . . . . .
    . . X X X . .
    . . O . . . .
    . . . . . . .
    . . . . . . .
    """
).ravel()


def test_a_variation_is_another_state_with_the_label_of_its_own_threat():
    found = vary(OPEN_THREE, RULES, 16)
    assert len(found) > 12
    assert len({lesson.stones.tobytes() for lesson in found}) > 12
    for lesson in found:
        assert not has_row(lesson.stones, RULES)
        assert (lesson.label == threat_label(lesson.stones, RULES)).all()


def test_the_same_state_has_the_same_variations_always():
    first, second = (vary(OPEN_THREE, RULES, 8) for _ in range(2))
    assert all((a.stones == b.stones).all() for a, b in zip(first, second, strict=True))


def test_the_state_itself_stays_as_it_is():
    before = OPEN_THREE.copy()
    vary(OPEN_THREE, RULES, 8)
    assert (before == OPEN_THREE).all()


def test_what_holds_no_threat_has_no_variations():
    assert vary(np.zeros(49, np.int8), RULES, 8) == []


def test_where_stones_fall_nothing_is_shifted():
    rules = Rules(7, 4, height=6, gravity=True)
    stones = np.zeros(42, np.int8)
    stones[-3:] = 1
    assert threat_label(stones, rules) is not None
    assert vary(stones, rules, 8) == []
