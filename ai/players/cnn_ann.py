"""The self-teaching player of the paper: stages 1 to 3, which choose a move.

The six stages of the paper's framework (section 3.1, figure 1), one module each:

1. State vector generation · `ai.nets.features`
2. CNN-based estimation · `ai.nets.architecture`
3. Decision making · `ai.players.decision`
4. One-hot-encoding-based vector generation · `ai.samples.one_hot`
5. ANN-based one-hot-encoding vector combination · `ai.memory.situation_memory`
6. Enhanced CNN training · `ai.learning.enhanced_training`

The player runs the first three; `ai.learning.self_teaching` runs the others after a game
and provides new weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.network import NetworkEvaluator
from ai.game import Game, GameOverError, Position, playable
from ai.memory import DEFAULT_WIDTH, MemoryNodes
from ai.nets.features import DEFAULT_KERNEL, PLANES, STATE_VECTOR, THREE_PLANES, learner_stones
from ai.players.base import Limit, MoveChoice
from ai.players.decision import MemoryReader, decide, network_answer
from ai.search.base import SearchClock
from base.schema import Option, OptionValue

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS: Final = (
    Option(
        "records",
        4,
        1,
        50,
        help="relearn records: moves to look back after a loss; the paper used 1 to 4",
    ),
    Option(
        "alpha",
        5.0,
        0.0,
        1e6,
        help="situations nearer than this are merged in the memory; the paper's best is 5; none: "
        "nothing is merged",
        optional=True,
    ),
    Option(
        "relearn",
        "memory",
        choices=("memory", "last-game", "never"),
        help="what is trained on after a loss: the whole memory; the lost game alone, without "
        "the memory (the paper's condition a); nothing",
    ),
    Option("kernel", DEFAULT_KERNEL, help="convolution f1 that makes the state vector"),
    Option(
        "input",
        STATE_VECTOR,
        choices=(STATE_VECTOR, PLANES, THREE_PLANES),
        help="what the network sees: f1(s), the raw board as two planes, or with a third "
        "one of the empty points",
    ),
    Option("hidden", "49,128,516", help="neurons of the three hidden layers"),
    Option(
        "samples",
        "nodes",
        choices=("nodes", "kept"),
        help="what the network is trained on: the nodes alone; or with them its own answers in "
        "all other positions it met, so that it does not forget them",
    ),
    Option("steps", 600, 1, 100_000, help="training steps at most, where not by epochs"),
    Option(
        "redraw",
        "new",
        choices=("new", "same", "carried"),
        help="weights that a training begins with: drawn anew (the paper's text), always the "
        "same, or those of the training before, so that it is one network all along",
    ),
    Option("epochs", 50, 1, 1000, help="times each node is trained on, where not by steps"),
    Option("least_steps", 400, 1, 100_000, help="training steps at least, for a small memory"),
    Option("batch", 64, 1, 4096, help="samples in a training step"),
    Option("rate", 0.002, 1e-6, 1.0, help="highest learning rate"),
    Option(
        "enough",
        1.0,
        0.5,
        1.0,
        help="share of the memory held at which a training ends early; none: never",
        optional=True,
    ),
    Option(
        "width",
        DEFAULT_WIDTH,
        0.01,
        1000.0,
        help="kernel width by which the memory answers, to be compared with the network; one stone "
        "is a distance of about 9",
    ),
    Option(
        "index",
        "exact",
        choices=("exact", "projection"),
        help="neighbour search of the memory: every node, or hashed by random projections",
    ),
    Option(
        "capacity",
        None,
        1,
        help="most nodes remembered, the oldest gives way; none: no bound",
        optional=True,
        kind=int,
    ),
)
"""Settings; `ai.learning` uses all of them, the player only those that shape the network."""


class CnnAnnPlayer:
    """Plays the network's best playable point.

    If the memory was loaded as well, explanations include its reading of the position.
    """

    def __init__(self, name: str, rules: Game, settings: Mapping[str, OptionValue]) -> None:
        """Start with the initial network of seed 0; `load_weights` replaces it.

        Args:
            name: the name in the registry.
            rules: rules of the game.
            settings: all settings, resolved.
        """
        self.name = name
        self.rules = rules
        self.network_id = 0
        self._evaluator = NetworkEvaluator(rules, settings)
        self._alpha = cast("float | None", settings["alpha"])
        self._width = cast("float", settings["width"])
        self._memory = self._remember(None)

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Use these weights from now on.

        Raises:
            WeightsError: they do not fit; the player keeps its present weights.
        """
        self._evaluator.load_weights(weights)
        self.network_id = network_id
        self._memory = self._remember(None)  # that of the network before

    def load_memory(self, memory: MemoryNodes) -> None:
        """Include these situation nodes in explanations; see `LoadsMemory`."""
        self._memory = self._remember(memory)

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        """Use a checkpoint's weights without its memory; see `LoadsCheckpoints`."""
        from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights

        weights = read_weights(directory / CHECKPOINT_WEIGHTS, self._evaluator.architecture)
        self.load_weights(network_id, weights)

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the network's best playable point; see `Player.choose`.

        Does not use `rng`: the same board gets the same move. Each evaluated symmetry counts as a
        node of the limit.
        """
        clock = SearchClock(limit)
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        stones = learner_stones(board, board.to_move)  # [A]
        is_over = None if clock.is_unlimited else clock.spend
        estimates = self._evaluator.estimate(stones[None], is_over)[0]  # [A]
        decision = decide(estimates, ~playable(stones, self.rules))
        memory = self._memory.describe(stones, board.to_move) if self._memory.is_known else None
        explanation = network_answer(estimates, decision, self.network_id, memory)
        return MoveChoice(decision.move, policy=estimates, explanation=explanation)

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _remember(self, memory: MemoryNodes | None) -> MemoryReader:
        return MemoryReader(memory, self._evaluator.encoder, alpha=self._alpha, width=self._width)


def create(rules: Game, settings: Mapping[str, OptionValue]) -> CnnAnnPlayer:
    """Create the player; called by the registry with every setting resolved.

    Raises:
        OptionError: the text of the kernel or of the hidden layers is invalid.
    """
    return CnnAnnPlayer("cnn-ann", rules, settings)
