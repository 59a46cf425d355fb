"""`python main.py bench`: solves the suite of tactical positions, and measures `alpha-beta`.

The suite is read by `ai.bench.suite`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ai.bench.suite import SuiteTask
from ai.game import Board, Rules
from ai.nets.evaluation import LearnedEvaluation
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta

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
