"""Controls: how well a run does without learning anything about the board.

Each control is the same run with something else in place of a training:

- `random-labels`: the network is trained on random answers. The label of each training record is a
  random free point, not the opponent's stone, and is drawn once. So the moves that lost are
  changed, but without knowledge of better ones.
- `shuffled-labels`: the network is trained, but the labels are permuted among the nodes, anew at
  each training.
- `untrained`: initial weights are drawn anew after each loss and not trained.
- `one-order`: White takes the first free point in the order of the labels' frequency.
- `new-order`: White takes the first free point in a random order, drawn anew after each loss.

Only the wins beyond those of the best control show learning. One can draw a new order after each
loss until it beats the few games of a deterministic opponent. That looks like a learning curve,
too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, GameRecord
from ai.learning.ann import AnnLearner
from ai.learning.enhanced_training import NodeSamples
from ai.learning.learner import Progress, TrainedWeights, Trainers
from ai.learning.lines import LineNetworkLearner
from ai.learning.self_teaching import SelfTeachingLearner
from ai.nets.architecture import Architecture, InferenceNetwork, WeightArrays, initial_weights
from ai.registry.players import get_player_info, load_target
from ai.samples.one_hot import Sample, relabelled

_STREAM: Final = 9
"""Number that separates the controls' random numbers from others with the same seed."""


class ControlLearner(SelfTeachingLearner):
    """A learner that applies a control condition in place of training; see the module docstring."""

    def __init__(
        self,
        name: str,
        rules: Game,
        settings: Mapping[str, object],
        seed: int = 0,
        *,
        control: str,
        trainers: Trainers | None = None,
    ) -> None:
        """Create a learner with a control condition.

        Args:
            name: name of the player in the registry.
            rules: rules of the game.
            settings: the player's settings.
            seed: seed of the run.
            control: name of the control, see the module docstring.
            trainers: training loops shared with other learners; None for its own.
        """
        self.control = control
        super().__init__(name, rules, settings, seed, trainers=trainers)

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Apply the control in place of a training; with "random-labels" train as usual.

        Args:
            progress: called during a training; None for no reports.
        """
        if self.control == "random-labels":
            return super().train(progress)
        samples = self._samples()
        network_id = self.network_id + 1
        rng = np.random.default_rng([self.seed, _STREAM, network_id])
        if self.control == "shuffled-labels":
            labels = rng.permutation(samples.labels)
            trained = self.fit(replace(samples, labels=labels), network_id, progress)
        else:
            arrays = self._weights(samples, network_id, rng)
            network = InferenceNetwork(self.architecture, arrays)

            def answer(stones: NDArray[np.int8]) -> NDArray[np.float32]:
                return network.logits(self.encoder.features(stones))

            measures = self.measure(answer, self.held_test(samples))
            trained = TrainedWeights(network_id, arrays, measures=measures)
        self.network_id = network_id
        self.retrains += 1
        self._trained = trained
        return self.weights()

    def _lessons_of_loss(self, record: GameRecord) -> list[Sample]:
        """Return the training samples of a lost game.

        With the control "random-labels" their labels are random.

        Args:
            record: the lost game.
        """
        lessons = super()._lessons_of_loss(record)
        if self.control != "random-labels":
            return lessons
        return relabelled(lessons, record, np.random.default_rng([self.seed, _STREAM, record.game]))

    def _weights(
        self, samples: NodeSamples, network_id: int, rng: np.random.Generator
    ) -> WeightArrays:
        """Return network weights made without training, as the control demands.

        Args:
            samples: training samples; "one-order" counts their labels.
            network_id: number of the network.
            rng: random generator of the control.
        """
        if self.control == "untrained":
            return initial_weights(self.architecture, self.seed, network_id)
        if self.control == "one-order":
            return order_weights(self.architecture, samples.labels.sum(axis=0))
        return order_weights(self.architecture, rng.random(self.rules.points))


class LineControlLearner(ControlLearner, LineNetworkLearner):
    """A learner of `cnn-lines` that applies a control condition in place of training."""


def order_weights(architecture: Architecture, scores: NDArray[np.floating]) -> WeightArrays:
    """Return weights of a network that outputs `scores` (`[points]`) for every position.

    Args:
        architecture: architecture of the network.
        scores: output for each point of the board.
    """
    weights = {name: np.zeros(shape, np.float32) for name, shape in architecture.shapes.items()}
    whole = [chain[-1].name for chain in architecture.chains if chain[-1].outputs == len(scores)]
    weights[f"{whole[0]}.bias"] = scores.astype(np.float32)
    return weights


def create_learner(
    player: str,
    rules: Game,
    settings: Mapping[str, object],
    seed: int,
    *,
    control: str = "none",
    trainers: Trainers | None = None,
) -> SelfTeachingLearner:
    """Create the learner of an experiment's cell.

    Args:
        player: name of the player in the registry.
        rules: rules of the game.
        settings: settings that differ from the player's defaults.
        seed: seed of the run.
        control: "none", or a control of this module.
        trainers: training loops shared with other learners.
    """
    kind = get_learner_class(player)
    if issubclass(kind, AnnLearner):
        return kind(player, rules, settings, seed, control=control)
    if control == "none":
        return kind(player, rules, settings, seed, trainers=trainers)
    spoilt = LineControlLearner if issubclass(kind, LineNetworkLearner) else ControlLearner
    return spoilt(player, rules, settings, seed, control=control, trainers=trainers)


def get_learner_class(player: str) -> type[SelfTeachingLearner]:
    """Return the class of a self-teaching player's learner, as the registry names it.

    Args:
        player: name of the player in the registry.
    """
    create = cast("partial[SelfTeachingLearner]", load_target(str(get_player_info(player).learner)))
    return cast("type[SelfTeachingLearner]", create.func)
