"""The convolution player: values all points by convolution filters, without a search."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.convolution import (
    BETA,
    FAST,
    METHODS,
    ConvolutionEvaluator,
    above_least,
    lengths_of,
)
from ai.game import EMPTY, Position, Rules, open_board
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import ValueField
from base.files import SHIPPED_ROOT
from base.schema import Option, OptionValue

WEIGHTS_FILE: Final = "assets/players/convolution.json"
"""Path of the file with the filters' weights, which were fitted to games.

The file also describes the fit and its results.
"""
WEIGHT_KEYS: Final = ("five", "four", "three", "two")
"""Names of the settings for the weights; each is for filters of one length, the longest first."""

SETTINGS: Final = (
    Option(
        "method",
        FAST,
        choices=METHODS,
        help="fast: counts what a stone adds; text-book: all convolutions for each vacant point, "
        "by OpenCV; both play the same moves",
    ),
    Option("beta", BETA, 0.0, 1e6, help="value of nearness to the middle; the document's is 10"),
    *(
        Option(
            key,
            None,
            -1e9,
            1e9,
            help=f"weight of the four filters of length {5 - number}; none: the fitted one",
        )
        for number, key in enumerate(WEIGHT_KEYS)
    ),
)


@cache
def fitted_weights() -> tuple[float, ...]:
    """Return the weights that Goishi includes, one per filter length, the longest first.

    Raises:
        OSError: the file cannot be read.
    """
    text = (SHIPPED_ROOT / WEIGHTS_FILE).read_text(encoding="utf-8")
    return tuple(float(weight) for weight in json.loads(text)["weights"])


class ConvolutionPlayer:
    """Plays the point with the highest value; chooses at random among equal points.

    The values are the same for both sides, so that making a five and stopping one count the same.
    """

    name = "convolution"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        given = [cast("float | None", settings[key]) for key in WEIGHT_KEYS]
        fitted = fitted_weights() if None in given else (0.0,) * len(given)
        weights = [own if own is not None else fitted[k] for k, own in enumerate(given)]
        self._evaluator = ConvolutionEvaluator(
            rules,
            weights[: len(lengths_of(rules.win_length))],
            beta=cast("float", settings["beta"]),
            method=cast("str", settings["method"]),
        )

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the point with the highest value, whatever the limit; see `Player.choose`."""
        board = open_board(board)
        field = self._evaluator.field(board)
        is_vacant = np.array(board.stones) == EMPTY
        best = np.flatnonzero(is_vacant & (field == field[is_vacant].max()))
        return MoveChoice(
            int(best[int(rng.integers(len(best)))]),
            policy=_shares(field, is_vacant),
            explanation=ValueField(field_values=tuple(field.tolist())),
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""


def _shares(field: NDArray[np.float64], is_vacant: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the move probabilities: `[points]`, sum 1.

    They are proportional to a point's value minus the lowest value of an empty point. If all values
    are equal, so are the probabilities.

    Args:
        field: `[points]` values.
        is_vacant: `[points]` whether each point is empty.
    """
    gains = above_least(field[None], is_vacant[None])[0]
    if gains.sum() == 0.0:
        gains = is_vacant.astype(np.float64)
    shares: NDArray[np.float32] = (gains / gains.sum()).astype(np.float32)
    return shares


create: Final = ConvolutionPlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""
