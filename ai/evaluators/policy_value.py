"""Evaluator by a pair of policy-value networks, one for Black to move and one for White."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Evaluation
from ai.game import BLACK, PASS, WHITE, Position, Rules
from ai.game.lines import SYMMETRY_COUNT, symmetries
from ai.nets.policy_value import PLANES, NetworkPair
from ai.nets.policy_value_inference import PolicyValueNetwork
from base.policies.layers import softmax

Floats: TypeAlias = NDArray[np.float32]


class PlanesEvaluator(Protocol):
    """Protocol of objects that evaluate batches of positions given as input planes of a network."""

    def evaluate_planes(self, planes: Floats, colors: NDArray[np.int8]) -> Evaluation:
        """Evaluate positions.

        Args:
            planes: `[B, n, n, 3]` own stones, the opponent's stones, and the opponent's last move,
                all 0 or 1.
            colors: `[B]` side to move in each position.
        """


class PolicyValueEvaluator:
    """Evaluates positions by a pair of networks, one for Black to move and one for White.

    The answers may be averaged over the symmetries of the board.
    """

    def __init__(self, rules: Rules, pair: NetworkPair, *, is_averaged: bool = False) -> None:
        """Prepare both networks for inference.

        Args:
            rules: rules of the boards, which are square.
            pair: networks of Black and White for boards of this size.
            is_averaged: whether to average the answers over the eight symmetries.

        Raises:
            WeightsError: the networks are for boards of another size.
        """
        self.rules = rules
        self.pair = pair
        black = PolicyValueNetwork(pair.black, rules.size)
        is_one = pair.white is pair.black
        white = black if is_one else PolicyValueNetwork(pair.white, rules.size)
        self._networks = {BLACK: black, WHITE: white}
        self._images = symmetries(rules.size) if is_averaged else None  # [8, A]
        self._back = None if self._images is None else np.argsort(self._images, axis=1)

    def evaluate(self, boards: Sequence[Position]) -> Evaluation:
        """Evaluate positions; see `Evaluator.evaluate`."""
        planes = np.stack([planes_of(board) for board in boards])
        return self.evaluate_planes(planes, np.array([board.to_move for board in boards], np.int8))

    def evaluate_planes(self, planes: Floats, colors: NDArray[np.int8]) -> Evaluation:
        """Evaluate positions; see `PlanesEvaluator.evaluate_planes`."""
        if self._images is None or self._back is None:
            return self._answer(planes, colors)
        count, size = len(planes), self.rules.size
        flat = planes.reshape(count, -1, PLANES)
        turned = flat[:, self._images].reshape(-1, size, size, PLANES)  # [B * 8, n, n, 3]
        found = self._answer(turned, np.repeat(colors, SYMMETRY_COUNT))
        shares = found.policy.reshape(count, SYMMETRY_COUNT, -1)
        back = shares[:, np.arange(SYMMETRY_COUNT)[:, None], self._back]  # [B, 8, A]
        values = found.value.reshape(count, SYMMETRY_COUNT)
        # In double precision: then the order of summation does not change the float32 result.
        policy, value = back.mean(axis=1, dtype=np.float64), values.mean(axis=1, dtype=np.float64)
        return Evaluation(policy.astype(np.float32), value.astype(np.float32))

    def _answer(self, planes: Floats, colors: NDArray[np.int8]) -> Evaluation:
        """Return policy and value of each position, by the network of the side to move there.

        Args:
            planes: `[B, n, n, 3]` input planes, see `planes_of`.
            colors: `[B]` side to move in each position.
        """
        if self._networks[BLACK] is self._networks[WHITE]:
            logits, value = self._networks[BLACK].evaluate(planes)
        else:
            logits = np.empty((len(planes), self.rules.points), np.float32)
            value = np.empty(len(planes), np.float32)
            for color, network in self._networks.items():
                mine = np.flatnonzero(colors == color)
                if len(mine) > 0:
                    logits[mine], value[mine] = network.evaluate(planes[mine])
        return Evaluation(shares_of(logits, planes), value)


def planes_of(board: Position) -> Floats:
    """Return the input planes `[n, n, 3]` of a position for the networks.

    The planes are own stones, the opponent's, and the opponent's last move. The last one is empty
    before the first move.

    Args:
        board: position on a board of n x n points.
    """
    size = board.rules.size
    own = np.array(board.stones, np.int8) * board.to_move
    planes = np.zeros((size * size, PLANES), np.float32)
    planes[:, 0], planes[:, 1] = own == 1, own == -1
    if board.moves and board.moves[-1] != PASS:
        planes[board.moves[-1], 2] = 1.0
    return planes.reshape(size, size, PLANES)


def shares_of(logits: Floats, planes: Floats) -> Floats:
    """Return the softmax of logits over the empty points; occupied points have 0.

    Args:
        logits: `[B, A]` output of a network for B positions with A points.
        planes: `[B, n, n, 3]` input planes of the positions, see `planes_of`.
    """
    is_taken = (planes[..., :2] != 0.0).any(axis=-1).reshape(logits.shape)
    return softmax(np.where(is_taken, np.float32(-np.inf), logits))
