"""The seat of a rule-based or searching player: the learner's opponent in other games."""

from __future__ import annotations

from typing import Any, Literal

from scripts.gomoku.seats.seat import Seat
from sim import field


class RuleSeat(Seat, title="Rule-based player"):
    """A player that looks one ply ahead, or searches some plies deep; it does not learn."""

    kind: Literal["one-ply", "alpha-beta", "random"] = field(
        "one-ply", help="one-ply wins where it can, else stops a row, else plays anywhere"
    )
    depth: int = field(4, min=1, max=20, help="Moves that alpha-beta looks ahead")

    def player_name(self) -> str:
        return self.kind

    def settings(self) -> dict[str, Any]:
        return {"depth": self.depth} if self.kind == "alpha-beta" else {}
