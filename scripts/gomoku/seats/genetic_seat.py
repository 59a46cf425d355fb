"""The seat of the genetic algorithm."""

from __future__ import annotations

from typing import ClassVar

from ai import OptionValue, get_player_info
from scripts.gomoku.seats.seat import Seat
from sim import field

PLAYER = get_player_info("genetic")
OPTIONS = {item.key: item for item in PLAYER.settings}


class GeneticSeat(Seat):
    """A genetic algorithm: evolves seven-stone continuations anew for each move."""

    setting_keys: ClassVar[tuple[str, ...]] = (
        "population", "generations", "elite", "mutation", "patience", "randomness", "fitness",
        "default_policy",
    )  # fmt: skip

    population: int = field(OPTIONS["population"])
    generations: int = field(OPTIONS["generations"])
    elite: float = field(OPTIONS["elite"])
    mutation: float = field(OPTIONS["mutation"])
    patience: int = field(OPTIONS["patience"])
    randomness: str = field(OPTIONS["randomness"])
    fitness: str = field(OPTIONS["fitness"])
    default_policy: bool = field(OPTIONS["default_policy"])

    def player_name(self) -> str:
        return PLAYER.name

    def settings(self) -> dict[str, OptionValue]:
        return {name: getattr(self, name) for name in self.setting_keys}
