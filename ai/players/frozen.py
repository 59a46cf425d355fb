"""A trained network in one small file, and a player for it that needs only NumPy.

The file is a card file (`base/storage/card_file.py`). It holds the network's arrays, and a card
with the rules and settings that define the network. `ai.registry.freezing` exports it from a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.network import NetworkEvaluator
from ai.game import BLACK, WHITE, Color, IllegalMoveError, Move, Rules, playable
from ai.nets.architecture import WeightArrays
from ai.players.decision import decide
from base.schema import OptionValue
from base.storage.card_file import Arrays, CardFile, require_float32
from base.values import JsonObject

FILE: Final = CardFile(
    "goishi.network/1", "a frozen network", card="description", most_bytes=512 << 20
)


class FrozenPlayer:
    """Plays the legal point that a trained network rates highest; positions are arrays."""

    def __init__(
        self,
        rules: Rules,
        settings: Mapping[str, OptionValue],
        weights: Mapping[str, NDArray[np.float32]],
    ) -> None:
        """Create the network.

        Args:
            rules: rules that the network was trained for.
            settings: all settings of the trained player.
            weights: arrays by name.

        Raises:
            OptionError: a setting is invalid.
            WeightsError: the weights do not fit the settings.
        """
        self.rules = rules
        self.settings = dict(settings)
        self._evaluator = NetworkEvaluator(rules, settings, weights)

    @property
    def weights(self) -> WeightArrays:
        """The network's weight arrays by name."""
        return self._evaluator.weights

    @classmethod
    def load(cls, path: Path) -> FrozenPlayer:
        """Read the file of a frozen network.

        Raises:
            CardFileError: the file is of another kind, or damaged.
        """
        return FILE.load(path, cls._of)

    @classmethod
    def _of(cls, arrays: Arrays, card: JsonObject) -> FrozenPlayer:
        """Create the player from the arrays and the card of a file.

        Args:
            arrays: weights of the network, by name.
            card: rules and settings, see `save`.

        Raises:
            ValueError: the network does not fit the rules and settings of the card.
        """
        require_float32(arrays)
        rules = Rules(
            size=card["size"],
            win_length=card["win_length"],
            height=card.get("height"),
            gravity=card.get("gravity", False),
            rule=card.get("rule", "freestyle"),
        )
        return cls(rules, card["settings"], arrays)

    def save(self, path: Path) -> None:
        """Write the network with its rules and settings to a file.

        Raises:
            OSError: it cannot be written.
        """
        card: dict[str, object] = {
            "size": self.rules.size,
            "win_length": self.rules.win_length,
            "settings": self.settings,
        }
        if not self.rules.is_plain:
            card |= {"height": self.rules.height, "gravity": self.rules.gravity}
        if self.rules.rule != "freestyle":
            card["rule"] = self.rules.rule.value
        FILE.save(path, self.weights, card)

    def estimate(self, stones: NDArray[np.int8], to_move: Color) -> NDArray[np.float32]:
        """Return the network's probability of each point: `[A]`, sum 1.

        Args:
            stones: `[A]` 1 Black, -1 White, 0 empty, row by row.
            to_move: BLACK or WHITE.

        Raises:
            IllegalMoveError: a stone or the side is invalid.
        """
        return self._evaluator.estimate(self._see(stones, to_move)[None]).reshape(-1)

    def choose(self, stones: NDArray[np.int8], to_move: Color) -> Move:
        """Return the legal point that the network rates highest; see `estimate`.

        Args:
            stones: `[points]` 1 Black, -1 White, 0 empty, row by row.
            to_move: BLACK or WHITE.

        Raises:
            IllegalMoveError: a stone or the side is invalid, or no point is empty.
        """
        estimates = self.estimate(stones, to_move)
        if np.all(stones):
            raise IllegalMoveError("expected a board with an empty point, found a full one")
        return decide(estimates, ~playable(stones, self.rules)).move

    def _see(self, stones: NDArray[np.int8], to_move: Color) -> NDArray[np.int8]:
        """Check the arguments and return the stones as the learner sees them: `[points]`.

        These are 1 for the opponent's stones, -1 for its own.

        Args:
            stones: `[points]` 1 Black, -1 White, 0 empty.
            to_move: BLACK or WHITE, the learner's side.

        Raises:
            IllegalMoveError: a stone or the side is invalid.
        """
        if stones.shape != (self.rules.points,) or np.any(np.abs(stones) > 1):
            raise IllegalMoveError(
                f"stones: expected {self.rules.points} of 1 (Black), -1 (White) and 0, found "
                f"{stones!r}"
            )
        if to_move not in (BLACK, WHITE):
            raise IllegalMoveError(f"to_move: expected {BLACK} or {WHITE}, found {to_move}")
        seen: NDArray[np.int8] = stones.astype(np.int8) * np.int8(-to_move)
        return seen
