"""The paper's figures 6 to 14 from our runs, with the paper's numbers beside ours.

The paper states few numbers (sections 4.3 to 4.5); its curves are known only from its figures. The
node counts are totals of eight different runs, each with its own losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ai.runs.export import INK, set_style
from ai.runs.results import GAMES_FILE
from ai.runs.statistics import GROUP
from base.storage.json_file import read_lines
from base.values import JsonObject

PAPER_GAMES: Final = 600
ALL_WINS_FROM: Final = 525
"""Number of the game from which on White won every game in the paper.

The paper says "all the wins were observed from the 525th data", for condition (c) with four
records.
"""

_DISTANCES: Final = ("none", "5", "10", "15", "20", "25", "30")
ANN_NODES: Final = dict(zip(_DISTANCES, (1000, 874, 633, 448, 217, 78, 50), strict=True))
"""Remembered positions at the end of a run with four records, by condition (figure 10)."""

RANK_COUNTS: Final = (3483, 1693, 751, 472, 322, 1377)
"""Numbers of White's moves in the paper (figure 14), by their rank in the network's answer.

The first five are for the ranks 1 to 5, the last one for all other ranks.
"""

WHITE_MOVES_A_GAME: Final = sum(RANK_COUNTS) / PAPER_GAMES
"""White's moves per game, 13.5: the paper's games last about 27 plies."""

LETTERS: Final = dict(zip(("no-relearn", *_DISTANCES), "abcdefgh", strict=True))
"""Letter of each condition's panel in figures 6 to 9."""

WIN_FIGURES: Final = {4: 6, 3: 7, 2: 8, 1: 9}
NODE_FIGURES: Final = {4: 10, 3: 11, 2: 12, 1: 13}
RANK_FIGURE: Final = 14
"""Number of the paper's figure that shows how White's moves ranked in the network's answer."""

OURS: Final = "#c7761b"
BAND: Final = "#f0c48c"
PAPER: Final = "#33658a"
DOTS: Final = 110
LAST_GROUPS: Final = 20
"""Number of groups in the last hundred games; each group has five games."""

Cells = Sequence[JsonObject]


def cell_figures(folder: Path, summary: JsonObject) -> list[Path]:
    """Draw the figures of one cell into `folder`/figures and return the files.

    Args:
        folder: the cell's folder.
        summary: content of its `summary.json`.
    """
    config = summary["config"]
    settings = config["settings"]
    condition = "no-relearn" if settings.get("relearn") != "memory" else _alpha(settings["alpha"])
    nodes = [line["ann_nodes"] for line in read_lines(folder / GAMES_FILE)]
    cell = {
        **summary,
        "player": config["player"],
        "records": settings["records"],
        "condition": condition,
        "seed": config["seed"],
        "nodes": nodes,
    }
    return _all_figures([cell], folder / "figures")


def grid_figures(folder: Path, grid: JsonObject, out: Path | None = None) -> list[Path]:
    """Draw the figures of a grid and return the files.

    Args:
        folder: folder of the grid, with the cells' games.
        grid: content of grid.json.
        out: folder for the figures, one subfolder per player; None for `folder`/figures.
    """
    files: list[Path] = []
    cells = [
        {
            **cell,
            "nodes": [line["ann_nodes"] for line in read_lines(folder / cell["cell"] / GAMES_FILE)],
        }
        for cell in grid["cells"]
    ]
    for player in sorted({cell["player"] for cell in cells}):
        own = [cell for cell in cells if cell["player"] == player]
        files += _all_figures(own, (out or folder / "figures") / player)
    return files


