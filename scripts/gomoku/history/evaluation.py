"""Evaluates the positions of a past game: values, turning points, mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ai import (
    LOSSES,
    GameRecord,
    JudgedMove,
    PositionValue,
    SideSummary,
    judge_moves,
    to_text,
)
from ai.messages import EvaluatePosition
from scripts.gomoku.board.names import SIDES
from scripts.gomoku.seats.kernels import EVALUATION, compile_kernels, is_code_ready
from sim import Script, Task, WorkerError, tr

Values = Mapping[int, PositionValue]
SOLVER = tr("exact solver")
STANDINGS = (
    (0.95, tr("won")),
    (0.45, tr("winning")),
    (0.15, tr("better")),
    (-0.15, tr("even")),
    (-0.45, tr("worse")),
    (-0.95, tr("losing")),
)
"""Words for expected results, each with the smallest result that it stands for.

The results descend. Below the last of them the word is "lost".
"""
KEPT = 20_000  # values
MOST_CANDIDATES = 6
"""Number of moves that are compared in the position on the board."""
LOOK_AGAIN = 2.0
"""Seconds between two looks whether the fast code has been compiled."""


class Candidate(NamedTuple):
    """A move that was compared with others in a position."""

    move: int
    value: float
    """Expected result in [-1, 1] for the side that would play it."""
    visits: int
    """Number of positions that were searched after it; 0 if the game is over then."""
    line: tuple[int, ...]
    """The expected continuation, beginning with the move."""
    loss: float
    """What it loses compared with the best of them, 0 to 2."""
    is_provisional: bool = False
    """Whether it is from a small search, and will be searched again."""


class Mistake(NamedTuple):
    """A move after which its side's expected result is clearly worse than before."""

    ply: int
    """Number of moves before the mistake."""
    best: int | None
    """A point that would have been better; None if none is known."""
    text: str
    kind: str = "blunder"
    """How bad it is: "blunder", "mistake" or "inaccuracy"."""
    loss: float | None = None
    """What it lost of the expected result, 0 to 2."""


class GameEvaluation:
    """Evaluates the positions of a game in a worker, from the last to the first.

    The position on the board and the moves that are compared in it come before the others. Values
    of small searches, made while the fast code was not compiled, are made again.

    Attributes:
        record: the game; None if none is being evaluated.
        message: why there is no evaluation; empty if there was no error.
        revision: a number that changes whenever a value does, or another game is evaluated.
        since: number of moves that were set up and not played: positions before them are left out.
        want_kernels: called when fast code is missing, with the name under which that of the
            evaluation is compiled. By default a process of the script compiles it.
    """

    def __init__(self, script: Script) -> None:
        """Create the evaluation; its worker starts when the first game is evaluated.

        Args:
            script: script that owns the worker.
        """
        self.record: GameRecord | None = None
        self.message = ""
        self.revision = self.since = 0
        self.want_kernels: Callable[[str], object] = self._compile
        self._script = script
        self._compiler: Task | None = None
        self._known: dict[tuple[Any, tuple[int, ...]], PositionValue] = {}
        self._values: dict[int, PositionValue] = {}
        self._task: Task | None = None
        self._link: Any = None
        self._focus: tuple[int, ...] | None = None
        self._played: int | None = None
        self._has_fast_code = True

    @property
    def values(self) -> Values:
        """What is known so far of the game, by number of moves before the position."""
        return self._values

    @property
    def is_running(self) -> bool:
        """Whether positions are still to be evaluated."""
        return self._task is not None and not self._task.done

    @property
    def is_provisional(self) -> bool:
        """Whether some values of the game will be made again."""
        return any(item.is_provisional for item in self._values.values())

    def begin(self, record: GameRecord) -> None:
        """Evaluate a game; does nothing if it is evaluated already."""
        if record == self.record:
            return
        self.stop()
        self.record, self.message = record, ""
        self.revision += 1
        plies = range(self.since, len(record.moves) + 1)
        known = ((ply, self.value_at(record.moves[:ply])) for ply in plies)
        self._values = {ply: value for ply, value in known if value is not None}
        self._resume()

    def look_at(self, moves: tuple[int, ...] | None, played: int | None = None) -> None:
        """Compare the moves of a position before other positions are evaluated.

        Args:
            moves: the moves before the position; None to compare no moves.
            played: a move that is compared in any case, as the one of the game.
        """
        if (moves, played) != (self._focus, self._played):
            self._focus, self._played = moves, played
            self._resume()

    def stop(self) -> None:
        """Stop evaluating; known values are kept for the next time."""
        if self._task is not None:
            self._task.cancel()
        self._task = self.record = None
        self._focus = None

    def value_at(self, moves: tuple[int, ...]) -> PositionValue | None:
        """Return the value of a position of the game's rules; None if it is not known yet."""
        return None if self.record is None else self._known.get((self.record.rules, moves))

    def candidates(self, moves: tuple[int, ...], played: int | None = None) -> list[Candidate]:
        """Return the moves compared so far in a position, the best first.

        Args:
            moves: the moves before the position.
            played: a move that is compared in any case.
        """
        found = []
        for move in self._compared(moves, played):
            value = self.value_at((*moves, move))
            if value is not None and (value.by != SOLVER or value.is_proven):
                line, own = (move, *value.line), -value.value
                found.append(Candidate(move, own, value.nodes, line, 0.0, value.is_provisional))
        best = max((item.value for item in found), default=0.0)
        order = {move: place for place, move in enumerate(self._compared(moves, played))}
        rated = [item._replace(loss=best - item.value) for item in found]
        return sorted(rated, key=lambda item: (-item.value, order[item.move]))

    def _compared(self, moves: tuple[int, ...], played: int | None) -> list[int]:
        """Return the moves to compare in a position: the first of its search, and `played`."""
        value = self.value_at(moves)
        if value is None or (value.best is None and not value.moves and not value.line):
            return []  # not known yet, or the game is over
        found = list(value.moves[:MOST_CANDIDATES])
        if not found and value.best is not None:
            found.append(value.best)
        return found if played is None or played in found else [*found, played]

    def _resume(self) -> None:
        if self.record is not None and not self.is_running and not self.message:
            self._task = self._script.start_coroutine(self._evaluate(self.record))

    def _next(self, record: GameRecord) -> tuple[int, ...] | None:
        """Return the moves before the position to evaluate next; None if all are known."""
        wanted: Iterator[tuple[int, ...]] = iter(())
        if self._focus is not None:
            compared = self._compared(self._focus, self._played)
            wanted = chain([self._focus], ((*self._focus, move) for move in compared))
        game = (record.moves[:ply] for ply in range(len(record.moves), self.since - 1, -1))
        return next((moves for moves in chain(wanted, game) if self._is_wanted(moves)), None)

    def _is_wanted(self, moves: tuple[int, ...]) -> bool:
        value = self.value_at(moves)
        return value is None or (value.is_provisional and self._has_fast_code)

    async def _evaluate(self, record: GameRecord) -> None:
        self._open()
        while True:
            moves = self._next(record)
            if moves is None:
                if not await self._wait_for_fast_code(record):
                    return
                continue
            try:
                request = self._link.request(EvaluatePosition(record.rules, moves))
                value: PositionValue = await self._script.background(request)
            except WorkerError as error:
                self.message = tr("No evaluation: {error}").format(error=error)
                return
            if value.is_provisional:
                self._has_fast_code = False
            self._keep(record, moves, value)

    def _keep(self, record: GameRecord, moves: tuple[int, ...], value: PositionValue) -> None:
        self._known[record.rules, moves] = value
        self.revision += 1
        if record.moves[: len(moves)] == moves:
            self._values[len(moves)] = value
        while len(self._known) > KEPT:
            del self._known[next(iter(self._known))]

    async def _wait_for_fast_code(self, record: GameRecord) -> bool:
        """Wait until the fast code is compiled, if there are values to make again.

        Args:
            record: the game; the wait ends when another of its positions is wanted.

        Returns:
            Whether there is something to evaluate now.
        """
        if self._has_fast_code or not self.is_provisional or self._script.time.instant:
            return False
        self.want_kernels(EVALUATION)
        while not await is_code_ready(self._script, self._link):
            await self._script.seconds(LOOK_AGAIN)
            if self._next(record) is not None:
                return True
        self._has_fast_code = True
        self._link.restart()
        return True

    def _compile(self, user: str) -> None:
        if self._compiler is None:
            self._compiler = self._script.start_coroutine(
                compile_kernels(self._script, lambda: (user,))
            )

    def _open(self) -> None:
        if self._link is None:
            project = {"project": str(self._script.run.project)}
            self._link = self._script.workers.open(
                "evaluation",
                "ai.workers.player:main",
                project,
                owner=self._script.slot,
                is_optional=True,
            )


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


