"""Laws on random inputs with seeds of their own: `python -m tests.laws [--seeds 6] [--minutes 50]`.

By day, Hypothesis draws the same examples each time, and fewer (`tests.examples`). Here every round
has a seed drawn by the system, which is printed, and `GOISHI_TESTS_BY_NIGHT=1 python -m pytest -m
hypothesis --hypothesis-seed=SEED` repeats it. Exit code 1 where a law was broken.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

from tests.examples import BY_NIGHT

ROOT = Path(__file__).resolve().parents[1]
GROUPS = (("tests/ai",), ("tests", "--ignore=tests/ai", "--ignore=tests/drive"))
"""Pytest's words of one process each: TensorFlow and OpenGL do not live in one."""


def main() -> int:
    """Run rounds until all are done or the time is up; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--minutes", type=float, default=50.0)
    options = parser.parse_args()
    deadline = time.monotonic() + 60.0 * options.minutes
    broken, done = [], 0
    while done < options.seeds and (not done or time.monotonic() < deadline):
        seed = secrets.randbelow(2**32)
        done += 1
        sys.stdout.write(f"--- seed {seed}\n")
        sys.stdout.flush()
        found = [holds(seed, group) for group in GROUPS]
        if not all(found):
            broken.append(seed)
    told = f"broken with {broken}" if broken else "none broken"
    sys.stdout.write(f"{done} random seeds: {told}\n")
    return 1 if broken else 0


def holds(seed: int, group: tuple[str, ...]) -> bool:
    """Run the laws of a group with a seed; return whether all hold."""
    words = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "hypothesis",
        f"--hypothesis-seed={seed}",
        *group,
    ]
    environment = {key: value for key, value in os.environ.items() if key != "CI"} | {BY_NIGHT: "1"}
    run = subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment)
    return run.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
