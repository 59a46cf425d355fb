"""All checks by one verb: `python -m tests.check`.

Linter and formatter come first: where one of them fails, nothing else is run. Types come next, and
the kernels that the tests share: where one of them fails, no test is begun any more. Words after the
verb go to pytest: `python -m tests.check -k goban`. With `--nightly` comes what takes too long for
each change, part by part (`tests.nightly`); with words for pytest after it, those slow tests run,
too, that repeat at length what others show. With `--changed [COMMIT]`, for whoever is amid a change,
only those test files run that can reach what has changed since a commit (`tests.changed`).

The tests run in several processes: TensorFlow and an OpenGL context in one process crash it. One more
of them runs at a time than there are cores, one seen as it goes, what the others say when that one
is through. Those that open windows on the screen are in one process, so that they do not take the
keyboard from each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import changed, nightly

ROOT = Path(__file__).resolve().parents[1]
clock = time.perf_counter
CACHE = ROOT / ".pytest_cache" / "user-cache"  # compiled kernels and textures outlive a session

Group = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Job:
    """One process of the check.

    Attributes:
        name: what it is called in the table at the end.
        words: words for Python.
        environment: variables that it has beside ours.
        needs: names of the jobs that have to be through before it begins.
        passing: the exit codes with which it has passed.
        is_check: where it fails, nothing more is begun.
    """

    name: str
    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    passing: tuple[int, ...] = (0,)
    is_check: bool = False


@dataclass(frozen=True)
class Result:
    """What became of a job, and how many seconds it took."""

    name: str
    is_passed: bool
    seconds: float


KERNELS = "kernels"
FIRST = (
    Job("ruff check", ("-m", "ruff", "check", "."), is_check=True),
    Job("ruff format", ("-m", "ruff", "format", "--check", "."), is_check=True),
)
"""Before everything else: both take a second."""
CHECKS = (
    Job("mypy --strict", ("-m", "mypy", "--strict"), is_check=True),
    Job(KERNELS, ("-c", "from ai.kernels.cache import compile_all; compile_all()"),
        {"XDG_CACHE_HOME": str(CACHE)}, is_check=True),
)  # fmt: skip
"""What begins before the tests."""
WINDOWS = (
    "tests/drive/test_blocked_dialog.py", "tests/drive/test_opening_window.py",
    "tests/drive/test_person.py", "tests/drive/test_rescue.py", "tests/drive/test_stopping.py",
    "tests/goishi/test_remote.py", "tests/goishi/test_rendering.py",
    "tests/sim/render/window/test_file_drop.py", "tests/sim/render/window/test_window.py",
)  # fmt: skip
MATCHES = tuple(f"tests/drive/test_{name}.py" for name in (
    "hall", "human", "insight", "live_match", "other_games", "presentation", "project", "timeline",
    "training_panel", "white_player"))  # fmt: skip
GROUPS: tuple[Group, ...] = (
    ("players", ("tests/ai",)),
    ("views", ("tests", *(f"--ignore={name}" for name in (
        "tests/drive", "tests/ai", "tests/base", "tests/sim/core", "tests/sim/export",
        "tests/sim/physics", "tests/sim/ui", *WINDOWS)))),
    ("drive", ("tests/drive", *(f"--ignore={name}" for name in (*MATCHES, *WINDOWS)))),
    ("matches", MATCHES),
    ("engine", ("tests/base", "tests/sim/core", "tests/sim/export", "tests/sim/physics")),
    ("panels", ("tests/sim/ui",)),
    ("windows", WINDOWS),
)  # fmt: skip
"""What pytest runs in a process of its own, the longest first."""
WITHOUT_KERNELS = frozenset({"engine", "panels"})
"""Groups that may begin while the players' kernels are compiled."""
SLOWEST = "--durations=12"
"""How many of its slowest tests each group names."""
NIGHTLY = "--nightly"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
              "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")  # fmt: skip
"""What is set to 1 for pytest: a group of tests has one core at most, where more threads spin in vain."""
UNCOMPILED = "PYTHONDONTWRITEBYTECODE"
"""What is not set for a job: hundreds of processes read the same modules, compiled once."""
BY_DAY = ("-m", "not nightly")
NOTHING_COLLECTED = 5  # pytest's exit code when no test fits the words


def main(words: Sequence[str]) -> int:
    """Run every step and return 0 when all of them passed."""
    since, words = changed.taken(words)
    arguments = [word for word in words if word != NIGHTLY]
    if NIGHTLY in words and is_for_parts(arguments):
        return nightly.main(arguments)
    marks = () if NIGHTLY in words or "-m" in arguments else BY_DAY
    chosen = None if since is None else changed.test_files(ROOT, changed.since(ROOT, since))
    results = run_jobs(FIRST)
    if all(result.is_passed for result in results):
        passing = (0, NOTHING_COLLECTED) if arguments else (0,)
        results += run_jobs((*CHECKS, *jobs_of([*marks, *arguments], passing, chosen)), lanes())
    for result in results:
        mark = "passed" if result.is_passed else "FAILED"
        say(f"{mark}  {result.name:24} {result.seconds:7.1f} s")
    return 0 if all(result.is_passed for result in results) else 1


