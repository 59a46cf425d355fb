"""What a board shows: a position, without the players."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ai import PASS, Game, GameSession, Position


@dataclass(frozen=True)
class ViewState:
    """A position as a board shows it. Boards only know such states, and no games.

    Attributes:
        size: columns.
        rows: rows.
        stones: `[A]` color of each point, 0 where there is no stone.
        moves: the plies that led to it, PASS included; the last stone among them is marked.
        to_move: color of the side to move, the other side's than that of the last ply.
        line: the stones that have won; they are marked in place of the last one.
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
        """Return a board without stones of `size` columns and `rows` rows (None: as many)."""
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
    """Yield the states after each move of a game, then the last one again with its line.

    Raises:
        IllegalMoveError: the moves break the rules.
    """
    shown = GameSession(rules)
    for move in moves:
        shown.play(move)
        yield replace(ViewState.of(shown.board), line=())
    yield ViewState.of(shown.board)
