"""Curves of the training panel, computed once from the metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from ai import FAILED_BELOW, Curve, Explanation, decimate, group_wins, rolling_elo
from scripts.gomoku.training.compared_runs import ComparedRuns, Line
from scripts.learning.panel_parts import Chart
from sim import tr

T = TypeVar("T")

WINS = (-0.2, 5.2)  # limits of an axis: a point at none, or at five, is seen whole
NOTHING_TRAINED = tr("nothing is trained: this player answers from its memory")
NOT_NOW = tr("no training since the scene was opened")
NO_TRAINING = tr("no training yet: it follows the first game that White loses")


class RunCurves:
    """Data of the charts, recomputed only after something was logged."""

    def __init__(self, metrics: Any) -> None:
        self._metrics = metrics
        self._revision = -1
        self._known: dict[str, Any] = {}

    def line(self, name: str) -> tuple[Any, Any]:
        """Return a logged metric, thinned out for drawing.

        Args:
            name: name of the metric.

        Returns:
            The steps `[n]` at which it was logged, and the values `[n]`.
        """
        return self._get(name, lambda: decimate(*self._metrics.series(name)))

    def wins(self, name: str = "white_won") -> Curve:
        """Return the curve of White's wins in each group of five games.

        Args:
            name: metric to count: "white_won" for all wins, "white_row" for wins by a row of
                stones.
        """
        series = self._metrics.series
        return self._get(f"#{name}", lambda: group_wins(*series(name)).decimated())

    def elo(self) -> Curve:
        """Return the curve of White's Elo against Black; games with a person do not count."""

        def make() -> Curve:
            games, won = self._metrics.series("white_won")
            people = self._metrics.series("with_person")[0]
            return rolling_elo(games, won, people).decimated()

        return self._get("#elo", make)

    def score(self) -> tuple[int, int]:
        """Return the number of games, and of those that White won."""

        def count() -> tuple[int, int]:
            won = self._metrics.series("white_won")[1]
            return len(won), int(won.sum())

        return self._get("#score", count)

    def around_elo(self, others: Sequence[Line]) -> tuple[float, float] | None:
        """Return limits of the vertical axis between which all Elo curves lie.

        Args:
            others: Elo curves of other runs.

        Returns:
            The lower and the upper limit; None if there is no curve.
        """
        names = "#".join(line[0] for line in others)
        elo = self.elo()
        return self._get(f"#around {names}", lambda: _around(elo, *others))

    def recent(self, count: int) -> tuple[int, float]:
        """Return the share of the last games that White won.

        Args:
            count: maximum number of games to consider.

        Returns:
            Number of games considered, and the share of them that White won, 0 to 1.
        """

        def make() -> tuple[int, float]:
            won = self._metrics.series("white_won")[1][-count:]
            return len(won), float(won.mean()) if len(won) else 0.0

        return self._get(f"#recent {count}", make)

    def ways(self, say: Callable[..., str]) -> str:
        """Return a text about how White won its games; empty if that is not known.

        Args:
            say: function that makes the text. Its three arguments are arrays with a 1 for each game
                that White won: in any way, by a row, or by a full board.
        """

        def make() -> str:
            series = self._metrics.series
            rows = series("white_row")[1]
            won = series("white_won")[1][-len(rows) :]
            return say(won, rows, series("white_full")[1]) if len(rows) and won.sum() else ""

        return self._get("#ways", make)

    def games(self, *others: float) -> tuple[float, float]:
        """Return the limits of the games axis.

        All charts share them, so that a game has the same place in each.

        Args:
            others: the last game of each other run, which the axis must include, too.
        """
        ends = (self.line(name)[0][-1:] for name in ("white_won", "nodes", "ga_best"))
        return 0.0, max([*(float(end[0]) for end in ends if len(end)), *others, 10.0]) + 1.0

    def _get(self, key: str, make: Callable[[], T]) -> T:
        if self._metrics.revision != self._revision:
            self._revision = self._metrics.revision
            self._known.clear()
        if key not in self._known:
            self._known[key] = make()
        return cast("T", self._known[key])


