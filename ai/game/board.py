"""The position of an m,n,k game (k stones in a row on an m x n board), fast enough for searches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

import numpy as np

from ai.game.game import Game, LegalMoves, Position, landing_points, moves_of
from ai.game.lines import rays, zobrist_keys
from ai.game.move import (
    BLACK,
    EMPTY,
    PASS,
    Color,
    GameOverError,
    IllegalMoveError,
    Move,
    RulesError,
)
from ai.game.renju import Foul, find_foul, foul_points
from ai.game.rules import Rules, color_name


class BoardMoves(LegalMoves):
    """The legal moves of a board: its empty points; under gravity only the lowest of each column.

    Points where renju forbids a stone to Black (fouls) are left out.
    """

    __slots__ = ("_board",)

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        if self._board.is_decided:
            return iter(())
        stones = self._board.stones
        if self._board.rules.gravity:
            return iter(landing_points(stones, self._board.rules.size))
        if self._board.rules.has_fouls:
            fouls = self._board.fouls()
            return (
                move for move in range(len(stones)) if stones[move] == EMPTY and move not in fouls
            )
        return (move for move in range(len(stones)) if stones[move] == EMPTY)

    def __contains__(self, move: object) -> bool:
        return (
            isinstance(move, (int, np.integer))
            and 0 <= int(move) < len(self._board.stones)
            and self._board.stones[int(move)] == EMPTY
            and (not self._board.rules.gravity or self._board.is_supported(int(move)))
            and not self._board.is_decided
            and self._board.foul(int(move)) is None
        )

    def count(self) -> int:
        """Return how many moves are legal."""
        if self._board.is_decided:
            return 0
        if self._board.rules.gravity:
            return self._board.stones[: self._board.rules.size].count(EMPTY)  # open columns
        if self._board.rules.has_fouls:
            return self._board.stones.count(EMPTY) - len(self._board.fouls())
        return self._board.stones.count(EMPTY)


class Board(Position):
    """A position of an m,n,k game: k stones in a row on an m x n board.

    Moves are undone in place, and a winning row is found as soon as it is played. A pass is no
    legal move, but games of other programs hold passes: `push` and `replay` accept them.

    >>> board = Board.from_moves('d4 d5', Rules(7))
    >>> board.to_move == BLACK, board.ply, board.outcome()
    (True, 2, None)
    """

    __slots__ = ("_keys", "_lines", "_rays", "key")
    rules: Rules

    def __init__(self, rules: Rules | None = None) -> None:
        super().__init__(Rules() if rules is None else rules)
        self.key: int = 0
        """Zobrist key, a hash of the stones and the side to move; 0 on the empty board."""
        self._lines: list[tuple[Move, ...]] = []
        size, height = self.rules.size, self.rules.height
        if height is None:
            self._keys = zobrist_keys(size)
            self._rays = rays(size, size - 1)
        else:
            self._keys = zobrist_keys(size, height)
            self._rays = rays(size, max(size, height) - 1, height)

    @classmethod
    def from_moves(  # type: ignore[override]  # a board is of m,n,k rules alone
        cls, moves: str | Iterable[Move], rules: Rules | None = None
    ) -> Self:
        """Play `moves` from the empty board, checking each; see `Position.from_moves`.

        Args:
            moves: point numbers, or text such as `'d4 d5 e4'`.
            rules: rules of the game; None for the default rules.
        """
        return super().from_moves(moves, Rules() if rules is None else rules)

    @property
    def legal_moves(self) -> BoardMoves:
        """The legal moves: empty points without fouls, landing points under gravity.

        Empty when the game is over.
        """
        return BoardMoves(self)

    @property
    def is_decided(self) -> bool:
        """Whether a winning row or a foul has ended the game; False for a full board."""
        if self._lines and self._lines[-1]:
            return True
        return self.rules.has_fouls and self.foul_made() is not None

    def push(self, move: Move) -> None:
        """Place a stone of the side to move, without checking that the move is legal."""
        color, lines, keys = self.to_move, self._lines, self._keys
        if move == PASS:
            self.key ^= keys.white_to_move
            lines.append(self.winning_line())
        else:
            self.stones[move] = color
            self.key ^= (keys.black if color == BLACK else keys.white)[move] ^ keys.white_to_move
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
        keys, color = self._keys, -self.to_move
        self.key ^= keys.white_to_move
        if move != PASS:
            self.stones[move] = EMPTY
            self.key ^= (keys.black if color == BLACK else keys.white)[move]
        self.to_move = color
        return move

    def replay(self, move: Move) -> None:
        """Play a move of a recorded game: as `play`, but a pass and a foul are accepted.

        A foul ends the game. If the record goes on, nobody claimed the foul.

        Raises:
            GameOverError: a row has won already.
            IllegalMoveError: it is no empty point of the board; under gravity, no landing point.
        """
        self._require_number(move)
        if move != PASS and not 0 <= move < len(self.stones):
            raise IllegalMoveError(
                f"expected a point from 0 to {len(self.stones) - 1}, found {move!r}"
            )
        if self.winning_line():
            raise GameOverError(f"expected no move after the end, found {self.to_text(move)!r}")
        if move != PASS:
            self._check_place(int(move))
        self.push(int(move))

    def _check(self, move: Move) -> None:
        """Raise IllegalMoveError if a point is occupied, unsupported under gravity, or a foul."""
        self._check_place(move)
        foul = self.foul(move)
        if foul is not None:
            raise IllegalMoveError(
                f"expected no foul of black, found the {foul.value} {self.to_text(move)!r}"
            )

    def _check_place(self, move: Move) -> None:
        """Raise IllegalMoveError if a point is occupied, or unsupported under gravity."""
        if self.stones[move] != EMPTY:
            raise IllegalMoveError(
                f"expected an empty point, found {self.to_text(move)!r} "
                f"held by {color_name(self.stones[move])}"
            )
        if not self.is_supported(move):
            raise IllegalMoveError(
                f"expected the lowest empty point of its column, found {self.to_text(move)!r}"
            )

    def is_supported(self, move: Move) -> bool:
        """Return whether the point below is occupied or off the board; True without gravity."""
        below = move + self.rules.size
        return not self.rules.gravity or below >= len(self.stones) or self.stones[below] != EMPTY

    def foul(self, move: Move) -> Foul | None:
        """Return the foul that the side to move would make on an empty point; None if none."""
        if not self.rules.has_fouls or self.to_move != BLACK:
            return None
        return find_foul(self.stones, move, self.rules.size, self.rules.rows)

    def fouls(self) -> dict[Move, Foul]:
        """Return all fouls of the side to move, by point; empty except for Black in renju."""
        if not self.rules.has_fouls or self.to_move != BLACK:
            return {}
        return foul_points(self.stones, self.rules.size, self.rules.rows)

    @property
    def stone_count(self) -> int:
        """Number of stones on the board: the moves without passes."""
        return self.ply - self.moves.count(PASS)

    def foul_made(self) -> Foul | None:
        """Return the foul of Black that the last move was; None if it was none."""
        last = self.moves[-1] if self.moves else PASS
        if not self.rules.has_fouls or self.to_move == BLACK or last == PASS:
            return None
        before = self.stones.copy()
        before[last] = EMPTY
        return find_foul(before, last, self.rules.size, self.rules.rows)

    def completes_row(self, move: Move, color: Color) -> bool:
        """Return whether a stone of `color` on an empty point would win."""
        return bool(self._find_line(move, color))

    def winning_line(self) -> tuple[Move, ...]:
        """Return the points of the winning row from end to end; () if there is none."""
        return self._lines[-1] if self._lines else ()

    def copy(self) -> Self:
        """Return an independent board with the same moves."""
        twin = super().copy()
        twin.key = self.key
        twin._lines = self._lines.copy()
        return twin

    def _find_line(self, move: Move, color: Color) -> tuple[Move, ...]:
        """Return the winning row through a stone of `color` on `move`; () if there is none."""
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
            if length >= needed and self.rules.row_wins(
                length,
                color,
                is_blocked=before < len(backward)
                and after < len(forward)
                and stones[backward[before]] == stones[forward[after]] == -color,
            ):
                return (*backward[:before][::-1], move, *forward[:after])
        return ()


def board_of(rules: Game, moves: str | Iterable[Move] = ()) -> Position:
    """Return the position of a game after moves: a `Board` for an m,n,k game, else a `Position`.

    Args:
        rules: rules of the game.
        moves: point numbers, or text such as `'d4 d5 e4'`.

    Raises:
        IllegalMoveError: a move breaks the rules, or comes after the end.
        NotationError: the text cannot be read.
    """
    if isinstance(rules, Rules):
        return Board.from_moves(moves, rules)
    return Position.from_moves(moves, rules)


def replayed(rules: Game, moves: str | Iterable[Move] = ()) -> Position:
    """Return the position after the moves of a recorded game, as `Position.replay` plays them.

    Args:
        rules: rules of the game.
        moves: point numbers and passes, or text such as `'d4 d5 pass e4'`.

    Raises:
        IllegalMoveError: a move breaks the rules, or comes after the end.
    """
    position = board_of(rules)
    numbers = moves_of(moves, rules) if isinstance(moves, str) else moves
    for move in numbers:
        position.replay(move)
    return position


def as_board(position: Position) -> Board:
    """Return `position` itself as a `Board`; for code that supports only m,n,k games.

    Raises:
        RulesError: it is a position of another game.
    """
    if not isinstance(position, Board):
        raise RulesError(f"expected an m,n,k game, found {position.rules!r}")
    return position


def require_open(position: Position) -> None:
    """Check that a game goes on.

    Raises:
        GameOverError: it is decided.
    """
    if position.outcome() is not None:
        raise GameOverError(f"expected a game that goes on, found {position.outcome()}")


def open_board(position: Position) -> Board:
    """Check that a position is an m,n,k game that is not decided; return it as a `Board`.

    Raises:
        RulesError: the position is of another game.
        GameOverError: the game is decided.
    """
    board = as_board(position)
    require_open(board)
    return board
