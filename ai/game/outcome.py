"""The end of a game as a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ai.game.rules import EMPTY, Color


class Termination(Enum):
    """Why a game ended."""

    FIVE = "five"
    """A row of the win length was made (five stones under the usual rules)."""
    FULL = "full"
    """Every point is occupied."""
    RESIGNED = "resigned"
    """A person gave the game up; the board itself knows no winner."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: Color
    """BLACK, WHITE, or EMPTY for a draw."""
    termination: Termination
    """Why it ended."""

    @property
    def is_draw(self) -> bool:
        """Whether nobody won."""
        return self.winner == EMPTY
