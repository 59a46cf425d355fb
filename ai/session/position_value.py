"""Values of a game's positions and losses of its moves; the values come from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ai.game import Move

SOLVER: Final = "exact solver"
DROP: Final = 0.4
"""Minimum loss of value of a move that counts as a blunder, for values in [-1, 1]."""


@dataclass(frozen=True, slots=True)
class PositionValue:
    """Value of one position."""

    ply: int
    """Number of moves played before the position."""
    value: float
    """Expected result in [-1, 1] for the side to move; 0 if the solver has proven nothing."""
    is_proven: bool
    """Whether the value is proven by the solver, or by the end of the game."""
    best: Move | None
    """A best move of the position; None if unknown."""
    by: str
    """The evaluator: "exact solver" or a player's name."""
    line: tuple[Move, ...] = ()
    """The expected continuation with best play, beginning with `best`; () if unknown."""
    plies: int | None = None
    """Number of moves until the end of the game; None if the player did not see it."""
    is_only: bool = False
    """Whether every other move loses, or the player considered no other."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A played move with the value that it lost."""

    ply: int
    """Number of moves played before it."""
    before: PositionValue
    """Value of the position before the move, for the side that moved.

    Values of later positions correct it, see `backed_up`.
    """
    after: PositionValue
    """Value of the position after the move, for the opponent.

    Values of later positions correct it, see `backed_up`.
    """
    loss: float | None
    """Value that the move lost, 0 to 2; None if the solver proved too little."""
    best: Move | None
    """A better move; None if the move lost nothing, or none is known."""

    @property
    def is_blunder(self) -> bool:
        """Whether the move lost at least `DROP`."""
        return self.loss is not None and self.loss >= DROP


def backed_up(
    values: Mapping[int, PositionValue], moves: Sequence[Move]
) -> dict[int, PositionValue]:
    """Return the values of a game's positions, corrected by those of later positions.

    A position's value is raised to that of the move that was played, if it is lower. If the player
    itself preferred that move, it is set to exactly that value: the player had overlooked
    something, and the move has lost nothing. Values by the exact solver stay.

    Args:
        values: values of the positions by the number of moves before them.
        moves: the moves of the game.
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
    """Return the value that a move lost, 0 to 2; None if either position's value is unknown.

    Args:
        before: value of the position in which it was played.
        after: value of the next position, for the other side to move.
    """
    if any(item.by == SOLVER and not item.is_proven for item in (before, after)):
        return None
    return max(0.0, before.value + after.value)


def judge_moves(values: Mapping[int, PositionValue], moves: Sequence[Move]) -> list[JudgedMove]:
    """Return the moves of a game with their losses, in order; all reviews use this function.

    Args:
        values: values of the game's positions by the number of moves before them. A move is left
            out if the value before or after it is missing.
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
