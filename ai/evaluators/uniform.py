"""The uniform evaluator: equal policy, value 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ai.evaluators.base import Evaluation, policy_of
from ai.game import Board


class UniformEvaluator:
    """Gives every playable point the same policy and every position the value 0."""

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions; see `Evaluator.evaluate`."""
        points = boards[0].rules.points
        return Evaluation(policy_of(np.ones(points), boards), np.zeros(len(boards), np.float32))
