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

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.network import NetworkEvaluator
from ai.game import Game, Position, playable, require_open
from ai.memory import MemoryNodes
from ai.nets.features import learner_stones
from ai.players.base import Limit, MoveChoice
from ai.players.decision import MemoryReader, decide, network_answer
from ai.players.learning_settings import PaperSettings
from ai.search.base import SearchClock
from base.schema import OptionValue, options_of

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS: Final = tuple(options_of(PaperSettings).values())
"""Settings; `ai.learning` uses all of them, the player only those that shape the network."""


class CnnAnnPlayer:
    """Plays the legal point that the network rates highest.

    If the memory was loaded too, explanations include the remembered positions nearest to the
    present one.
    """

    def __init__(self, name: str, rules: Game, settings: Mapping[str, OptionValue]) -> None:
        """Start with an untrained network (seed 0); `load_weights` replaces its weights.

        Args:
            name: name of the player in the registry.
            rules: rules of the game.
            settings: values of all settings, defaults included.
        """
        self.name = name
        self.rules = rules
        self.network_id = 0
        self._evaluator = NetworkEvaluator(rules, settings)
        self._memory = MemoryReader(self._evaluator.encoder, settings)

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Use these weights from now on; a loaded memory is dropped.

        Args:
            network_id: id of the network.
            weights: arrays by name.

        Raises:
            WeightsError: they do not fit; the player keeps its present weights.
        """
        self._evaluator.load_weights(weights)
        self.network_id = network_id
        self._memory = self._memory.holding(None)  # it belonged to the last network

    def load_memory(self, memory: MemoryNodes) -> None:
        """Show these remembered positions in explanations; see `LoadsMemory`."""
        self._memory = self._memory.holding(memory)

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        """Use a checkpoint's weights, but not its memory; see `LoadsCheckpoints`.

        Args:
            network_id: id of the network.
            directory: folder of the checkpoint.
        """
        from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights

        weights = read_weights(directory / CHECKPOINT_WEIGHTS, self._evaluator.architecture)
        self.load_weights(network_id, weights)

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the legal point that the network rates highest; see `Player.choose`.

        Does not use `rng`: the same board gets the same move. Each evaluation, one per symmetry of
        the board, counts as one position of the limit.
        """
        clock = SearchClock(limit)
        require_open(board)
        stones = learner_stones(board, board.to_move)  # [A]
        is_over = None if clock.is_unlimited else clock.spend
        estimates = self.estimates(stones, is_over)
        decision = decide(estimates, ~playable(stones, self.rules))
        memory = self._memory.describe(stones, board.to_move) if self._memory.is_known else None
        explanation = network_answer(estimates, decision, self.network_id, memory)
        return MoveChoice(decision.move, policy=estimates, explanation=explanation)

    def estimates(
        self, stones: NDArray[np.int8], is_over: Callable[[], bool] | None
    ) -> NDArray[np.float32]:
        """Return `[A]` the network's share of each point, sum 1.

        Args:
            stones: `[A]` the position, from the learner's perspective.
            is_over: called after each symmetry; True ends the averaging. None: never.
        """
        shares: NDArray[np.float32] = self._evaluator.estimate(stones[None], is_over)[0]
        return shares

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Game, settings: Mapping[str, OptionValue]) -> CnnAnnPlayer:
    """Create the player; the registry calls this function.

    Args:
        rules: rules of the game.
        settings: values of all settings, defaults included.

    Raises:
        OptionError: the text of the kernel sizes or of the hidden layers is invalid.
    """
    return CnnAnnPlayer("cnn-ann", rules, settings)
