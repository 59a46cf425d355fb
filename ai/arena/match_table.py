"""Table of one player's matches against each of the others: won to lost, sum, ratio, intervals.

It has the form of Table 3 of the report on a Gomoku engine, with draws and intervals added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from ai.runs.statistics import wilson
from base.values import JsonObject

HEADS: Final = ("Opponent", "Won : lost", "Drawn", "Points", "Share", "95 %")
SUM: Final = "Sum"


@dataclass(frozen=True)
class MatchRow:
    """Results of one player's games against one opponent, or against several together."""

    opponent: str
    won: int
    drawn: int
    lost: int
    faults: tuple[int, int] = (0, 0)
    """Games lost by a fault, such as no move in time: by the opponent, and by the player."""

    @property
    def games(self) -> int:
        """Number of games."""
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        """Points of the player; a draw is half a point."""
        return self.won + self.drawn / 2

    @property
    def share(self) -> float:
        """Share of the points; 0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the share's 95 % interval (Wilson's)."""
        return wilson(self.points, self.games)

    @property
    def ratio(self) -> float:
        """Games won for each game lost; infinite if none is lost."""
        return self.won / self.lost if self.lost else math.inf

    @property
    def ratio_interval(self) -> tuple[float, float]:
        """Ends of the ratio's 95 % interval: those of the share p of decided games, as p/(1-p)."""
        low, high = wilson(self.won, self.won + self.lost)
        return low / (1 - low), high / (1 - high) if self.lost else math.inf


def match_rows(results: JsonObject, player: str) -> list[MatchRow]:
    """Return a row for each opponent that a player has played, in the order of the tournament.

    Args:
        results: content of a tournament's `results.json`.
        player: label of the player.

    >>> game = {"black": "a", "white": "b", "winner": "black", "fault": None}
    >>> results = {"players": ["a", "b"], "pairs": {"a|b": [1, 0, 0]}, "games": [game]}
    >>> match_rows(results, "b")
    [MatchRow(opponent='a', won=0, drawn=0, lost=1, faults=(0, 0))]
    """
    rows = rows_of_pairs(results["pairs"], player)
    return [
        MatchRow(row.opponent, row.won, row.drawn, row.lost, _faults(results, player, row.opponent))
        for row in rows
    ]


def rows_of_pairs(pairs: Mapping[str, Sequence[int]], player: str) -> list[MatchRow]:
    """Return a row for each opponent of a player.

    Args:
        pairs: number of games won, drawn and lost by the first player, by "A|B".
        player: label of the player.
    """
    rows = []
    for pair, (won, drawn, lost) in pairs.items():
        one, other = pair.split("|")
        if player == one:
            rows.append(MatchRow(other, won, drawn, lost))
        elif player == other:
            rows.append(MatchRow(one, lost, drawn, won))
    return rows


def sum_of(rows: Sequence[MatchRow]) -> MatchRow:
    """Return the sum of all rows."""
    return MatchRow(
        SUM,
        sum(row.won for row in rows),
        sum(row.drawn for row in rows),
        sum(row.lost for row in rows),
        (sum(row.faults[0] for row in rows), sum(row.faults[1] for row in rows)),
    )


def _faults(results: JsonObject, player: str, opponent: str) -> tuple[int, int]:
    """Return how many games between two players were lost by a fault: by the opponent, the player.

    Args:
        results: content of a tournament's `results.json`.
        player: label of the player.
        opponent: label of the opponent.
    """
    by_side = {player: 0, opponent: 0}
    for game in results["games"]:
        if game["fault"] and {game["black"], game["white"]} == {player, opponent}:
            loser = game["white"] if game["winner"] == "black" else game["black"]
            by_side[loser] += 1
    return by_side[opponent], by_side[player]


def cells_of(row: MatchRow) -> tuple[str, ...]:
    """Return the texts of a row, one for each of `HEADS`."""
    low, high = row.interval
    return (
        row.opponent,
        f"{row.won} : {row.lost}",
        str(row.drawn),
        f"{row.points:g} of {row.games}",
        f"{row.share:.1%}",
        f"{low:.1%} to {high:.1%}",
    )


def ratio_text(row: MatchRow) -> str:
    """Return a sentence with the ratio of games won to games lost, and its interval."""
    if not row.won + row.lost:
        return "No game was decided."
    low, high = (_ratio(value) for value in row.ratio_interval)
    return f"Won to lost: {row.won} : {row.lost}, ratio {_ratio(row.ratio)} ({low} to {high})."


def fault_text(row: MatchRow, player: str) -> str:
    """Return a sentence about the games that were lost by a fault; empty if there are none.

    Args:
        row: the sum of all rows.
        player: label of the player.
    """
    by_others, by_player = row.faults
    if not by_others + by_player:
        return ""
    return (
        f"Lost by a fault (no move in time, an illegal move, a program that ended): {by_others} by "
        f"opponents, {by_player} by {player}."
    )


def _ratio(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.3f}"


def markdown_table(rows: Sequence[MatchRow]) -> str:
    """Return the table with its sum in Markdown."""
    lines = [HEADS, ("---",) * len(HEADS), *(cells_of(row) for row in (*rows, sum_of(rows)))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def html_table(rows: Sequence[MatchRow]) -> str:
    """Return the table with its sum in HTML."""
    head = "".join(f"<th>{escape(text)}</th>" for text in HEADS)
    made = [
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in cells_of(row)) + "</tr>"
        for row in rows
    ]
    total = "".join(f"<th>{escape(text)}</th>" for text in cells_of(sum_of(rows)))
    return f"<table><tr>{head}</tr>{''.join(made)}<tr>{total}</tr></table>"
