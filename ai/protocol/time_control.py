"""The settings of a game that INFO tells a brain, and the time that a move may take by them.

A move has two limits. Until the *soft* one it is to be found, as a rule; what plans its time
(`ai.search.base`) ends sooner where nothing is left to find, and thinks on until the *hard* one
where it pays. What is used within the hard limits never adds up to more than the match, and leaves
every move that may still come its share.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from ai.protocol.messages import CommandError, Info

USUAL_TURN: Final = 30_000
"""Milliseconds of a move where no manager says so."""
LEAST_SECONDS: Final = 0.05
"""Of a move that is to be as fast as possible (`timeout_turn 0`)."""
MOST_SECONDS: Final = 1e6
"""Of a move whose limit is longer."""
SEARCH_MARGIN: Final = 0.06
"""Seconds before the limit at which a search ends, so that its move is written in time."""
SEND_MARGIN: Final = 0.02
"""Seconds before the limit at which a move is sent, whether a search has ended or not."""
MARGIN_SHARE: Final = 0.35
"""Of a short move, at most so much of its time is kept back by the first of these margins."""
SEND_SHARE: Final = 0.12
"""The same for the second one."""
LEAST_MOVES: Final = 8
MOST_MOVES: Final = 30
"""Bounds of how many own moves a game is expected to go on."""
FLOOR: Final = 0.05
"""Seconds that are kept for each of the next `MOST_MOVES` moves, where the match has so many."""
STRETCH: Final = 3.0
"""A hard limit is at most so many soft ones."""
LATENCY: Final = 0.003
"""Seconds that a move takes on its way to the manager and back, beyond those that a brain sees."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds of a move."""

    soft: float
    """In which it is to be found, as a rule."""
    hard: float
    """Until it is on its way."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What INFO has said so far."""

    timeout_turn: int = USUAL_TURN
    """Milliseconds for a move; 0: as fast as possible."""
    timeout_match: int = 0
    """Milliseconds for all moves of a game; 0: no limit."""
    time_left: int | None = None
    """Milliseconds that are left of the match; None: nothing was said."""
    max_memory: int = 0
    """Bytes that the brain may use; 0: no limit."""
    game_type: int = 0
    """Who the opponent is: 0 a person, 1 a brain, 2 a tournament, 3 a network tournament."""
    rule: int = 0
    """Bitmask, see `rule_bits`."""
    folder: str = ""
    """Folder for files that the brain keeps."""

    def with_info(self, info: Info) -> GameInfo:
        """Return the settings after an INFO; keys that are not known change nothing.

        Raises:
            CommandError: the value does not fit the key.
        """
        if info.key == "folder":
            return replace(self, folder=info.value)
        if info.key not in _LOWEST:
            return self
        lowest = _LOWEST[info.key]
        try:
            number = int(info.value) if len(info.value) < 20 else lowest - 1
        except ValueError:
            number = lowest - 1
        if number < lowest:
            raise CommandError(
                f"INFO {info.key}: expected a whole number of at least {lowest}, "
                f"found {info.value[:40]!r}"
            )
        return replace(self, **{info.key: number})  # type: ignore[arg-type]  # a key of numbers

    def budget(self, free_points: int, left: float | None) -> Budget:
        """Return the seconds that the next move may take, until it is on its way.

        Args:
            free_points: empty points of the board.
            left: seconds that are left of the match, see `MatchClock`; None: any number.
        """
        turn = min(max(LEAST_SECONDS, self.timeout_turn / 1000), MOST_SECONDS)
        if left is None:
            return Budget(turn, turn)
        left = max(0.0, left)
        moves = min(max(free_points // 8, LEAST_MOVES), MOST_MOVES)
        later = max(0, min((free_points + 1) // 2, MOST_MOVES) - 1)
        floor = min(FLOOR, left / (later + 1))
        soft = max(left / moves, floor)
        hard = min(turn, STRETCH * soft, left - later * floor)
        return Budget(min(soft, hard), hard)


_LOWEST: Final = MappingProxyType(
    {
        "timeout_turn": 0, "timeout_match": 0, "time_left": -(10**9), "max_memory": 0,
        "game_type": 0, "rule": 0,
    }
)  # fmt: skip
"""The numbers that INFO tells, and their least values."""


class MatchClock:
    """Counts the time of a match: what `time_left` says, less what was used since.

    Where nothing is said, what the moves of this game have used counts.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        """Seconds used since the game began, or since `time_left` was told."""
        self._is_stale = False
        """Whether a move was made since `time_left` was told."""

    def begin_game(self, info: GameInfo) -> GameInfo:
        """Begin to count anew; return the settings without a `time_left` of the game before."""
        self._spent = 0.0
        return replace(info, time_left=None) if self._is_stale else info

    def note(self, info: Info) -> None:
        """Take note of an INFO that was obeyed."""
        if info.key == "time_left":
            self._spent, self._is_stale = 0.0, False

    def spend(self, seconds: float) -> None:
        """Count an answer, from the command until it was written."""
        self._spent += seconds + LATENCY
        self._is_stale = True

    def left(self, info: GameInfo) -> float | None:
        """Return the seconds that are left of the match; None where it has no limit."""
        if not info.timeout_match:
            return None
        told = info.timeout_match if info.time_left is None else info.time_left
        return min(told, info.timeout_match) / 1000 - self._spent


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a search is to end, and when its answer is to be sent at the latest."""

    soft_seconds: float
    """Budget of the search as a rule, from the moment the deadline was made."""
    search_seconds: float
    """The most that it may take, from the same moment."""
    began: float
    """When the deadline was made, on the scale of `time.monotonic()`."""
    sends: float
    """When the answer is sent, on the same scale."""

    @classmethod
    def within(cls, budget: Budget) -> Deadline:
        """Return the deadline of an answer that has this much time from now."""
        now, hard = time.monotonic(), budget.hard
        search = hard - min(SEARCH_MARGIN, MARGIN_SHARE * hard)
        send = hard - min(SEND_MARGIN, SEND_SHARE * hard)
        return cls(min(budget.soft, search), search, now, now + send)

    @property
    def is_planned(self) -> bool:
        """Whether the search may take more than its time as a rule."""
        return self.soft_seconds < self.search_seconds

    def left(self, seconds: float) -> float:
        """Return what is left now of so many seconds from the moment it was made."""
        return self.began + seconds - time.monotonic()


__all__ = ["Budget", "Deadline", "GameInfo", "MatchClock"]
