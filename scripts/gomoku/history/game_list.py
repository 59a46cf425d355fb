"""The list of games in a run database: newest first, filtered, loaded in portions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from ai import BLACK, WHITE, GameSummary

ENDS = {"full": ", full", "resigned": ", resigned"}


class Filter(Enum):
    """Filter of the list; won and lost are from White's view."""

    ALL = "All"
    LOST = "Lost"
    WON = "Won"
    RECENT = "Since training"


class Row(NamedTuple):
    """Texts of one row; the label is also its ImGui id."""

    label: str
    result: str
    plies: str
    network: str
    when: str


class GameList:
    """Summaries of games in order of play."""

    def __init__(self) -> None:
        self.last = (0, 0)
        """Run and number of the last game taken in."""
        self._games: list[GameSummary] = []
        self._shown: list[GameSummary] = []
        self._shown_for: tuple[Filter, int | None, int] | None = None
        self._rows: dict[tuple[int, int], Row] = {}
        self._today = ""

    def __len__(self) -> int:
        return len(self._games)

    def add(self, games: Sequence[GameSummary]) -> None:
        """Append further games."""
        if games:
            self._games.extend(games)
            self.last = (games[-1].run_id, games[-1].game)

    def shown(self, wanted: Filter, network_id: int | None = None) -> Sequence[GameSummary]:
        """Return the games that match a filter, newest first.

        Args:
            wanted: the filter.
            network_id: id of the present network, for the filter "Since training".
        """
        key = (wanted, network_id, len(self._games))
        if key != self._shown_for:
            self._shown_for = key
            self._shown = self._filtered(wanted, network_id)
        return self._shown

    def row(self, game: GameSummary, today: str) -> Row:
        """Return the texts of a game's row, cached for a day (`today`, ISO)."""
        if today != self._today:
            self._today = today
            self._rows.clear()
        key = (game.run_id, game.game)
        row = self._rows.get(key)
        if row is None:
            network = "" if game.network_id is None else str(game.network_id)
            when = short_date_text(game.finished, today)
            row = self._rows[key] = Row(
                f"{game.game}##{game.run_id}", result_text(game), str(game.plies), network, when
            )
        return row

    def find(self, number: int, *, run_id: int | None = None) -> GameSummary | None:
        """Return the newest game with a number, of one run if given; None for none."""
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
    """Return the winner, and the termination if it is not five in a row."""
    winner = {BLACK: "Black", WHITE: "White"}.get(game.winner, "draw")
    beside = ", beside" if game.is_beside else ""
    return f"{winner}{ENDS.get(game.termination, '')}{beside}"


def date_text(finished: str) -> str:
    """Return a stored time as local date and time."""
    try:
        return f"{datetime.fromisoformat(finished).astimezone():%d %b %Y %H:%M}"
    except ValueError:
        return finished


def short_date_text(finished: str, today: str) -> str:
    """Return the time of day for `today` (ISO), else the date."""
    try:
        moment = datetime.fromisoformat(finished).astimezone()
    except ValueError:
        return finished[:10]
    return f"{moment:%H:%M}" if moment.date().isoformat() == today else f"{moment:%d %b}"
