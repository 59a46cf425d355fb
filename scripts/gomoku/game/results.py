"""What came of a match's games: records, ranks of White's moves, results by opponent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ai import WHITE, GameRecord, StoredGame
from scripts.gomoku.game.match_report import NAMES, winning_seat
from scripts.gomoku.game.opponents import LeagueTable
from scripts.gomoku.game.record_log import Column, RecordLog
from scripts.gomoku.seats.learner_client import LearnerClient


class MatchResults:
    """Counts the games of a match, and logs them for the charts.

    Attributes:
        records: the games of this run.
        league: results by opponent of all games, those of earlier sessions included.
        league_now: results by opponent of this session's games.
        rank_counts: `[A]` how often White played its network's 1st, 2nd, … choice in this run.
    """

    def __init__(self, log: Callable[..., object]) -> None:
        """Begin without games; `log(name, value, step=game)` logs a value for the charts."""
        self.records = RecordLog()
        self.league, self.league_now = LeagueTable(), LeagueTable()
        self.rank_counts: list[int] = []
        self._earlier_ranks: list[int] = []
        self._log = log

    def begin_game(self, points: int) -> None:
        """Count from 0 where the board has another number of points than that of before."""
        if len(self.rank_counts) != points:
            self.rank_counts = [0] * points

    def count_ranks(self, ranks: Iterable[int], by: int = 1) -> None:
        """Count ranks of moves that were played, or with -1 of moves that were taken back."""
        for rank in ranks:
            self.rank_counts[rank - 1] += by

    @property
    def all_ranks(self) -> list[int]:
        """`[A]` counts of the played moves' ranks, earlier sessions included."""
        if len(self._earlier_ranks) != len(self.rank_counts):  # none, or of another board
            return self.rank_counts
        return [sum(pair) for pair in zip(self.rank_counts, self._earlier_ranks, strict=True)]

    def add(self, record: GameRecord, opponent: str | None, *, has_person: bool) -> None:
        """Count a finished game.

        Args:
            record: the game.
            opponent: who of a league played Black; None without a league.
            has_person: whether people played, which counts for no league.
        """
        self.records.append(record, opponent)
        self._count(record, opponent, has_person=has_person)
        if not has_person:
            self.league_now.add(opponent, winning_seat(record))
        self._log("plies", float(len(record.moves)), step=record.game)

    def restore(self, games: Sequence[StoredGame], points: int) -> None:
        """Let charts and results go on from the games of earlier sessions.

        Args:
            games: the stored games; side games among them are left out.
            points: of the board, for the ranks of White's moves.
        """
        for item in games:
            if "beside" not in item.details:
                opponent = item.details.get("opponent")
                self._count(item.record, opponent, has_person="people" in item.details)
        self._earlier_ranks = ranks_of(games, points)

    def _count(self, record: GameRecord, opponent: str | None, *, has_person: bool) -> None:
        self._log("white_won", float(record.winner == WHITE), step=record.game)
        if has_person:
            self._log("with_person", 1.0, step=record.game)
        else:
            self.league.add(opponent, winning_seat(record))

    def statistics(self, trainer: LearnerClient | None) -> dict[str, Any]:
        """Return the values for --stats about the games of this run.

        Those of each game are no copies: they are read when the file is written.
        """
        log = self.records
        league = {"opponents": log.opponents, "league": self.league_now.as_dict()}
        return {
            **(league if log.has_opponents else {}),
            "games": len(log),
            "results": {NAMES[color]: count for color, count in log.wins.items()},
            "winners": Column(log, lambda number: NAMES[log.winners[number]]),
            "moves": log.moves,
            "plies": log.plies,
            "retrains": trainer.retrains if trainer is not None else 0,
            "retrain_seconds": trainer.retrain_seconds if trainer is not None else [],
            "held": trainer.held if trainer is not None else [],
            "ann_nodes": trainer.statistics.get("nodes", 0) if trainer is not None else 0,
            "rank_counts": self.rank_counts,
        }


def ranks_of(games: Iterable[StoredGame], points: int) -> list[int]:
    """Return `[A]` how often each rank was played in stored games."""
    counts = [0] * points
    for game in games:
        for rank in game.details.get("ranks", ()):
            if 1 <= rank <= points:
                counts[rank - 1] += 1
    return counts
