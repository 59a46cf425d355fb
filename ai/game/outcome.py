"""The result of a finished game: winner and termination."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ai.game.rules import EMPTY, Color


class Termination(Enum):
    """Why a game ended, see `Outcome`."""

    FIVE = "five"
    """A row of the win length was made (five stones under the usual rules)."""
    FULL = "full"
    """The board is full."""
    RESIGNED = "resigned"
    """A person resigned; the board itself does not know."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: Color
    """BLACK, WHITE, or EMPTY for a draw."""
    termination: Termination
    """Why it ended."""

    @property
    def is_draw(self) -> bool:
        """Whether the game is a draw."""
        return self.winner == EMPTY
