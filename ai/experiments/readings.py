"""Readings of the self-teaching paper: where its text is silent, one variant for each answer.

Each variant changes one thing of the base reading: softmax outputs, otherwise `cnn-ann` as it is.
The variant that reproduced the paper's order, `sigmoid`, is what `cnn-ann` came to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ai.experiments.configuration import CellConfiguration
from ai.experiments.grid import cells_of
from ai.players.settings import SettingValue

BASE: Final[Mapping[str, SettingValue]] = {"output": "softmax"}
SCREENED_CONDITIONS: Final = ("no-relearn", "none", "5", "25")
"""Conditions (a), (b), (c) and (g)."""
SCREENED_GAMES: Final = 200
SCREENED_RECORDS: Final = 4


@dataclass(frozen=True)
class Reading:
    """One answer to one open question.

    Attributes:
        name: of the variant, its folder's name.
        question: what the paper leaves open.
        settings: of the learner that differ from the base.
        opponent: settings of the genetic algorithm that differ.
        ga: population x generations.
        randomness: of the genetic algorithm.
    """

    name: str
    question: str
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    opponent: Mapping[str, SettingValue] = field(default_factory=dict)
    ga: str = "10x10"
    randomness: str = "board-seeded"

    def cells(self, seeds: tuple[int, ...], games: int = SCREENED_GAMES) -> list[CellConfiguration]:
        """Return the screening cells: records 4, conditions a, b, c, g."""
        base = CellConfiguration(
            player="cnn-ann",
            games=games,
            ga=self.ga,
            randomness=self.randomness,
            settings={**BASE, **self.settings},
            opponent=self.opponent,
        )
        return cells_of(
            base, records=(SCREENED_RECORDS,), conditions=SCREENED_CONDITIONS, seeds=seeds
        )


READINGS: Final = (
    Reading("base", "none: softmax outputs, cross entropy"),
    Reading("plies", "the walk back counts plies, not Black's stones", {"walk_back": "plies"}),
    Reading("after-reply", "the state after White's reply", {"walk_back": "after-reply"}),
    Reading("planes", "the net sees the raw board as two planes", {"input": "planes"}),
    Reading("dense", "three dense layers", {"layout": "all-dense"}),
    Reading(
        "convolutions", "three convolutions", {"layout": "three-convolutions", "hidden": "49,64,64"}
    ),
    Reading("sigmoid", "sigmoid outputs, squared error", {"output": "sigmoid"}),
    Reading("linear", "linear outputs, squared error", {"output": "linear"}),
    Reading("counts", "labels as counted, not normalised", {"combine": "counts"}),
    Reading("same-weights", "each net begins with the same weights", {"redraw": "same"}),
    Reading("epochs-60", "longer training", {"epochs": 60}),
    Reading("slow-rate", "a smaller learning rate", {"rate": 0.001}),
    Reading("raw-distance", "distances between raw boards", {"kernel": "1"}),
    Reading("weak-ga", "a weaker Black, 4x2", ga="4x2"),
    Reading(
        "last-position",
        "fitness of the last position alone",
        opponent={"fitness": "final-position"},
    ),
    Reading("summed", "fitness summed over the steps", opponent={"fitness": "sum-of-steps"}),
    Reading("fresh", "Black's dice are fresh at each move", randomness="fresh"),
)
"""All variants of the screening."""
