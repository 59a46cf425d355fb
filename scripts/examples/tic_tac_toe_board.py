"""Tic-tac-toe on a wooden board: crosses and rings on three by three cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from scripts.gomoku.board.board_view import BoardView
from sim import tr


class TicTacToeBoard(BoardView):
    """Black's pieces are crosses, White's are rings."""

    sides: ClassVar[Mapping[int, str]] = {1: tr("Cross"), -1: tr("Ring")}
    pieces: ClassVar[Mapping[int, Mapping[str, Any]]] = {
        1: {
            "model": {"builtin": "cross", "radius": 0.36, "tube": 0.085},
            "material": {"color": [0.13, 0.14, 0.16], "roughness": 0.3},
        },
        -1: {
            "model": {"builtin": "torus", "radius": 0.24, "tube": 0.085},
            "material": {"color": [0.95, 0.93, 0.88], "roughness": 0.28},
        },
    }
    mark_offset: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.012)
    last_radius: ClassVar[float] = 0.41
    line_radius: ClassVar[float] = 0.41
    turns: ClassVar[bool] = False
    place_word: ClassVar[str] = "cell"

    def board_model(self) -> dict[str, Any]:
        """Return a board with grooves between the cells."""
        return {"builtin": "goban", "size": self.size, "labels": True, "cells": True}
