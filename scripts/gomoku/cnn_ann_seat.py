"""The seat of the self-teaching network."""

from __future__ import annotations

from typing import Any, Literal

from ai import SettingError, get_player_info, resolve_settings
from scripts.gomoku.seat import Seat
from sim import FieldError, field


class CnnAnnSeat(Seat):
    """CNN + approximate-nearest-neighbour memory: learns from the games it loses."""

    player_kind: Literal["cnn-ann-plus", "cnn-ann"] = field(
        "cnn-ann-plus", help="cnn-ann is the paper's; cnn-ann-plus our improvement"
    )
    records: int = field(
        1, min=1, max=50, help="Positions walked back after a loss; the paper used 1 to 4"
    )
    merges: bool = field(True, help="Off: every record becomes a node of its own (alpha none)")
    alpha: float = field(
        0.5, min=0.0, max=100.0, help="Merge distance of the memory; the paper's best is 5"
    )
    relearn: Literal["memory", "last-game", "never"] = field(
        "memory", help="last-game: trained on the lost game alone, the paper's condition (a)"
    )
    more: str = field(
        "", help="Further settings as KEY=VALUE, separated by spaces; `players` lists them"
    )

    def player_name(self) -> str:
        return self.player_kind

    def settings(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "alpha": self.alpha if self.merges else None,
            "relearn": self.relearn,
            **dict(item.partition("=")[::2] for item in self.more.split()),
        }

    def validate(self) -> None:
        try:
            resolve_settings(get_player_info(self.player_kind), self.settings())
        except SettingError as error:
            raise FieldError("more", expected="settings of the player", found=str(error)) from None
