"""The protocol of a game: `Game` defines the rules, `Position` plays, `Outcome` is the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ai.game.lines import grid_symmetries
from ai.game.move import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    Color,
    GameOverError,
    IllegalMoveError,
    Move,
    format_diagram,
    format_moves,
    parse_moves,
    to_text,
)


class Termination(Enum):
    """Why a game ended, see `Outcome`."""

    FIVE = "five"
    """A row of the win length was made (five stones under the usual rules)."""
    FULL = "full"
    """The board is full."""
    SCORE = "score"
    """No side can play: the side with more stones wins; equal numbers are a draw."""
    RESIGNED = "resigned"
    """A person resigned; the position alone does not show it."""


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


class Game(Protocol):
    """The rules of a game in which two sides take turns at playing a point of a grid; Black begins.

    A game of your own derives from it, as a frozen dataclass with the field `size`, and defines at
    least `outcome`. Legal moves depend only on the stones and the side to move. A side passes if
    and only if it can play no point.

    Attributes:
        size: columns, 3 to 22.
        height: rows, 3 to 22, where the board is no square; None: as many as columns.
    """

    __slots__ = ()
    size: int
    height: int | None = None

    @property
    def rows(self) -> int:
        """Points along the other side: rows, where `size` counts the columns."""
        return self.size if self.height is None else self.height

    @property
    def points(self) -> int:
        """Number of points on the board, A: also the moves that a network ranks."""
        return self.size * (self.size if self.height is None else self.height)

    def start(self) -> NDArray[np.int8]:
        """Return `[A]` the colors that lie on the board before the first move."""
        return np.zeros(self.points, np.int8)

    def legal(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.bool_]:
        """Return `[..., A]`: which points a side can play if the game is not over.

        Args:
            stones: `[..., A]` colors, of many positions at once.
            color: BLACK or WHITE, the side to move.
        """
        free: NDArray[np.bool_] = stones == EMPTY
        return free

    def apply(self, stones: NDArray[np.int8], move: Move, color: Color) -> NDArray[np.int8]:
        """Return `[A]` the colors after a move, in a new array.

        Args:
            stones: `[A]` colors before it; unchanged on return.
            move: a legal point, never PASS.
            color: the side that plays it.
        """
        after = stones.copy()
        after[move] = color
        return after

    def outcome(self, position: Position) -> Outcome | None:
        """Return how the game ended; None while it goes on."""
        ...

    def encode(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.int8]:
        """Return `[..., A]` stones from a learner's perspective: the opponent's 1, its own -1.

        Args:
            stones: `[..., A]` colors.
            color: the learner's.
        """
        return stones * np.int8(-color)

    def symmetries(self) -> NDArray[np.intp]:
        """Return `[S, A]` permutations that `legal` and `apply` commute with, the identity first.

        `stones[symmetries()[s]]` is the board under symmetry s, see `ai.game.symmetries`. By
        default all symmetries of the grid; the start need not be symmetric.
        """
        return grid_symmetries(self.size, self.rows)

    def stones_after(self, moves: Sequence[Move]) -> NDArray[np.int8]:
        """Return `[A]` the colors after legal moves from the start."""
        stones, color = self.start(), BLACK
        for move in moves:
            stones = stones if move == PASS else self.apply(stones, move, color)
            color = -color
        return stones

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON; `ai.game.game_of` reads them.

        The key "create" says which class of a project's scripts it is.
        """
        kind = type(self)
        fields = {name: getattr(self, name) for name in getattr(kind, "__dataclass_fields__", ())}
        return {"create": f"{kind.__module__}:{kind.__qualname__}", **fields}


class LegalMoves:
    """A live view of the legal moves of a position: it changes with the position."""

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
        """Return `[A]`: whether each point can be played; all False at the end or on a pass."""
        position = self._position
        if position.outcome() is not None:
            return np.zeros(len(position.stones), np.bool_)
        return position.rules.legal(np.array(position.stones, np.int8), position.to_move)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(map(self._position.to_text, self))})>"


class Position:
    """A position of any game, with the moves that led to it.

    `push` and `pop` trust their caller; `play` and `from_moves` check. Black moves first.

    Attributes:
        rules: what is played.
        stones: `[A]` the color of each point.
        moves: moves played, first to last, passes included; read only.
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


def playable(stones: NDArray[np.int8], rules: Game, color: Color = WHITE) -> NDArray[np.bool_]:
    """Return `[..., A]`: which points a side can play if the game is not over.

    Args:
        stones: `[..., A]` colors; under gravity every stone is supported.
        rules: what is played.
        color: the side; by default the learner, as it sees its own stones.
    """
    return rules.legal(stones, color)


def landing_points(stones: Sequence[Color], size: int) -> list[Move]:
    """Return the lowest empty point of each column that has one, from left to right.

    Args:
        stones: `[A]` colors, row 0 on top.
        size: columns.
    """
    points = []
    for column in range(size):
        heights = stones[column::size]
        empty = heights.count(EMPTY)
        if empty:
            points.append((empty - 1) * size + column)
    return points
