"""Curves of the training panel, computed once from the metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ai import FAILED_BELOW, Curve, Explanation, decimate, group_wins, rolling_elo
from scripts.gomoku.training.compared_runs import ComparedRuns, Line
from sim import Ui

Marks = list[tuple[float, str]]

TITLE_ROOM = 27.0  # of a chart's heading, pixels
LEAST_HEIGHT = 92.0
WINS = (-0.2, 5.2)  # limits of an axis: a point at none, or at five, is seen whole
MOST_HEIGHT = 230.0
NOTHING_TRAINED = "nothing is trained: the memory itself answers"
NOT_NOW = "no training since the scene was opened; those before were not noted"
NO_TRAINING = "no training yet: it follows the first game that White loses"


class RunCurves:
    """Data of the charts, recomputed only after something was logged."""

    def __init__(self, metrics: Any) -> None:
        self._metrics = metrics
        self._revision = -1
        self._known: dict[str, Any] = {}

    def line(self, name: str) -> tuple[Any, Any]:
        """Return the steps and values of a series."""
        result: tuple[Any, Any] = self._get(name, lambda: decimate(*self._metrics.series(name)))
        return result

    def wins(self, name: str = "white_won") -> Curve:
        """Return the curve of White's wins of each five games; "white_row": of those by a row."""
        series = self._metrics.series
        result: Curve = self._get(f"#{name}", lambda: group_wins(*series(name)).decimated())
        return result

    def elo(self) -> Curve:
        """Return the curve of White's Elo against Black; games with a person do not count."""

        def make() -> Curve:
            games, won = self._metrics.series("white_won")
            people = self._metrics.series("with_person")[0]
            return rolling_elo(games, won, people).decimated()

        result: Curve = self._get("#elo", make)
        return result

    def score(self) -> tuple[int, int]:
        """Return the number of games, and of those that White won."""

        def count() -> tuple[int, int]:
            won = self._metrics.series("white_won")[1]
            return len(won), int(won.sum())

        result: tuple[int, int] = self._get("#score", count)
        return result

    def around_elo(self, others: Sequence[Line]) -> tuple[float, float] | None:
        """Return limits of an axis that hold the curve of Elo, and those of other runs."""
        names = "#".join(line[0] for line in others)
        elo = self.elo()
        result: tuple[float, float] | None = self._get(
            f"#around {names}", lambda: _around(elo, *others)
        )
        return result

    def recent(self, count: int) -> tuple[int, float]:
        """Return how many of the last `count` games there were, and White's share of them."""

        def make() -> tuple[int, float]:
            won = self._metrics.series("white_won")[1][-count:]
            return len(won), float(won.mean()) if len(won) else 0.0

        result: tuple[int, float] = self._get(f"#recent {count}", make)
        return result

    def ways(self, say: Callable[..., str]) -> str:
        """Return how White's games were won, in the words of `say`; "" where it is not known."""

        def make() -> str:
            series = self._metrics.series
            rows = series("white_row")[1]
            won = series("white_won")[1][-len(rows) :]
            return say(won, rows, series("white_full")[1]) if len(rows) and won.sum() else ""

        result: str = self._get("#ways", make)
        return result

    def _get(self, key: str, make: Callable[[], Any]) -> Any:
        if self._metrics.revision != self._revision:
            self._revision = self._metrics.revision
            self._known.clear()
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


class FitnessLog:
    """Fitness of Black's populations: by move in this game, and by game."""

    def __init__(self) -> None:
        self.plies: list[float] = []
        self.best: list[float] = []
        self.mean: list[float] = []

    def begin(self) -> None:
        """Reset for a new game."""
        self.plies, self.best, self.mean = [], [], []

    def add(self, ply: int, explanation: Explanation) -> None:
        """Add the fitness in a move's explanation; other moves are ignored."""
        found = explanation.measures()
        if "ga_best" in found:
            self.plies.append(float(ply))
            self.best.append(found["ga_best"])
            self.mean.append(found["ga_mean"])

    def means(self) -> dict[str, float]:
        """Return the game's mean values, by name of the metric."""
        if not self.plies:
            return {}
        return {"ga_best": float(np.mean(self.best)), "ga_mean": float(np.mean(self.mean))}


def draw_progress(ui: Ui, curves: RunCurves, others: ComparedRuns, marks: Marks) -> int | None:
    """Draw White's wins and its Elo; return the clicked game, None without a click."""
    wins, rows, elo = curves.wins(), curves.wins("white_row"), curves.elo()
    height = _heights(ui, 2)
    one = ui.chart(
        "White's wins of five games",
        [
            *others.wins(),
            *([("by a row", "blue", rows.x, rows.y)] if len(rows) else []),
            ("this run", "amber", wins.x, wins.y),
        ],
        height=height, y_limits=WINS, marks=marks if len(wins) else (),
        x_limits=_games(curves, *others.last_games()), band=(wins.x, wins.low, wins.high),
        x_name="game", y_name="wins", whole="xy",
        empty="shown from game 5 on",
    )  # fmt: skip
    other = ui.chart(
        "White's Elo against Black, last 50 games",
        [*others.elo(), ("this run", "amber", elo.x, elo.y)],
        height=height, marks=marks, band=(elo.x, elo.low, elo.high),
        x_limits=_games(curves, *others.last_games()), x_name="game", y_name="Elo",
        y_limits=curves.around_elo(others.elo()), empty="shown from game 10 on",
    )  # fmt: skip
    return clicked_game(one, other)


