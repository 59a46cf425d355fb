"""The position on the board with what is known of its last moves: live, past, or of a side game."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from ai import MoveChoice, PlayerInfo, Position


def _nothing() -> None:
    """Ask nobody."""


@dataclass(frozen=True)
class ShownPosition:
    """What explanations and overlays are about.

    Attributes:
        board: the position; None before the first game.
        choices: (ply, choice) of the last explained moves, by color.
        players: who plays, or played, each color.
        key: another one whenever anything else here is another.
        note: what a reader must know, such as who was asked; "" for nothing.
        is_asking: whether choices are still to come.
        ask: asks for choices that are missing; called when somebody looks.
    """

    board: Position | None
    choices: Mapping[int, tuple[int, MoveChoice]]
    players: Mapping[int, PlayerInfo]
    key: Hashable
    note: str = ""
    is_asking: bool = False
    ask: Callable[[], object] = field(default=_nothing, compare=False)
