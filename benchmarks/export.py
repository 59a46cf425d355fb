"""What a call through an exported library costs, compared with the Python function itself.

    python -m benchmarks.export

Exports a script that chooses moves with the network of `scripts/export/gomoku_player.py`, builds a
small C program with gcc, and times 10,000 calls from C and 10,000 of the same function in the same
Python, in turns of 500; the best turn of each counts, because the machine has other things to do.
Goal: at most 0.05 ms a call more from C.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
HOST = """
#include "player.h"
#include <stdio.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static double least(double a, double b) { return a < b ? a : b; }
int main(void) {
    int8_t stones[49] = {[24] = 1};
    int64_t result = 0;
    double best = 1e9, python = 1e9, nothing = 1e9, refused = 1e9, one, begin = now();
    if (player_init(NULL)) return fprintf(stderr, "%s\\n", player_last_error()), 1;
    double start = now() - begin;
    for (int round = 0; round < ROUNDS; round++) {
        begin = now();
        for (int i = 0; i < CALLS; i++)
            if (player_choose(stones, 49, -1, &result)) return 2;
        best = least(best, (now() - begin) / CALLS);
        if (player_milliseconds_in_python(CALLS, &one)) return 3;
        python = least(python, one);
        begin = now();
        for (int i = 0; i < CALLS; i++)
            if (player_nothing(i, &result)) return 4;
        nothing = least(nothing, (now() - begin) / CALLS);
        begin = now();
        for (int i = 0; i < CALLS; i++)
            if (player_choose(stones, 48, -1, &result) != GOISHI_WRONG_SHAPE) return 5;
        refused = least(refused, (now() - begin) / CALLS);
    }
    printf("%f %f %f %f %f\\n", start, best, python, nothing, refused);
    return 0;
}
"""


def measure(folder: Path, compiler: str) -> tuple[float, ...]:
    """Return milliseconds: the start, a call, one in Python, one of nothing, one refused."""
    script, source = folder / f"{NAME}.py", folder / "host.c"
    script.write_text(SCRIPT, encoding="utf-8")
    source.write_text(HOST, encoding="utf-8")
    out, host = folder / "out", folder / "host"
    start = time.perf_counter()
    report = export(ExportRequest(script, out, NAME))
    print(f"export: {time.perf_counter() - start:.1f} s, {report.size / 1e6:.0f} MB")
    words = [compiler, "-O2", f"-DCALLS={CALLS}", f"-DROUNDS={ROUNDS}", f"-I{out}", str(source),
             "-o", str(host), f"-L{out}", f"-l{NAME}", f"-Wl,-rpath,{out}"]  # fmt: skip
    subprocess.run(words, check=True)
    done = subprocess.run([str(host)], check=True, capture_output=True, text=True, env={})
    return tuple(map(float, done.stdout.split()))


def main() -> None:
    """Run the benchmark."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        sys.exit("benchmarks.export: expected a C compiler, found none: install gcc")
    print(f"machine: {platform.platform()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        start, call, python, nothing, refused = measure(Path(folder), compiler)
    print(f"start: {start:.0f} ms")
    print(f"a function that does nothing: {nothing:.4f} ms; a refused call: {refused:.4f} ms")
    print(
        f"choose: {call:.4f} ms from C, {python:.4f} ms in Python, "
        f"difference {call - python:+.4f} ms (goal: <= {GOAL_MS:g} ms)"
    )


if __name__ == "__main__":
    main()