def mistakes(
    values: Values, moves: Sequence[int], size: int, *, least: float = LOSSES["blunder"]
) -> list[Mistake]:
    """Return the mistakes of a game in order.

    Args:
        values: values of the game's positions, by number of moves before each. Moves beside a
            position without a value are not judged.
        moves: moves of the game.
        size: points along a side of the board.
        least: smallest loss of a move that is listed. By default these are the blunders, the same
            moves that the command `review FILE` lists.
    """
    found = []
    for judged in judge_moves(values, moves):
        if judged.loss is not None and judged.loss >= least:
            side = SIDES[1 if judged.ply % 2 == 0 else -1]
            hint = (
                ""
                if judged.best is None
                else tr("; better {to_text}").format(to_text=to_text(judged.best, size))
            )
            played = f"{judged.ply + 1}. " + side + " " + to_text(moves[judged.ply], size)
            text = played + " " + _fault(judged) + hint
            found.append(Mistake(judged.ply, judged.best, text, judged.kind, judged.loss))
    return found


def side_summaries(values: Values, moves: Sequence[int]) -> dict[int, SideSummary]:
    """Return the mistakes by kind and the mean loss of each side, by color.

    Args:
        values: values of the game's positions, by number of moves before each.
        moves: moves of the game.
    """
    judged = judge_moves(values, moves)
    return {
        color: SideSummary.of([item.loss for item in judged if (item.ply % 2 == 0) == (color == 1)])
        for color in (1, -1)
    }


def _fault(judged: JudgedMove) -> str:
    """Return what a mistake lost, as text: "loses a win" or "falls from better to even".

    Args:
        judged: the move with the values before and after it.
    """
    if judged.before.by == SOLVER:
        return tr("loses a win")
    values = judged.before.value, -judged.after.value
    before, after = map(standing, values)
    if before == after:
        before, after = (f"{value:+.1f}" for value in values)
    return tr("falls from {before} to {after}").format(before=before, after=after)


def standing(value: float) -> str:
    """Return a word for an expected result in [-1, 1] of a side.

    >>> [standing(value) for value in (1.0, 0.6, 0.3, -0.0, -0.3, -0.6, -1.0)]
    ['won', 'winning', 'better', 'even', 'worse', 'losing', 'lost']
    """
    for least, word in STANDINGS:
        if value >= least:
            return word
    return tr("lost")
