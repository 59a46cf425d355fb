"""Readings: variants of the learner for questions that the paper's text leaves open.

Each changes one setting of the default `cnn-ann`. A reading counts only if its network holds the
memory that it was taught (`held` in `ai.learning.measures`); otherwise its wins say nothing about
the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ai.experiments.configuration import CellConfiguration
from ai.experiments.grid import cells_of
from base.schema import OptionValue

KEPT: Final[Mapping[str, OptionValue]] = {"samples": "kept", "redraw": "carried"}
"""What it learns must not cost what it knew: nodes, and all other answers as they were."""
SCREENED_CONDITIONS: Final = ("no-relearn", "none", "5", "25")
"""Conditions (a), (b), (c) and (g)."""
SCREENED_GAMES: Final = 200
SCREENED_RECORDS: Final = 4


@dataclass(frozen=True)
class Reading:
    """One answer to one open question about the paper.

    Attributes:
        name: name of the variant and of its folder.
        question: what the paper leaves open.
        settings: the learner's settings that differ from the base.
        opponent: the genetic algorithm's settings that differ.
        ga: "population x generations".
        randomness: randomness of the genetic algorithm.
    """

    name: str
    question: str
    settings: Mapping[str, OptionValue] = field(default_factory=dict)
    opponent: Mapping[str, OptionValue] = field(default_factory=dict)
    ga: str = "10x10"
    randomness: str = "board-seeded"

    def cells(
        self,
        seeds: tuple[int, ...],
        games: int = SCREENED_GAMES,
        conditions: tuple[str, ...] = SCREENED_CONDITIONS,
    ) -> list[CellConfiguration]:
        """Return the screening cells: records 4, conditions a, b, c, g."""
        base = CellConfiguration(
            player="cnn-ann",
            games=games,
            ga=self.ga,
            randomness=self.randomness,
            settings=self.settings,
            opponent=self.opponent,
        )
        return cells_of(base, records=(SCREENED_RECORDS,), conditions=conditions, seeds=seeds)


READINGS: Final = (
    Reading("base", "none: `cnn-ann` as it comes"),
    # what a network is re-created from, and what keeps it from forgetting
    Reading("same-weights", "re-created from the same first weights", {"redraw": "same"}),
    Reading("carried", "one network all along, never re-created", {"redraw": "carried"}),
    Reading("kept", "… that keeps its own answers elsewhere", KEPT),
    Reading("kept-anew", "re-created, trained on the kept answers, too", {"samples": "kept"}),
    Reading(
        "imagined",
        "trained on imagined positions that the memory answers",
        {
            "samples": "imagined",
            "redraw": "carried",
            "width": 2.0,
            "batch": 256,
            "steps": 150,
        },
    ),
    # which states, which labels
    Reading("plies", "the walk back counts plies, not Black's stones", {"walk_back": "plies"}),
    Reading("after-reply", "the state after White's reply", {"walk_back": "after-reply"}),
    Reading("own-stone", "… and White's stone where Black's came", {"walk_back": "own-stone"}),
    Reading("in-place", "… that stone in place of the reply", {"walk_back": "in-place-of-reply"}),
    Reading("turned", "the end, Black's last k stones turned white", {"walk_back": "turned"}),
    Reading("counts", "labels as counted, not normalised", {"combine": "counts"}),
    Reading("raw-distance", "distances between raw boards", {"distance": "stones"}),
    Reading("label-distance", "distances between one-hot vectors", {"distance": "label"}),
    # which network, trained how
    Reading("planes", "the net sees the raw board as two planes", {"input": "planes"}),
    Reading("dense", "three dense layers", {"layout": "all-dense"}),
    Reading(
        "convolutions", "three convolutions", {"layout": "three-convolutions", "hidden": "49,64,64"}
    ),
    Reading("sigmoid", "sigmoid outputs, cross entropy of each", {"output": "sigmoid"}),
    Reading(
        "sigmoid-squared",
        "sigmoid outputs, squared error",
        {"output": "sigmoid", "loss": "squared-error", "rate": 0.005},
    ),
    Reading(
        "softmax-squared",
        "softmax outputs, squared error",
        {"loss": "squared-error", "rate": 0.005},
    ),
    Reading("linear", "linear outputs, squared error", {"output": "linear", "rate": 0.001}),
    Reading("momentum", "gradient descent with momentum", {"optimizer": "momentum", "rate": 0.05}),
    Reading("no-early-stop", "trained to the end, though it holds all", {"enough": None}),
    # which Black
    Reading("weak-ga", "a Black whose games last as long as the paper's, 4x2", ga="4x2"),
    Reading(
        "last-position",
        "fitness of the last position alone, 6x3",
        opponent={"fitness": "final-position"},
        ga="6x3",
    ),
    Reading("summed", "fitness summed over the steps", opponent={"fitness": "sum-of-steps"}),
    Reading("fresh", "Black's dice are fresh at each move", randomness="fresh"),
)
"""All variants of the screening."""
