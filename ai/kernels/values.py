"""Pattern values: the genetic algorithm's table."""

from __future__ import annotations

import math
from typing import Final

from ai.kernels import layout

FIVE_VALUE: Final = 100_000

PATTERN_VALUES: Final = {
    layout.FIVE: FIVE_VALUE,
    layout.OPEN_FOUR: 10_000,
    layout.FOUR: 100,
    layout.OPEN_THREE: 200,
    layout.THREE: 50,
    layout.OPEN_TWO: 5,
}
"""Value of one whole pattern."""


def stones_in(line_class: int, win_length: int) -> int:
    """Return the number of stones in a pattern of this class (five, open four: 5, 4)."""
    missing = {
        layout.FIVE: 0,
        layout.OPEN_FOUR: 1,
        layout.FOUR: 1,
        layout.OPEN_THREE: 2,
        layout.THREE: 2,
        layout.OPEN_TWO: 3,
    }
    return max(1, win_length - missing[line_class])


def value_scale(win_length: int) -> int:
    """Return the factor that makes every stone's share of its pattern an integer."""
    return math.lcm(*(stones_in(line_class, win_length) for line_class in PATTERN_VALUES))


def stone_values(win_length: int) -> list[int]:
    """Return `[CLASSES]`: a stone's share of its pattern's value, times `value_scale`.

    A pattern is counted through its stones: each is worth the pattern's value
    divided by the stones it has, so that overlapping patterns share theirs.
    """
    scale = value_scale(win_length)
    values = [0] * layout.CLASSES
    for line_class, value in PATTERN_VALUES.items():
        values[line_class] = value * scale // stones_in(line_class, win_length)
    return values
