"""Would the tests tell? `python -m tests.mutate` makes small faults in the product and sees.

First the faults of `named.toml`, each by the tests named with it; then `--count` more, drawn by
`--seed` from all that `edits.py` can make, each by the tests of its mirrored folder and those that
name what the file defines, for 60 s of processors at most. Everything happens in copies of the
checkout, one for each of `--jobs`.

A fault is caught when a test fails that passes without it, or hangs; what no test can see stands in
`equivalent.toml`, each with its reason, and is left out. Exit code 0 when 95 of 100 are caught, 1
when fewer or when some were not tried, 2 when the lists do not fit the sources.

    python -m tests.mutate                      the named ones and 150 more
    python -m tests.mutate --seed 3 --count 20 --only ai/game sim/physics
    python -m tests.mutate --resume             go on; what survived is tried again, last
    python -m tests.mutate --minutes 50         end in time; --resume does the rest
    python -m tests.mutate --list               only say which

Each result is kept with the digests of the edited file and of the test that told: it holds until one
of them changes, and even then that test is asked first.
"""

from __future__ import annotations

import argparse
import math
import os
import queue
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from base.locks import FolderBusyError, FolderLock
from tests.check import ROOT, say
from tests.mutate.choice import ListError, Trial, named, sampled
from tests.mutate.results import Results
from tests.mutate.scratch import CAUGHT, HUNG, SURVIVED, Scratch, ToolError

EQUIVALENT = "equivalent"
WANTED = 0.95
KEPT = ROOT / ".pytest_cache"
STATES = (CAUGHT, HUNG, EQUIVALENT, SURVIVED)
USAGE = 2


def main(words: Sequence[str]) -> int:
    """Try the edits that the words ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=150, help="how many besides the named ones")
    parser.add_argument("--only", nargs="+", default=[], metavar="PATH", help="files or folders")
    parser.add_argument("--resume", action="store_true", help="keep what an earlier run caught")
    parser.add_argument("--list", action="store_true", help="run nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="copies at a time")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin none after them")
    given = parser.parse_args(words)
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell started it
    try:
        trials = named(ROOT, given.only) + sampled(ROOT, given.seed, given.count, given.only)
        if given.list:
            for trial in trials:
                say(f"{trial.name}{f'  ({trial.reason})' if trial.reason else ''}")
            return 0
        end = time.monotonic() + 60.0 * given.minutes
        with FolderLock(KEPT, "mutations.lock"):
            found = try_all(trials, is_resumed=given.resume, jobs=given.jobs, end=end)
        return report(found, given.seed, len(trials))
    except (ListError, ToolError, FolderBusyError) as error:
        say(f"mutate: {error}")
        return USAGE


def _end(*_: object) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)


def try_all(
    trials: Sequence[Trial], *, is_resumed: bool, jobs: int = 1, end: float = math.inf
) -> dict[str, tuple[str, str]]:
    """Try each that is not known yet; return state and test by name. Each result is kept at once.

    Args:
        trials: the edits.
        is_resumed: what earlier runs caught is taken over.
        jobs: how many are tried at a time.
        end: by `time.monotonic`; none begins after it.
    """
    results = Results(ROOT, KEPT / "mutations.jsonl")
    known = {trial.name: results.of(trial) for trial in trials if is_resumed}
    found = {name: result for name, result in known.items() if result is not None}
    found |= {trial.name: (EQUIVALENT, trial.reason) for trial in trials if trial.reason}
    again = [trial for trial in trials if found.get(trial.name, ("",))[0] == SURVIVED]
    waiting = [trial for trial in trials if trial.name not in found] + again
    if waiting:
        _Round(waiting, results, found, end).run(min(jobs, len(waiting)))
    return found


class _Round:
    """Tries edits in several copies, each of which takes the next one that waits."""

    def __init__(
        self, waiting: Sequence[Trial], results: Results, found: dict[str, tuple[str, str]],
        end: float,
    ) -> None:  # fmt: skip
        self._waiting: queue.SimpleQueue[Trial] = queue.SimpleQueue()
        for trial in waiting:
            self._waiting.put(trial)
        self._count = len(waiting)
        self._results = results
        self._found = found
        self._end = end
        self._done = 0
        self._lock = threading.Lock()
        self._errors: list[Exception] = []

    def run(self, jobs: int) -> None:
        """Try all.

        Raises:
            ToolError: a copy cannot be used.
        """
        threads = [threading.Thread(target=self._work, args=(number,)) for number in range(jobs)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            self._end = -math.inf  # where this thread was interrupted, the others end soon
        if self._errors:
            raise self._errors[0]

    def _work(self, number: int) -> None:
        try:
            with Scratch(ROOT, number) as scratch:
                scratch.compile()
                while time.monotonic() < self._end:
                    self._try(self._waiting.get_nowait(), scratch)
        except queue.Empty:
            pass
        except Exception as error:
            self._end = -math.inf
            self._errors.append(error)

    def _try(self, trial: Trial, scratch: Scratch) -> None:
        begun = time.perf_counter()
        state, test = scratch.try_out(trial, self._results.tellers(trial))
        took = time.perf_counter() - begun
        with self._lock:
            self._found[trial.name] = state, test
            self._results.keep(trial, state, test)
            self._done += 1
            say(f"{self._done}/{self._count} {state:9} {took:5.1f} s  {trial.name}  [{test}]")


def report(found: dict[str, tuple[str, str]], seed: int, wanted: int) -> int:
    """Say how many there were of each state, and which survived; return the exit code."""
    counts = Counter(state for state, _ in found.values())
    for name, (state, test) in found.items():
        if state == SURVIVED:
            say(f"survived: {name}  [{test}]")
    told = counts[CAUGHT] + counts[HUNG]
    share = told / max(1, told + counts[SURVIVED])
    numbers = ", ".join(f"{counts[state]} {state}" for state in STATES)
    left = wanted - len(found)
    rest = f"; {left} not tried yet: --resume" if left else ""
    say(f"mutations, seed {seed}: {len(found)} tried: {numbers}; {share:.1%} told{rest}")
    return 0 if share >= WANTED and not left else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
