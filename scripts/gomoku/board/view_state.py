"""The state that a board shows: a position's stones, moves and winning line, without players."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ai import PASS, Game, Position, replayed


@dataclass(frozen=True)
class ViewState:
    """A position as a board shows it; a board needs only this and no rules of the game.

    Attributes:
        size: number of columns.
        rows: number of rows.
        stones: `[A]` color of each point: 1, -1, or 0 where there is no stone.
        moves: moves since the start, passes as PASS; the stone of the last one is marked.
        to_move: color of the side to move, 1 or -1.
        line: points of the winning stones, marked instead of the last one; empty for none.
    """

    size: int
    rows: int
    stones: tuple[int, ...]
    moves: tuple[int, ...] = ()
    to_move: int = 1
    line: tuple[int, ...] = ()

    @classmethod
    def of(cls, position: Position) -> ViewState:
        """Return the state that shows a position."""
        rules = position.rules
        stones, moves = tuple(position.stones), tuple(position.moves)
        line = tuple(position.winning_line() or ())
        return cls(rules.size, rules.rows, stones, moves, position.to_move, line)

    @classmethod
    def before(cls, rules: Game) -> ViewState:
        """Return the state before the first move of a game."""
        return cls(rules.size, rules.rows, tuple(rules.start().tolist()))

    @classmethod
    def empty(cls, size: int, rows: int | None = None) -> ViewState:
        """Return the state of an empty board.

        Args:
            size: number of columns.
            rows: number of rows; None for as many as columns.
        """
        height = size if rows is None else rows
        return cls(size, height, (0,) * (size * height))

    @property
    def placed(self) -> dict[int, int]:
        """Color of each stone by its point, in the order in which they were played."""
        points = (*self.moves, *range(len(self.stones)))
        return {at: self.stones[at] for at in points if at != PASS and self.stones[at]}

    @property
    def last(self) -> int | None:
        """The point of the last ply; None after a pass and before the first ply."""
        return self.moves[-1] if self.moves and self.moves[-1] != PASS else None


def states_of(rules: Game, moves: Iterable[int]) -> Iterator[ViewState]:
    """Yield the state after each move of a game, then the final state once more.

    The winning line is set only in that last state. So it can be shown a moment after the stone.

    Args:
        rules: rules of the game.
        moves: moves from the start, passes as PASS.

    Raises:
        IllegalMoveError: a move breaks the rules.
    """
    position = replayed(rules)
    for move in moves:
        position.replay(move)
        yield replace(ViewState.of(position), line=())
    yield ViewState.of(position)
