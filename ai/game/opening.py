"""Openings: the steps and decisions before the normal game begins, and random first moves.

| opening  | what happens                                                                         |
|----------|--------------------------------------------------------------------------------------|
| none     | nothing                                                                              |
| balanced | three stones of a list lie on the board, White is to move                            |
| pro      | black stone at the centre; white stone anywhere; black stone outside the middle 5x5  |
| long-pro | as pro, but outside the middle 7x7                                                   |
| swap     | the first person places black, white, black; the second person chooses a color       |
| swap2    | as swap; or the second adds a white and a black stone, and the first chooses         |

(pro to swap2: M. Muzika, "Application of Game Theoretic Algorithms to Gomoku", CTU Prague 2017,
section 3.1.) Stones of an opening are ordinary moves of the board, so their colors alternate. A
swap changes which person plays a color, and never a color on the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ai.game.game import Game
from ai.game.move import (
    BLACK,
    EMPTY,
    WHITE,
    Color,
    IllegalMoveError,
    Move,
    RecordError,
    RulesError,
    to_text,
)
from ai.game.rules import Rules
from base.values import JsonObject


class OpeningKind(StrEnum):
    """Kind of opening; its value is its name in files and on the command line."""

    NONE = "none"
    BALANCED = "balanced"
    PRO = "pro"
    LONG_PRO = "long-pro"
    SWAP = "swap"
    SWAP2 = "swap2"


OPENING_NAMES: Final = tuple(opening.value for opening in OpeningKind)
"""Names of the openings in files and on the command line."""


class Person(IntEnum):
    """One of the two people at the board, independent of their colors."""

    FIRST = 0
    """The person who begins: plays Black unless a color was chosen."""
    SECOND = 1
    """The other person."""


FIRST: Final = Person.FIRST
"""The person who begins."""
SECOND: Final = Person.SECOND
"""The other person."""


class Choice(StrEnum):
    """A decision in an opening that is not a stone."""

    BLACK = "black"
    """The person who decides will play Black."""
    WHITE = "white"
    """The person who decides will play White."""
    TWO_MORE = "two more"
    """The person who decides adds a white and a black stone; the other person chooses a color."""


Said: TypeAlias = Move | Choice
"""One step of an opening: the point of a stone, or a `Choice`."""

_COLORS: Final = (Choice.WHITE, Choice.BLACK)
_THREE: Final = 3
_MIDDLE: Final = {OpeningKind.PRO: 2, OpeningKind.LONG_PRO: 3}
"""Half size of the middle square, in points, that the second black stone must not be in."""
_LEAST: Final = {
    OpeningKind.BALANCED: 9,
    OpeningKind.PRO: 7,
    OpeningKind.LONG_PRO: 9,
    OpeningKind.SWAP: 5,
    OpeningKind.SWAP2: 5,
}
"""Smallest board for each opening, in points along a side."""
_LEAST_ROW: Final = 5


class _Stage(NamedTuple):
    """The next decision in an opening.

    Attributes:
        decider: the person who decides.
        stones: number of stones to place; 0 if there is a choice instead.
        choices: the choices to choose from; empty if stones are placed.
    """

    decider: Person
    stones: int = 0
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class OpeningPhase:
    """The state of an opening: its steps so far; immutable, `after` and `before` return new ones.

    >>> phase = OpeningPhase(Rules(15, 5), OpeningKind.SWAP2, (112, 96, 114))
    >>> phase.decider.name, [choice.value for choice in phase.choices]
    ('SECOND', ['white', 'black', 'two more'])
    >>> phase.after(Choice.BLACK).person_at(WHITE).name
    'FIRST'
    """

    rules: Game
    kind: OpeningKind = OpeningKind.NONE
    said: tuple[Said, ...] = ()
    """The steps so far, stones and choices in order; for a balanced opening its three stones."""

    def __post_init__(self) -> None:
        """Check that the game allows this opening.

        Raises:
            RulesError: the board is too small, or the game is not five in a row without gravity.
        """
        if self.kind is OpeningKind.NONE:
            return
        rules, least = self.rules, _LEAST[self.kind]
        if not isinstance(rules, Rules) or rules.gravity or rules.win_length < _LEAST_ROW:
            raise RulesError(
                f"opening: {self.kind} is of five in a row without gravity, found {rules!r}"
            )
        if min(rules.size, rules.rows) < least:
            raise RulesError(
                f"opening: {self.kind} needs a board of at least {least}, "
                f"found {min(rules.size, rules.rows)}"
            )

    # -- where it stands ----------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the normal game has begun."""
        return self._stage() is None

    @property
    def decider(self) -> Person:
        """The person who decides next; FIRST if the opening is over."""
        stage = self._stage()
        return FIRST if stage is None else stage.decider

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices of the decider; empty if stones are to be placed or the opening is over."""
        stage = self._stage()
        return () if stage is None else stage.choices

    @property
    def stones_wanted(self) -> int:
        """Number of stones that the decider has to place now; 0 if none are due."""
        stage = self._stage()
        return 0 if stage is None else stage.stones

    @property
    def stones(self) -> tuple[Move, ...]:
        """Points of the stones placed so far: the first moves of the game."""
        return tuple(said for said in self.said if not isinstance(said, Choice))

    @property
    def last_placer(self) -> Person:
        """The person who placed the last stone of the opening; FIRST before any stone."""
        places = [place for place, said in enumerate(self.said) if not isinstance(said, Choice)]
        return self._with(self.said[: places[-1]]).decider if places else FIRST

    @property
    def has_swapped(self) -> bool:
        """Whether the first person plays White."""
        return self.person_at(WHITE) is FIRST

    def person_at(self, color: Color) -> Person:
        """Return the person who plays a color; before a choice, the first person plays Black.

        Args:
            color: BLACK or WHITE.
        """
        black = FIRST
        for place, said in enumerate(self.said):
            if said in _COLORS:
                chooser = self._with(self.said[:place]).decider
                black = chooser if said is Choice.BLACK else Person(1 - chooser)
        return black if color == BLACK else Person(1 - black)

    def color_of(self, person: Person) -> Color:
        """Return the color that a person plays."""
        return BLACK if self.person_at(BLACK) is person else WHITE

    def points(self, stones: Sequence[Color]) -> frozenset[Move]:
        """Return the points allowed for the next stone; empty if no stone is to be placed.

        Args:
            stones: colors by point of the board.
        """
        if not self.stones_wanted:
            return frozenset()
        empty = [point for point, color in enumerate(stones) if color == EMPTY]
        reach, count = _MIDDLE.get(self.kind, 0), len(self.said)
        if reach and count != 1:  # of pro and long-pro, White's stone alone is free
            is_centre = count == 0
            reach = 0 if is_centre else reach
            empty = [
                point for point in empty if (from_centre(self.rules, point) <= reach) == is_centre
            ]
        return frozenset(empty)

    # -- steps --------------------------------------------------------------------------------

    def after(self, said: Said) -> OpeningPhase:
        """Return the opening after one more step.

        Args:
            said: an empty point, or a choice.

        Raises:
            IllegalMoveError: the opening does not allow this step now.
        """
        stage = self._stage()
        if stage is None:
            raise IllegalMoveError(f"expected nothing more of the opening, found {said!r}")
        if stage.choices:
            if said not in stage.choices or not isinstance(said, str):
                known = ", ".join(stage.choices)
                raise IllegalMoveError(f"expected one of {known}; found {said!r}")
            return self._with((*self.said, Choice(said)))
        if isinstance(said, (str, bool)) or not isinstance(said, (int, np.integer)):
            raise IllegalMoveError(f"expected a point, found {said!r}")
        self._check_point(int(said))
        return self._with((*self.said, int(said)))

    def before(self) -> OpeningPhase:
        """Return the opening without its last step.

        Raises:
            IndexError: there is no step yet.
        """
        if not self.said:
            raise IndexError("expected a step to take back, found none")
        return self._with(self.said[:-1])

    def _check_point(self, point: Move) -> None:
        """Raise IllegalMoveError if the opening does not allow a stone on `point`."""
        rules = self.rules
        if not 0 <= point < rules.points or point in self.stones:
            raise IllegalMoveError(f"expected an empty point of the board, found {point!r}")
        free = [EMPTY] * rules.points
        for held in self.stones:
            free[held] = BLACK
        if point not in self.points(free):
            far = 2 * _MIDDLE[self.kind] + 1
            wanted = f"outside the middle {far}x{far}" if self.said else "at the centre"
            raise IllegalMoveError(
                f"{self.kind}: expected a stone {wanted}, "
                f"found {to_text(point, rules.size, rules.rows)!r}"
            )

    def _with(self, said: tuple[Said, ...]) -> OpeningPhase:
        return replace(self, said=said)

    def _stage(self) -> _Stage | None:
        """Return the next decision of the opening; None if the normal game has begun."""
        count = len(self.said)
        if self.kind in _MIDDLE:
            stages = (_Stage(FIRST, 1), _Stage(SECOND, 1), _Stage(FIRST, 1))
            return stages[count] if count < len(stages) else None
        if self.kind not in (OpeningKind.SWAP, OpeningKind.SWAP2):
            return None
        if count < _THREE:
            return _Stage(FIRST, _THREE - count)
        if count == _THREE:
            more = (Choice.TWO_MORE,) if self.kind is OpeningKind.SWAP2 else ()
            return _Stage(SECOND, choices=(*_COLORS, *more))
        if self.said[_THREE] != Choice.TWO_MORE:
            return None
        if count < _THREE + 3:
            return _Stage(SECOND, _THREE + 3 - count)
        return _Stage(FIRST, choices=_COLORS) if count == _THREE + 3 else None

    # -- files --------------------------------------------------------------------------------

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON, without the rules; the inverse of `from_dict`."""
        said = [step.value if isinstance(step, Choice) else step for step in self.said]
        return {"name": self.kind.value, "said": said}

    @classmethod
    def from_dict(cls, rules: Game, values: JsonObject) -> OpeningPhase:
        """Read the result of `as_dict`, validated by replaying it.

        Raises:
            RecordError: it is malformed, or breaks the opening's rules.
        """
        try:
            phase = cls(rules, opening_of(values["name"]))
            if phase.kind is OpeningKind.BALANCED:
                return replace(phase, said=tuple(int(point) for point in values["said"]))
            for said in values["said"]:
                phase = phase.after(Choice(said) if isinstance(said, str) else said)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"opening: expected one that can be played, found {error}") from None
        return phase


