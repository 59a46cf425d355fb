"""Games of `alpha-beta` against itself, whose positions its evaluation learns from.

Each position that is not settled keeps the score that the search gave it, and the game's result.
Beside each stands another one, a few stones off the game's way, with a score alone: a search looks
at such positions far more often than at good ones. A game ends where a side is seen to win.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ai.game import Board, Move, Rules
from ai.kernels.jit import get_field
from ai.kernels.layout import FIVE, OPEN_FOUR
from ai.kernels.position import KernelPosition
from ai.nets.evaluation import LearnedEvaluation
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta

FEWEST: Final = 3
MOST: Final = 7
"""Random stones of an opening."""
NEAR: Final = 3
"""Rows and columns that they lie from the centre, at most."""
WANDERS: Final = 0.15
"""Share of the game's moves that are drawn from the best ones."""
BEST: Final = 6
ASIDE: Final = 2
"""Moves off the game's way, at most."""
PLIES: Final = 100
"""Of a game, at most; then it is drawn."""
UNKNOWN: Final = 2
"""Result of a position that stands in no game."""
WON: Final = 900_000
"""Score of a game that is won, at least."""
SIDE_MEMORY: Final = 1
"""MiB of the table of the search beside the game: it is cleared for each position."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A position and what a search says of it."""

    stones: tuple[int, ...]
    """Of each point: 0, 1 Black, 2 White."""
    side: int
    """To move: 0 Black, 1 White."""
    score: int
    """For the side to move; 300 are a logit."""
    move: Move
    """The best one."""
    result: int
    """1 won, 0 drawn, -1 lost for the side to move; `UNKNOWN` off the game's way."""


def is_settled(position: KernelPosition) -> bool:
    """Return whether a five or an open four decides, or forces, the next move."""
    side = get_field(position.record, "side")
    counted = ((side, OPEN_FOUR), (side, FIVE), (1 - side, FIVE))
    return any(position.count_points(*each) > 0 for each in counted)


def opening(rules: Rules, rng: np.random.Generator) -> Board:
    """Return a few random stones near the centre."""
    board, middle = Board(rules), rules.size // 2
    count = int(rng.integers(FEWEST, MOST + 1))
    while board.ply < count:
        row, col = (int(number) for number in rng.integers(-NEAR, NEAR + 1, 2))
        move = (middle + row) * rules.size + middle + col
        if board.stones[move] == 0:
            board.push(move)
    return board


class GamePlayer:
    """Plays games of the search against itself, each the same for the same seed and number."""

    def __init__(
        self, rules: Rules, nodes: int, seed: int, teacher: LearnedEvaluation | None = None
    ) -> None:
        """Prepare two searches of so many positions a move: of the game, and beside it.

        Args:
            rules: of the games.
            nodes: positions of a search.
            seed: of the games.
            teacher: what both searches add to the patterns.
        """
        self._rules, self._limit, self._seed = rules, Limit(nodes=nodes), seed
        self._teacher = teacher
        self._position = KernelPosition(rules)
        self._beside = PatternAlphaBeta(rules, memory=SIDE_MEMORY, evaluation=teacher)

    def play(self, number: int) -> list[Sample]:
        """Play a game; return its positions and those beside it."""
        rng = np.random.default_rng((self._seed, number))
        search = PatternAlphaBeta(self._rules, evaluation=self._teacher)
        board = opening(self._rules, rng)
        found: list[Sample] = []
        beside: list[Sample] = []
        winner = 0
        while board.outcome() is None and board.ply < PLIES:
            result = search.search(board, self._limit, rng)
            score, move = result.scores[result.move], result.move
            is_open = not self._is_settled(board)
            if is_open:
                found.append(_sample(board, score, move))
            if abs(score) > WON:
                winner = board.to_move if score > 0 else -board.to_move
                break
            if is_open:
                beside += self._look_aside(board, rng)
                if rng.random() < WANDERS:
                    best = sorted(result.scores, key=lambda one: -result.scores[one])[:BEST]
                    move = best[int(rng.integers(len(best)))]
            board.push(move)
        outcome = board.outcome()
        if outcome is not None:
            winner = outcome.winner
        return [replace(one, result=winner * (1 - 2 * one.side)) for one in found] + beside

    def _look_aside(self, board: Board, rng: np.random.Generator) -> list[Sample]:
        """Search a position one or two random moves on, unless it is settled."""
        aside = board.copy()
        for _ in range(int(rng.integers(1, ASIDE + 1))):
            aside.push(_near(aside, rng))
            if aside.outcome() is not None:
                return []
        if self._is_settled(aside):
            return []
        self._beside.forget()
        result = self._beside.search(aside, self._limit, rng)
        return [_sample(aside, result.scores[result.move], result.move)]

    def _is_settled(self, board: Board) -> bool:
        self._position.follow(board)
        return is_settled(self._position)


def _near(board: Board, rng: np.random.Generator) -> Move:
    """Return a random empty point within two points of a stone."""
    size = board.rules.size
    stones = np.array(board.stones, np.int8).reshape(size, size)
    padded = np.pad(stones != 0, 2)
    near = np.zeros((size, size), np.bool_)
    for row in range(5):
        for col in range(5):
            near |= padded[row : row + size, col : col + size]
    points = np.flatnonzero(near & (stones == 0))
    return int(points[int(rng.integers(len(points)))])


def _sample(board: Board, score: int, move: Move) -> Sample:
    stones = tuple(stone if stone >= 0 else 2 for stone in board.stones)
    return Sample(stones, board.ply % 2, score, move, UNKNOWN)
