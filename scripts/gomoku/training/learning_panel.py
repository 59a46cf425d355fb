"""The Learning panel of the other games: results, memory and lengths of games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ai import BLACK, WHITE
from scripts.gomoku.seats.learner_client import LearnerClient
from scripts.learning.panel_parts import Chart, draw_charts
from sim import Ui, tr

NO_GAME = tr("no game has ended yet")
Shares = Sequence[tuple[str, str, Any]]


def draw_learning(
    ui: Ui,
    name: str,
    trainer: LearnerClient,
    winners: list[int],
    lengths: list[int],
    shares: Shares,
    window: int,
) -> None:
    """Draw the panel: counts of games and trainings, then charts.

    Args:
        ui: user interface of the panel.
        name: name of the side that learns, White's.
        trainer: the trainer of its player.
        winners: the winner of each game.
        lengths: the number of moves of each game.
        shares: (label, colour, `[N]` share after each game, 0 to 1) of each curve.
        window: number of games over which each share is computed.
    """
    count = len(winners)
    won, lost = winners.count(WHITE), winners.count(BLACK)
    ui.key_value(tr("Games"), str(count))
    ui.key_value(
        tr("{name} won · drew · lost").format(name=name), f"{won} · {count - won - lost} · {lost}"
    )
    ui.key_value(tr("Trainings"), str(trainer.retrains))
    ui.key_value(tr("Remembered positions"), str(trainer.statistics.get("nodes", 0)))
    if not count:
        ui.muted_text(
            tr("{name} starts knowing nothing and learns from each game it loses.").format(
                name=name
            )
        )
    games = np.arange(1.0, count + 1)
    steps, nodes = trainer.metrics.series("nodes")
    charts = (
        Chart(
            tr("{name}'s last {window} games, %").format(name=name, window=window),
            [(label, color, games, 100.0 * y) for label, color, y in shares],
            y_limits=(0.0, 106.0),
            empty=NO_GAME,
        ),
        Chart(
            tr("Remembered positions"),
            [(tr("positions"), "blue", steps, nodes)],
            y_limits=(0.0, max([10.0, *(1.1 * nodes)])),
            empty=tr("the memory is empty: no loss yet"),
        ),
        Chart(
            tr("Moves in each game"),
            [(tr("moves"), "text", games, np.array(lengths, dtype=float))],
            y_limits=(0.0, 1.1 * max([9, *lengths])),
            empty=NO_GAME,
        ),
    )
    draw_charts(ui, charts, x_limits=(0.0, max(10.0, count) + 1.0))
