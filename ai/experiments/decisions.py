"""How a move network plays by itself where a five decides, and how long its games last.

A guided simulation is such a game. It tells what a position is worth only if fives are made and
stopped in it, and soon.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.move_net import MoveNetEvaluator
from ai.experiments.wandering import random_opening
from ai.game import Board, Rules
from ai.nets.move_net import MoveNetwork
from ai.runs.statistics import wilson
from ai.samples.threats import winning_points
from ai.search.base import Limit
from ai.search.uct import GuidedUct
from base.values import JsonObject

LEAST, MOST = 4, 8
"""Random stones of an opening, at least and at most."""


class Decisions(NamedTuple):
    """Games of a network against itself."""

    games: int
    plies: float
    """Mean number of moves of a game, without its opening."""
    chances: int
    """Positions in which the side to move can make a five."""
    made: int
    threats: int
    """Positions in which it cannot, and the opponent could."""
    stopped: int

    def as_dict(self) -> JsonObject:
        """Return the numbers by name, and the 95 % intervals of the shares."""
        return {
            **self._asdict(),
            "plies": round(self.plies, 1),
            "made_95": _interval(self.made, self.chances),
            "stopped_95": _interval(self.stopped, self.threats),
        }


class Simulations(NamedTuple):
    """The simulations of a guided search."""

    positions: int
    """Positions that were searched."""
    iterations: int
    """Iterations in each of them."""
    plies: float
    """Mean number of moves of a simulation."""
    look_us: float
    """Microseconds of the processor for a look of the network, with the work of the search."""


def measure_simulations(
    network: MoveNetwork, rules: Rules, positions: int, iterations: int, seed: int
) -> Simulations:
    """Search random openings, and measure the simulations.

    Args:
        network: the network that guides.
        rules: rules of a square board.
        positions: number of openings, at least 1.
        iterations: iterations in each of them, at least 1.
        seed: equal seeds give equal openings.
    """
    rng = np.random.default_rng(seed)
    search = GuidedUct(rules, network)
    boards = [
        random_opening(rules, int(rng.integers(LEAST, MOST + 1)), rng) for _ in range(positions)
    ]
    search.search(boards[0], None, Limit(nodes=1), rng)  # so that nothing is compiled below
    before, started = search.simulated, time.process_time()
    for board in boards:
        search.search(board, None, Limit(nodes=iterations), rng)
    taken, plies = time.process_time() - started, search.simulated - before
    return Simulations(
        positions, iterations, plies / (positions * iterations), 1e6 * taken / max(plies, 1)
    )


def _interval(count: int, of: int) -> list[float]:
    return [round(bound, 3) for bound in wilson(count, of)] if of else [0.0, 1.0]


def measure_decisions(network: MoveNetwork, rules: Rules, games: int, seed: int) -> Decisions:
    """Let a network play games against itself from random openings, and count its decisions.

    Args:
        network: the network; its likeliest point is played.
        rules: rules of a square board.
        games: number of games, at least 1.
        seed: equal seeds give equal openings.
    """
    evaluator = MoveNetEvaluator(rules, network)
    found = [_play(evaluator, rules, np.random.default_rng([seed, game])) for game in range(games)]
    total = np.array(found).sum(axis=0)
    return Decisions(games, float(total[0]) / games, *(int(count) for count in total[1:]))


def _play(evaluator: MoveNetEvaluator, rules: Rules, rng: np.random.Generator) -> Sequence[int]:
    """Play a game; return its plies, and the chances, fives, threats and stops in it."""
    board = random_opening(rules, int(rng.integers(LEAST, MOST + 1)), rng)
    first = board.ply
    counts = np.zeros(4, np.int64)
    while board.outcome() is None:
        move = int(evaluator.shares(board).argmax())
        own, other = (_fives(board, color) for color in (board.to_move, -board.to_move))
        if own.any():
            counts[:2] += (1, own[move])
        elif other.any():
            counts[2:] += (1, other[move])
        board.push(move)
    return (board.ply - first, *counts.tolist())


def _fives(board: Board, color: int) -> NDArray[np.bool_]:
    """Return `[A]` the points where a color completes a row."""
    stones = np.array(board.stones, np.int8)[None]
    found: NDArray[np.bool_] = winning_points(stones, color, board.rules)[0]
    return found
