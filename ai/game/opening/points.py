"""Opening moves."""

from __future__ import annotations

import numpy as np

from ai.game.game import Game
from ai.game.move import BLACK, Move
from ai.game.rules import Rules


def centre_points(size: int) -> tuple[Move, ...]:
    """Return the nine centre points, rows and columns size//2-1 to size//2+1.

    On 7x7 these are rows and columns 2 to 4: "randomly initializing X and Y in
    positions between 3 and 5" (the self-teaching paper, section 4.1, counted from 1).

    >>> centre_points(7)
    (16, 17, 18, 23, 24, 25, 30, 31, 32)
    """
    middle = size // 2
    around = (middle - 1, middle, middle + 1)
    return tuple(row * size + col for row in around for col in around)


def random_centre_point(rules: Game, rng: np.random.Generator) -> Move:
    """Draw the opening move among `opening_points`."""
    points = opening_points(rules)
    return points[int(rng.integers(len(points)))]


def opening_points(rules: Game) -> tuple[Move, ...]:
    """Return the points among which the first stone is drawn.

    The nine centre points; under gravity three in the nearest row; where the game is no m,n,k, all
    that Black can play.
    """
    if not isinstance(rules, Rules):
        return tuple(np.flatnonzero(rules.legal(rules.start(), BLACK)).tolist())
    if rules.is_plain:
        return centre_points(rules.size)
    columns = range(rules.size // 2 - 1, rules.size // 2 + 2)
    middle = rules.rows // 2
    rows = (rules.rows - 1,) if rules.gravity else range(middle - 1, middle + 2)
    return tuple(row * rules.size + column for row in rows for column in columns)