def opening_of(name: str) -> OpeningKind:
    """Return the opening with this name.

    Raises:
        RulesError: no opening has this name.
    """
    if name not in OPENING_NAMES:
        raise RulesError(f"opening: expected one of {', '.join(OPENING_NAMES)}; found {name!r}")
    return OpeningKind(name)


Offsets: TypeAlias = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]

_STONES: Final[tuple[Offsets, ...]] = (
    ((1, 1), (2, -3), (-3, -3)),
    ((-1, 1), (2, 4), (4, 0)),
    ((0, 0), (-2, 3), (-2, 4)),
    ((-1, 0), (-2, 3), (-4, -1)),
    ((-1, 2), (2, 2), (-3, -4)),
    ((-1, -1), (2, 0), (1, 3)),
    ((1, 2), (3, -1), (-1, 3)),
    ((1, 0), (-2, -2), (-3, -3)),
    ((1, 2), (1, -1), (-3, -1)),
    ((2, -1), (-2, -2), (-4, -1)),
    ((0, -2), (-3, -3), (3, -3)),
    ((2, -1), (2, 1), (-3, 1)),
    ((1, 1), (-4, 0), (-1, -4)),
    ((0, 2), (-1, -4), (1, -3)),
    ((-2, 2), (0, 1), (1, -1)),
    ((2, 1), (-3, -1), (0, -3)),
    ((0, 2), (-3, 1), (-2, 2)),
    ((-2, -2), (-1, 1), (-1, 4)),
    ((-1, -2), (2, 2), (0, 1)),
    ((2, 0), (2, -2), (-3, 3)),
    ((2, -2), (4, 4), (2, 4)),
    ((-1, 1), (-2, 0), (3, -2)),
    ((-1, 2), (-4, -2), (2, 1)),
    ((-1, 2), (2, 0), (-4, 3)),
)
"""Balanced openings: a black, a white and a black stone, as (row, column) offsets from the centre.

Found by `python -m benchmarks.balanced_openings`: 15x15, freestyle. From each, Black won 47 to 53 %
of 300 games of the pattern player against itself. They need not be balanced for stronger players,
other rules and other boards.
"""
_ROTATIONS: Final = ((1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0))
_REFLECTIONS: Final = ((1, 0, 0, -1), (-1, 0, 0, 1), (0, 1, 1, 0), (0, -1, -1, 0))
_TURNS: Final = _ROTATIONS + _REFLECTIONS
"""The eight symmetries of the square, as 2x2 matrices (a, b, c, d) for (row, column) offsets."""

