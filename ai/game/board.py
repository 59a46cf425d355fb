"""`Board`: a position with its move stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ai.game.coords import to_text
from ai.game.errors import GameOverError, IllegalMoveError
from ai.game.lines import rays
from ai.game.notation import format_diagram, format_moves, parse_moves
from ai.game.outcome import Outcome, Termination
from ai.game.playable import landing_points, playable
from ai.game.rules import BLACK, EMPTY, WHITE, Color, Move, Rules, color_name
from ai.game.zobrist import zobrist_keys


class LegalMoves:
    """View of the legal moves of a board; it follows the board's changes."""

    __slots__ = ("_board",)

    def __init__(self, board: Board) -> None:
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        if self._board.is_decided:
            return iter(())
        stones = self._board.stones
        if self._board.rules.gravity:
            return iter(landing_points(stones, self._board.rules.size))
        return (move for move in range(len(stones)) if stones[move] == EMPTY)

    def __contains__(self, move: object) -> bool:
        return (
            isinstance(move, (int, np.integer))
            and 0 <= int(move) < len(self._board.stones)
            and self._board.stones[int(move)] == EMPTY
            and (not self._board.rules.gravity or self._board.is_supported(int(move)))
            and not self._board.is_decided
        )

    def __bool__(self) -> bool:
        return self.count() > 0

    def __len__(self) -> int:
        return self.count()

    def count(self) -> int:
        """Return how many moves are legal."""
        if self._board.is_decided:
            return 0
        if self._board.rules.gravity:
            return self._board.stones[: self._board.rules.size].count(EMPTY)  # columns open on top
        return len(self._board.stones) - self._board.ply

    def mask(self) -> NDArray[np.bool_]:
        """Return `[A]`: whether each move is legal."""
        if self._board.is_decided:
            return np.zeros(len(self._board.stones), np.bool_)
        return playable(np.array(self._board.stones, np.int8), self._board.rules)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(map(self._board.to_text, self))})>"


