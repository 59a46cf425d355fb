"""The learner's curve: painted on a chart that stands in the scene, and as a panel."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from ai import BLACK, WHITE, GameRecord
from scripts.gomoku.match import Match
from sim import Script, field, on

LEFT, TOP, RIGHT, BOTTOM = 74, 92, 616, 344  # of the curves, in a picture of 640 x 400
PAPER, INK, QUIET = (236, 242, 246), (52, 46, 42), (190, 184, 178)
CURVES = (("not lost", "green", (76, 132, 22)), ("won", "amber", (10, 96, 214)))


class LearningChart(Script):
    """Shows how many of the last games White won, and how many it did not lose."""

    match: Match = field(None)
    window: int = field(25, min=2, max=200, help="Games in a point of the curve")

    def awake(self) -> None:
        self.winners: list[int] = []

    def start(self) -> None:
        self.paint()
        self.panel("Learning", self.draw, dock="right", icon="chart-line")

    @on("match.game_over")
    def count(self, record: GameRecord) -> None:
        """Take in how a game ended."""
        self.take_up([record])
        for (name, *_), share in zip(CURVES, self.shares(), strict=True):
            self.metrics.log(f"White {name}", float(share[-1]), step=record.game)

    @on("match.resumed")
    def take_up(self, records: list[GameRecord]) -> None:
        """Take in games, such as those that were played before the last stop."""
        self.winners += [record.winner for record in records]
        self.paint()

    def shares(self) -> list[Any]:
        """Return `[N]` the share not lost and the share won of the games up to each one."""
        results, ends = np.array(self.winners), np.arange(1, len(self.winners) + 1)
        counts = np.minimum(ends, self.window)
        totals = [np.append(0, np.cumsum(hit)) for hit in (results != BLACK, results == WHITE)]
        return [(total[ends] - total[ends - counts]) / counts for total in totals]

    def paint(self) -> None:
        """Paint the chart anew."""
        picture = np.full((400, 640, 3), PAPER, np.uint8)
        name = self.match.board.sides[WHITE] if self.match is not None else "White"
        _write(picture, f"{name} teaches itself", (LEFT, 44), 0.95, INK)
        for part in (0.0, 0.5, 1.0):
            y = round(BOTTOM - part * (BOTTOM - TOP))
            cv2.line(picture, (LEFT, y), (RIGHT, y), QUIET, 1, cv2.LINE_AA)
            _write(picture, f"{part:.0%}", (12, y + 6), 0.55, INK)
        for index, (curve, (label, _, color)) in enumerate(zip(self.shares(), CURVES, strict=True)):
            x = LEFT + (RIGHT - LEFT) * np.arange(1, len(curve) + 1) / max(len(curve), 10)
            points = np.stack([x, BOTTOM - (BOTTOM - TOP) * curve], axis=1).round()
            cv2.polylines(picture, [points.astype(np.int32)], False, color, 3, cv2.LINE_AA)
            _write(picture, label, (LEFT + 130 * index, 74), 0.6, color)
        _write(picture, f"{len(self.winners)} games, mean of {self.window}", (LEFT, 378), 0.6, INK)
        self.object.texture = picture

    def draw(self, ui: Any) -> None:
        """Draw the panel: the same curves, and what the memory holds."""
        games, coach = np.arange(1.0, len(self.winners) + 1), self.match.coach
        ui.key_value("Games · trainings", f"{len(games)} · {coach.retrains}")
        ui.key_value("Situations remembered", str(coach.statistics.get("nodes", 0)))
        lines = [
            (item[0], item[1], games, y) for item, y in zip(CURVES, self.shares(), strict=True)
        ]
        ui.chart(
            f"Share of the last {self.window} games", lines, y_limits=(0.0, 1.05), height=220.0
        )


def _write(picture: Any, text: str, place: tuple[int, int], size: float, color: Any) -> None:
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_DUPLEX, size, color, 1, cv2.LINE_AA)
