"""Colors, moves and the parameters of a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game.errors import RulesError
from ai.game.game import BLACK, EMPTY, PASS, WHITE, Color, Game, Move
from ai.game.outcome import Outcome, Termination
from ai.game.symmetry import grid_symmetries
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.game.position import Position

MIN_SIZE: Final = 3
MAX_SIZE: Final = 20
MIN_WIN_LENGTH: Final = 3


@dataclass(frozen=True, slots=True)
class Rules(Game):
    """Parameters of an m,n,k game: board size, win length, and how the game ends.

    Tic-tac-toe is `Rules(3, 3)`; the self-teaching game of the paper is
    `Rules(7, 5, full_board_winner=WHITE)`; Connect Four is
    `Rules(7, 4, height=6, gravity=True)`.
    """

    size: int = 15
    """Points along one side, 3 to 20; number of columns if `height` is given."""
    win_length: int = 5
    """Stones in a row that win, 3 to the longer side."""
    exact: bool = False
    """Whether a row longer than `win_length` does not win."""
    full_board_winner: Color = EMPTY
    """Who wins when the board is full without a row; EMPTY: a draw."""
    height: int | None = None
    """Number of rows, 3 to 20; None (also when equal to `size`): a square board."""
    gravity: bool = False
    """Whether a stone falls to the lowest empty point of its column, in the nearest row."""

    def __post_init__(self) -> None:
        """Check that the rules are consistent."""
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
        if self.height == self.size:
            object.__setattr__(self, "height", None)  # a square has one description only
        longest = max(self.size, self.rows)
        if not _is_int(self.win_length) or not MIN_WIN_LENGTH <= self.win_length <= longest:
            raise RulesError(
                f"win_length: expected an int from {MIN_WIN_LENGTH} to the size "
                f"{longest}, found {self.win_length!r}"
            )
        if not isinstance(self.exact, bool):
            raise RulesError(f"exact: expected a bool, found {self.exact!r}")
        if self.full_board_winner not in (BLACK, WHITE, EMPTY):
            raise RulesError(
                f"full_board_winner: expected 1, -1 or 0, found {self.full_board_winner!r}"
            )
        if not isinstance(self.gravity, bool):
            raise RulesError(f"gravity: expected a bool, found {self.gravity!r}")

    @property
    def is_plain(self) -> bool:
        """Whether the board is square and without gravity."""
        return self.height is None and not self.gravity

    def legal(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.bool_]:
        """Return `[..., A]`: the empty points, or the lowest of each column under gravity."""
        empty: NDArray[np.bool_] = stones == EMPTY
        if self.gravity:
            below_is_empty = np.zeros_like(empty)
            below_is_empty[..., : -self.size] = empty[..., self.size :]
            empty = empty & ~below_is_empty
        return empty

    def outcome(self, position: Position) -> Outcome | None:
        """Return who made the row that is on the board, or whose a full board is."""
        line = position.winning_line()
        if line:
            return Outcome(position.stones[line[0]], Termination.FIVE)
        if len(position.moves) == len(position.stones):
            return Outcome(self.full_board_winner, Termination.FULL)
        return None

    def symmetries(self) -> NDArray[np.intp]:
        """Return `[S, A]` those of the grid; where stones fall, its mirroring left to right."""
        return grid_symmetries(self.size, self.rows, is_upright=self.gravity)

    def stones_after(self, moves: Sequence[Move]) -> NDArray[np.int8]:
        """Return `[A]` the colors after moves: all stones stay."""
        stones, points = self.start(), np.array(moves, np.intp)
        stones[points[0::2]] = BLACK
        stones[points[1::2]] = WHITE
        return stones

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON; height and gravity only where used."""
        values = asdict(self)
        for key, unused in (("height", None), ("gravity", False)):
            if values[key] is unused:
                del values[key]
        return values


def _is_int(value: object) -> bool:
    """Return whether `value` is an int and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def game_of(values: JsonObject) -> Game:
    """Return the game that `Game.as_dict` described.

    A class of scripts is found in the project that is open (`ai.registry.modules.open_project`).

    Raises:
        RulesError: it names no game of the project's scripts.
        TypeError: the values are not those of the game's fields.
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


__all__ = ["BLACK", "EMPTY", "PASS", "WHITE", "Color", "Move", "Rules", "color_name", "game_of"]
