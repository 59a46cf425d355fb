"""All checks by one verb: `python -m tests.check`.

Linter, formatter and types come first, while the kernels that the tests share are compiled; where
one of them fails, no test is run. Words after the verb go to pytest: `python -m tests.check -k
goban`. With `--nightly` comes what takes too long for each change, part by part (`tests.nightly`); with
words for pytest after it, those slow tests run, too, that repeat at length what others show. The tests
run in several processes: TensorFlow and an OpenGL context in one process crash it. As many run at
a time as there are cores, one of them seen as it goes, what the others say when that one is
through. Those that open windows on the screen are in one process, so that they do not take the
keyboard from each other.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests import nightly

ROOT = Path(__file__).resolve().parents[1]
clock = time.perf_counter

CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ruff check", ("ruff", "check", ".")),
    ("ruff format", ("ruff", "format", "--check", ".")),
    ("mypy --strict", ("mypy", "--strict")),
)
KERNELS = ("-c", "from ai.kernels.cache import compile_all; compile_all()")
CACHE = ROOT / ".pytest_cache" / "user-cache"  # compiled kernels and textures outlive a session
Group = tuple[str, tuple[str, ...]]
WINDOWS = (
    "tests/drive/test_blocked_dialog.py", "tests/drive/test_opening_window.py",
    "tests/drive/test_person.py", "tests/drive/test_stopping.py", "tests/goishi/test_rendering.py",
    "tests/sim/render/window/test_file_drop.py", "tests/sim/render/window/test_window.py",
)  # fmt: skip
MATCHES = tuple(f"tests/drive/test_{name}.py" for name in (
    "hall", "human", "insight", "live_match", "other_games", "presentation", "project", "timeline",
    "training_panel", "white_player"))  # fmt: skip
GROUPS: tuple[Group, ...] = (
    ("players", ("tests/ai",)),
    ("matches", MATCHES),
    ("views", ("tests", *(f"--ignore={name}" for name in (
        "tests/drive", "tests/ai", "tests/base", "tests/sim/core", "tests/sim/export",
        "tests/sim/physics", "tests/sim/ui", *WINDOWS)))),
    ("windows", WINDOWS),
    ("drive", ("tests/drive", *(f"--ignore={name}" for name in (*MATCHES, *WINDOWS)))),
    ("engine", ("tests/base", "tests/sim/core", "tests/sim/export", "tests/sim/physics")),
    ("panels", ("tests/sim/ui",)),
)  # fmt: skip
"""What pytest runs in a process of its own, the longest first."""
SLOWEST = "--durations=12"
"""How many of its slowest tests each group names."""
NIGHTLY = "--nightly"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
              "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")  # fmt: skip
"""What is set to 1 for pytest: a group of tests has one core, where more threads spin in vain."""
BY_DAY = ("-m", "not nightly")
NOTHING_COLLECTED = 5  # pytest's exit code when no test fits the words


def main(words: Sequence[str]) -> int:
    """Run every step and return 0 when all of them passed."""
    arguments = [word for word in words if word != NIGHTLY]
    if NIGHTLY in words and is_for_parts(arguments):
        return nightly.main(arguments)
    marks = () if NIGHTLY in words or "-m" in arguments else BY_DAY
    results = checks()
    if all(is_passed for _, is_passed, _ in results):
        passing = (0, NOTHING_COLLECTED) if arguments else (0,)
        results += [
            (f"pytest {name}", code in passing, seconds)
            for name, code, seconds in tests([*marks, *arguments])
        ]
    for name, is_passed, seconds in results:
        say(f"{'passed' if is_passed else 'FAILED'}  {name:24} {seconds:7.1f} s")
    return 0 if all(is_passed for _, is_passed, _ in results) else 1


def is_for_parts(words: Sequence[str]) -> bool:
    """Whether the words beside `--nightly` name its parts, and none is pytest's."""
    return all(word == nightly.RESUME or not word.startswith("-") for word in words)


