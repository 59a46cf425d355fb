"""Settings of the genetic player, in a module of their own that loads no kernels."""

from __future__ import annotations

from typing import Final

from ai.kernels.layout import MAX_GENERATIONS, MAX_POPULATION
from base.schema import Option

BOARD_SEEDED: Final = "board-seeded"
FRESH: Final = "fresh"
FITNESS: Final = ("first-five", "final-position", "sum-of-steps")

SETTINGS: Final = (
    Option("population", 10, 2, MAX_POPULATION, help="genomes in a generation"),
    Option("generations", 10, 0, MAX_GENERATIONS, help="generations bred at most"),
    Option("elite", 0.2, 0.0, 1.0, help="share of the population that lives on and breeds"),
    Option("mutation", 0.2, 0.0, 1.0, help="probability that a child has one gene exchanged"),
    Option(
        "randomness",
        FRESH,
        choices=(BOARD_SEEDED, FRESH),
        help="board-seeded: the same position always gets the same move; fresh: drawn anew",
    ),
    Option(
        "fresh_share",
        0.0,
        0.0,
        1.0,
        help="share of moves that are drawn anew where the others are board-seeded",
    ),
    Option(
        "fitness",
        FITNESS[0],
        choices=FITNESS,
        help="what a genome is worth: its first five, discounted, else its last position; "
        "its last position alone; or the sum over its steps",
    ),
    Option(
        "patience",
        5,
        1,
        MAX_GENERATIONS,
        help="generations without a better genome after which the population counts as stable",
    ),
    Option(
        "default_policy",
        False,
        help="make five, stop a five, stop an open four, before anything is evolved",
    ),
)
