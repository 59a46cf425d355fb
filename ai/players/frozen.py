"""Frozen networks: one small file each, and a player that needs NumPy only.

The file is an `.npz` without pickled objects: the arrays of the network and, under `description`,
JSON with the rules and the settings that shaped it. `ai.registry.freezing` exports it from a run.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.network import NetworkEvaluator
from ai.game import BLACK, WHITE, Color, IllegalMoveError, Move, Rules, playable
from ai.players.base import PlayerError
from ai.players.decision import decide, shares_of
from base.schema import OptionValue

FORMAT: Final = "goishi.network/1"
DESCRIPTION: Final = "description"


class FrozenPlayer:
    """Plays a trained network's best playable point, on positions given as arrays."""

    def __init__(
        self,
        rules: Rules,
        settings: Mapping[str, OptionValue],
        weights: Mapping[str, NDArray[np.float32]],
    ) -> None:
        """Create the network.

        Args:
            rules: rules that it was trained for.
            settings: every setting of the player that was trained.
            weights: arrays by name.

        Raises:
            OptionError: a setting is invalid.
            WeightsError: the weights do not fit the settings.
        """
        self.rules = rules
        self.settings = dict(settings)
        self._evaluator = NetworkEvaluator(rules, settings, weights)

    @classmethod
    def load(cls, path: Path) -> FrozenPlayer:
        """Read the file of a frozen network.

        Raises:
            PlayerError: it is no such file, or damaged.
            OSError: it cannot be opened.
        """
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            description = json.loads(arrays.pop(DESCRIPTION).tobytes())
            if description["format"] != FORMAT:
                raise PlayerError(
                    f"{path.name}: expected the format {FORMAT!r}, found {description['format']!r}"
                )
            rules = Rules(
                size=description["size"],
                win_length=description["win_length"],
                height=description.get("height"),
                gravity=description.get("gravity", False),
                rule=description.get("rule", "freestyle"),
            )
            return cls(rules, description["settings"], arrays)
        except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise PlayerError(f"{path.name}: expected a frozen network, found {error!r}") from error

    def save(self, path: Path) -> None:
        """Write the network with its rules and settings to a file.

        Raises:
            OSError: it cannot be written.
        """
        description: dict[str, object] = {
            "format": FORMAT,
            "size": self.rules.size,
            "win_length": self.rules.win_length,
            "settings": self.settings,
        }
        if not self.rules.is_plain:
            description |= {"height": self.rules.height, "gravity": self.rules.gravity}
        if self.rules.rule != "freestyle":
            description["rule"] = self.rules.rule.value
        text = np.frombuffer(json.dumps(description).encode(), np.uint8)
        with path.open("wb") as file:
            np.savez_compressed(
                file, allow_pickle=False, **{DESCRIPTION: text}, **self._evaluator.weights
            )

    def estimate(self, stones: NDArray[np.int8], to_move: Color) -> NDArray[np.float32]:
        """Return the network's answer `[A]` as shares that sum to 1.

        Args:
            stones: `[A]` 1 Black, -1 White, 0 empty, row by row.
            to_move: BLACK or WHITE.

        Raises:
            IllegalMoveError: a stone or the side is invalid.
        """
        return shares_of(self._answer(stones, to_move))

    def choose(self, stones: NDArray[np.int8], to_move: Color) -> Move:
        """Return the best playable point; see `estimate`.

        Args:
            stones: `[A]` 1 Black, -1 White, 0 empty, row by row.
            to_move: BLACK or WHITE.

        Raises:
            IllegalMoveError: a stone or the side is invalid, or no point is empty.
        """
        estimates = self._answer(stones, to_move)
        if np.all(stones):
            raise IllegalMoveError("expected a board with an empty point, found a full one")
        return decide(estimates, ~playable(stones, self.rules)).move

    def _answer(self, stones: NDArray[np.int8], to_move: Color) -> NDArray[np.float32]:
        answers = self._evaluator.estimate(self._see(stones, to_move)[None])  # [1, A]
        return answers.reshape(-1)

    def _see(self, stones: NDArray[np.int8], to_move: Color) -> NDArray[np.int8]:
        """Return the stones as the network learnt to see them: the opponent's +1, its own -1."""
        if stones.shape != (self.rules.points,) or np.any(np.abs(stones) > 1):
            raise IllegalMoveError(
                f"stones: expected {self.rules.points} of 1 (Black), -1 (White) and 0, found "
                f"{stones!r}"
            )
        if to_move not in (BLACK, WHITE):
            raise IllegalMoveError(f"to_move: expected {BLACK} or {WHITE}, found {to_move}")
        seen: NDArray[np.int8] = stones.astype(np.int8) * np.int8(-to_move)
        return seen
