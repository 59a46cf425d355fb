"""The seat of the genetic algorithm."""

from __future__ import annotations

from typing import Any, Literal

from scripts.gomoku.seat import Seat
from sim import field


class GeneticSeat(Seat):
    """A genetic algorithm: evolves seven-stone continuations anew for each move."""

    population: int = field(10, min=2, max=500, help="Individuals of a generation")
    generations: int = field(10, min=1, max=500, help="Generations at most")
    elite: float = field(0.2, min=0.01, max=1.0, help="Share that becomes parents")
    mutation: float = field(0.2, min=0.0, max=1.0, help="Chance that a gene changes")
    randomness: Literal["fresh", "board-seeded"] = field(
        "fresh", help="fresh: new dice each move; board-seeded: the same board, the same move"
    )

    def player_name(self) -> str:
        return "genetic"

    def settings(self) -> dict[str, Any]:
        return {
            "population": self.population,
            "generations": self.generations,
            "elite": self.elite,
            "mutation": self.mutation,
            "randomness": self.randomness,
        }