def _all_figures(cells: Cells, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for records in sorted({cell["records"] for cell in cells}, reverse=True):
        own = [cell for cell in cells if cell["records"] == records]
        name = WIN_FIGURES.get(records)
        files.append(_wins(own, folder / (f"fig{name:02}.png" if name else f"wins_r{records}.png")))
        name = NODE_FIGURES.get(records)
        files.append(
            _nodes(own, folder / (f"fig{name:02}.png" if name else f"nodes_r{records}.png"))
        )
    files.append(_ranks(cells, folder / f"fig{RANK_FIGURE}.png"))
    return files


def _wins(cells: Cells, path: Path) -> Path:
    """Draw White's wins in each five games over time, with one panel per condition.

    Each panel shows the mean and the range over the seeds.

    Args:
        cells: cells with an equal number of records.
        path: image file to write.

    Returns:
        The image file.
    """
    conditions = _conditions(cells)
    figure, panels = _panels(
        len(conditions),
        f"{cells[0]['player']}, records {cells[0]['records']}: White's wins in each five games",
    )
    for panel, condition in zip(panels, conditions, strict=True):
        own = [cell for cell in cells if cell["condition"] == condition]
        rows = _even([cell["wins_per_group"] for cell in own])
        across = np.arange(1, rows.shape[1] + 1)
        _curve(panel, across, rows)
        note = f"{np.mean([cell['losses'] for cell in own]):.0f} lost"
        last = GROUP * min(LAST_GROUPS, rows.shape[1])
        whole = sum(min(cell["wins_per_group"][-LAST_GROUPS:], default=0) == GROUP for cell in own)
        note += f"\n{whole} of {len(own)} won all of the last {last}"
        panel.set_title(f"{_title(condition)}\n{note}", fontsize=9, color=INK, loc="left")
        panel.set_ylim(-0.15, 5.3)
        if condition == "5" and cells[0]["records"] == 4:
            panel.axvline(ALL_WINS_FROM / GROUP, color=PAPER, linewidth=1.2, linestyle="--")
            panel.text(
                ALL_WINS_FROM / GROUP - 1,
                0.2,
                "paper: all\nwon from 525",
                ha="right",
                fontsize=7,
                color=PAPER,
            )
    _label(figure, "group of five games", "wins")
    return _save(figure, path)


def _nodes(cells: Cells, path: Path) -> Path:
    """Draw the number of positions in the learner's memory over games, a panel per condition.

    Args:
        cells: cells with an equal number of records.
        path: image file to write.
    """
    conditions = [item for item in _conditions(cells) if item != "no-relearn"] or ["none"]
    figure, panels = _panels(
        len(conditions),
        f"{cells[0]['player']}, records {cells[0]['records']}: remembered positions",
    )
    for panel, condition in zip(panels, conditions, strict=True):
        own = [cell for cell in cells if cell["condition"] == condition]
        if not own:
            continue
        rows = _even([cell["nodes"] for cell in own])
        _curve(panel, np.arange(1, rows.shape[1] + 1), rows)
        ends = [cell["ann_nodes"] for cell in own]
        shares = [cell["ann_nodes"] / max(1, cell["relearn_records"]) for cell in own]
        note = f"{np.mean(ends):.0f} nodes"
        if max(shares) <= 1.0:  # a memory that also stores wins has more nodes than records
            note += f", {np.mean(shares):.3f} a record"
        if cells[0]["records"] == 4 and condition in ANN_NODES:
            note += f"\npaper: {ANN_NODES[condition]} nodes"
            panel.axhline(ANN_NODES[condition], color=PAPER, linewidth=1.2, linestyle="--")
        panel.set_title(f"{_title(condition)}\n{note}", fontsize=9, color=INK, loc="left")
        panel.set_ylim(bottom=0)
    _label(figure, "game", "nodes")
    return _save(figure, path)


def _ranks(cells: Cells, path: Path) -> Path:
    """Draw how often White played the network's best, second best … answer, beside the paper.

    Args:
        cells: the cells; those with 4 records and distance 5 are used, or all if there are none.
        path: image file to write.

    Returns:
        The image file.
    """
    wanted = [cell for cell in cells if cell["records"] == 4 and cell["condition"] == "5"]
    own = wanted or list(cells)
    figure, panels = _panels(1, f"{own[0]['player']}: rank of the answer that was played")
    counts = np.array([cell["rank_counts"] for cell in own], dtype=np.float64)
    folded = np.concatenate([counts[:, :5], counts[:, 5:].sum(axis=1, keepdims=True)], axis=1)
    shares = folded / np.maximum(1.0, folded.sum(axis=1, keepdims=True))
    stated = np.array(RANK_COUNTS) / sum(RANK_COUNTS)
    across = np.arange(6)
    errors = shares.std(axis=0) if len(own) > 1 else None
    panels[0].bar(
        across - 0.2,
        shares.mean(axis=0),
        0.4,
        yerr=errors,
        color=OURS,
        label="ours",
        error_kw={"ecolor": INK, "elinewidth": 1},
    )
    panels[0].bar(across + 0.2, stated, 0.4, color=PAPER, label="paper")
    tops = shares.mean(axis=0) + (0.0 if errors is None else errors)
    for x, (mean, number) in enumerate(zip(folded.mean(axis=0), RANK_COUNTS, strict=True)):
        _number(panels[0], x - 0.2, tops[x], mean, INK)
        _number(panels[0], x + 0.2, stated[x], number, PAPER)
    panels[0].set_xticks(across, ["1st", "2nd", "3rd", "4th", "5th", "others"])
    panels[0].legend(frameon=False)
    _label(figure, "rank in the network's answer", "share of moves")
    return _save(figure, path)


def _number(panel: Axes, x: float, top: float, value: float, color: str) -> None:
    panel.text(x, top + 0.008, f"{value:.0f}", ha="center", fontsize=8, color=color)


def _conditions(cells: Cells) -> list[str]:
    """Return the cells' conditions in the paper's order; conditions not in the paper come last."""
    there = {cell["condition"] for cell in cells}
    known = [item for item in LETTERS if item in there]
    return known + sorted(there - set(known), key=lambda item: (len(item), item))


def _title(condition: str) -> str:
    name = {"no-relearn": "no relearning", "none": "no merging"}.get(condition, f"α = {condition}")
    letter = LETTERS.get(condition)
    return f"({letter}) {name}" if letter else name


def _alpha(value: float | None) -> str:
    return "none" if value is None else f"{float(value):g}"


def _even(rows: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Return rows of different lengths as an array `[rows, N]`, cut to the shortest length N."""
    shortest = min(len(row) for row in rows)
    return np.array([row[:shortest] for row in rows], dtype=np.float64).reshape(len(rows), shortest)


def _curve(panel: Axes, across: NDArray[np.int_], rows: NDArray[np.float64]) -> None:
    if len(rows) > 1:
        panel.fill_between(across, rows.min(axis=0), rows.max(axis=0), color=BAND, alpha=0.7, lw=0)
    panel.plot(across, rows.mean(axis=0), color=OURS, linewidth=1.3)


def _panels(count: int, title: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` panels in the style of all figures."""
    columns = min(count, 4)
    rows = -(-count // columns)
    width = 6.4 if count == 1 else 3.0 * columns
    height = 3.8 if count == 1 else 2.35 * rows + 0.7
    figure = Figure(figsize=(width, height), dpi=DOTS, layout="constrained")
    figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left", weight="bold")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel in panels[count:]:
        panel.set_visible(False)
    for panel in panels[:count]:
        set_style(panel)
    return figure, list(panels[:count])


def _label(figure: Figure, across: str, up: str) -> None:
    figure.supxlabel(across, fontsize=9, color=INK)
    figure.supylabel(up, fontsize=9, color=INK)


def _save(figure: Figure, path: Path) -> Path:
    figure.savefig(path)
    return path
