"""The seat of the self-teaching network."""

from __future__ import annotations

from typing import Any, Literal

from scripts.gomoku.seat import Seat
from sim import field


class CnnAnnSeat(Seat):
    """CNN + approximate-nearest-neighbour memory: learns from the games it loses."""

    player_kind: Literal["cnn-ann-plus", "cnn-ann"] = field(
        "cnn-ann-plus", help="cnn-ann is the paper's; cnn-ann-plus our improvement"
    )
    records: int = field(
        1, min=1, max=50, help="Positions walked back after a loss; the paper used 1 to 4"
    )
    alpha: float = field(
        0.5, min=0.0, max=100.0, help="Merge distance of the memory; the paper's best is 5"
    )

    def player_name(self) -> str:
        return self.player_kind

    def settings(self) -> dict[str, Any]:
        return {"records": self.records, "alpha": self.alpha}
