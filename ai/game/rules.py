"""Colors, moves and the parameters of a game."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, TypeAlias

from ai.game.errors import RulesError

Color: TypeAlias = int
"""BLACK, WHITE, or EMPTY where nobody is meant."""

Move: TypeAlias = int
"""A point as a number: `row * size + col`, row 0 at the far side (the top, under gravity)."""

BLACK: Final = 1
"""The side that moves first, and its stones."""
WHITE: Final = -1
"""The other side, and its stones."""
EMPTY: Final = 0
"""A point without a stone; nobody."""

MIN_SIZE: Final = 3
MAX_SIZE: Final = 20
MIN_WIN_LENGTH: Final = 3


@dataclass(frozen=True, slots=True)
class Rules:
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
    def rows(self) -> int:
        """Number of rows; `size` is the number of columns."""
        return self.size if self.height is None else self.height

    @property
    def points(self) -> int:
        """Number of points on the board."""
        return self.size * (self.size if self.height is None else self.height)

    @property
    def is_plain(self) -> bool:
        """Whether the board is square and without gravity."""
        return self.height is None and not self.gravity

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


def color_name(color: Color) -> str:
    """Return "black", "white" or "nobody"."""
    return {BLACK: "black", WHITE: "white"}.get(color, "nobody")
