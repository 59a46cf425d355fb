"""`python main.py bench`: a suite of tactical positions, and measures of `alpha-beta`'s search.

The suite is `assets/suites/gomoku_tactics.json`. Each task has a kind and the correct moves:

- *fours*: a win by continuous fours; the first move of any such win is correct.
- *threes*: a win by quiet attacks, proven against every answer; that attack is correct.
- *defence*: the opponent threatens to win by fours; only moves that stop this are correct.
- *quiet*: no forced win; the move that two much longer searches agree on is correct.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ai.game import Board, Rules
from ai.nets.evaluation import LearnedEvaluation
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta
from base.errors import GoishiError
from base.files import SHIPPED_ROOT

SUITE_FILE: Final = "assets/suites/gomoku_tactics.json"
KINDS: Final = ("fours", "threes", "defence", "quiet")


class SuiteError(GoishiError):
    """A file is no valid suite of positions."""


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """One position of the suite with its correct moves."""

    name: str
    kind: str
    """One of `KINDS`."""
    rule: str
    moves: str
    """Moves on a 15x15 board that lead to the position, such as "h8 i9"."""
    best: tuple[str, ...]
    """The correct moves, as text."""
    plies: int
    """Length of the proven win in plies; 0 if there is none."""

    def board(self) -> Board:
        """Return the position."""
        return Board.from_moves(self.moves, Rules(15, 5, self.rule))


def read_suite(path: Path | None = None) -> tuple[SuiteTask, ...]:
    """Read a suite of tactical positions.

    Args:
        path: file to read; None for the suite that comes with the program.

    Raises:
        SuiteError: the file is missing or is no suite.
    """
    path = SHIPPED_ROOT / SUITE_FILE if path is None else path
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["tasks"]
        tasks = tuple(SuiteTask(**{**row, "best": tuple(row["best"])}) for row in rows)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SuiteError(f"{path}: expected a suite of positions, found {error}") from None
    if not tasks:
        raise SuiteError(f"{path}: expected a suite of positions, found none")
    for task in tasks:
        if task.kind not in KINDS or not task.best:
            raise SuiteError(
                f"{path}: {task.name}: expected a right move and a kind of {', '.join(KINDS)}, "
                f"found {task.kind!r} and {len(task.best)} moves"
            )
        _check_position(path, task)
    return tasks


def _check_position(path: Path, task: SuiteTask) -> None:
    """Check that a task's game is not over, and that its right moves are legal.

    Raises:
        SuiteError: the game is over, or a move is illegal.
    """
    try:
        board = task.board()
    except (ValueError, TypeError, AttributeError) as error:
        raise SuiteError(f"{path}: {task.name}: {error}") from None
    if board.outcome() is not None:
        raise SuiteError(f"{path}: {task.name}: expected a game that goes on, found its end")
    playable = {board.to_text(move) for move in board.legal_moves}
    wrong = [str(move) for move in task.best if move not in playable]
    if wrong:
        raise SuiteError(
            f"{path}: {task.name}: expected moves that can be played, found {' '.join(wrong)}"
        )


def write_suite(path: Path, tasks: Sequence[SuiteTask]) -> None:
    """Write a suite, one task per line."""
    rows = ",\n".join(json.dumps(asdict(task)) for task in tasks)
    path.write_text(f'{{"tasks": [\n{rows}\n]}}\n', encoding="utf-8")


FIFTEEN: Final = Rules(15)
QUIET: Final = "k7 k6 e10 j10 f9 j7 g8 d11"
"""Position with eight stones, won for Black, in which the speed of the search is measured."""
EIGHT: Final = (
    "h8 k10 l10 j11 k9 l9 i12 m10",
    "j10 i8 g7 i7 h10 g10 g9 i9",
    "f9 j6 i8 k7 f10 j7 f8 f7",
    "h8 f11 f12 g11 h11 h12 g10 e10",
    "i8 f6 e5 f7 f5 g6 e6 g5",
    "f10 h9 i7 i9 f8 f7 g7 g9",
    "j9 e7 h5 e5 j7 e6 e4 g4",
    "h8 e6 d6 e7 e8 d8 f7 f5",
    "i7 h10 e9 h8 h9 g9 f8 g7",
)
"""Positions with eight stones, undecided after a million nodes (`benchmarks.quiet_positions`).

