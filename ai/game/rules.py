"""`Rules`: the parameters of an m,n,k game (k in a row on m x n); `Rule`: which rows win."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game.game import Game, Outcome, Termination
from ai.game.lines import board_lines, grid_symmetries
from ai.game.move import BLACK, EMPTY, PASS, WHITE, Color, Move, RulesError
from ai.game.renju import FIVE, foul_points, has_legal_point
from base.spelling import one_of
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.game.game import Position


class Rule(StrEnum):
    """Which rows win; the value is the rule's name in files and on the command line.

    In the Gomocup protocol, `INFO rule` has the numbers 0 (freestyle), 1 (standard), 4 (renju) and
    9 (caro). There, 8 means caro as well, and 1 means a row of exactly five.
    """

    FREESTYLE = "freestyle"
    """A row of the winning length or longer wins."""
    STANDARD = "standard"
    """A row of exactly the winning length wins."""
    RENJU = "renju"
    """White wins with five or more, Black with exactly five; for fouls see `ai.game.renju`."""
    CARO = "caro"
    """A row of exactly the winning length wins, unless opposing stones are at both its ends.

    This is the rule of Gomocup's caro league; the board's edge does not block a row. By other rules
    of caro, longer rows win too (Wikipedia, "Gomoku"); these are not supported.
    """

    def __repr__(self) -> str:
        return repr(self.value)

    def wins(self, length: int, win_length: int, color: Color, *, is_blocked: bool) -> bool:
        """Return whether a row of one color wins.

        Args:
            length: number of stones in the row.
            win_length: number of stones in a row that win.
            color: BLACK or WHITE.
            is_blocked: whether a stone of the other color is at each end of the row.
        """
        if length < win_length:
            return False
        if self is Rule.FREESTYLE or (self is Rule.RENJU and color == WHITE):
            return True
        return length == win_length and not (self is Rule.CARO and is_blocked)


RULE_NAMES: tuple[str, ...] = tuple(rule.value for rule in Rule)
"""The rules by their names in files and on the command line."""


def rule_of(given: object) -> Rule:
    """Return the rule for a name; a bool is accepted too, as older files have it.

    Args:
        given: name of a rule; True for standard, False for freestyle.

    Raises:
        RulesError: there is no such rule.
    """
    if isinstance(given, bool):
        return Rule.STANDARD if given else Rule.FREESTYLE
    if isinstance(given, str) and given in RULE_NAMES:
        return Rule(given)
    raise RulesError(f"rule: expected {one_of(RULE_NAMES, given)}; found {given!r}")


MIN_SIZE: Final = 3
MAX_SIZE: Final = 22
MIN_WIN_LENGTH: Final = 3
_RENJU: Final = Rule.RENJU  # a member is looked up at once, an attribute of its class is not


@dataclass(frozen=True, slots=True, init=False)
class Rules(Game):
    """Parameters of an m,n,k game: board size, win length, which rows win, and how it ends.

    Tic-tac-toe is `Rules(3, 3)`; the self-teaching game of the paper is
    `Rules(7, 5, full_board_winner=WHITE)`; renju is `Rules(15, 5, "renju")`; Connect Four is
    `Rules(7, 4, height=6, gravity=True)`.
    """

    size: int = 15
    """Number of columns, 3 to 22; also the number of rows unless `height` is set."""
    win_length: int = 5
    """Number of stones in a row that win; from 3 to the length of the longer side."""
    rule: Rule = Rule.FREESTYLE
    """Which rows win, and whether Black has fouls; a `Rule` or its name."""
    full_board_winner: Color = EMPTY
    """Who wins when the board is full and no row has won; EMPTY for a draw.

    In renju it also decides if Black is to move and all free points are fouls.
    """
    height: int | None = None
    """Number of rows, 3 to 22; None (also when equal to `size`): a square board."""
    gravity: bool = False
    """Whether a stone falls to the lowest empty point of its column, in the nearest row."""

    def __init__(
        self,
        size: int = 15,
        win_length: int = 5,
        rule: Rule | str = Rule.FREESTYLE,
        full_board_winner: Color = EMPTY,
        height: int | None = None,
        gravity: bool = False,
        *,
        exact: bool | None = None,
    ) -> None:
        """Store the rules after checking that they are consistent.

        Args:
            size: number of columns, 3 to 22.
            win_length: number of stones in a row that win.
            rule: which rows win: a `Rule` or its name.
            full_board_winner: who wins on a full board; EMPTY for a draw.
            height: number of rows; None for a square board.
            gravity: whether stones fall to the lowest empty point of their column.
            exact: the rule in older files and scripts: True is standard, False is freestyle. None:
                not used.

        Raises:
            RulesError: a value does not fit, or two contradict each other.
        """
        values = {
            "size": size,
            "win_length": win_length,
            "rule": _rule(rule, exact),
            "full_board_winner": full_board_winner,
            "height": None if height == size else height,  # a square has one description only
            "gravity": gravity,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        """Raise RulesError if a value is out of range."""
        if not _is_int(self.size) or not MIN_SIZE <= self.size <= MAX_SIZE:
            raise RulesError(
                f"size: expected an int from {MIN_SIZE} to {MAX_SIZE}, found {self.size!r}"
            )
        if self.height is not None and (
            not _is_int(self.height) or not MIN_SIZE <= self.height <= MAX_SIZE
        ):
            raise RulesError(
                f"height: expected None or an int from {MIN_SIZE} to {MAX_SIZE}, "
                f"found {self.height!r}"
            )
        longest = max(self.size, self.rows)
        if not _is_int(self.win_length) or not MIN_WIN_LENGTH <= self.win_length <= longest:
            raise RulesError(
                f"win_length: expected an int from {MIN_WIN_LENGTH} to the size "
                f"{longest}, found {self.win_length!r}"
            )
        if self.full_board_winner not in (BLACK, WHITE, EMPTY):
            raise RulesError(
                f"full_board_winner: expected 1, -1 or 0, found {self.full_board_winner!r}"
            )
        if not isinstance(self.gravity, bool):
            raise RulesError(f"gravity: expected a bool, found {self.gravity!r}")
        if self.rule is Rule.RENJU and (self.win_length != FIVE or self.gravity):
            raise RulesError(
                "rule: renju is five in a row without gravity, found "
                f"{self.win_length} in a row{' with gravity' * self.gravity}"
            )

    @property
    def exact(self) -> bool:
        """Whether a row longer than the winning length wins for neither side.

        It is True for standard and caro.
        """
        return self.rule in (Rule.STANDARD, Rule.CARO)

    @property
    def has_fouls(self) -> bool:
        """Whether some points are forbidden to Black: renju."""
        return self.rule is _RENJU

    @property
    def is_plain(self) -> bool:
        """Whether the board is square and without gravity."""
        return self.height is None and not self.gravity

    def legal(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.bool_]:
        """Return which points a side can play: `[..., points]`.

        These are the empty points, under gravity the lowest of each column. In renju, fouls of
        Black are left out.

        Args:
            stones: `[..., points]` colors.
            color: the side to move; in renju the true color, not as a learner sees it.
        """
        empty: NDArray[np.bool_] = stones == EMPTY
        if self.gravity:
            below_is_empty = np.zeros_like(empty)
            below_is_empty[..., : -self.size] = empty[..., self.size :]
            empty = empty & ~below_is_empty
        if self.has_fouls and color == BLACK:
            empty = empty.copy()
            for mask, board in zip(
                empty.reshape(-1, self.points), stones.reshape(-1, self.points), strict=True
            ):
                mask[list(foul_points(board.tolist(), self.size, self.rows))] = False
        return empty

    def outcome(self, position: Position) -> Outcome | None:
        """Return the outcome by a row, a foul or a full board; None while the game goes on."""
        line = position.winning_line()
        if line:
            return Outcome(position.stones[line[0]], Termination.FIVE)
        if self.rule is _RENJU and position.foul_made() is not None:
            return Outcome(WHITE, Termination.FOUL)
        # a look at the moves is quick; passes make them more than the stones
        if len(position.moves) >= len(position.stones) and EMPTY not in position.stones:
            return Outcome(self.full_board_winner, Termination.FULL)
        if (
            self.rule is _RENJU
            and position.to_move == BLACK
            and not has_legal_point(position.stones, self.size, self.rows)
        ):
            return Outcome(self.full_board_winner, Termination.FULL)
        return None

    def symmetries(self) -> NDArray[np.intp]:
        """Return the symmetries of the grid as permutations of the points: `[S, points]`.

        Under gravity only the identity and the reflection left to right.
        """
        return grid_symmetries(self.size, self.rows, is_upright=self.gravity)

    def lines(self) -> NDArray[np.intp]:
        """Return the four lines through each point: `[points, 4, 2, win_length - 1]`."""
        return board_lines(self.size, self.win_length, self.rows)

    def stones_after(self, moves: Sequence[Move]) -> NDArray[np.int8]:
        """Return the colors after moves from the empty board, by point: `[points]`."""
        stones, points = self.start(), np.array(moves, np.intp)
        for first, color in ((0, BLACK), (1, WHITE)):
            own = points[first::2]
            stones[own[own != PASS]] = color
        return stones

    def row_wins(self, length: int, color: Color, *, is_blocked: bool) -> bool:
        """Return whether a row of one color wins by these rules.

        Args:
            length: number of stones in the row.
            color: BLACK or WHITE.
            is_blocked: whether a stone of the other color is at each end of the row.
        """
        return self.rule.wins(length, self.win_length, color, is_blocked=is_blocked)

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON; height and gravity only if they are set.

        Older versions know freestyle and standard only, under the key `exact`. So these two are
        still written as `exact`; renju and caro are written as `rule`.
        """
        values: dict[str, object] = {"size": self.size, "win_length": self.win_length}
        if self.rule in (Rule.FREESTYLE, Rule.STANDARD):
            values["exact"] = self.exact
        else:
            values["rule"] = self.rule.value
        values["full_board_winner"] = self.full_board_winner
        if self.height is not None:
            values["height"] = self.height
        if self.gravity:
            values["gravity"] = True
        return values


