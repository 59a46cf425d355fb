"""Results of a match's games: records, ranks of White's moves, results by opponent."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, overload

from ai import BLACK, MEMBERS, WHITE, Game, GameRecord, Move, OpeningPhase, StoredGame
from scripts.gomoku.game.match_report import NAMES, winning_seat
from scripts.gomoku.seats.learner_client import LearnerClient

RECENT: Final = 20
"""Number of latest games from which the current share of wins is computed."""


@dataclass
class OpponentResults:
    """White's games against one opponent."""

    wins: dict[int, int] = field(default_factory=lambda: {BLACK: 0, WHITE: 0, 0: 0})
    """Number of games won by each seat, whatever color it played; draws under 0."""
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=RECENT))
    """Whether White won, for each of the last games."""

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.wins.values())

    @property
    def won(self) -> int:
        """Number of games that White won."""
        return self.wins[WHITE]

    def add(self, winner: int) -> None:
        """Add a game; `winner` is a seat, or 0 for a draw."""
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
    """Results against each member of a league of opponents, in the league's order.

    Games with a person are not counted.
    """

    def __init__(self) -> None:
        self.results: dict[str, OpponentResults] = {}

    def add(self, member: object, winner: int) -> None:
        """Add a game, unless Black's player does not belong to the league.

        Args:
            member: name of Black's player; None without a league.
            winner: the seat that won, or 0 for a draw; see `winning_seat`.
        """
        if member in MEMBERS:
            self.results.setdefault(str(member), OpponentResults()).add(winner)

    def of(self, member: str) -> OpponentResults:
        """Return the results against a member; empty before its first game."""
        return self.results.get(member) or OpponentResults()

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Return plain values by member, in the league's order."""
        return {name: self.results[name].as_dict() for name in MEMBERS if name in self.results}


Value = TypeVar("Value")


class RecordColumn(Sequence[Value]):
    """One value for each game of a `RecordLog`, read on demand; grows with the log."""

    def __init__(self, log: RecordLog, read: Callable[[int], Value]) -> None:
        self._log, self._read = log, read

    def __len__(self) -> int:
        return len(self._log)

    @overload
    def __getitem__(self, index: int) -> Value: ...

    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...

    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        """Return the value of one game, or a list of values for a slice."""
        if isinstance(index, slice):
            return [self._read(number) for number in range(*index.indices(len(self)))]
        return self._read(range(len(self))[index])


