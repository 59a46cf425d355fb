"""The move network as an evaluator: a policy over the empty points, and no value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Evaluation
from ai.game import Position, Rules
from ai.kernels.guided.layout import new_net, put_stones
from ai.kernels.guided.network import share_points
from ai.kernels.jit import fields_of
from ai.nets.move_net import MoveNetwork


class MoveNetEvaluator:
    """Evaluates positions by the move network, compiled; values are 0."""

    def __init__(self, rules: Rules, network: MoveNetwork) -> None:
        """Prepare a network for inference.

        Args:
            rules: rules of the boards, which are square.
            network: the network with its weights.
        """
        self.rules = rules
        self.network = network
        self._record = new_net(rules, network.weights, views=network.views)

    def shares(self, board: Position) -> NDArray[np.float32]:
        """Return the policy: the probability of each of the board's A points, `[A]`.

        The sum is 1. On an empty board the middle point has 1.

        Args:
            board: position of these rules with at least one empty point.
        """
        put_stones(self._record, np.array(board.stones, np.int8), self.rules.size)
        share_points(self._record, board.to_move)
        found = np.array(fields_of(self._record).shares[: self.rules.points], np.float64)
        shares: NDArray[np.float32] = found.astype(np.float32)
        return shares

    def evaluate(self, boards: Sequence[Position]) -> Evaluation:
        """Evaluate positions; see `Evaluator.evaluate`."""
        policy = np.stack([self.shares(board) for board in boards])
        return Evaluation(policy, np.zeros(len(boards), np.float32))
