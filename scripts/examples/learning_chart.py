"""A chart of the learner's results, on an object of the scene and as a panel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ai import BLACK, WHITE, GameRecord
from scripts.gomoku.game.match import Match
from scripts.gomoku.training.learning_panel import draw_learning
from sim import Script, Ui, field, on, tr

AREA = (84, 112, 532, 232)  # left, top, width and height of the curves, in 640 x 400 pixels
PAPER, INK, LINES = (0.965, 0.95, 0.925), (0.165, 0.18, 0.205), (0.0, 0.0, 0.0, 0.22)
CURVES = ((tr("not lost"), "green", (0.09, 0.52, 0.3)), (tr("won"), "amber", (0.84, 0.38, 0.04)))


class LearningChart(Script):
    """Shows the shares of the last games that White won, and did not lose."""

    match: Match = field(None)
    window: int = field(25, min=2, max=200, title="Games per point")

    def awake(self) -> None:
        self.winners: list[int] = []
        self.lengths: list[int] = []

    def start(self) -> None:
        self.paint()
        self.panel(tr("Learning"), self.draw, dock="right", icon="chart-line")

    @on("match.game_over")
    def count(self, record: GameRecord) -> None:
        """Count a finished game."""
        self.add([record])
        for (name, *_), share in zip(CURVES, self.shares(), strict=True):
            self.metrics.log(f"White {name}", float(share[-1]), step=record.game)

    @on("match.resumed")
    def add(self, records: list[GameRecord]) -> None:
        """Count earlier games, such as those of the last session."""
        self.winners += [record.winner for record in records]
        self.lengths += [len(record.moves) for record in records]
        self.paint()

    def shares(self) -> list[Any]:
        """Return the running shares `[N]` of games not lost, and of games won."""
        results, ends = np.array(self.winners), np.arange(1, len(self.winners) + 1)
        counts = np.minimum(ends, self.window)
        totals = [np.append(0, np.cumsum(hit)) for hit in (results != BLACK, results == WHITE)]
        return [(total[ends] - total[ends - counts]) / counts for total in totals]

    def paint(self) -> None:
        """Redraw the chart."""
        canvas, count = self.canvas, len(self.winners)
        canvas.resize(640, 400, background=PAPER)
        canvas.clear()
        name = self.match.board.sides[WHITE] if self.match is not None else "White"
        canvas.text(f"{name} teaches itself", (AREA[0] - 60, 48), INK, size=40, weight=600)
        canvas.grid(AREA, 0.0, 100.0, color=LINES, text_color=INK, size=28, ticks=2)
        for index, (curve, (label, _, color)) in enumerate(zip(self.shares(), CURVES, strict=True)):
            if count:
                canvas.plot(curve, AREA, color, low=0.0, high=1.0, width=6)
            canvas.text(f"% {label}", (AREA[0] + 190 * index, 92), color, size=32, weight=600)
        canvas.text(f"game {count}", (AREA[0] + AREA[2], 384), INK, size=28, align="right")

    def draw(self, ui: Ui) -> None:
        """Draw the panel: results, the same curves, the size of the memory, lengths of games."""
        shares = [(*item[:2], y) for item, y in zip(CURVES, self.shares(), strict=True)]
        name, trainer = self.match.board.sides[WHITE], self.match.trainer
        draw_learning(ui, name, trainer, self.winners, self.lengths, shares, self.window)