class FitnessLog:
    """Fitness of the populations from which Black's moves came, in the present game.

    Attributes:
        plies: number of moves up to and including each such move.
        best: greatest fitness in the population at each such move.
        mean: mean fitness of the population at each such move.
    """

    def __init__(self) -> None:
        self.plies: list[float] = []
        self.best: list[float] = []
        self.mean: list[float] = []

    def begin(self) -> None:
        """Reset for a new game."""
        self.plies, self.best, self.mean = [], [], []

    def add(self, ply: int, explanation: Explanation) -> None:
        """Add the fitness that a move's explanation contains; does nothing if it contains none.

        Args:
            ply: number of moves up to and including this one.
            explanation: explanation of the move.
        """
        found = explanation.measures()
        if "ga_best" in found:
            self.plies.append(float(ply))
            self.best.append(found["ga_best"])
            self.mean.append(found["ga_mean"])

    def means(self) -> dict[str, float]:
        """Return the mean fitness values of the game; empty if there are none.

        Returns:
            By name of the metric: "ga_best" and "ga_mean", averaged over Black's moves.
        """
        if not self.plies:
            return {}
        return {"ga_best": float(np.mean(self.best)), "ga_mean": float(np.mean(self.mean))}


def progress_charts(curves: RunCurves, others: ComparedRuns) -> list[Chart]:
    """Return the charts of White's wins and its Elo."""
    wins, rows, elo = curves.wins(), curves.wins("white_row"), curves.elo()
    by_row = [(tr("by a row"), "blue", rows.x, rows.y)] if len(rows) else []
    own = (tr("this run"), "amber")
    limits = curves.games(*others.last_games())
    return [
        Chart(
            tr("White's wins in each five games"),
            [*others.wins(), *by_row, (*own, wins.x, wins.y)],
            y_limits=WINS,
            band=(wins.x, wins.low, wins.high),
            x_limits=limits,
            y_name=tr("wins"),
            whole="xy",
            empty=tr("shown from game 5 on"),
        ),
        Chart(
            tr("White's Elo against Black, last 50 games"),
            [*others.elo(), (*own, elo.x, elo.y)],
            y_limits=curves.around_elo(others.elo()),
            band=(elo.x, elo.low, elo.high),
            x_limits=limits,
            y_name=tr("Elo"),
            empty=tr("shown from game 10 on"),
        ),
    ]


def network_charts(
    curves: RunCurves, ranks: list[int], *, least_held: float = FAILED_BELOW
) -> list[Chart]:
    """Return the charts of memory, loss, training time and ranks.

    Args:
        curves: data of the charts.
        ranks: number of White's moves by their place in the network's answer, from the first.
        least_held: share of its memory that a successful training learns.
    """
    has_memory, holds = len(curves.line("nodes")[0]) > 0, len(curves.line("held")[0]) > 0
    none = NOT_NOW if has_memory else NO_TRAINING
    charts = [_held_chart(curves, none, least_held)]
    none = NOTHING_TRAINED if holds else none
    no_memory = tr("the memory is empty: White has not lost yet")
    for name, title, color, least, empty, y_name, whole in (
        ("nodes", tr("Remembered positions"), "blue", 10.0, no_memory, tr("positions"), "xy"),
        ("loss", tr("Loss at the end of a training"), "green", 0.1, none, tr("loss"), "x"),
        ("retrain_seconds", tr("Seconds per training"), "text", 0.5, none, tr("seconds"), "x"),
    ):
        x, y = curves.line(name)
        charts.append(
            Chart(
                title,
                [(y_name, color, x, y)],
                y_limits=_from_zero(y, least),
                empty=empty,
                y_name=y_name,
                whole=whole,
            )
        )
    shown = np.array(ranks[:10] if any(ranks) else [], dtype=float)
    places = np.arange(1.0, len(shown) + 1)
    return [
        *charts,
        Chart(
            tr("Which of its choices White played"),
            [(tr("moves"), "amber", places, shown)],
            kind="bar",
            empty=tr("no move of White's network yet"),
            x_name=tr("choice"),
            y_name=tr("moves"),
            whole="xy",
            x_limits=None,
            has_marks=False,
        ),
    ]


