"""Runs the paper's table as a grid of cells: records x conditions x seeds, in parallel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from ai.experiments.cell import prepare_folder, run_cell
from ai.experiments.configuration import (
    CONDITIONS,
    CellConfiguration,
    ConfigurationError,
    parse_alpha,
)
from ai.runs.cluster import each_as_done, import_ray
from ai.runs.results import GAMES_FILE, SUMMARY_FILE, TIMINGS_FILE
from base.locks import RUN_LOCK, FolderLock
from base.storage.json_file import read_json, write_json
from base.storage.run_folder import RUN_FILE, is_foreign, require_empty
from base.temporary import own_prefix
from base.values import JsonObject

GRID_FILE: Final = "grid.json"
FIGURES: Final = "figures"
FORMAT: Final = "goishi.grid/1"
RECORDS: Final = (1, 2, 3, 4)
POLL_SECONDS: Final = 0.5

Report = Callable[[int, int, int], None]
"""Callback for the progress: called with (games done, games to play, cells finished)."""


def cells_of(
    base: CellConfiguration,
    *,
    records: Sequence[int] = RECORDS,
    conditions: Sequence[str] = CONDITIONS,
    seeds: Sequence[int] = (0,),
) -> list[CellConfiguration]:
    """Return the cells of a grid, those expected to run longest first, to balance the load.

    Args:
        base: configuration that all cells share.
        records: numbers of records that are learnt from each loss.
        conditions: conditions of the memory, see `CONDITIONS`.
        seeds: seeds of the runs.

    Raises:
        ConfigurationError: a value is invalid, a list is empty, or a cell occurs twice.
    """
    if not records or not conditions or not seeds:
        raise ConfigurationError("grid: expected one or more of records, alpha and seeds")
    found = [
        replace(
            base,
            seed=seed,
            settings={**base.settings, **parse_alpha(condition), "records": count},
        )
        for condition in conditions
        for count in records
        for seed in seeds
    ]
    names = [cell.condition for cell in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigurationError(f"grid: expected each cell once, found {twice[0]} twice")
    return sorted(found, key=_expected_cost, reverse=True)


def cell_folder(out: Path, cell: CellConfiguration) -> Path:
    """Return the folder of a cell: OUT/PLAYER/r4_a5_s0."""
    return out / cell.player / cell.condition


def run_grid(
    cells: Sequence[CellConfiguration],
    out: Path,
    *,
    jobs: int = 1,
    resume: bool = False,
    held_out_games: int = 0,
    backend: str = "local",
    address: str | None = None,
    report: Report | None = None,
    lock: FolderLock | None = None,
) -> JsonObject:
    """Run all cells, `jobs` at a time, and return the content of `grid.json`.

    Args:
        cells: the cells to run.
        out: the grid's folder.
        jobs: number of processes; each computes on one core.
        resume: continue unfinished cells; finished ones are kept, except that missing held-out
            games are played.
        held_out_games: games of each frozen player against unseen opponents; 0 for none.
        backend: "local" (joblib) or "ray".
        address: address of the Ray cluster; None starts a local one.
        report: called from time to time, from another thread; None for no reports.
        lock: the folder's lock if the caller holds it already; it is released at the end.

    Raises:
        FolderBusyError: another process runs in the grid's or a cell's folder; nothing was run.
        RunFolderError: the folder, or a cell's, holds something else; nothing was run.
        ConfigurationError: the Ray package is missing; nothing was written.
    """
    check_start(backend)
    if lock is None:
        require_empty(out, holds=is_grid)
    with lock or FolderLock(out):
        folders = [cell_folder(out, cell) for cell in cells]
        to_do = []
        for cell, folder in zip(cells, folders, strict=True):
            prepare_folder(cell, folder, resume=resume, writes=False)
            if not _is_finished(cell, folder, held_out_games):
                to_do.append((cell, folder))
        for cell, folder in to_do:
            with FolderLock(folder):
                prepare_folder(cell, folder, resume=True)
        with _watching(cells, folders, report):
            runs = each_as_done(
                _run_far_away if backend == "ray" else _run_here,
                [(cell, folder, held_out_games) for cell, folder in to_do],
                jobs=min(jobs, max(len(to_do), 1)),
                backend=backend,
                address=address,
                error=ConfigurationError,
            )
            for number, files in runs:
                for name, content in files.items():
                    (to_do[number][1] / name).write_bytes(content)
        grid = collect(cells, out)
        write_json(out / GRID_FILE, grid)
        return grid


def collect(cells: Sequence[CellConfiguration], out: Path) -> JsonObject:
    """Return the content of `grid.json`: short summaries of the finished cells.

    Args:
        cells: the cells; unfinished ones are left out.
        out: the grid's folder.
    """
    entries = []
    for cell in sorted(cells, key=lambda cell: cell.condition):
        path = cell_folder(out, cell) / SUMMARY_FILE
        if not path.exists():
            continue
        summary = read_json(path)
        entries.append(
            {
                "cell": f"{cell.player}/{cell.condition}",
                "player": cell.player,
                "records": cell.resolved["records"],
                "condition": condition_of(cell),
                "seed": cell.seed,
                "randomness": cell.randomness,
                "control": cell.control,
                **{key: summary.get(key) for key in KEPT},
            }
        )
    return {"format": FORMAT, "cells": entries}


KEPT: Final = (
    "games",
    "wins_per_group",
    "all_wins_from_game",
    "losses",
    "plies",
    "relearn_records",
    "ann_nodes",
    "rank_counts",
    "held",
    "variety",
    "agrees",
    "win_reasons",
    "seconds",
    "held_out",
)


def condition_of(cell: CellConfiguration) -> str:
    """Return the condition of a cell: "no-relearn", "none" or the distance alpha as text."""
    settings = cell.resolved
    if settings.get("relearn") != "memory":
        return "no-relearn"
    return "none" if settings["alpha"] is None else f"{float(settings['alpha']):g}"


def _is_finished(cell: CellConfiguration, folder: Path, held_out_games: int) -> bool:
    path = folder / SUMMARY_FILE
    if not path.exists():
        return False
    summary = read_json(path)
    is_judged = not held_out_games or bool(summary["held_out"])
    return int(summary["games"]) >= cell.games and is_judged


def _expected_cost(cell: CellConfiguration) -> float:
    """Estimate how long a cell runs, relative to other cells.

    The time grows with the number of records that the learner remembers. A larger alpha merges more
    positions, so that fewer are remembered.
    """
    condition = condition_of(cell)
    share = {"no-relearn": 0.1, "none": 1.0}.get(condition)
    if share is None:
        share = max(0.05, 0.9 - float(condition) / 30.0)
    return share * float(cell.resolved["records"] or 1)


def check_start(backend: str) -> None:
    """Check that the package of a grid's backend is installed.

    Args:
        backend: "local" or "ray".

    Raises:
        ConfigurationError: the backend's package is missing.
    """
    if backend == "ray":
        import_ray(ConfigurationError)


def is_grid(folder: Path) -> bool:
    """Return whether a folder holds only what a grid may contain.

    This is the grid's own files, and folders with runs.
    """
    own = {RUN_LOCK}
    with suppress(OSError, ValueError):
        if read_json(folder / GRID_FILE).get("format") == FORMAT:
            own |= {GRID_FILE, FIGURES}
    return all(
        entry.name in own or (entry.is_dir() and _holds_runs(entry)) for entry in folder.iterdir()
    )


def _holds_runs(folder: Path) -> bool:
    """Return whether a grid's subfolder may be used for runs.

    It may if it holds a run, at most two levels deep. It may, too, if it holds no files but a lock
    and what killed processes left.
    """
    return any(any(folder.glob(f"{depth}{RUN_FILE}")) for depth in ("", "*/", "*/*/")) or not any(
        path.is_file() and is_foreign(path) for path in folder.rglob("*")
    )


def _run_here(cell: CellConfiguration, folder: Path, held_out_games: int) -> dict[str, bytes]:
    """Run a cell on this machine and return {}, since the files are already in the cell's folder.

    Args:
        cell: the cell.
        folder: the cell's folder.
        held_out_games: held-out games to play at the end.
    """
    run_cell(cell, folder, resume=True, held_out_games=held_out_games)
    return {}


def _run_far_away(cell: CellConfiguration, _: Path, held_out_games: int) -> dict[str, bytes]:
    """Run a cell on a machine of a cluster, in a temporary folder.

    Args:
        cell: the cell.
        _: unused.
        held_out_games: held-out games to play at the end.

    Returns:
        The content of each file of the cell, by the file's name; the summary comes last.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix=own_prefix()) as name:
        folder = Path(name) / "cell"
        run_cell(cell, folder, held_out_games=held_out_games)
        wanted = (GAMES_FILE, TIMINGS_FILE, SUMMARY_FILE)
        return {name: (folder / name).read_bytes() for name in wanted}


