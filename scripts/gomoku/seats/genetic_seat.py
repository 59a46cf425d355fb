"""The seat of the genetic algorithm."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from scripts.gomoku.seats.seat import Seat
from sim import field


class GeneticSeat(Seat):
    """A genetic algorithm: evolves seven-stone continuations anew for each move."""

    setting_keys: ClassVar[tuple[str, ...]] = (
        "population", "generations", "elite", "mutation", "patience", "randomness", "fitness",
    )  # fmt: skip

    population: int = field(10, min=2, max=256, help="Individuals of a generation")
    generations: int = field(10, min=1, max=500, help="Generations at most")
    elite: float = field(0.2, min=0.01, max=1.0, help="Share that becomes parents")
    mutation: float = field(0.2, min=0.0, max=1.0, help="Chance that a gene changes")
    patience: int = field(
        5, min=1, max=500, help="Generations without a better one after which it has stabilised"
    )
    randomness: Literal["fresh", "board-seeded"] = field(
        "fresh", help="fresh: new dice each move; board-seeded: the same board, the same move"
    )
    fitness: Literal["first-five", "final-position", "sum-of-steps"] = field(
        "first-five", help="What a genome is worth: its first five, its last position, all steps"
    )

    def player_name(self) -> str:
        return "genetic"

    def settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.setting_keys}