class RecordLog(Sequence[GameRecord]):
    """The games of a run in order of play, stored compactly at 4 bytes a move.

    Each access creates a new `GameRecord`.
    """

    def __init__(self) -> None:
        self._moves: array[int] = array("i")
        self._ends: array[int] = array("q")
        """For each game, the index in `_moves` just after its last move."""
        self._plain: array[int] = array("i")
        """For each game: winner, game number, learner's color, index in `_kinds`."""
        self._kinds: list[tuple[Game, str]] = []
        """Pairs of rules and termination; there are only a few."""
        self._openings: dict[int, OpeningPhase] = {}
        """Openings by index of the game in this log; most games have none."""
        self._opponents: array[int] = array("b")
        """For each game the index in `_names` of Black's player, -1 without a league."""
        self._names: list[str] = []

    def append(self, record: GameRecord, opponent: str | None = None) -> None:
        """Add a game.

        Args:
            record: the game.
            opponent: member of the league that played Black; None without a league.
        """
        if opponent is not None and opponent not in self._names:
            self._names.append(opponent)
        self._opponents.append(-1 if opponent is None else self._names.index(opponent))
        kind = (record.rules, record.termination)
        if kind not in self._kinds:
            self._kinds.append(kind)
        if record.opening is not None:
            self._openings[len(self)] = record.opening
        self._moves.extend(record.moves)
        self._plain.extend(
            (record.winner, record.game, record.learner_color, self._kinds.index(kind))
        )
        self._ends.append(len(self._moves))

    @property
    def plies(self) -> int:
        """Moves of all games."""
        return len(self._moves)

    @property
    def wins(self) -> dict[int, int]:
        """Number of games won by each color; draws under 0."""
        winners = self._plain[::4]
        return {color: winners.count(color) for color in (BLACK, WHITE, 0)}

    @property
    def winners(self) -> RecordColumn[int]:
        """The winner of each game: BLACK, WHITE, or 0 for a draw."""
        return RecordColumn(self, lambda number: self._plain[4 * number])

    @property
    def moves(self) -> RecordColumn[tuple[Move, ...]]:
        """The moves of each game."""
        return RecordColumn(self, self._moves_of)

    @property
    def has_opponents(self) -> bool:
        """Whether a member of a league has played Black in any game."""
        return bool(self._names)

    @property
    def opponents(self) -> RecordColumn[str | None]:
        """Member of the league that played Black in each game; None without a league."""
        return RecordColumn(self, self._opponent_of)

    def _opponent_of(self, number: int) -> str | None:
        place = self._opponents[number]
        return None if place < 0 else self._names[place]

    def _moves_of(self, number: int) -> tuple[Move, ...]:
        begin = self._ends[number - 1] if number else 0
        return tuple(self._moves[begin : self._ends[number]])

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> GameRecord: ...

    @overload
    def __getitem__(self, index: slice) -> list[GameRecord]: ...

    def __getitem__(self, index: int | slice) -> GameRecord | list[GameRecord]:
        """Return the record of one game, or a list of records for a slice."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        winner, game, learner_color, kind = self._plain[4 * number : 4 * number + 4]
        rules, termination = self._kinds[kind]
        return GameRecord(
            rules=rules,
            moves=self._moves_of(number),
            winner=winner,
            termination=termination,
            game=game,
            learner_color=learner_color,
            opening=self._openings.get(number),
        )


class MatchResults:
    """Counts the games of a match, and logs values of them for the charts.

    Attributes:
        records: the games of this run.
        league: results by opponent, of this run and earlier ones.
        league_now: results by opponent, of this run only.
        rank_counts: `[A]` how often White played its network's 1st, 2nd, … choice in this run.
    """

    def __init__(self, log: Callable[..., object]) -> None:
        """Begin without games.

        Args:
            log: called as `log(name, value, step=game)` to log a value for the charts.
        """
        self.records = RecordLog()
        self.league, self.league_now = LeagueTable(), LeagueTable()
        self.rank_counts: list[int] = []
        self._earlier_ranks: list[int] = []
        self._log = log

    def begin_game(self, points: int) -> None:
        """Reset the counts of ranks if the board's number of points has changed."""
        if len(self.rank_counts) != points:
            self.rank_counts = [0] * points

    def count_ranks(self, ranks: Iterable[int], by: int = 1) -> None:
        """Add the ranks of moves to the counts, or subtract them.

        Args:
            ranks: rank of each move, from 1.
            by: 1 to add moves that were played, -1 to subtract moves that were taken back.
        """
        for rank in ranks:
            self.rank_counts[rank - 1] += by

    @property
    def all_ranks(self) -> list[int]:
        """`[A]` how often each rank was played, in this run and earlier ones."""
        if len(self._earlier_ranks) != len(self.rank_counts):  # none, or of another board
            return self.rank_counts
        return [sum(pair) for pair in zip(self.rank_counts, self._earlier_ranks, strict=True)]

    def add(self, record: GameRecord, opponent: str | None, *, has_person: bool) -> None:
        """Count a finished game.

        Args:
            record: the game.
            opponent: opponent of the league that played Black; None without a league.
            has_person: whether a person played; then the game does not count for the league.
        """
        self.records.append(record, opponent)
        self._count(record, opponent, has_person=has_person)
        if not has_person:
            self.league_now.add(opponent, winning_seat(record))
        self._log("plies", float(len(record.moves)), step=record.game)

    def restore(self, games: Sequence[StoredGame], points: int) -> None:
        """Add the games of earlier runs to the charts and results.

        Args:
            games: the stored games; side games among them are left out.
            points: number of the board's points, for the ranks of White's moves.
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
        """Return the statistics of this run for `--stats`.

        Lists with a value per game are not copied; they are read when the file is written.

        Args:
            trainer: the learner's connection; None if nobody learns.
        """
        log = self.records
        league = {"opponents": log.opponents, "league": self.league_now.as_dict()}
        return {
            **(league if log.has_opponents else {}),
            "games": len(log),
            "results": {NAMES[color]: count for color, count in log.wins.items()},
            "winners": RecordColumn(log, lambda number: NAMES[log.winners[number]]),
            "moves": log.moves,
            "plies": log.plies,
            "retrains": trainer.retrains if trainer is not None else 0,
            "retrain_seconds": trainer.retrain_seconds if trainer is not None else [],
            "held": trainer.held if trainer is not None else [],
            "ann_nodes": trainer.statistics.get("nodes", 0) if trainer is not None else 0,
            "rank_counts": self.rank_counts,
        }


def ranks_of(games: Iterable[StoredGame], points: int) -> list[int]:
    """Return how often moves of each rank were played in stored games.

    Args:
        games: the stored games.
        points: number of the board's points.

    Returns:
        `[A]` the counts, that of rank 1 first.
    """
    counts = [0] * points
    for game in games:
        for rank in game.details.get("ranks", ()):
            if 1 <= rank <= points:
                counts[rank - 1] += 1
    return counts
