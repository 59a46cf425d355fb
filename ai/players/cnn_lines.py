"""The player `cnn-lines`: a network whose filters run along the lines of the board.

Its first layer has one filter for each line situation (`ai.memory.lines`): a codebook, 496 filters
for five in a row. They are the same in all directions and read from either end. A filter
answers to lines that are near its own, too, the less the farther: the paper's idea that similar
situations share what was learnt. A 1x1
convolution rates their answers at a point. So what it learns of a line holds for all symmetries,
and for boards of any size. It is trained on the records of lost games alone
(`ai.learning.lines`), with softmax and cross entropy, and each training goes on from the last.

As a point's score is a sum over its lines, each weight can be read: the explanation says what each
line adds, and in which game the player missed such a line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, Position, playable
from ai.memory import MemoryNodes
from ai.nets.features import learner_stones
from ai.players.ann_lines import LineKnowledge, stored_records
from ai.players.base import Limit, MoveChoice
from ai.players.cnn_ann import CnnAnnPlayer
from ai.players.explanation import NetworkAnswer
from ai.players.line_settings import CNN_LINES

if TYPE_CHECKING:
    from pathlib import Path

    from base.schema import OptionValue

SETTINGS: Final = CNN_LINES


class CnnLinesPlayer(CnnAnnPlayer):
    """Plays the legal point that the network along lines rates highest.

    If the memory was loaded too, explanations say where each line was learnt.
    """

    def __init__(self, rules: Game, settings: Mapping[str, OptionValue]) -> None:
        """Start with an untrained network (seed 0); `load_weights` replaces its weights.

        Args:
            rules: rules of the game.
            settings: values of all settings, defaults included.
        """
        super().__init__("cnn-lines", rules, settings)
        self._lines = LineKnowledge(rules, settings)
        self._has_origins = False

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Use these weights from now on; without `load_memory`, lines have no known origins.

        Args:
            network_id: id of the network.
            weights: arrays by name.

        Raises:
            WeightsError: they do not fit; the player keeps its present weights.
        """
        super().load_weights(network_id, weights)
        self._has_origins = False

    def load_memory(self, memory: MemoryNodes) -> None:
        """Say in explanations where lines were learnt; see `LoadsMemory`.

        Raises:
            ValueError: the records belong to another board size.
        """
        self._lines.load(memory)
        self._has_origins = True

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        """Use a checkpoint's weights and records; see `LoadsCheckpoints`.

        Args:
            network_id: id of the network.
            directory: folder of the checkpoint.
        """
        super().load_checkpoint(network_id, directory)
        self.load_memory(stored_records(directory))

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the legal point that the network rates highest; see `Player.choose`.

        Does not use `rng`: the same board gets the same move.
        """
        choice = super().choose(board, limit, rng)
        stones = learner_stones(board, board.to_move)[None]  # [1, A]
        codes = self._lines.reader.codes(stones)[0, choice.move]  # [D]
        added = self._evaluator.line_worths[codes]
        answer = cast("NetworkAnswer", choice.explanation)
        known = self._lines if self._has_origins else self._lines.emptied()
        explanation = replace(answer, memory=known.reading()).with_lines(known.spoken(codes, added))
        return replace(choice, explanation=explanation)

    def estimates(
        self, stones: NDArray[np.int8], is_over: Callable[[], bool] | None
    ) -> NDArray[np.float32]:
        """Return `[A]` the network's share of each playable point, sum 1; 0 for all others.

        The network rates a taken point by its lines, too, as if it were free. So it is left out.

        Args:
            stones: `[A]` the position, from the learner's perspective.
            is_over: not used; there is nothing to average.
        """
        shares = np.where(playable(stones, self.rules), super().estimates(stones, is_over), 0.0)
        if self._lines.sees_own:
            own = self._lines.own_worths(stones, lambda codes: self._evaluator.line_worths[codes])
            shares = shares * np.exp(own - own.max())  # the sum of both worths, under the softmax
        result: NDArray[np.float32] = (shares / shares.sum()).astype(np.float32)
        return result


create: Final = CnnLinesPlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""
