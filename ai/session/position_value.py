"""What positions of a game are worth and its moves lost, without anything that computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ai.game import Move

SOLVER: Final = "exact solver"
DROP: Final = 0.4
"""Of a value in [-1, 1], from which on a move counts as a blunder."""


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


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """What a move of a game lost, by the values of the positions before and after it."""

    ply: int
    """Moves before it."""
    before: PositionValue
    """Corrected by what was seen later in the game, see `backed_up`."""
    after: PositionValue
    """The same, for the other side to move."""
    loss: float | None
    """Value that it lost, 0 to 2; None where the solver proved too little to say."""
    best: Move | None
    """A better move; None where it lost nothing, or none is known."""

    @property
    def is_blunder(self) -> bool:
        """Whether it lost at least `DROP`."""
        return self.loss is not None and self.loss >= DROP


def backed_up(
    values: Mapping[int, PositionValue], moves: Sequence[Move]
) -> dict[int, PositionValue]:
    """Return the values of a player, corrected by what it saw later in the game.

    A position is worth at least what the move that was played kept; where the player would have
    played that move itself, exactly so much: what it overlooked then was not that move's fault.
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
    """Return the value that a move lost, 0 to 2; None where one of both positions is not known.

    Args:
        before: the position in which it was played.
        after: the next one, for the other side to move.
    """
    if any(item.by == SOLVER and not item.is_proven for item in (before, after)):
        return None
    return max(0.0, before.value + after.value)


def judge_moves(values: Mapping[int, PositionValue], moves: Sequence[Move]) -> list[JudgedMove]:
    """Return what the moves of a game lost, in order: the one judgement of every review.

    Args:
        values: of the game's positions, by ply; a move beside a missing one is left out.
        moves: from the empty board.
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


__all__ = ["DROP", "SOLVER", "JudgedMove", "PositionValue", "backed_up", "judge_moves", "move_loss"]