@contextmanager
def _watching(
    cells: Sequence[CellConfiguration], folders: Sequence[Path], report: Report | None
) -> Iterator[None]:
    """Call `report` regularly from a thread while the `with` block runs, and once at its end.

    The progress comes from counting the lines of the cells' files.

    Args:
        cells: the cells that run.
        folders: folder of each cell.
        report: called with the progress; None for no reports.
    """
    if report is None:
        yield
        return
    stop = threading.Event()
    total = sum(cell.games for cell in cells)
    counts = _LineCounts(folders)

    def watch() -> None:
        while not stop.wait(POLL_SECONDS):
            report(counts.games(), total, counts.finished())

    thread = threading.Thread(target=watch, name="grid-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        report(counts.games(), total, counts.finished())


class _LineCounts:
    """Counts the lines of growing files and reads only what was added since the last call."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._seen: dict[Path, tuple[int, int]] = {}

    def games(self) -> int:
        """Return the number of games played in all cells."""
        return sum(self._count(folder / GAMES_FILE) for folder in self._folders)

    def finished(self) -> int:
        """Return the number of finished cells."""
        return sum((folder / SUMMARY_FILE).exists() for folder in self._folders)

    def _count(self, path: Path) -> int:
        size, lines = self._seen.get(path, (0, 0))
        try:
            with path.open("rb") as stream:
                stream.seek(size)
                block = stream.read()
        except OSError:
            return lines
        self._seen[path] = (size + len(block), lines + block.count(b"\n"))
        return self._seen[path][1]
