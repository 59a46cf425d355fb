"""The training panel: how White learns, live, beside a recorded run."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ai import WHITE
from scripts.gomoku.coach import Coach
from scripts.gomoku.match import Match
from sim import Script, field

GROUP = 5
RECORDED = "assets/recorded/self_teaching.json"


class TrainingPanel(Script):
    """Charts of the win rate, the memory, the ranks and the loss."""

    match: Match = field(None)
    coach: Coach = field(None)

    def awake(self) -> None:
        self.recorded = self._read_recorded()

    def start(self) -> None:
        self.panel("Training", self.draw, dock="right")

    def draw(self, ui: Any) -> None:
        """Draw all charts."""
        games, won = self.metrics.series("white_won")
        full = len(won) // GROUP
        rate = won[: full * GROUP].reshape(full, GROUP).sum(axis=1)
        across = games[: full * GROUP].reshape(full, GROUP)[:, -1] if full else games[:0]
        ui.chart(
            "White's wins of five games",
            [
                ("recorded earlier", "muted", *self.recorded),
                ("this run", "amber", across, rate),
            ],
            y_limits=(0.0, 5.2),
            height=132,
            empty="the first group ends with game 5",
        )
        self._draw_summary(ui, len(won), int(won.sum()))
        if ui.imgui.get_content_region_avail().y < 110:
            return
        x, y = self.metrics.series("nodes")
        ui.chart(
            "Memory: situation nodes", [("nodes", "blue", x, y)], height=96,
            y_limits=_from_zero(y, 10.0),
            empty="the memory is empty: White has not lost yet",
        )  # fmt: skip
        x, y = self.metrics.series("loss")
        ui.chart(
            "CNN loss at the end of a training", [("loss", "green", x, y)], height=96,
            y_limits=_from_zero(y, 0.1),
            empty="no training yet: it follows the first loss",
        )  # fmt: skip
        ranks = np.array(self.match.rank_counts[:10] if self.match is not None else [], dtype=float)
        shown = ranks if ranks.sum() else ranks[:0]
        ui.chart(
            "Rank of the move taken", [("moves", "amber", np.arange(1.0, len(shown) + 1), shown)],
            kind="bar", height=96, empty="no move of White yet",
        )  # fmt: skip

    def _draw_summary(self, ui: Any, games: int, wins: int) -> None:
        losses = games - wins
        recent = self.match.records[-50:] if self.match is not None else []
        if recent:
            share = sum(record.winner == WHITE for record in recent) / len(recent)
            games_text = f"last {len(recent)} games" if len(recent) > 1 else "last game"
            ui.key_value(f"White won, {games_text}", f"{share:.0%}")
        ui.key_value("Games so far", f"{games} ({losses} lost)")
        if self.coach is not None and self.coach.retrain_seconds:
            ui.key_value("Last training", f"{self.coach.retrain_seconds[-1]:.1f} s")

    def _read_recorded(self) -> tuple[Any, Any]:
        path = self.run.project / RECORDED
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            wins = np.array(data["wins_per_group"], dtype=np.float64)
        except (OSError, ValueError, KeyError):
            return np.empty(0), np.empty(0)
        return np.arange(1, len(wins) + 1) * float(GROUP), wins


def _from_zero(values: Any, least: float) -> tuple[float, float]:
    """Return limits of an axis from zero to a little above the greatest value."""
    highest = float(values.max()) if len(values) else 0.0
    return 0.0, max(least, highest * 1.12)
