"""The clock of a game: total time, increment and byo-yomi of both sides; it draws nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ai import BLACK, WHITE, Color, Limit, ManagerInfo
from sim import FieldError, tr, wording

MOST_MINUTES = 600.0
MOST_SECONDS = 3600.0
MOST_PERIODS = 100
PERIOD_SHARE = 0.8
"""Share of a byo-yomi period that a player thinks at most."""
INCREMENT_SHARE = 0.7
"""Share of the increment that a player adds to the time of a move."""
MARGIN = 0.15
"""Seconds that a player leaves on its clock, for the way of its answer."""
LEAST = 0.02
"""Seconds that a player has at least, however little is left."""
TENTHS_BELOW = 10.0
"""Seconds below which tenths are shown."""
GRACE = 2.0
"""Seconds for which a player's answer may be on its way after its time is over."""


@dataclass(frozen=True)
class TimeControl:
    """How much time the sides have. All zero: a game without a clock.

    Attributes:
        minutes: total time of a side, minutes.
        increment: seconds that a side gets after each of its moves, as long as it has total time.
        periods: number of byo-yomi periods, which begin when the total time is over. A move within
            a period costs nothing; a period that passes is gone.
        period: length of such a period, seconds.
    """

    minutes: float = 0.0
    increment: float = 0.0
    periods: int = 0
    period: float = 30.0

    @property
    def is_on(self) -> bool:
        """Whether there is a clock."""
        return self.minutes > 0.0 or self.periods > 0

    def check(self) -> None:
        """Check the values.

        Raises:
            FieldError: a value is out of its bounds, or there is an increment without total time.
        """
        bounds = (
            ("minutes", self.minutes, 0, MOST_MINUTES),
            ("increment", self.increment, 0, MOST_SECONDS),
            ("periods", self.periods, 0, MOST_PERIODS),
            ("period", self.period, 1, MOST_SECONDS),
        )
        for name, value, low, high in bounds:
            if not isinstance(value, int | float) or not low <= value <= high:
                raise FieldError(name, expected=f"{low} to {high:g}", found=f"{value:g}")
        if self.increment and not self.minutes:
            raise FieldError("increment", expected="0 without a total time", found="more")

    @property
    def text(self) -> str:
        """The time control in short, such as "10 min + 5 s" or "5 min, 3 x 30 s"."""
        if not self.is_on:
            return tr("no clock")
        total = tr("{minutes:g} min").format(minutes=self.minutes) if self.minutes else ""
        total += (
            wording(" + {increment:g} s").format(increment=self.increment) if self.increment else ""
        )
        rest = (
            wording("{periods} x {period:g} s").format(periods=self.periods, period=self.period)
            if self.periods
            else ""
        )
        return wording(", ").join(part for part in (total, rest) if part)


@dataclass
class _Side:
    """What one side has left.

    Attributes:
        total: seconds of its total time.
        periods: byo-yomi periods, the present one included.
        period: seconds of the present period.
    """

    total: float
    periods: int
    period: float


