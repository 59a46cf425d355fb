"""Connect Four: an upright rack into which discs fall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from scripts.gomoku.board.board_view import BoardView
from sim import field, tr

DISC = {"builtin": "counter", "radius": 0.46, "height": 0.22}


class ConnectFourBoard(BoardView):
    """Black's discs are red, White's yellow. A click anywhere in a column drops one there."""

    sides: ClassVar[Mapping[int, str]] = {1: tr("Red"), -1: tr("Yellow")}
    pieces: ClassVar[Mapping[int, Mapping[str, Any]]] = {
        1: {"model": DISC, "material": {"color": [0.86, 0.13, 0.11], "roughness": 0.34}},
        -1: {"model": DISC, "material": {"color": [0.98, 0.78, 0.10], "roughness": 0.34}},
    }
    facing: ClassVar[tuple[float, float, float]] = (0.0, 90.0, 0.0)
    mark_offset: ClassVar[tuple[float, float, float]] = (0.0, -0.2, 0.0)
    turns: ClassVar[bool] = False
    falls: ClassVar[bool] = True
    place_word: ClassVar[str] = "column"
    above: float = field(1.1, min=0.0, max=5.0, unit="m", help="The rack: where a disc is let go")

    def board_model(self) -> dict[str, Any]:
        """Return a rack of the present size."""
        return {"builtin": "rack", "columns": self.size, "rows": self.rows}

    def position_of(self, move: int) -> tuple[float, float, float]:
        """Return the centre of a hole: the rack stands in the x-z plane."""
        x, z, _ = super().position_of(move)
        return (x, 0.0, z)

    def fall_of(self, move: int) -> float:
        """Return the height above a hole from which discs fall."""
        return move // self.size + 0.5 + self.above

    def point_under(self, origin: Any, direction: Any) -> int | None:
        """Return the landing point in the column that a world ray hits, None beside the rack."""
        start = self.object.transform.to_local(origin)
        along = self.object.transform.direction_to_local(direction)
        if self.size == 0 or abs(along[1]) < 1e-9 or start[1] * along[1] > 0:
            return None
        reach = -start[1] / along[1]
        column = round(float(start[0] + reach * along[0]) + (self.size - 1) / 2.0)
        height = float(start[2] + reach * along[2])
        if not 0 <= column < self.size or abs(height) > self.rows / 2.0 + self.above:
            return None
        points = range(column, self.size * self.rows, self.size)
        return max((point for point in points if point not in self.stones), default=None)
