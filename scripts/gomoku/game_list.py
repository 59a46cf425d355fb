"""The games of a run database as a list: newest first, filtered, read a few at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum

from ai import BLACK, WHITE, GameSummary

ENDS = {"full": " (full board)", "resigned": " (resigned)"}


class Filter(Enum):
    """Which games are listed; won and lost as White sees it."""

    ALL = "All"
    LOST = "Lost"
    WON = "Won"
    RECENT = "Since training"


class GameList:
    """Summaries of games in the order they were played."""

    def __init__(self) -> None:
        self.last = (0, 0)
        """Run and number of the last game taken in."""
        self._games: list[GameSummary] = []
        self._shown: list[GameSummary] = []
        self._shown_for: tuple[Filter, int | None, int] | None = None

    def __len__(self) -> int:
        return len(self._games)

    def add(self, games: Sequence[GameSummary]) -> None:
        """Take in further games."""
        if games:
            self._games.extend(games)
            self.last = (games[-1].run_id, games[-1].game)

    def shown(self, wanted: Filter, network_id: int | None = None) -> Sequence[GameSummary]:
        """Return the games that pass a filter, newest first.

        Args:
            wanted: the filter.
            network_id: the network that plays now; what it played is since the last training.
        """
        key = (wanted, network_id, len(self._games))
        if key != self._shown_for:
            self._shown_for = key
            self._shown = self._filtered(wanted, network_id)
        return self._shown

    def find(self, number: int, *, run_id: int | None = None) -> GameSummary | None:
        """Return the newest game of a number, of one run where that is named; None without."""
        for game in reversed(self._games):
            if game.game == number and run_id in (None, game.run_id):
                return game
        return None

    def _filtered(self, wanted: Filter, network_id: int | None) -> list[GameSummary]:
        newest_first = reversed(self._games)
        if wanted is Filter.ALL:
            return list(newest_first)
        if wanted is Filter.RECENT:
            found: list[GameSummary] = []
            for game in newest_first:
                if game.network_id != network_id:
                    break
                found.append(game)
            return found
        winner = BLACK if wanted is Filter.LOST else WHITE
        return [game for game in newest_first if game.winner == winner]


def result_text(game: GameSummary) -> str:
    """Return who won, and how where not by five in a row."""
    winner = {BLACK: "Black", WHITE: "White"}.get(game.winner, "draw")
    beside = ", beside" if game.is_beside else ""
    return f"{winner}{ENDS.get(game.termination, '')}{beside}"


def date_text(finished: str) -> str:
    """Return a stored moment as day and time of this machine's clock."""
    try:
        return datetime.fromisoformat(finished).astimezone().strftime("%d %b %H:%M")
    except ValueError:
        return finished
