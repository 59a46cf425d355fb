"""The player `ann`: the paper's memory without a network, to measure what the network contributes.

Stages 1, 4 and 5 of the self-teaching framework (see `ai.players.cnn_ann`) are unchanged. Stage 2
is a kernel regression over the remembered positions (`ai.memory.Recall`), so nothing is trained.
The paper says of a trained network that it "completely resembles the learned one-hot-encoding
vectors" (section 3.2). This player does the same by its memory alone, also in positions between the
remembered ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, Position, playable, require_open
from ai.memory import NOTHING, MemoryNodes
from ai.nets.features import build_encoder, learner_stones
from ai.players.base import Limit, MoveChoice
from ai.players.decision import MemoryReader, decide, network_answer
from ai.players.learning_settings import PaperSettings
from base.schema import OptionValue, options_of
from base.storage.card_file import read_arrays, reading

if TYPE_CHECKING:
    from pathlib import Path

MEMORY_FILE: Final = "memory.npz"
"""Name of the file with the remembered positions in a learner's checkpoint."""

_PAPER: Final = options_of(PaperSettings)
_RELEARN: Final = replace(
    _PAPER["relearn"],
    choices=("memory", "last-game"),
    help="what answers: the whole memory, or the last lost game alone (condition a)",
)
_WIDTH: Final = replace(
    _PAPER["width"],
    help="kernel width h: a node at distance d weighs exp(-d^2 / 2h^2); one stone is about 9",
)
SETTINGS: Final = (
    *(_PAPER["records"], _PAPER["alpha"], _RELEARN),
    *(_PAPER[name] for name in ("kernel", "index", "capacity")),
    _WIDTH,
)
"""The player's settings: the paper's settings for the memory, and the regression's width."""


class AnnPlayer:
    """Plays the legal point that its memory of positions rates highest.

    The explanation is a `NetworkAnswer` with the number of the last training and the nearest
    remembered positions.
    """

    name = "ann"

    def __init__(self, rules: Game, settings: Mapping[str, OptionValue]) -> None:
        """Start with an empty memory; `load_memory` fills it.

        Args:
            rules: rules of the game.
            settings: values of all settings, defaults included.
        """
        self.rules = rules
        self.network_id = 0
        self._encoder = build_encoder(rules, settings)
        self._memory = MemoryReader(self._encoder, settings)

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Store the number of the training; `load_memory` brings what was learnt.

        Args:
            network_id: number of the training.
            weights: unused, as there is no network.
        """
        self.network_id = network_id

    def load_memory(self, memory: MemoryNodes) -> None:
        """Use these remembered positions from now on.

        Raises:
            ValueError: they belong to another board size.
        """
        if memory.vectors.shape[1:] != (self.rules.points,):
            raise ValueError(
                f"memory: expected vectors of the shape [N, {self.rules.points}], "
                f"found {memory.vectors.shape}"
            )
        self._memory = self._memory.holding(memory)

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        """Use the remembered positions of a checkpoint from now on; see `LoadsCheckpoints`.

        Args:
            network_id: number of the training.
            directory: folder of the checkpoint.
        """
        with reading(directory / MEMORY_FILE, "a memory of situations"):
            stored = read_arrays(directory / MEMORY_FILE)
            self.load_memory(MemoryNodes(stored["vectors"], stored["labels"], stored["stones"]))
        self.network_id = network_id

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the legal point that the memory rates highest; see `Player.choose`.

        Does not use `rng`: the same board gets the same move, whatever the limit. Between equal
        points a pseudo-random order decides, which depends only on the position.
        """
        require_open(board)
        stones = learner_stones(board, board.to_move)  # [A]
        scores = self._memory.recall.scores(self._encoder.vectors(stones[None]))[0]  # [A]
        scores = break_ties(scores, stones)
        decision = decide(scores, ~playable(stones, self.rules))
        raised = np.exp(np.maximum(scores, NOTHING) - max(float(scores.max()), NOTHING))
        policy = (raised / raised.sum()).astype(np.float32)
        memory = self._memory.describe(stones, board.to_move)
        explanation = network_answer(policy, decision, self.network_id, memory)
        return MoveChoice(decision.move, policy=policy, explanation=explanation)

    def close(self) -> None:
        """Do nothing: no resources are held."""


def break_ties(scores: NDArray[np.float64], stones: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return scores without ties: equal scores differ a little, in a pseudo-random order.

    The order depends only on the position. The points' own order would be a bad choice. It would
    build a row of five along the edge, and so beat a weak defender in four of five games without
    learning.

    Args:
        scores: `[points]` logarithms; `NOTHING` for points that no remembered position rates.
        stones: `[points]` stones of the position.
    """
    draws = np.random.default_rng(list(stones.tobytes())).random(len(scores))
    return np.where(scores <= NOTHING, NOTHING * (1.0 + draws), scores + 1e-9 * draws)


create: Final = AnnPlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""
