"""Results of White against each member of a league."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from ai import BLACK, MEMBERS, WHITE

RECENT: Final = 20
"""Games of the share that tells how it stands today."""


@dataclass
class OpponentResults:
    """White's games against one opponent."""

    wins: dict[int, int] = field(default_factory=lambda: {BLACK: 0, WHITE: 0, 0: 0})
    """How many games each seat won, whatever color a swap gave it, and under 0 nobody."""
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=RECENT))
    """Of the last games, whether White won."""

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.wins.values())

    @property
    def won(self) -> int:
        """Number of games that White won."""
        return self.wins[WHITE]

    def add(self, winner: int) -> None:
        """Add a game, won by a seat or by nobody, 0."""
        self.wins[winner] += 1
        self.recent.append(winner == WHITE)

    def as_dict(self) -> dict[str, int]:
        """Return plain values for --stats."""
        return {
            "games": self.games,
            "white": self.won,
            "black": self.wins[BLACK],
            "draw": self.wins[0],
            "last": len(self.recent),
            "last_white": sum(self.recent),
        }


class LeagueTable:
    """Results by member of the league, in the league's order; games with a person do not count."""

    def __init__(self) -> None:
        self.results: dict[str, OpponentResults] = {}

    def add(self, member: object, winner: int) -> None:
        """Add a game; one of no member is left out.

        Args:
            member: who played Black: a member, None without a league, or somebody else.
            winner: the seat that won, or 0; see `winning_seat`.
        """
        if member in MEMBERS:
            self.results.setdefault(str(member), OpponentResults()).add(winner)

    def of(self, member: str) -> OpponentResults:
        """Return the results against a member; empty before its first game."""
        return self.results.get(member) or OpponentResults()

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Return plain values by member, in the league's order."""
        return {name: self.results[name].as_dict() for name in MEMBERS if name in self.results}
