"""What one position of a game is worth, without anything that computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ai.game import Move

SOLVER: Final = "exact solver"


@dataclass(frozen=True, slots=True)
class PositionValue:
    """What one position is worth."""

    ply: int
    """Number of moves played before it."""
    value: float
    """Expected result in [-1, 1] for the side to move; 0 where nothing is proven."""
    is_proven: bool
    """Whether the value is proven, or the game is over."""
    best: Move | None
    """A move that keeps the value, None where none is known."""
    by: str
    """Who says so: "exact solver" or a player's name."""
    line: tuple[Move, ...] = ()
    """What the player expects, `best` first; () where it says nothing."""
    plies: int | None = None
    """Moves until the end that the player has seen, None where it has seen none."""
    is_only: bool = False
    """Whether the player has found every other move to lose, or looked at no other one."""
