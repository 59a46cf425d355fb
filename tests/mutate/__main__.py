"""Would the tests tell? `python -m tests.mutate` makes small faults in the product and sees.

First the faults of `named.toml`, each by the tests named with it; then `--count` more, drawn by
`--seed` from all that `edits.py` can make, each by the tests of its mirrored folder and those that
name what the file defines, for 60 s at most. Everything happens in a copy of the checkout.

A fault is caught when a test fails that passes without it, or hangs; what no test can see stands in
`equivalent.toml`, each with its reason, and is left out. Exit code 0 when 95 of 100 are caught, 1
when fewer, 2 when the lists do not fit the sources.

    python -m tests.mutate                      the named ones and 150 more
    python -m tests.mutate --seed 3 --count 20 --only ai/game sim/physics
    python -m tests.mutate --resume             go on; what survived is tried again, last
    python -m tests.mutate --list               only say which
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tests.check import ROOT, say
from tests.mutate.choice import ListError, Trial, named, sampled
from tests.mutate.scratch import CAUGHT, HUNG, SURVIVED, Scratch, ToolError

EQUIVALENT = "equivalent"
WANTED = 0.95
RESULTS = ROOT / ".pytest_cache" / "mutations.jsonl"
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
    given = parser.parse_args(words)
    signal.signal(signal.SIGTERM, _end)
    try:
        trials = named(ROOT, given.only) + sampled(ROOT, given.seed, given.count, given.only)
        if given.list:
            for trial in trials:
                say(f"{trial.name}{f'  ({trial.reason})' if trial.reason else ''}")
            return 0
        return report(try_all(trials, is_resumed=given.resume), given.seed)
    except (ListError, ToolError) as error:
        say(f"mutate: {error}")
        return USAGE


def _end(*_: object) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)


def try_all(trials: Sequence[Trial], *, is_resumed: bool) -> dict[str, tuple[str, str]]:
    """Try each that is not known yet; return state and test by name. Each result is kept at once."""
    known = _known() if is_resumed else {}
    if not is_resumed:
        RESULTS.unlink(missing_ok=True)
    found = {trial.name: (EQUIVALENT, trial.reason) for trial in trials if trial.reason}
    found |= {
        trial.name: known[_key(trial)] for trial in trials
        if _key(trial) in known and not trial.reason
    }  # fmt: skip
    again = [trial for trial in trials if found.get(trial.name, ("",))[0] == SURVIVED]
    waiting = [trial for trial in trials if trial.name not in found] + again
    if not waiting:
        return found
    with Scratch(ROOT) as scratch:
        scratch.compile()
        for number, trial in enumerate(waiting, start=1):
            begun = time.perf_counter()
            state, test = found[trial.name] = scratch.try_out(trial)
            _keep(_key(trial), state, test)
            took = time.perf_counter() - begun
            say(f"{number}/{len(waiting)} {state:9} {took:5.1f} s  {trial.name}  [{test}]")
    return found


def report(found: dict[str, tuple[str, str]], seed: int) -> int:
    """Say how many there were of each state, and which survived; return the exit code."""
    counts = Counter(state for state, _ in found.values())
    for name, (state, test) in found.items():
        if state == SURVIVED:
            say(f"survived: {name}  [{test}]")
    told = counts[CAUGHT] + counts[HUNG]
    share = told / max(1, told + counts[SURVIVED])
    numbers = ", ".join(f"{counts[state]} {state}" for state in STATES)
    say(f"mutations, seed {seed}: {len(found)} tried: {numbers}; {share:.1%} told")
    return 0 if share >= WANTED else 1


def _key(trial: Trial) -> str:
    """Return what a result belongs to: the source, the edit, and who is asked."""
    source = (ROOT / trial.edit.path).read_text(encoding="utf-8")
    return hashlib.sha256(f"{trial.edit.apply(source)}|{trial.name}".encode()).hexdigest()


def _keep(key: str, state: str, test: str) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps([key, state, test]) + "\n")


def _known(path: Path | None = None) -> dict[str, tuple[str, str]]:
    """Return the results of earlier runs; a line that was cut is left out."""
    results = {}
    path = path or RESULTS
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            key, state, test = json.loads(line)
        except ValueError:
            continue
        results[key] = state, test
    return results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
