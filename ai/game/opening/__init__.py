"""How a game begins: points drawn for the first stone, and openings that people agree upon."""

from __future__ import annotations

from ai.game.opening.balanced import balanced_stones
from ai.game.opening.phase import (
    FIRST,
    OPENING_NAMES,
    SECOND,
    Choice,
    OpeningKind,
    OpeningPhase,
    Person,
    Said,
    opening_of,
)
from ai.game.opening.points import centre_points, opening_points, random_centre_point

__all__ = [
    "FIRST",
    "OPENING_NAMES",
    "SECOND",
    "Choice",
    "OpeningKind",
    "OpeningPhase",
    "Person",
    "Said",
    "balanced_stones",
    "centre_points",
    "opening_of",
    "opening_points",
    "random_centre_point",
]
