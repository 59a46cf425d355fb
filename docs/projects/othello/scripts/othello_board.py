"""A wooden board with cells, and flat discs."""

from collections.abc import Mapping
from typing import Any, ClassVar

from goishi.scripts.gomoku.board.board_view import BoardView

HEIGHT = 0.16
DISC = {"builtin": "counter", "radius": 0.42, "height": HEIGHT}


class OthelloBoard(BoardView):
    """Shows discs that lie flat; a disc that changes its side turns over in the air."""

    pieces: ClassVar[Mapping[int, Mapping[str, Any]]] = {
        1: {"model": DISC, "material": {"color": [0.05, 0.06, 0.07], "roughness": 0.35}},
        -1: {"model": DISC, "material": {"color": [0.93, 0.92, 0.88], "roughness": 0.35}},
    }
    mark_offset: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.09)
    last_radius: ClassVar[float] = 0.2
    turns: ClassVar[bool] = False
    place_word: ClassVar[str] = "cell"

    def board_model(self) -> dict[str, Any]:
        """Return a wooden board with a cell a point."""
        return {"builtin": "goban", "size": self.size, "labels": True, "cells": True}

    def position_of(self, move: int) -> tuple[float, float, float]:
        """Return the middle of a disc that lies on a point."""
        x, y, z = super().position_of(move)
        return (x, y, z + HEIGHT / 2)
