"""Values of a game's positions and the losses of its moves; nothing here computes a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ai.game import Move

SOLVER: Final = "exact solver"
DROP: Final = 0.4
"""Minimum loss of a blunder, for values in [-1, 1]."""


@dataclass(frozen=True, slots=True)
class PositionValue:
    """Value of one position."""

    ply: int
    """Number of moves played before it."""
    value: float
    """Expected result in [-1, 1] for the side to move; 0 where nothing is proven."""
    is_proven: bool
    """Whether the value is proven, or the game is over."""
    best: Move | None
    """A move that keeps the value; None if unknown."""
    by: str
    """Who evaluated it: "exact solver" or a player's name."""
    line: tuple[Move, ...] = ()
    """The player's principal variation, `best` first; () if unknown."""
    plies: int | None = None
    """Number of moves to the end of the game, if the player has found it."""
    is_only: bool = False
    """Whether every other move loses, or the player considered no other."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """Loss of a move, from the values of the positions before and after it."""

    ply: int
    """Moves before it."""
    before: PositionValue
    """Value before the move, corrected by later positions, see `backed_up`."""
    after: PositionValue
    """The same, for the other side to move."""
    loss: float | None
    """Value that it lost, 0 to 2; None if the solver proved too little."""
    best: Move | None
    """A better move; None if the move lost nothing, or none is known."""

    @property
    def is_blunder(self) -> bool:
        """Whether it lost at least `DROP`."""
        return self.loss is not None and self.loss >= DROP


def backed_up(
    values: Mapping[int, PositionValue], moves: Sequence[Move]
) -> dict[int, PositionValue]:
    """Return a player's values, corrected by those of later positions.

    A position's value is at least that of the move that was played. If the player would have played
    that move itself, it is exactly that value: the move does not lose what the player overlooked.
    """
    found = dict(values)
    for ply in range(len(moves) - 1, -1, -1):
        before, after = found.get(ply), found.get(ply + 1)
        if before is None or after is None or SOLVER in (before.by, after.by):
            continue
        kept = -after.value
        if before.best == moves[ply] or kept > before.value:
            found[ply] = replace(before, value=kept, best=moves[ply])
    return found


def move_loss(before: PositionValue, after: PositionValue) -> float | None:
    """Return the value that a move lost, 0 to 2; None if one of both values is unknown.

    Args:
        before: value of the position in which it was played.
        after: value of the next position, for the other side to move.
    """
    if any(item.by == SOLVER and not item.is_proven for item in (before, after)):
        return None
    return max(0.0, before.value + after.value)


def judge_moves(values: Mapping[int, PositionValue], moves: Sequence[Move]) -> list[JudgedMove]:
    """Return the losses of a game's moves, in order; all reviews use this function.

    Args:
        values: values of the game's positions by ply; a move next to a missing one is left out.
        moves: the moves from the empty board.
    """
    settled, found = backed_up(values, moves), []
    for ply, move in enumerate(moves):
        before, after = settled.get(ply), settled.get(ply + 1)
        if before is None or after is None:
            continue
        loss = move_loss(before, after)
        is_better = before.best != move and loss is not None and loss > 0.0
        found.append(JudgedMove(ply, before, after, loss, before.best if is_better else None))
    return found
