"""Short, decisive games to learn moves from: a player wanders, and each position has its answer.

A player of patterns plays both sides. In each game it plays a share of its moves at random beside
other stones. So fives are soon made, and there is often one to make or to stop. What is learnt in a
position is the player's own move, also where it then wanders. Another player may move in its place:
then the positions are those that this other one gets into (as in DAgger: Ross, Gordon, Bagnell
2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Board, Rules
from ai.players.base import Limit, Player
from ai.samples.move_frequencies import MoveFrequencies, merge_positions

SPREAD: Final = 2
"""Rows and columns between a random stone and the stone, or the point, that it is drawn beside."""
MIDDLE: Final = 7
"""Points along a side of the middle of the board, where an opening's point is drawn."""


@dataclass(frozen=True, slots=True)
class WanderingPlan:
    """Number and kind of the games."""

    games: int
    least: float = 0.1
    """Least share of random moves of a game; each game draws its own."""
    most: float = 0.6
    """Greatest share of random moves of a game."""
    opening: int = 8
    """Most random stones at the start of a game; at least one is placed."""
    plies: int = 80
    """Most moves of a game, its opening included."""


def wandering_positions(
    rules: Rules, player: Player, plan: WanderingPlan, seed: int, mover: Player | None = None
) -> MoveFrequencies:
    """Play games of a wandering player; return their positions and its answers in them.

    Args:
        rules: rules of a square board.
        player: answers in each position, and plays both sides.
        plan: number and kind of the games.
        seed: equal seeds give equal games.
        mover: plays both sides in place of `player`; None for `player`.
    """
    stones: list[NDArray[np.int8]] = []
    moves: list[int] = []
    for game in range(plan.games):
        rng = np.random.default_rng([seed, game])
        board = random_opening(rules, int(rng.integers(1, plan.opening + 1)), rng)
        share = float(rng.uniform(plan.least, plan.most))
        while board.outcome() is None and board.ply < plan.plies:
            move = player.choose(board, Limit(), rng).move
            stones.append(np.array(board.stones, np.int8) * np.int8(board.to_move))
            moves.append(move)
            if rng.random() < share:
                move = _beside(board, rng)
            elif mover is not None:
                move = mover.choose(board, Limit(), rng).move
            board.push(move)
    return merge_positions(rules, np.stack(stones), np.array(moves))


def random_opening(rules: Rules, count: int, rng: np.random.Generator) -> Board:
    """Return a board with random stones around a point of its middle; nobody has won.

    Args:
        rules: rules of a square board.
        count: number of stones; fewer than the points around one point.
        rng: random generator; its state advances.
    """
    first = (rules.size - min(MIDDLE, rules.size)) // 2
    while True:
        board = Board(rules)
        centre = rng.integers(first, rules.size - first, size=2)
        while board.ply < count:
            row, column = centre + rng.integers(-SPREAD, SPREAD + 1, size=2)
            if 0 <= row < rules.size and 0 <= column < rules.size:
                move = int(row * rules.size + column)
                if board.outcome() is None and board.stones[move] == 0:
                    board.push(move)
            if board.outcome() is not None:
                break
        if board.outcome() is None:
            return board


def _beside(board: Board, rng: np.random.Generator) -> int:
    """Return a random empty point near a stone."""
    size = board.size
    taken = np.array(board.stones).reshape(size, size) != 0
    wide = np.pad(taken, SPREAD)
    near = np.zeros_like(taken)
    for row in range(2 * SPREAD + 1):
        for column in range(2 * SPREAD + 1):
            near |= wide[row : row + size, column : column + size]
    return int(rng.choice(np.flatnonzero((near & ~taken).ravel())))