def _held_chart(curves: RunCurves, none: str, least_held: float) -> Chart:
    """Return the chart of the share of the memory that the network has learnt.

    Args:
        curves: data of the charts.
        none: text to show while there are no values.
        least_held: share that a successful training learns, drawn as a level.
    """
    (x, held), (agreed_x, agrees) = curves.line("held"), curves.line("agrees")
    series = [(tr("held", "curve"), "green", x, held)]
    if len(agreed_x):
        series.insert(0, (tr("agrees with it"), "blue", agreed_x, agrees))
    return Chart(
        tr("Memory learnt"),
        series,
        y_limits=(0.0, 1.08),
        empty=none,
        levels=(least_held,),
        thin=(tr("agrees with it"),),
        beside=held_words(held, least_held),
        y_name=tr("share"),
    )


def fitness_charts(curves: RunCurves, fitness: FitnessLog) -> list[Chart]:
    """Return the charts of the fitness of Black's populations."""
    plies = np.array(fitness.plies)
    (x, best), (mean_x, mean) = curves.line("ga_best"), curves.line("ga_mean")
    return [
        Chart(
            tr("Fitness by move, this game"),
            [
                (tr("mean"), "muted", plies, _powers(np.array(fitness.mean))),
                (tr("best", "fitness"), "amber", plies, _powers(np.array(fitness.best))),
            ],
            empty=tr("No genetic move yet, or another player plays Black"),
            x_name=tr("move"),
            y_name=tr("power of ten"),
            x_limits=None,
            has_marks=False,
        ),
        Chart(
            tr("Mean fitness in each game"),
            [
                (tr("mean"), "muted", mean_x, _powers(mean)),
                (tr("best", "fitness"), "amber", x, _powers(best)),
            ],
            empty=tr("shown after the first game"),
            y_name=tr("power of ten"),
        ),
    ]


def held_words(held: Any, least: float = FAILED_BELOW) -> tuple[str, str]:
    """Describe how much of the memory the network has learnt after the last training.

    Args:
        held: `[n]` share after each training, 0 to 1.
        least: share that a successful training learns.

    Returns:
        The text and the name of its colour; the text is empty if there is no share.
    """
    if not len(held):
        return "", "text"
    share = float(held[-1])
    return (
        tr("has learnt {share_text} of its memory").format(share_text=share_text(share)),
        "amber" if share < least else "text",
    )


def share_text(share: float) -> str:
    """Return a share as a percentage, rounded down, so that only a full share gives "100 %"."""
    return f"{math.floor(share * 100.0 + 1e-9)} %"


def _powers(values: Any) -> Any:
    """Return values on a logarithmic scale that keeps their signs: sign times log10(1 + size).

    Args:
        values: the values.
    """
    return np.sign(values) * np.log10(1.0 + np.abs(values))


def _around(curve: Curve, *others: Line) -> tuple[float, float] | None:
    """Return vertical limits between which several curves lie.

    The interval of uncertainty of the present run's curve is included.

    Args:
        curve: curve of the present run.
        *others: curves of other runs.

    Returns:
        The lower and the upper limit; None if there is no curve.
    """
    lows = [curve.low, *(line[3] for line in others)]
    highs = [curve.high, *(line[3] for line in others)]
    if not sum(map(len, lows)):
        return None
    low = min(float(item.min()) for item in lows if len(item))
    high = max(float(item.max()) for item in highs if len(item))
    margin = max((high - low) * 0.06, 10.0)
    return low - margin, high + margin


def _from_zero(values: Any, least: float) -> tuple[float, float]:
    """Return vertical limits from zero to a little above the greatest value.

    Args:
        values: `[n]` values of the chart.
        least: the upper limit is never smaller than this.
    """
    highest = float(values.max()) if len(values) else 0.0
    return 0.0, max(least, highest * 1.12)
