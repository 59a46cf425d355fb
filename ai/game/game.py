"""The classes of any game: `Game` defines the rules, `Position` plays, `Outcome` is the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ai.game.lines import grid_symmetries
from ai.game.move import (
    BLACK,
    EMPTY,
    PASS,
    PASS_TEXT,
    WHITE,
    Color,
    GameOverError,
    IllegalMoveError,
    Move,
    NotationError,
    format_diagram,
    from_text,
    to_text,
)

if TYPE_CHECKING:
    from ai.game.renju import Foul


class Termination(Enum):
    """Why a game ended, see `Outcome`.

    A game of your own uses FIVE for any row that wins, FULL where nothing can be played any more,
    and SCORE where points are counted.
    """

    FIVE = "five"
    """A row of the win length was made (five stones under the usual rules)."""
    FULL = "full"
    """The board is full."""
    SCORE = "score"
    """No side can play: the side with more stones wins; equal numbers are a draw."""
    FOUL = "foul"
    """Black made a foul in renju, and White wins."""
    RESIGNED = "resigned"
    """A person resigned; the position alone does not show it."""
    TIME = "time"
    """A side's time is over, and the other side wins; the position alone does not show it."""
    AGREED = "agreed"
    """Both sides agreed on a draw; the position alone does not show it."""

    @property
    def is_on_board(self) -> bool:
        """Whether the stones on the board show this end."""
        return self not in (Termination.RESIGNED, Termination.TIME, Termination.AGREED)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game: who won and how the game ended."""

    winner: Color
    """BLACK, WHITE, or EMPTY for a draw."""
    termination: Termination
    """Why it ended."""

    @property
    def is_draw(self) -> bool:
        """Whether the game is a draw."""
        return self.winner == EMPTY


class Game(Protocol):
    """The rules of a game on a grid of points: two sides move in turn, Black first.

    A new game derives from this class. It is a frozen dataclass with the field `size` and defines
    at least `outcome`. A board of another shape, such as a cube, is laid out on the grid, and the
    game names its points. Legal moves must depend only on the stones and the side to move. A side
    passes if and only if it has no legal point. In shapes, A is the number of points.

    Attributes:
        size: number of columns, 3 to 22.
        height: number of rows, 3 to 22; None: as many as columns.
    """

    __slots__ = ()
    size: int
    height: int | None = None

    @property
    def rows(self) -> int:
        """Number of rows; equals the number of columns (`size`) unless `height` is set."""
        return self.size if self.height is None else self.height

    @property
    def points(self) -> int:
        """Number of points on the board, called A in shapes; a network ranks as many moves."""
        return self.size * (self.size if self.height is None else self.height)

    def start(self) -> NDArray[np.int8]:
        """Return the colors on the board before the first move, by point: `[A]`."""
        return np.zeros(self.points, np.int8)

    def legal(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.bool_]:
        """Return which points a side can play while the game is not over.

        Args:
            stones: `[..., A]` colors of the points, for one or more positions.
            color: BLACK or WHITE, the side to move.

        Returns:
            `[..., A]` True for each point that can be played.
        """
        free: NDArray[np.bool_] = stones == EMPTY
        return free

    def apply(self, stones: NDArray[np.int8], move: Move, color: Color) -> NDArray[np.int8]:
        """Return the colors after a move, by point, in a new array: `[A]`.

        Args:
            stones: `[A]` colors before the move; not changed.
            move: a legal point, never PASS.
            color: the side that moves.
        """
        after = stones.copy()
        after[move] = color
        return after

    def outcome(self, position: Position) -> Outcome | None:
        """Return the result of the game; None while the game is not over."""
        ...

    def encode(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.int8]:
        """Return the stones as a learner sees them.

        Args:
            stones: `[..., A]` colors.
            color: color of the learner.

        Returns:
            `[..., A]` 1 for the opponent's stones, -1 for the learner's own, 0 for empty points.
        """
        return stones * np.int8(-color)

    def symmetries(self) -> NDArray[np.intp]:
        """Return the symmetries of the game as permutations of the points: `[S, A]`.

        By default these are all symmetries of the grid. Symmetry 0 is the identity. The expression
        `stones[symmetries()[s]]` is the board under symmetry s, see `ai.game.symmetries`.

        A game that overrides this must give only symmetries that fit its rules. To permute a board
        and then call `legal` or `apply` must give the same as to call it and then permute. The
        start position need not be symmetric.
        """
        return grid_symmetries(self.size, self.rows)

    def lines(self) -> NDArray[np.intp] | None:
        """Return the lines through each point on which a row can win; None without rows.

        Players that learn by lines need them. `ai.lines_of_rows` makes them of a list of rows.

        Returns:
            `[A, D, 2, R]`: for each of the at most D lines through a point the points along it,
            from the point outwards on both sides, as far as a row with this point reaches. A stands
            for no point. None (the default): nobody wins by a row.
        """
        return None

    def to_text(self, move: Move) -> str:
        """Return the name of a point, such as `'d4'`; by default column and row.

        A game that overrides this overrides `from_text`, too. Names hold no blanks and no commas.

        Args:
            move: a point, never PASS.
        """
        return to_text(move, self.size, self.rows)

    def from_text(self, text: str) -> Move:
        """Return the point with a name; the inverse of `to_text`.

        Args:
            text: the name, in any letter case.

        Raises:
            CoordinateError: no point has this name. Any other `ValueError` is taken as one, too.
        """
        return from_text(text, self.size, self.rows)

    def diagram(self, stones: NDArray[np.int8]) -> str:
        """Return a board as text, in lines; by default one line for each row.

        Args:
            stones: `[A]` colors by point.
        """
        return format_diagram(stones.reshape(self.rows, self.size))

    def stones_after(self, moves: Sequence[Move]) -> NDArray[np.int8]:
        """Return the colors after legal moves from the start, by point: `[A]`."""
        stones, color = self.start(), BLACK
        for move in moves:
            stones = stones if move == PASS else self.apply(stones, move, color)
            color = -color
        return stones

    def as_dict(self) -> dict[str, object]:
        """Return class and fields as plain values for JSON; `ai.game.game_of` reads them.

        The key "create" names the class in the form "module:class". The module is one of a
        project's scripts.
        """
        kind = type(self)
        fields = {name: getattr(self, name) for name in getattr(kind, "__dataclass_fields__", ())}
        return {"create": f"{kind.__module__}:{kind.__qualname__}", **fields}


class LegalMoves:
    """The legal moves of a position; they always fit its present state, even after further moves.

    They are computed each time they are used.
    """

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
        """Return the number of legal moves; a pass counts as one."""
        return sum(1 for _ in self)

    def mask(self) -> NDArray[np.bool_]:
        """Return which points can be played: `[A]`.

        All False if the game is over or the side to move must pass.
        """
        position = self._position
        if position.outcome() is not None:
            return np.zeros(len(position.stones), np.bool_)
        return position.rules.legal(np.array(position.stones, np.int8), position.to_move)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(map(self._position.to_text, self))})>"


class Position:
    """A position of any game, with the moves that led to it; Black moves first.

    `play` and `from_moves` check that moves are legal; `push` and `pop` do not.

    Attributes:
        rules: rules of the game.
        stones: color of each point, a list of A numbers (A is the number of points).
        moves: moves played, first to last, passes included; not to be changed.
        to_move: the side whose turn it is.
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
        numbers = moves_of(moves, rules) if isinstance(moves, str) else moves
        for move in numbers:
            position.play(move)
        return position

    @property
    def size(self) -> int:
        """Number of columns of the board."""
        return self.rules.size

    @property
    def ply(self) -> int:
        """Number of moves played."""
        return len(self.moves)

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves of the side to move: points, or only PASS; empty after the end."""
        return LegalMoves(self)

    @property
    def must_pass(self) -> bool:
        """Whether the side to move can do nothing but pass."""
        return next(iter(self.legal_moves), None) == PASS

    def push(self, move: Move) -> None:
        """Play a move of the side to move, without checking that the move is legal."""
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
        """Play `move` after checking that it is legal.

        Raises:
            GameOverError: the game is already over.
            IllegalMoveError: the rules do not allow the move in this position.
        """
        self._require_number(move)
        if not 0 <= move < len(self.stones) and not (move == PASS and self.must_pass):
            raise IllegalMoveError(
                f"expected a point from 0 to {len(self.stones) - 1}, found {move!r}"
            )
        if self.outcome() is not None:
            raise GameOverError(f"expected no move after the end, found {self.to_text(move)!r}")
        self._check(int(move))
        self.push(int(move))

    def replay(self, move: Move) -> None:
        """Play a move of a recorded game; here the same as `play`.

        A board also accepts a pass and a foul, since recorded games hold them.

        Raises:
            GameOverError: the game is already over.
            IllegalMoveError: the rules do not allow the move in this position.
        """
        self.play(move)

    @staticmethod
    def _require_number(move: object) -> None:
        if isinstance(move, bool) or not isinstance(move, (int, np.integer)):
            raise IllegalMoveError(f"expected a point as an int, found {move!r}")

    def _check(self, move: Move) -> None:
        """Raise IllegalMoveError where a move on the board breaks the rules."""
        if move == PASS:
            return  # `play` has asked whether it must be
        if not self.rules.legal(np.array(self.stones, np.int8), self.to_move)[move]:
            legal = ", ".join(map(self.to_text, self.legal_moves))
            raise IllegalMoveError(f"expected one of {legal}; found {self.to_text(move)!r}")

    @contextmanager
    def played(self, move: Move) -> Iterator[Self]:
        """Play `move` without a check, and undo it at the end of the `with` block."""
        self.push(move)
        try:
            yield self
        finally:
            self.pop()

    def outcome(self) -> Outcome | None:
        """Return the result of the game; None while the game is not over."""
        return self.rules.outcome(self)

    def winning_line(self) -> tuple[Move, ...]:
        """Return the points of the winning row from end to end; here always ().

        A subclass whose game has winning rows overrides it.
        """
        return ()

    def foul_made(self) -> Foul | None:
        """Return the foul that the last move was; here always None.

        A subclass whose game has fouls overrides it.
        """
        return None

    def array(self) -> NDArray[np.int8]:
        """Return the colors of the points as a new array: `[rows, columns]`."""
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
        """Write `move` as the game does, such as `'d4'`."""
        return move_name(move, self.rules)

    def __eq__(self, other: object) -> bool:
        """Return whether rules, stones and side to move are equal; the move order may differ."""
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self.rules == other.rules
            and self.to_move == other.to_move
            and self.stones == other.stones
        )

    def __repr__(self) -> str:
        moves = " ".join(map(self.to_text, self.moves))
        return f"{type(self).__name__}.from_moves({moves!r}, {self.rules!r})"

    def __str__(self) -> str:
        return self.rules.diagram(np.array(self.stones, np.int8))


def move_name(move: Move, rules: Game) -> str:
    """Return the name that a game gives a move; "pass" for PASS.

    Args:
        move: a point or PASS.
        rules: rules of the game.
    """
    return PASS_TEXT if move == PASS else rules.to_text(move)


def moves_of(text: str, rules: Game) -> tuple[Move, ...]:
    """Read moves by the names that a game gives them, separated by blanks or commas.

    Args:
        text: the moves as text.
        rules: rules of the game.

    Raises:
        NotationError: a word is no move; the message says which word, and its place.
    """
    moves = []
    for place, word in enumerate(text.replace(",", " ").split(), start=1):
        try:
            moves.append(PASS if word.lower() == PASS_TEXT else rules.from_text(word))
        except ValueError as error:
            raise NotationError(f"move {place}: {error}") from None
    return tuple(moves)


def playable(stones: NDArray[np.int8], rules: Game, color: Color = WHITE) -> NDArray[np.bool_]:
    """Return which points a side can play while the game is not over.

    Args:
        stones: `[..., points]` colors; under gravity every stone is supported.
        rules: rules of the game.
        color: the side to move. The default fits stones as a learner sees them, where its own
            stones are -1.

    Returns:
        `[..., points]` True for each point that can be played.
    """
    return rules.legal(stones, color)


def landing_points(stones: Sequence[Color], size: int) -> list[Move]:
    """Return the lowest empty point of each column that is not full, from left to right.

    Args:
        stones: colors by point, the top row first.
        size: number of columns.
    """
    points = []
    for column in range(size):
        heights = stones[column::size]
        empty = heights.count(EMPTY)
        if empty:
            points.append((empty - 1) * size + column)
    return points