def _rule(given: Rule | str, exact: bool | None) -> Rule:
    """Return the rule for a name, or for the older parameter `exact` if it is given.

    Args:
        given: a `Rule` or its name.
        exact: True for standard, False for freestyle, None if not given.

    Raises:
        RulesError: there is no such rule, or the two contradict each other.
    """
    rule = rule_of(given)
    if exact is None:
        return rule
    if not isinstance(exact, bool):
        raise RulesError(f"exact: expected a bool, found {exact!r}")
    told = rule_of(exact)
    if rule not in (Rule.FREESTYLE, told):
        raise RulesError(f"exact: expected none beside the rule {rule.value}, found {exact!r}")
    return told


def _is_int(value: object) -> bool:
    """Return whether `value` is an int and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def game_of(values: JsonObject) -> Game:
    """Return the game that `Game.as_dict` described: the inverse of that method.

    A class of scripts is looked up in the project that is open (`ai.registry.info.open_project`).

    Raises:
        RulesError: the values name no game of the project's scripts, or are invalid rules.
        TypeError: the values do not match the fields of the game's class.
    """
    fields = dict(values)
    target = str(fields.pop("create", ""))
    if not target:
        return Rules(**fields)
    module, _, name = target.partition(":")
    try:
        kind = getattr(import_module(module), name) if module.startswith("scripts.") else None
    except (ImportError, AttributeError) as error:
        raise RulesError(f"expected a game's class, found {target!r}: {error}") from error
    if not isinstance(kind, type) or Game not in kind.__mro__:
        raise RulesError(f"expected a class of scripts that derives from Game, found {target!r}")
    return cast("Game", kind(**fields))


def color_name(color: Color) -> str:
    """Return "black", "white" or "nobody"."""
    return {BLACK: "black", WHITE: "white"}.get(color, "nobody")
