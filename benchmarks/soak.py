"""Thousands of games in a row: does the memory of the app or of a worker grow?

    python -m benchmarks.soak [--games 5000] [--minutes 55] [--every 100]

Plays the shipped live match without a picture, learning as it goes, in processes of its own. Its
memory of situations is full before the first reading that counts (300 in place of 4,000). The
resident memory of the app and of each worker is read every `--every` games. For each process it
prints the memory after the first 500 games and at the end, and the growth in MB per 1,000 games
(least squares). If the time is up before the games, it judges what was played. The exit code is 1
if a process grows by more than 2 MB per 1,000 games, a worker was replaced, or fewer than 1,000
games were played.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import psutil  # type: ignore[import-untyped]

from benchmarks.console import machine, parser_of
from benchmarks.programs import start_main

FIRST: Final = 500
"""Games before the first one that counts: memories fill, code is loaded."""
LEAST: Final = 1000
WHITE: Final = "cnn-ann-plus@capacity=300"
GOAL: Final = 2.0
"""MB per 1,000 games."""
MEGABYTE: Final = 1e6


@dataclass
class Growth:
    """The memory of one process.

    Attributes:
        name: "app", "trainer" or "player N".
        games: how many games were played at each reading.
        megabytes: resident memory at each reading.
    """

    name: str
    games: list[int] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)

    @property
    def counted(self) -> tuple[list[int], list[float]]:
        """The readings after the first games."""
        first = sum(game < FIRST for game in self.games)
        return self.games[first:], self.megabytes[first:]

    @property
    def per_thousand(self) -> float:
        """MB per 1,000 games, by least squares; infinite with fewer than three readings."""
        games, megabytes = self.counted
        if len(games) < 3:
            return float("inf")
        return float(np.polyfit(games, megabytes, 1)[0]) * 1000.0

    @property
    def is_reached(self) -> bool:
        """Whether it grows no more than it may."""
        return self.per_thousand <= GOAL

    def __str__(self) -> str:
        _, megabytes = self.counted
        if not megabytes:
            return f"{self.name}: MISSED, no reading after game {FIRST}"
        verdict = "" if self.is_reached else " MISSED"
        return (
            f"{self.name}: {megabytes[0]:.1f} to {megabytes[-1]:.1f} MB, "
            f"{self.per_thousand:+.2f} MB per 1,000 games{verdict}"
        )


def play(games: int, seconds: float, every: int, folder: Path) -> tuple[int, list[Growth]]:
    """Play and read the memory; return the number of games and the growth of each process."""
    words = ["run", "scenes/self_teaching.scene.json", "--no-graphics", "--seed", "1"]
    words += ["--player-white", WHITE, "--data-dir", str(folder), "--games", str(games)]
    process = start_main(*words)
    found: dict[int, Growth] = {}
    played, wanted, deadline = 0, every, time.monotonic() + seconds
    try:
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
            played = _games(folder)
            if played >= wanted:
                _read(psutil.Process(process.pid), played, found)
                wanted = played - played % every + every
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()
    return played, [growth for growth in found.values() if growth.games[-1] >= FIRST]


def _games(folder: Path) -> int:
    """Return how many games are kept."""
    for path in folder.glob("scn_*/runs.sqlite3"):
        with contextlib.suppress(sqlite3.Error):
            database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1.0)
            with contextlib.closing(database):
                found = database.execute("SELECT max(game) FROM games WHERE run_id = 1")
                return int(found.fetchone()[0] or 0)
    return 0


def _read(app: psutil.Process, played: int, found: dict[int, Growth]) -> None:
    """Read the memory of the app and its workers."""
    with contextlib.suppress(psutil.Error):
        for process in (app, *app.children(recursive=True)):
            if process.pid not in found:
                found[process.pid] = Growth(_name(process, app, found))
            growth = found[process.pid]
            growth.games.append(played)
            growth.megabytes.append(process.memory_info().rss / MEGABYTE)


def _name(process: psutil.Process, app: psutil.Process, found: dict[int, Growth]) -> str:
    if process.pid == app.pid:
        return "app"
    with contextlib.suppress(psutil.Error):
        if "multiprocessing.resource_tracker" in " ".join(process.cmdline()):
            return "resource tracker"
        if any("tensorflow" in item.path for item in process.memory_maps()):
            return "trainer"
    number = sum(growth.name.startswith("player") for growth in found.values())
    return f"player {number + 1}"


def judge(played: int, found: Sequence[Growth]) -> list[str]:
    """Return why a soak has failed, nothing where it has not."""
    faults = [str(growth) for growth in found if not growth.is_reached]
    last = max((growth.games[-1] for growth in found), default=0)
    ended = [growth for growth in found if growth.games[-1] < last]
    faults += [f"{growth.name}: ended after game {growth.games[-1]}" for growth in ended]
    if played < LEAST:
        faults.append(f"expected {LEAST} games or more, found {played}")
    if not found:
        faults.append("expected an app, found none")
    return faults


def main() -> int:
    """Play, print, return the exit code."""
    options = parser_of(__doc__, games=5000, minutes=55.0, every=100).parse_args()
    print(machine())
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="goishi-soak-") as folder:
        played, found = play(options.games, 60.0 * options.minutes, options.every, Path(folder))
    faults = judge(played, found)
    print("\n".join(dict.fromkeys([*map(str, found), *faults])))
    worst = max((growth.per_thousand for growth in found), default=float("inf"))
    print(
        f"{played} games in {time.monotonic() - started:.0f} s, at most {worst:+.2f} MB per 1,000 "
        f"games in {len(found)} processes: {'MISSED' if faults else 'reached'}"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
