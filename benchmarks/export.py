"""What a call through an exported library costs, compared with the Python function itself.

    python -m benchmarks.export

Exports a script that chooses moves with the network of `scripts/export/gomoku_player.py`, and
builds a small C program (`export_host.c`) with gcc. It times 10,000 calls from C and 10,000 of the
same function in the same Python, in turns of 500. The best turn of each counts, because the machine
has other things to do. Goal: at most 0.05 ms a call more from C.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.console import machine, parser_of
from benchmarks.programs import build_c
from benchmarks.timing import timed
from sim.export.exporter import ExportRequest, export

ROUNDS, CALLS = 20, 500
GOAL_MS = 0.05
NAME = "player"
SCRIPT = '''
"""The player, and how long it takes in Python alone."""

import time
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from scripts.export.gomoku_player import choose as choose_point
from sim import Shape, exported


@exported
def choose(stones: Annotated[NDArray[np.int8], Shape(49)], to_move: int) -> int:
    """Choose a point."""
    return choose_point(stones, to_move)


@exported
def nothing(number: int) -> int:
    """Return what is given."""
    return number


@exported
def milliseconds_in_python(calls: int) -> float:
    """Time calls of `choose` that do not come from C."""
    stones = np.zeros(49, np.int8)
    stones[24] = 1
    start = time.perf_counter()
    for _ in range(calls):
        choose(stones, -1)
    return (time.perf_counter() - start) * 1000 / calls
'''


def measure(folder: Path) -> tuple[float, ...]:
    """Return milliseconds: the start, a call, one in Python, one of nothing, one refused.

    Raises:
        SystemExit: there is no C compiler.
    """
    script, out = folder / f"{NAME}.py", folder / "out"
    script.write_text(SCRIPT, encoding="utf-8")
    seconds, report = timed(lambda: export(ExportRequest(script, out, NAME)), time.perf_counter)
    print(f"export: {seconds:.1f} s, {report.size / 1e6:.0f} MB")
    flags = ("-O2", f"-DCALLS={CALLS}", f"-DROUNDS={ROUNDS}", f"-I{out}")
    linked = (f"-L{out}", f"-l{NAME}", f"-Wl,-rpath,{out}")
    source = Path(__file__).with_name("export_host.c")
    host = build_c(source, folder / "host", *flags, *linked)
    if host is None:
        raise SystemExit("benchmarks.export: expected a C compiler, found none: install gcc")
    done = subprocess.run([str(host)], check=True, capture_output=True, text=True, env={})
    return tuple(map(float, done.stdout.split()))


def main() -> None:
    """Run the benchmark."""
    parser_of(__doc__).parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        start, call, python, nothing, refused = measure(Path(folder))
    print(f"start: {start:.0f} ms")
    print(f"a function that does nothing: {nothing:.4f} ms; a refused call: {refused:.4f} ms")
    print(
        f"choose: {call:.4f} ms from C, {python:.4f} ms in Python, "
        f"difference {call - python:+.4f} ms (goal: <= {GOAL_MS:g} ms)"
    )


if __name__ == "__main__":
    main()
