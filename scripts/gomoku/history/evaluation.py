"""Evaluates the positions of a past game: values, turning points, mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ai import GameRecord, JudgedMove, PositionValue, judge_moves, to_text
from ai.messages import EvaluatePosition
from scripts.gomoku.explain.choice_reading import SIDES
from sim import Script, Task, WorkerError

Values = Mapping[int, PositionValue]
SOLVER = "exact solver"
STANDINGS = (
    (0.95, "won"),
    (0.45, "winning"),
    (0.15, "better"),
    (-0.15, "even"),
    (-0.45, "worse"),
    (-0.95, "losing"),
)
"""Words for expected results, each with the smallest result that it stands for.

The results descend. Below the last of them the word is "lost".
"""
KEPT = 24  # games whose values are kept


class Mistake(NamedTuple):
    """A move after which its side's expected result is clearly worse than before."""

    ply: int
    """Number of moves before the mistake."""
    best: int | None
    """A point that would have been better; None if none is known."""
    text: str


class GameEvaluation:
    """Evaluates the positions of a game in a worker, from the last to the first.

    Attributes:
        record: the game; None if none is being evaluated.
        values: what is known so far, by number of moves before the position.
        message: why there is no evaluation; empty if there was no error.
    """

    def __init__(self, script: Script) -> None:
        """Create the evaluation; its worker starts when the first game is evaluated.

        Args:
            script: script that owns the worker.
        """
        self.record: GameRecord | None = None
        self.values: dict[int, PositionValue] = {}
        self.message = ""
        self._script = script
        self._kept: dict[tuple[int, ...], dict[int, PositionValue]] = {}
        self._task: Task | None = None
        self._link: Any = None

    @property
    def is_running(self) -> bool:
        """Whether positions are still to be evaluated."""
        return self._task is not None and not self._task.done

    def begin(self, record: GameRecord) -> None:
        """Evaluate a game; does nothing if it is evaluated already."""
        if record == self.record:
            return
        self.stop()
        self.record, self.message = record, ""
        self.values = self._kept.setdefault(record.moves, {})
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        self._task = self._script.start_coroutine(self._evaluate(record))

    def stop(self) -> None:
        """Stop evaluating; known values are kept for the next time."""
        if self._task is not None:
            self._task.cancel()
        self._task = self.record = None

    async def _evaluate(self, record: GameRecord) -> None:
        if self._link is None:
            project = {"project": str(self._script.run.project)}
            self._link = self._script.workers.open(
                "evaluation",
                "ai.workers.player:main",
                project,
                owner=self._script.slot,
                is_optional=True,
            )
        for ply in range(len(record.moves), -1, -1):
            if ply in self.values:
                continue
            request = EvaluatePosition(record.rules, record.moves[:ply])
            try:
                self.values[ply] = await self._script.background(self._link.request(request))
            except WorkerError as error:
                self.message = f"No evaluation: {error}"
                return


def whites(value: PositionValue) -> float:
    """Return a position's expected result for White: 1 if White wins, -1 if Black wins.

    Args:
        value: value of the position, which holds for the side to move.
    """
    return value.value if value.ply % 2 else -value.value


def known(values: Values) -> list[PositionValue]:
    """Return the values of a game's positions in order, except those that are uncertain.

    A value is uncertain if it comes from the exact solver, but could not be proven.

    Args:
        values: values of the positions, by number of moves before each.
    """
    found = (values[ply] for ply in sorted(values))
    return [item for item in found if item.is_proven or item.by != SOLVER]


def turning_points(values: Values) -> list[int]:
    """Return the positions in which the lead has passed to the other side.

    Args:
        values: values of the game's positions, by number of moves before each.

    Returns:
        The number of moves before each such position, ascending.
    """
    found: list[int] = []
    leader = 0
    for ply in sorted(values):
        value = whites(values[ply])
        side = (value > 0) - (value < 0)
        if side and leader and side != leader:
            found.append(ply)
        leader = side or leader
    return found


def mistakes(values: Values, moves: Sequence[int], size: int) -> list[Mistake]:
    """Return the mistakes of a game in order.

    Their texts are the same as those of the command `review FILE`.

    Args:
        values: values of the game's positions, by number of moves before each. Moves beside a
            position without a value are not judged.
        moves: moves of the game.
        size: points along a side of the board.
    """
    found = []
    for judged in judge_moves(values, moves):
        if judged.is_blunder:
            side = SIDES[1 if judged.ply % 2 == 0 else -1]
            hint = "" if judged.best is None else f"; better {to_text(judged.best, size)}"
            played = f"{judged.ply + 1}. {side} {to_text(moves[judged.ply], size)}"
            found.append(Mistake(judged.ply, judged.best, f"{played} {_fault(judged)}{hint}"))
    return found


def _fault(judged: JudgedMove) -> str:
    """Return what a mistake lost, as text: "loses a win" or "falls from better to even".

    Args:
        judged: the move with the values before and after it.
    """
    if judged.before.by == SOLVER:
        return "loses a win"
    values = judged.before.value, -judged.after.value
    before, after = map(standing, values)
    if before == after:
        before, after = (f"{value:+.1f}" for value in values)
    return f"falls from {before} to {after}"


def standing(value: float) -> str:
    """Return a word for an expected result in [-1, 1] of a side.

    >>> [standing(value) for value in (1.0, 0.6, 0.3, -0.0, -0.3, -0.6, -1.0)]
    ['won', 'winning', 'better', 'even', 'worse', 'losing', 'lost']
    """
    for least, word in STANDINGS:
        if value >= least:
            return word
    return "lost"
