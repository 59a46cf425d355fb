"""The board of a brain as the manager's commands change it, and the rules set by INFO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ai.game import (
    Game,
    IllegalMoveError,
    Move,
    Position,
    Rule,
    Rules,
    RulesError,
    board_of,
)
from ai.protocol.messages import CommandError, Owner, Point, Stone
from ai.protocol.time_control import ManagerInfo
from base.schema import OptionError

EXACT: Final = 1
"""Bit of the protocol's rule number: only exactly five in a row win.

Without it longer rows win, too.
"""
CONTINUOUS: Final = 2
"""Bit of the protocol's rule number: the next game goes on from the end of this one.

Goishi does not support it.
"""
RENJU: Final = 4
CARO: Final = 8

WIN_LENGTH: Final = 5
_PLAYED: Final = {
    0: Rule.FREESTYLE,
    EXACT: Rule.STANDARD,
    RENJU: Rule.RENJU,
    CARO | EXACT: Rule.CARO,
    CARO: Rule.CARO,
}
"""Our rule for each of the protocol's rule numbers, a bitmask.

If two numbers stand for one rule, the first one is sent.
"""


def rules_of(bits: int, width: int, height: int) -> Rules:
    """Return the rules for the manager's bitmask and board size.

    Args:
        bits: bitmask, the value of INFO rule.
        width: number of columns.
        height: number of rows.

    Raises:
        RulesError: the rules are not supported, or the board is too small or too large.
    """
    if bits not in _PLAYED:
        names = ", ".join(f"{number} ({rule})" for number, rule in _PLAYED.items())
        raise RulesError(f"rule: expected one of {names}; found {bits}")
    return Rules(width, WIN_LENGTH, _PLAYED[bits], height=height)


def bits_of(rules: Game) -> int:
    """Return the protocol's bitmask for a game's rules.

    Raises:
        RulesError: the protocol does not support this game.
    """
    if not isinstance(rules, Rules) or rules.gravity or rules.win_length != WIN_LENGTH:
        raise RulesError(f"expected five in a row without gravity, found {rules!r}")
    return next(bits for bits, rule in _PLAYED.items() if rule is rules.rule)


def rule_name(rules: Game) -> str:
    """Return the name of a game's rules, as in `engines.toml`.

    Raises:
        RulesError: the protocol does not support this game.
    """
    return _PLAYED[bits_of(rules)].value


class GameTable:
    """The game that a manager describes by commands; a failed command changes nothing.

    Attributes:
        info: settings received by INFO.
        position: the position; None before the first START.
    """

    def __init__(self, check_game: Callable[[Game], None]) -> None:
        """Create a table without a board; START sets one up.

        Args:
            check_game: raises OptionError for a game that the player does not play.
        """
        self.info = ManagerInfo()
        self.position: Position | None = None
        self._check_game = check_game
        self._size = (0, 0)

    def start(self, width: int, height: int) -> None:
        """Begin a game on an empty board.

        Args:
            width: number of columns.
            height: number of rows.

        Raises:
            CommandError: the player does not support the board or the rules.
        """
        rules = self._rules(width, height)
        self._size = (width, height)
        self.position = board_of(rules)

    def restart(self) -> None:
        """Begin a new game on a board of the same size, with the present rules of INFO.

        Raises:
            CommandError: there was no game yet, or the rules are not supported.
        """
        self._current("RESTART")
        self.start(*self._size)

    def to_play(self, word: str) -> Position:
        """Return the position in which the brain is to move, under the rules set by INFO.

        Args:
            word: name of the command, for errors.

        Raises:
            CommandError: there is no game, it is over, or the rules are not supported.
        """
        position = self._current(word)
        rules = self._rules(*self._size)
        if rules != position.rules:
            position = self._replayed(word, rules, position.moves)
        if position.outcome() is not None:
            raise CommandError(f"{word}: expected a game that goes on, found one that is over")
        self.position = position
        return position

    def rules_to_come(self) -> Game | None:
        """Return the rules of the game that is about to begin, by START and INFO.

        Returns:
            The rules; None if there is no game, it has begun, or the rules are not supported.
        """
        if self.position is None or self.position.ply:
            return None
        try:
            return self._rules(*self._size)
        except CommandError:
            return None

    def begin(self) -> Position:
        """Return the empty board, on which the brain plays first.

        Raises:
            CommandError: there are stones on the board, or there is no game.
        """
        position = self.to_play("BEGIN")
        if position.ply:
            raise CommandError(f"BEGIN: expected an empty board, found {position.ply} stones")
        return position

    def turn(self, point: Point) -> Position:
        """Place the opponent's stone and return the position.

        Raises:
            CommandError: the stone cannot be placed, or it ends the game.
        """
        position = self.to_play("TURN")
        self._place("TURN", position, point)
        if position.outcome() is not None:
            position.pop()
            raise CommandError(f"TURN: expected a game that goes on, found its end at {point}")
        return position

    def play(self, point: Point) -> None:
        """Place the stone that the manager has chosen for the brain.

        Raises:
            CommandError: the stone cannot be placed.
        """
        self._place("PLAY", self.to_play("PLAY"), point)

    def take_back(self, point: Point) -> None:
        """Take back the last stone, which must be at `point`.

        Raises:
            CommandError: the last stone is at another point.
        """
        position = self._current("TAKEBACK")
        last = point_of(position.moves[-1], position.rules) if position.moves else None
        if last != point:
            raise CommandError(f"TAKEBACK: expected the last move {last}, found {point}")
        position.pop()

    def set_board(self, stones: Sequence[Stone]) -> Position:
        """Set up a position in which the brain is to move.

        The stones of each side are played in the given order, starting with Black.

        Raises:
            CommandError: the position is invalid; the board is unchanged.
        """
        position = self._current("BOARD")
        own = [stone.point for stone in stones if stone.owner is Owner.OWN]
        other = [stone.point for stone in stones if stone.owner is Owner.OPPONENT]
        if len(own) + len(other) != len(stones):
            raise CommandError("BOARD: expected owners 1 and 2, found 3 (a continuous game)")
        if len(other) - len(own) not in (0, 1):
            raise CommandError(
                "BOARD: expected as many stones of the opponent as own ones, or one more; "
                f"found {len(own)} own and {len(other)} of the opponent"
            )
        black, white = (own, other) if len(own) == len(other) else (other, own)
        points = [point for pair in zip(black, white, strict=False) for point in pair]
        points += black[len(white) :]
        moves = [self._move("BOARD", position, point) for point in points]
        new = self._replayed("BOARD", self._rules(*self._size), moves)
        if new.outcome() is not None:
            raise CommandError("BOARD: expected a game that goes on, found one that is over")
        self.position = new
        return new

    def opening(self, points: Sequence[Point]) -> Position:
        """Return the position of the opening swap2 with stones on these points.

        The table's own board does not change.

        Raises:
            CommandError: the position is invalid.
        """
        position = self._current("SWAP2BOARD")
        if len(points) not in (0, 3, 5):
            raise CommandError(f"SWAP2BOARD: expected 0, 3 or 5 points, found {len(points)}")
        moves = [self._move("SWAP2BOARD", position, point) for point in points]
        return self._replayed("SWAP2BOARD", self._rules(*self._size), moves)

    def _rules(self, width: int, height: int) -> Game:
        try:
            rules = rules_of(self.info.rule, width, height)
            self._check_game(rules)
        except (RulesError, OptionError) as error:
            raise CommandError(str(error)) from None
        return rules

    def _current(self, word: str) -> Position:
        if self.position is None:
            raise CommandError(f"{word}: expected START first, found no board")
        return self.position

    def _replayed(self, word: str, rules: Game, moves: Sequence[Move]) -> Position:
        try:
            return board_of(rules, moves)
        except IllegalMoveError as error:
            raise CommandError(f"{word}: {error}") from None

    def _place(self, word: str, position: Position, point: Point) -> None:
        move = self._move(word, position, point)
        if move not in position.legal_moves:
            raise CommandError(f"{word}: expected an empty point, found {point}")
        position.push(move)

    def _move(self, word: str, position: Position, point: Point) -> Move:
        rules = position.rules
        if not (point.x < rules.size and point.y < rules.rows):
            size = f"{rules.size}x{rules.rows}"
            raise CommandError(f"{word}: expected a point of the {size} board, found {point}")
        return move_of(point, rules)


def move_of(point: Point, rules: Game) -> Move:
    """Return the move (number of the point, row by row) at a point of the board."""
    return point.y * rules.size + point.x


def point_of(move: Move, rules: Game) -> Point:
    """Return the point (x, y) of a move."""
    row, column = divmod(int(move), rules.size)
    return Point(column, row)
