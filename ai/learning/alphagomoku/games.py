"""Games to learn from: what was played, and how often the search looked at each move.

Labels: the value of a position is the game's result for the side to move, times the decay for each
ply to the end (Xie et al., "Winning Value Decay"); a drawn game is worth 0 throughout. Where the
player told what it held a position to be worth, that can stand in for a share of the result: a
result says little of a position after which many moves were drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, WHITE, Color, Move, Rules
from ai.learning.alphagomoku.samples import NO_MOVE, Samples


@dataclass(frozen=True, slots=True)
class LearntGame:
    """A finished game, with a policy for each position that is learnt from."""

    moves: tuple[Move, ...]
    winner: Color
    """BLACK, WHITE or EMPTY."""
    policies: NDArray[np.float16]
    """`[T, A]` of the last T positions with a move to play; those before are an opening."""
    values: NDArray[np.float32] | None = None
    """`[T]` what the player held those positions to be worth for itself, in [-1, 1]; None: not
    told."""

    @property
    def opening(self) -> int:
        """Number of first moves that nothing is learnt from."""
        return len(self.moves) - len(self.policies)


def one_hot_policies(moves: tuple[Move, ...], points: int, *, opening: int) -> NDArray[np.float16]:
    """Return `[T, A]` policies that say what was played, from ply `opening` on."""
    policies = np.zeros((len(moves) - opening, points), np.float16)
    policies[np.arange(len(policies)), np.array(moves[opening:], np.intp)] = 1.0
    return policies


def samples_of(rules: Rules, game: LearntGame, *, decay: float, told: float = 0.0) -> Samples:
    """Return a sample for each position that is learnt from.

    Args:
        rules: of the game.
        game: the game.
        decay: of the winning value for each ply, above 0, at most 1.
        told: share of the player's own value in each position's, beside the result, in [0, 1].
    """
    count, first = len(game.policies), game.opening
    stones = np.zeros((count, rules.points), np.int8)
    board = np.zeros(rules.points, np.int8)
    last = np.full(count, NO_MOVE, np.int16)
    color = np.zeros(count, np.int8)
    to_move = BLACK
    for ply, move in enumerate(game.moves):
        if ply >= first:
            row = ply - first
            stones[row] = board * to_move
            color[row] = to_move
            last[row] = game.moves[ply - 1] if ply else NO_MOVE
        board[move] = to_move
        to_move = WHITE if to_move == BLACK else BLACK
    plies_left = len(game.moves) - np.arange(first, len(game.moves))
    value = (color * game.winner * decay**plies_left).astype(np.float32)
    if told and game.values is not None:
        value = (np.float32(1.0 - told) * value + np.float32(told) * game.values).astype(np.float32)
    return Samples(stones, last, game.policies, value, color)


__all__ = ["LearntGame", "one_hot_policies", "samples_of"]
