"""The records of a match's games, packed: a match may go on for weeks."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import overload

from ai import Game, GameRecord, OpeningPhase


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

    def append(self, record: GameRecord) -> None:
        """Add a record."""
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
        begin = self._ends[number - 1] if number else 0
        winner, game, learner_color, kind = self._plain[4 * number : 4 * number + 4]
        rules, termination = self._kinds[kind]
        return GameRecord(
            rules=rules,
            moves=tuple(self._moves[begin : self._ends[number]]),
            winner=winner,
            termination=termination,
            game=game,
            learner_color=learner_color,
            opening=self._openings.get(number),
        )
