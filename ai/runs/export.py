"""Export the data of a run's charts: pictures, tables and TensorBoard event files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ai.runs.statistics import Curve, group_wins, rolling_elo
from base.values import JsonObject

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]

WON: Final = "white_won"
WITH_PERSON: Final = "with_person"
"""Name of the series of games in which a person played.

These games do not count for the Elo difference.
"""
INK: Final = "#22262e"
LINE: Final = "#c7761b"
MARK: Final = "#33658a"
GRID: Final = "#d9d9d9"

PICTURES: Final = {
    "nodes": "remembered positions",
    "loss": "loss at the end of a training",
    "accuracy": "accuracy at the end of a training",
    "held": "share of the memory that is answered as it was taught, after a training",
    "agrees": "share of the last games' positions that network and memory answer alike",
    "variety": "different first answers over the last games' positions",
    "retrain_seconds": "seconds of a training",
    "plies": "plies of a game",
    "white_row": "White won by a row",
    "white_full": "White won by a full board",
    "ga_best": "Black's best fitness, mean of a game",
    "ga_mean": "Black's mean fitness, mean of a game",
}
"""Titles of the charts that show a series unchanged, by name of the series."""


@dataclass(frozen=True, slots=True)
class RunSeries:
    """The data series of a run, from which its charts are drawn."""

    title: str
    series: Mapping[str, tuple[FloatArray, FloatArray]]
    """By name, each series as two arrays `[N]`: numbers of the games, and values."""
    changes: tuple[JsonObject, ...] = ()
    """Setting changes during the run, each with the keys `game`, `key`, `from` and `to`."""
    marks: tuple[tuple[float, str], ...] = ()
    """Changes of settings to mark in the charts, as (number of the game, label)."""
    ranks: tuple[int, ...] = field(default=())
    """By rank from 1, how often the point with this rank in the network's answer was played."""


def export_run(
    run: RunSeries, folder: Path, *, write_events: Callable[[RunSeries, Path], Path] | None = None
) -> tuple[list[Path], str | None]:
    """Write all exports of a run; a failed one does not prevent the others.

    Args:
        run: the data to export.
        folder: target folder; created if missing.
        write_events: called with `run` and `folder`; writes TensorBoard's file below the folder and
            returns its path. None to skip that.

    Returns:
        The written files, and an error text or None.
    """
    parts: list[Callable[[], list[Path]]] = [
        lambda: write_tables(run, folder),
        lambda: draw_pictures(run, folder),
    ]
    if write_events is not None:
        parts.append(lambda: [write_events(run, folder)])
    files: list[Path] = []
    faults: list[str] = []
    for part in parts:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files += part()
        except (OSError, ImportError) as error:
            faults.append(f"{type(error).__name__}: {error}")
    return files, "; ".join(faults) or None


def write_tables(run: RunSeries, folder: Path) -> list[Path]:
    """Write a run's tables `series.csv`, `ranks.csv` and `changes.csv`; return their paths.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    rows = [
        (name, f"{step:.12g}", repr(float(value)))
        for name, (steps, values) in run.series.items()
        for step, value in zip(steps, values, strict=True)
    ]
    changes = [(item["game"], item["key"], item["from"], item["to"]) for item in run.changes]
    return [
        _write_table(folder / "series.csv", ("series", "step", "value"), rows),
        _write_table(folder / "ranks.csv", ("rank", "moves"), list(enumerate(run.ranks, 1))),
        _write_table(folder / "changes.csv", ("game", "key", "from", "to"), changes),
    ]


def draw_pictures(run: RunSeries, folder: Path) -> list[Path]:
    """Draw a PNG picture of each chart that has data; return their paths.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    games, won = run.series.get(WON, (np.empty(0), np.empty(0)))
    people = run.series.get(WITH_PERSON, (np.empty(0), np.empty(0)))[0]
    elo = rolling_elo(games, won, people)
    curves: dict[str, tuple[str, Curve | tuple[FloatArray, FloatArray]]] = {
        "wins": ("White's wins in each five games, 95 % interval", group_wins(games, won)),
        "elo": ("Elo of White against Black, last 50 games, 95 %", elo),
        **{name: (text, run.series[name]) for name, text in PICTURES.items() if name in run.series},
    }
    files = [
        _draw_curve(run, text, curve, folder / f"{name}.png")
        for name, (text, curve) in curves.items()
        if len(curve.x if isinstance(curve, Curve) else curve[0])
    ]
    if any(run.ranks):
        files.append(_draw_ranks(run, folder / "ranks.png"))
    return files


def _draw_curve(
    run: RunSeries, text: str, curve: Curve | tuple[FloatArray, FloatArray], path: Path
) -> Path:
    figure, panel = _figure(run.title, text)
    x, y = (curve.x, curve.y) if isinstance(curve, Curve) else curve
    if isinstance(curve, Curve):
        panel.fill_between(x, curve.low, curve.high, color=LINE, alpha=0.2, linewidth=0)
    panel.plot(x, y, color=LINE, linewidth=1.4, marker="o" if len(x) < 3 else "", markersize=4)
    for place, label in run.marks:
        panel.axvline(place, color=MARK, linewidth=1.0)
        panel.annotate(
            label,
            (place, 0.98),
            (4, 0),
            xycoords=panel.get_xaxis_transform(),
            textcoords="offset points",
            color=MARK,
            fontsize=7,
            rotation=90,
            va="top",
            ha="left",
        )
    panel.set_xlabel("game", fontsize=9, color=INK)
    figure.savefig(path)
    return path


def _draw_ranks(run: RunSeries, path: Path) -> Path:
    figure, panel = _figure(run.title, "rank of the move taken in the network's answer")
    last = max(index for index, count in enumerate(run.ranks) if count) + 1
    panel.bar(np.arange(1, last + 1), run.ranks[:last], color=LINE)
    panel.set_xlabel("rank", fontsize=9, color=INK)
    figure.savefig(path)
    return path


def _figure(title: str, text: str) -> tuple[Figure, Axes]:
    """Return an empty matplotlib figure with one chart.

    Args:
        title: name of the run, in small letters.
        text: title of the chart.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0), dpi=120, layout="constrained")
    panel = figure.subplots()
    panel.set_title(f"{text}\n", loc="left", fontsize=11, color=INK, weight="bold")
    panel.text(0.0, 1.02, title, transform=panel.transAxes, fontsize=8, color=INK)
    set_style(panel)
    return figure, panel


def set_style(panel: Axes) -> None:
    """Draw a panel's frame, ticks and grid in the style of all figures."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.spines[["left", "bottom"]].set_color(GRID)
    panel.tick_params(colors=INK, labelsize=8, length=2)
    panel.grid(axis="y", color=GRID, linewidth=0.6)
    panel.set_axisbelow(True)


def _write_table(path: Path, heads: tuple[str, ...], rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heads)
        writer.writerows(rows)
    return path
