"""The records of a match's games, packed: a match may go on for weeks."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TypeVar, overload

from ai import BLACK, WHITE, Game, GameRecord, Move, OpeningPhase

Value = TypeVar("Value")


class Column(Sequence[Value]):
    """One value of each record, read when it is asked for: it grows with the records."""

    def __init__(self, log: RecordLog, read: Callable[[int], Value]) -> None:
        self._log, self._read = log, read

    def __len__(self) -> int:
        return len(self._log)

    @overload
    def __getitem__(self, index: int) -> Value: ...

    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...

    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        """Return a record's value, or a list of them."""
        if isinstance(index, slice):
            return [self._read(number) for number in range(*index.indices(len(self)))]
        return self._read(range(len(self))[index])


class RecordLog(Sequence[GameRecord]):
    """Records in order of play, 4 bytes a move; a record is made anew each time it is asked for."""

    def __init__(self) -> None:
        self._moves: array[int] = array("i")
        self._ends: array[int] = array("q")
        """By record, where its moves end in `_moves`."""
        self._plain: array[int] = array("i")
        """By record four numbers: winner, game, learner's color, kind."""
        self._kinds: list[tuple[Game, str]] = []
        """Rules and termination: few differ."""
        self._openings: dict[int, OpeningPhase] = {}
        """By number of the record; most have none."""
        self._opponents: array[int] = array("b")
        """By record the place in `_names` of who played Black, -1 without a league."""
        self._names: list[str] = []

    def append(self, record: GameRecord, opponent: str | None = None) -> None:
        """Add a record.

        Args:
            record: the game.
            opponent: who of a league played Black; None where the same one plays all games.
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
        """How many games each color won, and how many nobody did, under 0."""
        winners = self._plain[::4]
        return {color: winners.count(color) for color in (BLACK, WHITE, 0)}

    @property
    def winners(self) -> Column[int]:
        """The winner of each game: a color, or 0."""
        return Column(self, lambda number: self._plain[4 * number])

    @property
    def moves(self) -> Column[tuple[Move, ...]]:
        """The moves of each game."""
        return Column(self, self._moves_of)

    @property
    def has_opponents(self) -> bool:
        """Whether a game was played by one of a league."""
        return bool(self._names)

    @property
    def opponents(self) -> Column[str | None]:
        """Who of a league played Black in each game; None without a league."""
        return Column(self, self._opponent_of)

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
        """Return a record, or a list of them."""
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