class GameClock:
    """The time of both sides; whoever plays the game says how much of it passes.

    Attributes:
        control: how much time the sides have.
        fallen: the side whose flag has fallen; 0 while none has.
    """

    def __init__(self, control: TimeControl) -> None:
        """Give both sides their full time."""
        self.control = control
        self.fallen: Color = 0
        self._sides = {
            color: _Side(control.minutes * 60.0, control.periods, control.period)
            for color in (BLACK, WHITE)
        }

    @property
    def is_on(self) -> bool:
        """Whether there is a clock."""
        return self.control.is_on

    def spend(self, color: Color, seconds: float) -> bool:
        """Let time of a side pass: its total time first, then its periods.

        Args:
            color: the side.
            seconds: how much passes.

        Returns:
            Whether the side's flag has fallen.
        """
        if not self.is_on or self.fallen:
            return self.fallen == color
        side = self._sides[color]
        spent = min(side.total, seconds)
        side.total -= spent
        seconds -= spent
        while seconds > 0.0 and side.periods > 0:
            spent = min(side.period, seconds)
            side.period -= spent
            seconds -= spent
            if side.period <= 0.0:
                side.periods -= 1
                side.period = self.control.period if side.periods else 0.0
        if side.total <= 0.0 and side.periods <= 0:
            self.fallen = color
        return self.fallen == color

    def move_made(self, color: Color) -> None:
        """Give a side its increment, or a fresh period, after its move."""
        side = self._sides[color]
        if not self.is_on or self.fallen:
            return
        if side.total > 0.0:
            side.total += self.control.increment
        else:
            side.period = self.control.period

    def as_list(self) -> list[list[float]]:
        """Return what Black and White have left, for JSON; the inverse of `set_left`."""
        return [[*vars(self._sides[color]).values()] for color in (BLACK, WHITE)]

    def set_left(self, sides: Sequence[Sequence[float]]) -> None:
        """Set what both sides have left, as `as_list` returns it.

        Raises:
            ValueError: these are no times of two sides.
        """
        found = [_Side(float(total), int(count), float(one)) for total, count, one in sides]
        if len(found) != len(self._sides) or any(
            not 0.0 <= value < math.inf for side in found for value in vars(side).values()
        ):
            raise ValueError(f"expected the time of both sides, found {sides!r:.80}")
        self._sides = dict(zip((BLACK, WHITE), found, strict=True))

    def left(self, color: Color) -> float:
        """Return the seconds until the flag of a side falls if it does not move."""
        side = self._sides[color]
        later = max(0, side.periods - 1) * self.control.period
        return side.total + (side.period + later if side.periods else 0.0)

    def is_late(self, color: Color, running: float) -> bool:
        """Return whether an answer is overdue that has taken so long; then the flag falls.

        Args:
            color: the side.
            running: seconds since its turn began.
        """
        is_late = self.is_on and running > self.left(color) + GRACE
        return is_late and self.spend(color, running)

    def text(self, color: Color, running: float = 0.0) -> str:
        """Return what a side has left, such as "4:59", "0:07.3" or "0:25 (2)".

        Args:
            color: the side.
            running: seconds that have passed and are not spent yet.
        """
        if not self.is_on:
            return ""
        shown = GameClock(self.control)
        shown._sides[color] = _Side(**vars(self._sides[color]))
        shown.spend(color, running)
        side = shown._sides[color]
        if side.total > 0.0 or not self.control.periods:
            return clock_text(side.total)
        return f"{clock_text(side.period)} ({side.periods})"

    def limit(self, color: Color, free_points: int, most: float | None = None) -> Limit:
        """Return how long a player of a side may think about its next move.

        Args:
            color: the side.
            free_points: number of empty points on the board.
            most: thinking time of a move that was chosen, seconds; None for none.
        """
        if not self.is_on:
            return Limit(seconds=most)
        side = self._sides[color]
        hard = soft = side.period * PERIOD_SHARE if side.periods else 0.0
        if side.total > 0.0:
            usable = max(0.0, side.total - MARGIN)
            match = ManagerInfo(timeout_match=1)
            planned = match.budget(free_points, usable)
            more = self.control.increment * INCREMENT_SHARE
            hard = max(hard, min(planned.hard + more, usable))
            soft = max(soft, min(planned.soft + more, hard))
        bounds = [max(LEAST, hard)] if most is None else [max(LEAST, hard), most]
        hard = min(bounds)
        return Limit(seconds=hard, soft_seconds=min(soft, hard) if soft < hard else None)


def clock_text(seconds: float) -> str:
    """Return seconds as a clock shows them: whole ones rounded up, tenths when few are left.

    >>> clock_text(299.2), clock_text(7.31), clock_text(0.0), clock_text(3723.0)
    ('5:00', '0:07.3', '0:00.0', '1:02:03')
    """
    if seconds < TENTHS_BELOW:
        return f"0:{max(0.0, seconds):04.1f}"
    whole = int(-(-seconds // 1))
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
