"""All checks by one verb: `python -m tests.check`.

Linter, formatter, types and tests, each with its time; all of them run even when one fails.
Words after the verb go to pytest: `python -m tests.check -k goban`. The tests run in two
processes, as Goishi does: TensorFlow and an OpenGL context in one process crash it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ruff check", ("ruff", "check", ".")),
    ("ruff format", ("ruff", "format", "--check", ".")),
    ("mypy --strict", ("mypy", "--strict")),
    ("pytest players", ("pytest", "tests/ai")),
    ("pytest world", ("pytest", "tests", "--ignore=tests/ai")),
)
NOTHING_COLLECTED = 5  # pytest's exit code when no test fits the words


def main(arguments: Sequence[str]) -> int:
    """Run every step and return 0 when all of them passed."""
    results: list[tuple[str, bool, float]] = []
    for name, module_and_words in STEPS:
        is_test = name.startswith("pytest")
        words = [*module_and_words, *(arguments if is_test else ())]
        say(f"\n=== {name}")
        start = time.perf_counter()
        code = subprocess.run([sys.executable, "-m", *words], cwd=ROOT).returncode
        is_passed = code == 0 or (is_test and bool(arguments) and code == NOTHING_COLLECTED)
        results.append((name, is_passed, time.perf_counter() - start))
    say("")
    for name, is_passed, seconds in results:
        say(f"{'passed' if is_passed else 'FAILED'}  {name:14} {seconds:7.1f} s")
    return 0 if all(is_passed for _, is_passed, _ in results) else 1


def say(line: str) -> None:
    """Write a line at once, so that it stands before the output of the next step."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
