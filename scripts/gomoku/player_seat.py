"""The seat of any player, by name; also of one's own."""

from __future__ import annotations

from typing import Any

from scripts.gomoku.seat import Seat
from sim import field


class PlayerSeat(Seat):
    """Any player: a shipped one by its name, or a factory of the project."""

    player_kind: str = field(
        "random", help="A name that `players` lists, or scripts.my_player:create of your own"
    )
    more: str = field(
        "", help="Its settings as KEY=VALUE, separated by spaces; `players` lists them"
    )

    def player_name(self) -> str:
        return self.player_kind

    def settings(self) -> dict[str, Any]:
        return dict(item.partition("=")[::2] for item in self.more.split())