def is_for_parts(words: Sequence[str]) -> bool:
    """Whether the words beside `--nightly` name its parts, and none is pytest's."""
    return all(word == nightly.RESUME or not word.startswith("-") for word in words)


def jobs_of(
    arguments: Sequence[str],
    passing: tuple[int, ...] = (0,),
    chosen: frozenset[Path] | None = None,
) -> list[Job]:
    """Return a job for each group of tests.

    Args:
        arguments: more words for pytest.
        passing: the exit codes with which pytest has passed.
        chosen: the test files to run, from the root [all].
    """
    found = []
    for name, words in GROUPS:
        if chosen is not None:
            words = tuple(str(file) for file in sorted(files_of(words) & chosen))
        if words:
            needs = frozenset() if name in WITHOUT_KERNELS else frozenset({KERNELS})
            line = ("-m", "pytest", SLOWEST, *words, *arguments)
            threads = dict.fromkeys(ONE_THREAD, "1")
            found.append(Job(f"pytest {name}", line, threads, needs, passing))
    return found


def files_of(words: Sequence[str]) -> frozenset[Path]:
    """Return the test files of a group, from the root."""
    ignored = [Path(word.removeprefix("--ignore=")) for word in words if word.startswith("--")]
    given = [Path(word) for word in words if not word.startswith("--")]
    files = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")]
    return frozenset(
        file
        for file in files
        if any(file.is_relative_to(name) for name in given)
        and not any(file.is_relative_to(name) for name in ignored)
    )


def run_jobs(jobs: Sequence[Job], count: int = 1) -> list[Result]:
    """Run jobs, so many at a time; return what became of each. What the first lane runs is seen."""
    plan = Plan(jobs)
    with tempfile.TemporaryDirectory() as folder:
        unseen = [Lane(plan, Path(folder)) for _ in range(count - 1)]
        seen = Lane(plan)
        try:
            for lane in unseen:
                lane.start()
            seen.run()
            for lane in unseen:
                lane.join()
        except BaseException:
            plan.stop()
            for lane in (seen, *unseen):
                lane.stop()
            raise
        for path in (path for lane in unseen for path in lane.files):
            say(path.read_text(encoding="utf-8", errors="replace"))
    return plan.results


class Plan:
    """Hands out jobs to lanes, each as soon as those that it needs are through.

    Args:
        jobs: in the order in which they are to begin.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.results: list[Result] = []
        self._waiting = list(jobs)
        self._unfinished = {job.name for job in jobs}
        self._changed = threading.Condition()

    def take(self) -> Job | None:
        """Wait until a job may begin and return it; None when none is left."""
        with self._changed:
            while self._waiting:
                for job in self._waiting:
                    if not job.needs & self._unfinished:
                        self._waiting.remove(job)
                        return job
                self._changed.wait()
        return None

    def end(self, job: Job, code: int, seconds: float) -> None:
        """Note the exit code of a job; a check that failed is the end of what waits."""
        with self._changed:
            self._unfinished.discard(job.name)
            self.results.append(Result(job.name, code in job.passing, seconds))
            if job.is_check and code not in job.passing:
                self._waiting.clear()
            self._changed.notify_all()

    def stop(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()


class Lane(threading.Thread):
    """Runs one job of a plan after the other.

    Args:
        plan: gives the jobs.
        folder: where a file for each job keeps what it says [seen as it comes].
    """

    def __init__(self, plan: Plan, folder: Path | None = None) -> None:
        super().__init__()
        self.files: list[Path] = []
        self._plan = plan
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        while (job := self._plan.take()) is not None:
            title, start = f"\n=== {job.name}", clock()
            if self._folder is None:
                say(title)
                code = self._code_of(job)
            else:
                self.files.append(self._folder / f"{len(self.files)} {self.name}.txt")
                with self.files[-1].open("wb") as said:
                    said.write(f"{title}\n".encode())
                    said.flush()
                    code = self._code_of(job, stdout=said, stderr=subprocess.STDOUT)
            self._plan.end(job, code, clock() - start)

    def _code_of(self, job: Job, **streams: Any) -> int:
        """Run a process to its end and return its exit code."""
        environment = {**os.environ, **job.environment}
        environment.pop(UNCOMPILED, None)
        self._process = subprocess.Popen(
            [sys.executable, *job.words], cwd=ROOT, env=environment, **streams
        )
        return self._process.wait()

    def stop(self) -> None:
        """End what runs; the plan has stopped before."""
        if self._process is not None:
            self._process.terminate()
        if self.is_alive():
            self.join()


def lanes() -> int:
    """Return how many groups run at a time: one more than there are cores.

    Of a group's time a fifth is waiting: for processes that start, and for what ends by the clock.
    """
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (mine or 1) + 1


def say(line: str) -> None:
    """Write a line at once, so that it stands before the output of the next step."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
