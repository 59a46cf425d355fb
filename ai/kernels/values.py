"""Values of patterns, as the genetic algorithm uses them."""

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
"""Value of a whole pattern, by its kind (line class)."""


def stones_in(line_class: int, win_length: int) -> int:
    """Return the number of stones in a pattern of one kind; for a five 5, for an open four 4.

    Args:
        line_class: kind of pattern (line class), a constant of `ai.kernels.layout`, not NONE.
        win_length: stones in a row that win; lengths other than five shift the numbers.
    """
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
    """Return the factor by which the values of single stones are multiplied to be integers.

    A pattern's value is divided equally among its stones; see `stone_values`.

    Args:
        win_length: stones in a row that win.
    """
    return math.lcm(*(stones_in(line_class, win_length) for line_class in PATTERN_VALUES))


def stone_values(win_length: int) -> list[int]:
    """Return the value of one stone of a pattern, by kind of pattern (line class), `[CLASSES]`.

    The numbers are multiplied by `value_scale`. A stone is worth the pattern's value divided by the
    number of its stones. So overlapping patterns share their stones.

    Args:
        win_length: stones in a row that win.
    """
    scale = value_scale(win_length)
    values = [0] * layout.CLASSES
    for line_class, value in PATTERN_VALUES.items():
        values[line_class] = value * scale // stones_in(line_class, win_length)
    return values