A search ends as soon as it finds a win. So the depth reached says nothing in a decided position.
"""
SIGNED: Final = (
    "h8",
    "h8 i9 h9 i8",
    "h8 j9 g7 f6 h6 h7 i7",
    "h8 i9 g9 h10 i10 g7 j7 f10",
    QUIET,
)
"""Positions whose searches give the number that `signature` returns."""
SIGNED_DEPTH: Final = 6
RATED_NODES: Final = 300_000


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """The search's answer to a task."""

    task: SuiteTask
    move: str
    depth: int
    nodes: int
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether the move is one of the right ones."""
        return self.move in self.task.best


def answer_all(
    tasks: Sequence[SuiteTask],
    limit: Limit,
    report: Callable[[int, TaskAnswer], None] | None = None,
    *,
    threes: int = 0,
    evaluation: LearnedEvaluation | None = None,
) -> list[TaskAnswer]:
    """Search the position of every task, with nothing remembered from the tasks before.

    Args:
        tasks: tasks of the suite.
        limit: search budget of each task.
        report: called after each task with its number, from 1, and the answer; None for no reports.
        threes: percentage of the limit that may be spent at the root on a search for wins by
            threes.
        evaluation: learned evaluation to add to the patterns; None for none.
    """
    found = []
    searches: dict[Rules, PatternAlphaBeta] = {}
    for task in tasks:
        board = task.board()
        if board.rules not in searches:
            searches[board.rules] = PatternAlphaBeta(
                board.rules, tuning={"threes": threes}, evaluation=evaluation
            )
        search = searches[board.rules]
        search.forget()
        start = time.perf_counter()
        result = search.search(board, limit, np.random.default_rng(0))
        seconds = time.perf_counter() - start
        move = board.to_text(result.move)
        found.append(TaskAnswer(task, move, result.depth, result.nodes, seconds))
        if report is not None:
            report(len(found), found[-1])
    return found


def rate(evaluation: LearnedEvaluation | None = None, rounds: int = 3) -> float:
    """Return the search's positions per second of CPU time, the best of several rounds.

    Args:
        evaluation: learned evaluation to add to the patterns; None for none.
        rounds: number of measurements.
    """
    best = 0.0
    board = Board.from_moves(QUIET, FIFTEEN)
    for _ in range(rounds):
        search = PatternAlphaBeta(FIFTEEN, evaluation=evaluation)
        start = time.process_time()
        nodes = search.search(board, Limit(nodes=RATED_NODES), np.random.default_rng(0)).nodes
        best = max(best, nodes / (time.process_time() - start))
    return best


def depths_within(
    seconds: float, evaluation: LearnedEvaluation | None = None, positions: Sequence[str] = EIGHT
) -> list[int]:
    """Return for each position the greatest depth in plies that the search completes.

    Args:
        seconds: CPU seconds per position.
        evaluation: learned evaluation to add to the patterns; None for none.
        positions: the positions, as text such as "h8 i9".
    """
    limit = Limit(seconds=seconds, on_processor=True)
    depths = []
    for moves in positions:
        search = PatternAlphaBeta(FIFTEEN, evaluation=evaluation)
        board = Board.from_moves(moves, FIFTEEN)
        depths.append(search.search(board, limit, np.random.default_rng(0)).depth)
    return depths


def signature(evaluation: LearnedEvaluation | None = None) -> int:
    """Return the number of positions that the searches of `SIGNED` visit, to compare versions.

    The searches have a fixed depth. So the number is the same on every machine, and it changes if
    the search or its evaluation changes.

    Args:
        evaluation: learned evaluation to add to the patterns; None for none.
    """
    total = 0
    for moves in SIGNED:
        board = Board.from_moves(moves, FIFTEEN)
        search = PatternAlphaBeta(FIFTEEN, evaluation=evaluation)
        found = search.search(board, Limit(), np.random.default_rng(0), depth=SIGNED_DEPTH)
        total += found.nodes
    return total
