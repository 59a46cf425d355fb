"""The evaluator of the self-teaching players: a network and the encoder of its input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Evaluation, policy_of
from ai.game import Game, Position
from ai.nets.architecture import Architecture, InferenceNetwork, WeightArrays, initial_weights
from ai.nets.features import build_architecture, build_encoder, learner_stones, played_images

if TYPE_CHECKING:
    from base.schema import OptionValue


class NetworkEvaluator:
    """Evaluates positions by a network; the setting `play_symmetries` averages over symmetries.

    The network has no output for the value: values are 0.
    """

    def __init__(
        self,
        rules: Game,
        settings: Mapping[str, OptionValue],
        weights: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        """Create the network.

        Args:
            rules: rules that the network is trained for.
            settings: all settings of the self-teaching player, defaults included.
            weights: weight arrays by name; None for the initial weights of seed 0.

        Raises:
            OptionError: the text of the kernel or of the hidden layers is invalid.
            WeightsError: the weights do not fit the settings.
        """
        self.rules = rules
        self.encoder = build_encoder(rules, settings)
        architecture = build_architecture(rules, settings, channels=self.encoder.channels)
        self._images = played_images(rules, settings)  # [S, A], the identity first
        self._back = np.argsort(self._images, axis=1)  # [S, A], their inverses
        self._network = InferenceNetwork(
            architecture, initial_weights(architecture, seed=0) if weights is None else weights
        )

    @property
    def architecture(self) -> Architecture:
        """The network's architecture."""
        return self._network.architecture

    @property
    def weights(self) -> WeightArrays:
        """The network's weight arrays by name."""
        return self._network.weights

    @property
    def line_worths(self) -> NDArray[np.float32]:
        """`[K]` what each line situation adds to a logit; `[0]` but for the layout "lines"."""
        return self._network.line_worths

    def load_weights(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Replace the network's weights.

        Raises:
            WeightsError: the arrays do not fit the network; the old weights stay.
        """
        self._network = InferenceNetwork(self._network.architecture, weights)

    def estimate(
        self, stones: NDArray[np.int8], is_over: Callable[[], bool] | None = None
    ) -> NDArray[np.float32]:
        """Return the network's output for each point, occupied ones included: `[B, A]`.

        If it averages over symmetries, it computes them one after the other.

        Args:
            stones: `[B, A]` stones of B positions with A points, from the learner's perspective:
                the opponent's are 1, own ones -1.
            is_over: called after each symmetry. When it returns True, the rest is left out, and the
                average is over those so far. None computes all symmetries at once.
        """
        count, points = stones.shape
        result = np.zeros((count, points), np.float32)
        seen, step = 0, len(self._images) if is_over is None else 1
        while seen < len(self._images):
            images, back = self._images[seen : seen + step], self._back[seen : seen + step]
            turned = np.ascontiguousarray(stones[:, images].reshape(-1, points))  # [B*S, A]
            answers = self._network.estimate(self.encoder.features(turned))
            answers = answers.reshape(count, step, points)
            result += answers[:, np.arange(step)[:, None], back].sum(axis=1)
            seen += step
            if is_over is not None and is_over():
                break
        result /= np.float32(seen)
        return result

    def evaluate(self, boards: Sequence[Position]) -> Evaluation:
        """Evaluate positions; see `Evaluator.evaluate`."""
        seen = np.stack([learner_stones(board, board.to_move) for board in boards])  # [B, A]
        policy = policy_of(self.estimate(seen), boards)
        return Evaluation(policy, np.zeros(len(boards), np.float32))
