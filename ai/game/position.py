"""A position of any game that can be played forward and taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ai.game.coords import to_text
from ai.game.errors import GameOverError, IllegalMoveError
from ai.game.game import BLACK, PASS, Color, Game, Move
from ai.game.notation import format_diagram, format_moves, parse_moves
from ai.game.outcome import Outcome


class LegalMoves:
    """The legal moves of a position, seen through: it follows the position as that changes."""

    __slots__ = ("_position",)

    def __init__(self, position: Position) -> None:
        self._position = position

    def __iter__(self) -> Iterator[Move]:
        points: list[Move] = np.flatnonzero(self.mask()).tolist()
        if not points and self._position.outcome() is None:
            return iter((PASS,))
        return iter(points)

    def __contains__(self, move: object) -> bool:
        return isinstance(move, (int, np.integer)) and any(int(move) == legal for legal in self)

    def __bool__(self) -> bool:
        return self.count() > 0

    def __len__(self) -> int:
        return self.count()

    def count(self) -> int:
        """Return how many moves are legal; a pass is one."""
        return sum(1 for _ in self)

    def mask(self) -> NDArray[np.bool_]:
        """Return `[A]`: whether each point can be played; none at the end, and before a pass."""
        position = self._position
        if position.outcome() is not None:
            return np.zeros(len(position.stones), np.bool_)
        return position.rules.legal(np.array(position.stones, np.int8), position.to_move)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(map(self._position.to_text, self))})>"


class Position:
    """A position with the moves that led to it, by what its game says.

    `push` and `pop` trust their caller; `play` and `from_moves` check. Black moves first.

    Attributes:
        rules: what is played.
        stones: `[A]` the color of each point.
        moves: those played, first to last, passes included; read only.
        to_move: whose turn it is.
    """

    __slots__ = ("_before", "moves", "rules", "stones", "to_move")
    __hash__ = None  # type: ignore[assignment]  # a position changes
    rules: Game

    def __init__(self, rules: Game) -> None:
        self.rules = rules
        self.stones: list[Color] = rules.start().tolist()
        self.moves: list[Move] = []
        self.to_move: Color = BLACK
        self._before: list[list[Color]] = []

    @classmethod
    def from_moves(cls, moves: str | Iterable[Move], rules: Game) -> Self:
        """Play `moves` from the start, checking each.

        Args:
            moves: numbers, or text such as `'d4 d5 e4'`.
            rules: what is played.

        Raises:
            IllegalMoveError: a move breaks the rules.
            GameOverError: a move comes after the end.
            NotationError: the text cannot be read.
        """
        position = cls(rules)
        size, rows = rules.size, rules.rows
        numbers = parse_moves(moves, size, rows) if isinstance(moves, str) else moves
        for move in numbers:
            position.play(move)
        return position

    @property
    def size(self) -> int:
        """Points along one side: columns."""
        return self.rules.size

    @property
    def ply(self) -> int:
        """Number of moves played."""
        return len(self.moves)

    @property
    def legal_moves(self) -> LegalMoves:
        """What the side to move can play, or PASS alone; nothing when the game is over."""
        return LegalMoves(self)

    @property
    def must_pass(self) -> bool:
        """Whether the side to move can do nothing but pass."""
        return next(iter(self.legal_moves), None) == PASS

    def push(self, move: Move) -> None:
        """Play a move of the side to move. Legality is the caller's job."""
        self._before.append(self.stones)
        if move != PASS:
            stones = np.array(self.stones, np.int8)
            self.stones = self.rules.apply(stones, move, self.to_move).tolist()
        self.moves.append(move)
        self.to_move = -self.to_move

    def pop(self) -> Move:
        """Take back the last move and return it.

        Raises:
            IndexError: no move was played.
        """
        move = self.moves.pop()
        self.stones = self._before.pop()
        self.to_move = -self.to_move
        return move

    def play(self, move: Move) -> None:
        """Check `move` and push it.

        Raises:
            GameOverError: the game is already decided.
            IllegalMoveError: the rules do not allow it here.
        """
        if isinstance(move, bool) or not isinstance(move, (int, np.integer)):
            raise IllegalMoveError(f"expected a point as an int, found {move!r}")
        if not 0 <= move < len(self.stones) and not (move == PASS and self.must_pass):
            raise IllegalMoveError(
                f"expected a point from 0 to {len(self.stones) - 1}, found {move!r}"
            )
        if self.outcome() is not None:
            raise GameOverError(f"expected no move after the end, found {self.to_text(move)!r}")
        self._check(int(move))
        self.push(int(move))

    def _check(self, move: Move) -> None:
        """Raise IllegalMoveError where a move on the board breaks the rules."""
        if move == PASS:
            return  # `play` has asked whether it must be
        if not self.rules.legal(np.array(self.stones, np.int8), self.to_move)[move]:
            legal = ", ".join(map(self.to_text, self.legal_moves))
            raise IllegalMoveError(f"expected one of {legal}; found {self.to_text(move)!r}")

    @contextmanager
    def played(self, move: Move) -> Iterator[Self]:
        """Push `move` for the duration of a `with` block."""
        self.push(move)
        try:
            yield self
        finally:
            self.pop()

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        return self.rules.outcome(self)

    def winning_line(self) -> tuple[Move, ...]:
        """Return the points of the row that won, end to end, or ()."""
        return ()

    def array(self) -> NDArray[np.int8]:
        """Return a new `[rows, size]` array of colors."""
        return np.array(self.stones, np.int8).reshape(self.rules.rows, self.size)

    def copy(self) -> Self:
        """Return an independent position with the same moves."""
        twin = type(self)(self.rules)
        twin.stones = self.stones.copy()
        twin.moves = self.moves.copy()
        twin.to_move = self.to_move
        twin._before = self._before.copy()
        return twin

    def to_text(self, move: Move) -> str:
        """Write `move` as text, such as `'d4'`."""
        return to_text(move, self.size, self.rules.rows)

    def __eq__(self, other: object) -> bool:
        """Compare rules, stones and side to move; the order of the moves does not matter."""
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self.rules == other.rules
            and self.to_move == other.to_move
            and self.stones == other.stones
        )

    def __repr__(self) -> str:
        moves = format_moves(self.moves, self.size, self.rules.rows)
        return f"{type(self).__name__}.from_moves({moves!r}, {self.rules!r})"

    def __str__(self) -> str:
        return format_diagram(self.array())


__all__ = ["LegalMoves", "Position"]
