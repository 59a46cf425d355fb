"""The settings of a game that INFO tells a brain, and the time that a move may take by them."""

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
LATEST_SHARE: Final = 0.7
"""Of a very short move, at most these margins away."""
LEAST_MOVES: Final = 8
MOST_MOVES: Final = 30
"""Bounds of how many own moves a game is expected to go on."""


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

    def seconds_for_move(self, free_points: int) -> float:
        """Return the seconds that the next move may take, until it is on its way.

        By the limit of a move, and by a share of what is left of the match: as if this side
        were to play an eighth of the free points, within bounds.

        Args:
            free_points: empty points of the board.
        """
        limits = [self.timeout_turn / 1000]
        left = self.match_left
        if left is not None:
            moves = min(max(free_points // 8, LEAST_MOVES), MOST_MOVES)
            limits.append(left / moves)
        return min(max(LEAST_SECONDS, min(limits)), MOST_SECONDS)

    @property
    def match_left(self) -> float | None:
        """Seconds that are left of the match, None without a limit."""
        if not self.timeout_match:
            return None
        left = self.timeout_match if self.time_left is None else self.time_left
        return max(0.0, min(left, self.timeout_match) / 1000)


_LOWEST: Final = MappingProxyType(
    {
        "timeout_turn": 0, "timeout_match": 0, "time_left": -(10**9), "max_memory": 0,
        "game_type": 0, "rule": 0,
    }
)  # fmt: skip
"""The numbers that INFO tells, and their least values."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a search is to end, and when its answer is to be sent at the latest."""

    search_seconds: float
    """Budget of the search, from the moment the deadline was made."""
    ends: float
    """When the search is to have ended, on the scale of `time.monotonic()`."""
    sends: float
    """When the answer is sent, on the same scale."""

    @classmethod
    def within(cls, seconds: float) -> Deadline:
        """Return the deadline of an answer that has this many seconds from now."""
        now = time.monotonic()
        search = max(seconds - SEARCH_MARGIN, seconds * (1 - LATEST_SHARE))
        send = max(seconds - SEND_MARGIN, search)
        return cls(search, now + search, now + send)


__all__ = ["Deadline", "GameInfo"]