def checks() -> list[tuple[str, bool, float]]:
    """Run what needs no test, the kernels compiled beside it; return name, success, seconds."""
    results: list[tuple[str, bool, float]] = []
    begun = clock()
    kernels = subprocess.Popen(
        [sys.executable, *KERNELS], cwd=ROOT, env={**os.environ, "XDG_CACHE_HOME": str(CACHE)}
    )
    try:
        for name, check in CHECKS:
            say(f"\n=== {name}")
            start = clock()
            results.append((name, run(check) == 0, clock() - start))
        results.append(("kernels", kernels.wait() == 0, clock() - begun))
    finally:
        kernels.kill()
    return results


def tests(arguments: Sequence[str]) -> list[tuple[str, int, float]]:
    """Run all groups of tests, several at a time; return name, exit code and seconds of each."""
    waiting: queue.SimpleQueue[Group] = queue.SimpleQueue()
    for group in GROUPS:
        waiting.put(group)
    with tempfile.TemporaryDirectory() as folder:
        lanes = [UnseenTests(waiting, arguments, Path(folder)) for _ in range(cores() - 1)]
        first = waiting.get()
        for lane in lanes:
            lane.start()
        try:
            seen = itertools.chain((first,), taken(waiting))
            found = [run_group(*group, arguments) for group in seen]
            for lane in lanes:
                lane.join()
        except BaseException:
            for lane in lanes:
                lane.stop()
            raise
        for path in (path for lane in lanes for path in lane.files):
            say(path.read_text(encoding="utf-8", errors="replace"))
    return found + [group for lane in lanes for group in lane.found]


def cores() -> int:
    """Return how many groups run at a time: at least two, as much of a test is waiting."""
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(2, mine or 1)


def taken(waiting: queue.SimpleQueue[Group]) -> Iterator[Group]:
    """Take what nobody has begun, one after the other, until nothing is left."""
    with contextlib.suppress(queue.Empty):
        while True:
            yield waiting.get_nowait()


def run_group(name: str, words: Sequence[str], arguments: Sequence[str]) -> tuple[str, int, float]:
    """Run one group of tests where it is seen; return its name, exit code and seconds."""
    say(f"\n=== pytest {name}")
    start = clock()
    code = run(("pytest", SLOWEST, *words), arguments, one_thread())
    return name, code, clock() - start


class UnseenTests(threading.Thread):
    """Runs groups of tests one after the other beside those that are seen.

    Args:
        waiting: groups that nobody has begun; what is begun is taken out.
        arguments: words for pytest.
        folder: where a file for each group keeps what it says.
    """

    def __init__(
        self, waiting: queue.SimpleQueue[Group], arguments: Sequence[str], folder: Path
    ) -> None:
        super().__init__()
        self.found: list[tuple[str, int, float]] = []
        self.files: list[Path] = []
        self._waiting = waiting
        self._arguments = arguments
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        for name, words in taken(self._waiting):
            self.files.append(self._folder / f"{name}.txt")
            start = clock()
            with self.files[-1].open("wb") as said:
                said.write(f"\n=== pytest {name}\n".encode())
                said.flush()
                self._process = subprocess.Popen(
                    command(("pytest", SLOWEST, *words), self._arguments),
                    cwd=ROOT, env=one_thread(), stdout=said, stderr=subprocess.STDOUT,
                )  # fmt: skip
                self.found.append((name, self._process.wait(), clock() - start))

    def stop(self) -> None:
        """End what runs, and begin nothing more."""
        for _ in taken(self._waiting):
            pass
        if self._process is not None:
            self._process.terminate()
        self.join()


def command(words: Sequence[str], more: Sequence[str] = ()) -> list[str]:
    """Return the command line that runs a module with some words."""
    return [sys.executable, "-m", *words, *more]


def one_thread() -> dict[str, str]:
    """Return the environment of a group of tests."""
    return {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}


def run(
    words: Sequence[str], more: Sequence[str] = (), environment: dict[str, str] | None = None
) -> int:
    """Run a module to its end, its output shown as it comes; return the exit code."""
    return subprocess.run(command(words, more), cwd=ROOT, env=environment).returncode


def say(line: str) -> None:
    """Write a line at once, so that it stands before the output of the next step."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
