"""The settings of a game from INFO, and the time that a move may take by them.

A move has two limits. Normally the move is found within the *soft* limit. A player that plans its
time (see `ai.search.base`) stops earlier if nothing is left to find. It thinks on until the *hard*
limit if that is worth it. The hard limits never exceed the time of the match, and leave every
possible later move its share.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from ai.protocol.messages import CommandError, Info

USUAL_TURN: Final = 30_000
"""Default milliseconds of a move, if the manager sets none."""
LEAST_SECONDS: Final = 0.05
"""Seconds for a move that is to be as fast as possible (`timeout_turn 0`)."""
MOST_SECONDS: Final = 1e6
"""Maximum seconds for a move; longer limits are reduced to this."""
SEARCH_MARGIN: Final = 0.06
"""Seconds before the hard limit at which a search ends, so that its move is sent in time."""
SEND_MARGIN: Final = 0.02
"""Seconds before the hard limit at which a move is sent even if the search has not ended."""
MARGIN_SHARE: Final = 0.35
"""Greatest share of a move's time that `SEARCH_MARGIN` may take, for short times."""
SEND_SHARE: Final = 0.12
"""Greatest share of a move's time that `SEND_MARGIN` may take, for short times."""
LEAST_MOVES: Final = 8
MOST_MOVES: Final = 30
"""Greatest number of own moves that are expected until the end of a game.

`LEAST_MOVES` is the least.
"""
FLOOR: Final = 0.05
"""Seconds reserved for each of up to `MOST_MOVES` later moves, if the match has enough."""
STRETCH: Final = 3.0
"""Greatest ratio of the hard limit of a move to its soft limit."""
LATENCY: Final = 0.003
"""Seconds that a message takes to the manager and back, which a brain cannot measure."""


@dataclass(frozen=True, slots=True)
class MoveBudget:
    """Time limits of a move."""

    soft: float
    """Seconds within which the move is normally found."""
    hard: float
    """Seconds until the move must be sent."""


@dataclass(frozen=True, slots=True)
class ManagerInfo:
    """Settings of a game that were received by INFO so far."""

    timeout_turn: int = USUAL_TURN
    """Milliseconds for a move; 0: as fast as possible."""
    timeout_match: int = 0
    """Milliseconds for all moves of a game; 0: no limit."""
    time_left: int | None = None
    """Milliseconds left for all further moves of the game; None if unknown."""
    max_memory: int = 0
    """Bytes that the brain may use; 0: no limit."""
    game_type: int = 0
    """Kind of opponent: 0 a person, 1 a program, 2 a tournament, 3 a network tournament."""
    rule: int = 0
    """Bitmask of the rules, see `ai.protocol.table.rules_of`."""
    folder: str = ""
    """Folder for the brain's files that outlast a game; "" for none."""

    def with_info(self, info: Info) -> ManagerInfo:
        """Return these settings with one more setting from INFO; unknown keys change nothing.

        Managers also write numbers such as `1000.0` and `3.5e8`. Fractions are cut off. A negative
        number counts as 0, but `time_left` may be negative.

        Args:
            info: the command INFO with a key and a value.

        Raises:
            CommandError: the value is no number, but the key wants one.
        """
        if info.key == "folder":
            return replace(self, folder=info.value)
        if info.key not in _LOWEST:
            return self
        try:
            number = float(info.value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise CommandError(f"INFO {info.key}: expected a number, found {info.value[:40]!r}")
        whole = int(min(max(number, _LOWEST[info.key]), _LARGEST))
        return replace(self, **{info.key: whole})  # type: ignore[arg-type]  # a key of numbers

    def budget(self, free_points: int, left: float | None) -> MoveBudget:
        """Return the time limits of the next move.

        Args:
            free_points: number of empty points on the board.
            left: seconds left for the further moves of the game, see `MatchClock`; None for no
                limit.
        """
        turn = min(max(LEAST_SECONDS, self.timeout_turn / 1000), MOST_SECONDS)
        if left is None:
            return MoveBudget(turn, turn)
        left = max(0.0, left)
        moves = min(max(free_points // 8, LEAST_MOVES), MOST_MOVES)
        later = max(0, min((free_points + 1) // 2, MOST_MOVES) - 1)
        floor = min(FLOOR, left / (later + 1))
        soft = max(left / moves, floor)
        hard = min(turn, STRETCH * soft, left - later * floor)
        return MoveBudget(min(soft, hard), hard)


_FROM_ZERO: Final = ("timeout_turn", "timeout_match", "max_memory", "game_type", "rule")
_LOWEST: Final = MappingProxyType(dict.fromkeys(_FROM_ZERO, 0) | {"time_left": -(10**9)})
"""Smallest value of each numeric key of INFO; smaller ones are raised to it."""
_LARGEST: Final = 10**15


class MatchClock:
    """Tracks the time left for a game.

    It is the last `time_left` that the manager sent minus the time used since then. Without
    `time_left` it is the game's limit minus the time used in this game.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        """Seconds used since the game began or the last `time_left` arrived."""
        self._is_stale = False
        """Whether a move was made since the last `time_left` arrived."""

    def begin_game(self, info: ManagerInfo) -> ManagerInfo:
        """Start a new game and return its settings.

        A `time_left` that belongs to the last game is removed.

        Args:
            info: settings received so far.
        """
        self._spent = 0.0
        return replace(info, time_left=None) if self._is_stale else info

    def note(self, info: Info) -> None:
        """Take notice of an INFO: after a new `time_left` the used seconds are counted from 0.

        Args:
            info: the command, which was accepted.
        """
        if info.key == "time_left":
            self._spent, self._is_stale = 0.0, False

    def spend(self, seconds: float) -> None:
        """Add the time of an answer.

        Args:
            seconds: time from the command's arrival until the answer was sent.
        """
        self._spent += seconds + LATENCY
        self._is_stale = True

    def left(self, info: ManagerInfo) -> float | None:
        """Return the seconds left for the game; None if there is no limit."""
        if not info.timeout_match:
            return None
        told = info.timeout_match if info.time_left is None else info.time_left
        return min(told, info.timeout_match) / 1000 - self._spent


@dataclass(frozen=True, slots=True)
class Deadline:
    """Times at which a search has to end and its answer has to be sent."""

    soft_seconds: float
    """Seconds from the deadline's creation within which the search normally ends."""
    search_seconds: float
    """Seconds from the deadline's creation after which the search must have ended."""
    began: float
    """Time of creation, by `time.monotonic()`."""
    sends: float
    """Latest time to send the answer, by `time.monotonic()`."""

    @classmethod
    def within(cls, budget: MoveBudget) -> Deadline:
        """Create the deadline of an answer, beginning now.

        Args:
            budget: time limits of the answer.
        """
        now, hard = time.monotonic(), budget.hard
        search = hard - min(SEARCH_MARGIN, MARGIN_SHARE * hard)
        send = hard - min(SEND_MARGIN, SEND_SHARE * hard)
        return cls(min(budget.soft, search), search, now, now + send)

    @property
    def is_planned(self) -> bool:
        """Whether the search may exceed its normal time."""
        return self.soft_seconds < self.search_seconds

    def left(self, seconds: float) -> float:
        """Return how many seconds remain until a moment; negative when it has passed.

        Args:
            seconds: the moment, counted from the creation of the deadline.
        """
        return self.began + seconds - time.monotonic()
