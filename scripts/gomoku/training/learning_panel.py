"""The Learning panel of the other games: results, memory and lengths of games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ai import BLACK, WHITE
from scripts.gomoku.game.match import Match
from sim import Ui

CHARTS, TITLE_ROOM, LEAST_HEIGHT, MOST_HEIGHT = 3, 30.0, 92.0, 230.0  # pixels
NO_GAME = "no game is over yet"
Shares = Sequence[tuple[str, str, Any]]


def draw_learning(
    ui: Ui, match: Match, winners: list[int], lengths: list[int], shares: Shares, window: int
) -> None:
    """Draw the panel.

    Args:
        ui: the panel's.
        match: the match, whose White learns.
        winners: the winner of each game.
        lengths: the moves of each game.
        shares: (label, colour, `[N]` share of the last games, 0 to 1) of each curve.
        window: games in a point of the curves.
    """
    name, coach, count = match.board.sides[WHITE], match.trainer, len(winners)
    won, lost = winners.count(WHITE), winners.count(BLACK)
    ui.key_value("Games", str(count))
    ui.key_value(f"{name} won · drew · lost", f"{won} · {count - won - lost} · {lost}")
    ui.key_value("Trainings", str(coach.retrains))
    ui.key_value("Situations remembered", str(coach.statistics.get("nodes", 0)))
    if not count:
        ui.muted_text(f"{name} starts knowing nothing and learns from each game it loses.")
    games = np.arange(1.0, count + 1)
    limits = (0.0, max(10.0, count) + 1.0)
    height = _height(ui)
    ui.chart(
        f"{name}'s last {window} games, %",
        [(label, color, games, 100.0 * y) for label, color, y in shares],
        y_limits=(0.0, 106.0), x_limits=limits, height=height, empty=NO_GAME,
    )  # fmt: skip
    steps, nodes = match.metrics.series("nodes")
    ui.chart(
        "Situations remembered", [("situations", "blue", steps, nodes)], x_limits=limits,
        y_limits=(0.0, max([10.0, *(1.1 * nodes)])), height=height,
        empty="the memory is empty: no loss yet",
    )  # fmt: skip
    ui.chart(
        "Moves of each game", [("moves", "text", games, np.array(lengths, dtype=float))],
        y_limits=(0.0, 1.1 * max([9, *lengths])), x_limits=limits, height=height, empty=NO_GAME,
    )  # fmt: skip


def _height(ui: Ui) -> float:
    """Return the height of each chart, so that they fill the column."""
    room = float(ui.imgui.get_content_region_avail().y) / ui.theme.scale / CHARTS - TITLE_ROOM
    return min(max(room, LEAST_HEIGHT), MOST_HEIGHT)