class Board:
    """A position with the moves that led to it.

    `push` and `pop` are fast and trust their caller; `play` and `from_moves`
    check. Black moves first.

    >>> board = Board.from_moves('d4 d5', Rules(7))
    >>> board.to_move == BLACK, board.ply, board.outcome()
    (True, 2, None)
    """

    __slots__ = ("_keys", "_lines", "_rays", "key", "moves", "rules", "stones", "to_move")
    __hash__ = None  # type: ignore[assignment]  # a board changes

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules: Rules = Rules() if rules is None else rules
        self.stones: list[Color] = [EMPTY] * self.rules.points
        """`[A]` color of each point; read only."""
        self.moves: list[Move] = []
        """Moves played, first to last; read only."""
        self.to_move: Color = BLACK
        self.key: int = 0
        """Zobrist key of the stones and the side to move; 0 on the empty board."""
        self._lines: list[tuple[Move, ...]] = []
        size, height = self.rules.size, self.rules.height
        if height is None:
            self._keys = zobrist_keys(size)
            self._rays = rays(size, size - 1)
        else:
            self._keys = zobrist_keys(size, height)
            self._rays = rays(size, max(size, height) - 1, height)

    @classmethod
    def from_moves(cls, moves: str | Iterable[Move], rules: Rules | None = None) -> Board:
        """Play `moves` from the empty board, checking each.

        Args:
            moves: numbers, or text such as `'d4 d5 e4'`.
            rules: rules of the game; None for the default.

        Raises:
            IllegalMoveError: a point is occupied, off the board, or unsupported.
            GameOverError: a move comes after the end.
            NotationError: the text cannot be read.
        """
        board = cls(rules)
        size, rows = board.rules.size, board.rules.rows
        numbers = parse_moves(moves, size, rows) if isinstance(moves, str) else moves
        for move in numbers:
            board.play(move)
        return board

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
        """The empty points (landing points under gravity), none when the game is over."""
        return LegalMoves(self)

    @property
    def is_decided(self) -> bool:
        """Whether a winning row is on the board; a full board without one is not "decided"."""
        return bool(self._lines) and bool(self._lines[-1])

    def push(self, move: Move) -> None:
        """Place a stone of the side to move. Legality is the caller's job."""
        color = self.to_move
        self.stones[move] = color
        keys = self._keys
        self.key ^= (keys.black if color == BLACK else keys.white)[move] ^ keys.white_to_move
        lines = self._lines
        lines.append(lines[-1] if lines and lines[-1] else self._find_line(move, color))
        self.moves.append(move)
        self.to_move = -color

    def pop(self) -> Move:
        """Take back the last move and return it.

        Raises:
            IndexError: no move was played.
        """
        move = self.moves.pop()
        self._lines.pop()
        color = self.stones[move]
        self.stones[move] = EMPTY
        keys = self._keys
        self.key ^= (keys.black if color == BLACK else keys.white)[move] ^ keys.white_to_move
        self.to_move = color
        return move

    def play(self, move: Move) -> None:
        """Check `move` and push it.

        Raises:
            GameOverError: the game is already decided.
            IllegalMoveError: the point is occupied, off the board, or unsupported.
        """
        if isinstance(move, bool) or not isinstance(move, (int, np.integer)):
            raise IllegalMoveError(f"expected a point as an int, found {move!r}")
        if not 0 <= move < len(self.stones):
            raise IllegalMoveError(
                f"expected a point from 0 to {len(self.stones) - 1}, found {move!r}"
            )
        if self.outcome() is not None:
            raise GameOverError(f"expected no move after the end, found {self.to_text(move)!r}")
        if self.stones[move] != EMPTY:
            raise IllegalMoveError(
                f"expected an empty point, found {self.to_text(move)!r} "
                f"held by {color_name(self.stones[move])}"
            )
        if not self.is_supported(int(move)):
            raise IllegalMoveError(
                f"expected the lowest empty point of its column, found {self.to_text(move)!r}"
            )
        self.push(int(move))

    @contextmanager
    def played(self, move: Move) -> Iterator[Board]:
        """Push `move` for the duration of a `with` block."""
        self.push(move)
        try:
            yield self
        finally:
            self.pop()

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        if self.is_decided:
            return Outcome(self.stones[self._lines[-1][0]], Termination.FIVE)
        if len(self.moves) == len(self.stones):
            return Outcome(self.rules.full_board_winner, Termination.FULL)
        return None

    def is_supported(self, move: Move) -> bool:
        """Return whether a point is playable under gravity: nothing empty below; else True."""
        below = move + self.rules.size
        return not self.rules.gravity or below >= len(self.stones) or self.stones[below] != EMPTY

    def completes_row(self, move: Move, color: Color) -> bool:
        """Return whether a stone of `color` on an empty point would win."""
        return bool(self._find_line(move, color))

    def winning_line(self) -> tuple[Move, ...]:
        """Return the points of the row that won, end to end, or ()."""
        return self._lines[-1] if self._lines else ()

    def array(self) -> NDArray[np.int8]:
        """Return a new `[rows, size]` array of colors."""
        return np.array(self.stones, np.int8).reshape(self.rules.rows, self.size)

    def copy(self) -> Board:
        """Return an independent board with the same moves."""
        twin = Board(self.rules)
        twin.stones = self.stones.copy()
        twin.moves = self.moves.copy()
        twin.to_move = self.to_move
        twin.key = self.key
        twin._lines = self._lines.copy()
        return twin

    def to_text(self, move: Move) -> str:
        """Write `move` as text, such as `'d4'`."""
        return to_text(move, self.size, self.rules.rows)

    def _find_line(self, move: Move, color: Color) -> tuple[Move, ...]:
        """Return the winning row through `move`, or (); looks along its four lines only."""
        stones = self.stones
        needed = self.rules.win_length
        for backward, forward in self._rays[move]:
            before = 0
            for point in backward:
                if stones[point] != color:
                    break
                before += 1
            after = 0
            for point in forward:
                if stones[point] != color:
                    break
                after += 1
            length = before + after + 1
            if length == needed or (length > needed and not self.rules.exact):
                return (*backward[:before][::-1], move, *forward[:after])
        return ()

    def __eq__(self, other: object) -> bool:
        """Compare rules, stones and side to move; the order of the moves does not matter."""
        if not isinstance(other, Board):
            return NotImplemented
        return (
            self.rules == other.rules
            and self.to_move == other.to_move
            and self.stones == other.stones
        )

    def __repr__(self) -> str:
        moves = format_moves(self.moves, self.size, self.rules.rows)
        return f"Board.from_moves({moves!r}, {self.rules!r})"

    def __str__(self) -> str:
        return format_diagram(self.array())


__all__ = ["BLACK", "EMPTY", "WHITE", "Board", "LegalMoves"]
