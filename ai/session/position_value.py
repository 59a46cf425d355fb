"""Values of a game's positions and losses of its moves; the values come from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from ai.game import Move
from base.language.wording import tr, tr_many, wording

SOLVER: Final = tr("exact solver")
BLUNDER: Final = "blunder"
MISTAKE: Final = "mistake"
INACCURACY: Final = "inaccuracy"
DROP: Final = 0.4
"""Minimum loss of value of a move that counts as a blunder, for values in [-1, 1]."""
LOSSES: Final[Mapping[str, float]] = {BLUNDER: DROP, MISTAKE: 0.2, INACCURACY: 0.1}
"""Minimum loss of value of each kind of mistake, the worst kind first.

A loss of 0.2 is one of 10 percentage points of the chance to win, see `chance_of`.
"""


def kind_of(loss: float | None) -> str:
    """Return the kind of mistake that a loss of value is; "" if it is none or unknown.

    >>> [kind_of(loss) for loss in (0.5, 0.25, 0.1, 0.05, None)]
    ['blunder', 'mistake', 'inaccuracy', '', '']
    """
    least = LOSSES.items()
    return next((kind for kind, least in least if loss is not None and loss >= least), "")


def chance_of(value: float) -> float:
    """Return the chance to win for a value in [-1, 1], in percent, if draws count half.

    >>> chance_of(-1.0), chance_of(0.0), chance_of(0.5)
    (0.0, 50.0, 75.0)
    """
    return 50.0 + 50.0 * value


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
    """The evaluator: tr("exact solver") or a player's name."""
    line: tuple[Move, ...] = ()
    """The expected continuation with best play, beginning with `best`; () if unknown."""
    plies: int | None = None
    """Number of moves until the end of the game; None if the player did not see it."""
    is_only: bool = False
    """Whether every other move loses, or the player considered no other."""
    moves: tuple[Move, ...] = ()
    """The moves that the search considered, the best first; () if unknown."""
    nodes: int = 0
    """Number of positions searched; 0 if unknown."""
    is_provisional: bool = False
    """Whether it is from a small search, because the fast code was not compiled yet."""


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
        return self.kind == BLUNDER

    @property
    def kind(self) -> str:
        """The kind of mistake, a key of `LOSSES`; "" if it is none."""
        return kind_of(self.loss)


@dataclass(frozen=True, slots=True)
class SideSummary:
    """A side's moves in a review, in numbers."""

    moves: int
    """Number of its moves that were judged."""
    counts: Mapping[str, int]
    """Number of its mistakes of each kind, a key of `LOSSES`."""
    mean_loss: float | None
    """Mean loss of value of its moves, 0 to 2; None if no loss is known."""
    unknown: int
    """Number of its judged moves whose loss is not known."""

    @classmethod
    def of(cls, losses: Sequence[float | None]) -> Self:
        """Count the losses of a side's moves."""
        known = [loss for loss in losses if loss is not None]
        kinds = [kind_of(loss) for loss in known]
        counts = {kind: kinds.count(kind) for kind in LOSSES}
        mean = sum(known) / len(known) if known else None
        return cls(len(losses), counts, mean, len(losses) - len(known))

    @property
    def text(self) -> str:
        """The numbers in words: "25 moves, 6 blunders, 1 mistake, mean loss 0.18"."""
        parts = [tr_many("{count} move", "{count} moves", self.moves)]
        parts.append(_mistakes(BLUNDER, self.counts[BLUNDER]))
        rarer = (kind for kind in (MISTAKE, INACCURACY) if self.counts[kind])
        parts.extend(_mistakes(kind, self.counts[kind]) for kind in rarer)
        if self.mean_loss is None:
            return wording(", ").join((*parts, tr("nothing known")))
        parts.append(tr("mean loss {loss:.2f}").format(loss=self.mean_loss))
        if self.unknown:
            parts.append(tr("{unknown} not known").format(unknown=self.unknown))
        return wording(", ").join(parts)


def _mistakes(kind: str, count: int) -> str:
    """Return the number of mistakes of a kind in words."""
    if kind == BLUNDER:
        return tr_many("{count} blunder", "{count} blunders", count)
    if kind == MISTAKE:
        return tr_many("{count} mistake", "{count} mistakes", count)
    return tr_many("{count} inaccuracy", "{count} inaccuracies", count)


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
