"""All checks by one verb: `python -m tests.check`.

Linter, formatter, types and tests, each with its time; all of them run even when one fails.
Words after the verb go to pytest: `python -m tests.check -k goban`. The tests run in two
processes, as Goishi does: TensorFlow and an OpenGL context in one process crash it. They run
beside each other, and what the players' say is shown when those of the world are through.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
clock = time.perf_counter

CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ruff check", ("ruff", "check", ".")),
    ("ruff format", ("ruff", "format", "--check", ".")),
    ("mypy --strict", ("mypy", "--strict")),
)
PLAYERS = ("pytest", "tests/ai")
WORLD = ("pytest", "tests", "--ignore=tests/ai")
NOTHING_COLLECTED = 5  # pytest's exit code when no test fits the words


def main(arguments: Sequence[str]) -> int:
    """Run every step and return 0 when all of them passed."""
    results: list[tuple[str, bool, float]] = []
    for name, words in CHECKS:
        say(f"\n=== {name}")
        start = clock()
        results.append((name, run(words) == 0, clock() - start))
    passing = (0, NOTHING_COLLECTED) if arguments else (0,)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        start = clock()
        with subprocess.Popen(
            command(PLAYERS, arguments), cwd=ROOT, stdout=said, stderr=subprocess.STDOUT
        ) as players:
            ended: list[float] = []
            watch = threading.Thread(target=lambda: (players.wait(), ended.append(clock())))
            watch.start()
            try:
                say("\n=== pytest world (the players' tests run beside it)")
                code = run(WORLD, arguments)
                results.append(("pytest world", code in passing, clock() - start))
                watch.join()
            except BaseException:
                players.terminate()
                raise
        say("\n=== pytest players")
        said.seek(0)
        say(said.read())
    results.append(("pytest players", players.returncode in passing, ended[0] - start))
    for name, is_passed, seconds in results:
        say(f"{'passed' if is_passed else 'FAILED'}  {name:14} {seconds:7.1f} s")
    return 0 if all(is_passed for _, is_passed, _ in results) else 1


def command(words: Sequence[str], more: Sequence[str] = ()) -> list[str]:
    """Return the command line that runs a module with some words."""
    return [sys.executable, "-m", *words, *more]


def run(words: Sequence[str], more: Sequence[str] = ()) -> int:
    """Run a module to its end, its output shown as it comes; return the exit code."""
    return subprocess.run(command(words, more), cwd=ROOT).returncode


def say(line: str) -> None:
    """Write a line at once, so that it stands before the output of the next step."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
