"""Whether a change made anything slower: an older checkout and this one in turn.

    python -m benchmarks.paired OLDER [--pairs 7] [--only NAME ...]

OLDER is another checkout (`git worktree add --detach ../before COMMIT`). Each benchmark runs in it
and here, one right after the other, so that both meet what else the machine does. They begin by
turns. Each checkout has a user cache of its own, warmed by a run that is not counted. Prints for
each figure the median over the pairs of the ratio, new to old, with the lowest and the highest. The
exit code is 1 if a median is above 1.05.

After each start, a Python is timed that only imports Panda3D, NumPy and ImGui. The window is given
in that time, too; at most 1.3 is the goal.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT
from benchmarks.console import machine, parser_of
from benchmarks.programs import user_folders

MOST = 1.05
Figures = dict[str, float]


def texts(pattern: str) -> Callable[[str], Figures]:
    """Return what reads `(name) … (number)` from the lines that a benchmark prints."""

    def read(output: str) -> Figures:
        found = re.findall(pattern, output, re.M)
        return {name: float(value.replace(",", "")) for name, value in found}

    return read


def inverse(read: Callable[[str], Figures]) -> Callable[[str], Figures]:
    """Return what reads rates as the time that a thousand takes, so that more is slower."""
    return lambda output: {name: 1000.0 / rate for name, rate in read(output).items()}


def median_of_list(output: str) -> Figures:
    """Read the one list of milliseconds that an arm of `benchmarks.objects` prints."""
    return {"frame": statistics.median(json.loads(output.strip().splitlines()[-1]))}


def starts(output: str) -> Figures:
    """Read the file that `--stats` of a run has written."""
    found = json.loads(output)["startup_seconds"]
    return {name: float(value) for name, value in found.items() if value is not None}


STATS = "STATS"
"""Stands for a file that a benchmark writes in place of printing."""
BENCHMARKS: Mapping[str, tuple[tuple[str, ...], Callable[[str], Figures]]] = {
    "startup": (
        ("main.py", "run", "--headless", "--speed", "1", "--for", "7", "--stats", STATS),
        starts,
    ),
    "frames": (
        ("-m", "benchmarks.frames", "60"),
        texts(r"(only what moves|everything anew): p50 +([\d.]+)"),
    ),
    "live": (
        ("-m", "benchmarks.live", "250", "100"),
        texts(r"^ +(\w[\w ]+): \d+ frames, p50 ([\d.]+)"),
    ),
    "objects": (("-m", "benchmarks.objects", "--arm", "goishi", "both", "60"), median_of_list),
    "ui": (
        ("-m", "benchmarks.ui", "--frames", "150", "--games", "2"),
        texts(r"^(.+): ([\d.]+) ms median"),
    ),
    "steps": (
        ("-m", "benchmarks.steps", "--seconds", "2", "--rounds", "3"),
        inverse(texts(r"^ *(.+?): +([\d,]+) fixed steps a second")),
    ),
    "environments": (
        ("-m", "benchmarks.environments", "--steps", "4000", "--rounds", "1"),
        inverse(texts(r"^ *(.+?): +[\d,]+ steps a second, +([\d,]+) a processor second")),
    ),
}
UNCOMPILED: Final = "PYTHONDONTWRITEBYTECODE"
"""Left out: with it a checkout that has no compiled modules compiles them at each start."""
MISSED: Final = 1
"""Exit code of a benchmark whose own goal was missed: its figures count all the same."""


BARE: Final = "import numpy, panda3d.core; from imgui_bundle import imgui"
"""What a window cannot do without: a program that imports this and ends."""
IN_BARE: Final = "window, in times of a Python that imports Panda3D, NumPy and ImGui"


def main() -> int:
    """Run the pairs; return 1 where a figure became larger by more than a twentieth."""
    parser = parser_of(__doc__, pairs=7)
    parser.add_argument("older", type=Path, metavar="OLDER")
    parser.add_argument("--only", nargs="+", choices=[*BENCHMARKS], metavar="NAME")
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        sides = {"old": options.older.resolve(), "new": SHIPPED_ROOT}
        slower = [
            line
            for name in options.only or BENCHMARKS
            for line in compare(name, sides, Path(folder), options.pairs)
        ]
    for line in slower:
        print(f"above {MOST:g}: {line}")
    return 1 if slower else 0


def compare(name: str, sides: Mapping[str, Path], folder: Path, pairs: int) -> Iterator[str]:
    """Run one benchmark's pairs, print its figures, and yield those that became larger."""
    found: dict[str, list[Figures]] = {side: [] for side in sides}
    for pair in range(pairs + 1):  # the first warms the caches
        for side in sorted(sides, reverse=bool(pair % 2)):
            figures = run(name, sides[side], folder / side)
            if pair:
                found[side].append(figures)
    for key in found["new"][0]:
        if not all(key in figures for runs in found.values() for figures in runs):
            continue
        both = [(new[key], old[key]) for new, old in zip(found["new"], found["old"], strict=True)]
        ratios = [new / old for new, old in both]
        ratio = statistics.median(ratios)
        line = (
            f"{name}, {key}: ratio {ratio:.3f} ({min(ratios):.2f} to {max(ratios):.2f}), "
            f"old {statistics.median(old for _, old in both):.2f}, "
            f"new {statistics.median(new for new, _ in both):.2f}"
        )
        print(line, flush=True)
        if ratio > MOST:
            yield line


def run(name: str, checkout: Path, cache: Path) -> Figures:
    """Run one benchmark in a checkout and return its figures.

    Raises:
        SystemExit: it fails, or prints no figure.
    """
    words, read = BENCHMARKS[name]
    environment = {key: value for key, value in os.environ.items() if key != UNCOMPILED}
    environment |= {**user_folders(cache), "PYTHONPATH": ""}
    stats = cache / "stats.json"
    stats.parent.mkdir(exist_ok=True)
    command = [sys.executable, *(str(stats) if word == STATS else word for word in words)]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    is_whole = done.returncode in (0, MISSED)
    output = stats.read_text() if STATS in words and is_whole else done.stdout
    figures = read(output) if is_whole else {}
    if not figures:
        raise SystemExit(f"{checkout}: {name}: expected figures, found:\n{done.stderr[-2000:]}")
    if STATS in words and "window" in figures:
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", BARE], env=environment, check=True)
        figures[IN_BARE] = figures["window"] / (time.perf_counter() - begun)
    return figures


if __name__ == "__main__":
    sys.exit(main())