def draw_network(ui: Ui, curves: RunCurves, ranks: list[int], marks: Marks) -> int | None:
    """Draw memory, loss, training time and ranks; return the clicked game, or None."""
    height = _heights(ui, 5)
    none = NOT_NOW if len(curves.line("nodes")[0]) else NO_TRAINING
    clicked = [_draw_held(ui, curves, marks, height, none)]
    if len(curves.line("held")[0]):
        none = NOTHING_TRAINED
    for name, title, color, least, empty, y_name, whole in (
        ("nodes", "Memory: situation nodes", "blue", 10.0,
         "the memory is empty: White has not lost yet", "nodes", "xy"),
        ("loss", "Loss at the end of a training", "green", 0.1, none, "loss", "x"),
        ("retrain_seconds", "Seconds of a training", "text", 0.5, none, "seconds", "x"),
    ):  # fmt: skip
        x, y = curves.line(name)
        clicked.append(ui.chart(
            title, [(name, color, x, y)], height=height, y_limits=_from_zero(y, least),
            marks=marks, x_limits=_games(curves), empty=empty, x_name="game", y_name=y_name,
            whole=whole,
        ))  # fmt: skip
    shown = np.array(ranks[:10] if any(ranks) else [], dtype=float)
    ui.chart(
        "Rank of White's move in its answer",
        [("moves", "amber", np.arange(1.0, len(shown) + 1), shown)],
        kind="bar", height=height, empty="no move of White's network yet",
        x_name="rank", y_name="moves", whole="xy",
    )  # fmt: skip
    return clicked_game(*clicked)


def _draw_held(ui: Ui, curves: RunCurves, marks: Marks, height: float, none: str) -> float | None:
    """Draw what the network holds of its memory; return the place that was clicked."""
    (x, held), (agreed_x, agrees) = curves.line("held"), curves.line("agrees")
    series = [("held", "green", x, held)]
    if len(agreed_x):
        series.insert(0, ("agrees with it", "blue", agreed_x, agrees))
    place: float | None = ui.chart(
        "Memory held", series, height=height, y_limits=(0.0, 1.08), x_limits=_games(curves),
        marks=marks, empty=none, levels=(FAILED_BELOW,), thin=("agrees with it",),
        beside=held_words(held), x_name="game", y_name="share",
    )  # fmt: skip
    return place


def held_words(held: Any) -> tuple[str, str]:
    """Return a text about the last value of `held`, and its colour."""
    if not len(held):
        return "", "text"
    share = float(held[-1])
    return f"holds {share_text(share)} of its memory", "amber" if share < FAILED_BELOW else "text"


def share_text(share: float) -> str:
    """Return a share as percentage, rounded down below 1: "98 %", "100 %" only for 1."""
    return f"{math.floor(share * 100.0 + 1e-9)} %"


def draw_black(ui: Ui, curves: RunCurves, fitness: FitnessLog, marks: Marks) -> None:
    """Draw the fitness of Black's populations."""
    ui.muted_text("Fitness in powers of ten; below zero White's threats weigh more.")
    height = _heights(ui, 2)
    empty = "No genetic move yet, or another player plays Black"
    plies = np.array(fitness.plies)
    ui.chart(
        "Fitness by move, this game",
        [("mean", "muted", plies, _powers(np.array(fitness.mean))),
         ("best", "amber", plies, _powers(np.array(fitness.best)))],
        height=height, empty=empty, x_name="move", y_name="power of ten",
    )  # fmt: skip
    (x, best), (_, mean) = curves.line("ga_best"), curves.line("ga_mean")
    ui.chart(
        "Fitness, mean of a game's moves",
        [("mean", "muted", _, _powers(mean)), ("best", "amber", x, _powers(best))],
        height=height, marks=marks, x_limits=_games(curves), empty="shown after the first game",
        x_name="game", y_name="power of ten",
    )  # fmt: skip


def clicked_game(*places: float | None) -> int | None:
    """Return the game at a clicked x value; None without a click."""
    return next((max(1, round(place)) for place in places if place is not None), None)


def _games(curves: RunCurves, *others: float) -> tuple[float, float]:
    """Return limits of an axis of games, the same for all charts, so that marks are in line."""
    ends = (curves.line(name)[0][-1:] for name in ("white_won", "nodes", "ga_best"))
    games = [float(end[0]) for end in ends if len(end)]
    return 0.0, max([*games, *others, 10.0]) + 1.0


def _heights(ui: Ui, count: int) -> float:
    """Return the height of each of `count` charts, so that they fill the column."""
    room: float = ui.imgui.get_content_region_avail().y / ui.theme.scale / count - TITLE_ROOM
    return min(max(room, LEAST_HEIGHT), MOST_HEIGHT)


def _powers(values: Any) -> Any:
    """Return values with huge and small ones side by side: sign times log10(1 + size)."""
    return np.sign(values) * np.log10(1.0 + np.abs(values))


def _around(curve: Curve, *others: Line) -> tuple[float, float] | None:
    """Return limits of an axis that hold a curve and its interval, and other lines."""
    lows = [curve.low, *(line[3] for line in others)]
    highs = [curve.high, *(line[3] for line in others)]
    if not sum(map(len, lows)):
        return None
    low = min(float(item.min()) for item in lows if len(item))
    high = max(float(item.max()) for item in highs if len(item))
    margin = max((high - low) * 0.06, 10.0)
    return low - margin, high + margin


def _from_zero(values: Any, least: float) -> tuple[float, float]:
    """Return limits of an axis from zero to a little above the greatest value."""
    highest = float(values.max()) if len(values) else 0.0
    return 0.0, max(least, highest * 1.12)