BALANCED_COUNT: Final = len(_STONES) * len(_TURNS)
"""Number of balanced openings, rotations and reflections included."""


def balanced_stones(rules: Game, number: int) -> tuple[Move, ...]:
    """Return the three stones of a balanced opening.

    Args:
        rules: a game on a board of at least nine points a side.
        number: number of the opening, modulo `BALANCED_COUNT`.
    """
    turn, index = divmod(number % BALANCED_COUNT, len(_STONES))
    a, b, c, d = _TURNS[turn]
    row, column = rules.rows // 2, rules.size // 2
    return tuple(
        (row + a * down + b * right) * rules.size + column + c * down + d * right
        for down, right in _STONES[index]
    )


def from_centre(rules: Game, point: Move) -> int:
    """Return how many rows or columns a point is away from the centre, whichever is more.

    The centre is in row `rows // 2` and column `size // 2`. The result is the Chebyshev distance.

    Args:
        rules: rules of the game, which give the size of the board.
        point: the point.
    """
    row, column = divmod(point, rules.size)
    return max(abs(row - rules.rows // 2), abs(column - rules.size // 2))


def centre_points(size: int) -> tuple[Move, ...]:
    """Return the nine points around the centre of a square board.

    They are rows and columns size//2-1 to size//2+1. On 7x7 these are rows and columns 2 to 4:
    "randomly initializing X and Y in positions between 3 and 5" (the self-teaching paper, section
    4.1, counted from 1).

    >>> centre_points(7)
    (16, 17, 18, 23, 24, 25, 30, 31, 32)
    """
    middle = size // 2
    around = (middle - 1, middle, middle + 1)
    return tuple(row * size + col for row in around for col in around)


def random_centre_point(rules: Game, rng: np.random.Generator) -> Move:
    """Return a random first move, one of `opening_points`.

    Args:
        rules: rules of the game.
        rng: random generator.
    """
    points = opening_points(rules)
    return points[int(rng.integers(len(points)))]


def opening_points(rules: Game) -> tuple[Move, ...]:
    """Return the points from which a random first move is chosen.

    In an m,n,k game these are the nine centre points, or under gravity the three middle points of
    the nearest row. In any other game these are all legal points of Black.
    """
    if not isinstance(rules, Rules):
        return tuple(np.flatnonzero(rules.legal(rules.start(), BLACK)).tolist())
    if rules.is_plain:
        return centre_points(rules.size)
    columns = range(rules.size // 2 - 1, rules.size // 2 + 2)
    middle = rules.rows // 2
    rows = (rules.rows - 1,) if rules.gravity else range(middle - 1, middle + 2)
    return tuple(row * rules.size + column for row in rows for column in columns)
