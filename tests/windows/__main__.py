"""Goishi on Windows, tried by Wine: `python -m tests.windows [NAME …]`, the nightly part `windows`.

Names are those of tries and of groups of tests; `tries` are all tries. Without names all are run.
What each has seen is kept at once, so that what is missing or failed can be run alone. `--python WORD …` runs
the Windows Python with these words.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from tests.windows import kept, suite
from tests.windows.hand import HandError
from tests.windows.setting_up import folder, set_up
from tests.windows.tries import TRACE, TRIES, Place, Try, TryError
from tests.windows.wine import Wine

SCREEN = "1440x900x24"
ALL_TRIES = "tries"


def main(words: Sequence[str]) -> int:
    """Set up the Windows Python and run tries and tests; return 0 when nothing failed."""
    try:
        wine = windows()
    except RuntimeError as error:
        say(str(error))
        return 1
    if words[:1] == ["--python"]:
        shown = wine.on(os.environ.get("DISPLAY", ""))
        done = shown.run(words[1:], Path.cwd(), 86400.0, told=say_raw)
        return 1 if done.code is None else done.code
    known = [ALL_TRIES, *kept.LINES]
    if wrong := [word for word in words if word not in known]:
        say(f"expected names of {', '.join(known)}, found {', '.join(wrong)}")
        return 2
    tries = [one for one in TRIES if not words or ALL_TRIES in words or one.name in words]
    groups = [group for group in suite.GROUPS if not words or group.name in words]
    with screen() as display:
        failed = try_all(wine.on(display), tries)
        failed += test_all(wine.on(display), groups)
    return int(bool(failed))


def windows() -> Wine:
    """Return the Windows Python, set up; with a prefix of its own.

    Raises:
        RuntimeError: it could not be set up.
    """
    where = folder()
    python = set_up(where)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS",
                             "TF_NUM_INTEROP_THREADS"), "1")  # fmt: skip
    wine = Wine(python, where / "prefix", {**threads, "TF_CPP_MIN_LOG_LEVEL": "3"})
    wine.make_prefix()
    return wine


def try_all(wine: Wine, tries: Sequence[Try]) -> int:
    """Run tries and keep what they saw; return how many did not work."""
    failed = 0
    for one in tries:
        row = try_one(wine, one)
        failed += row.verdict != kept.WORKS
        say(f"{one.name}: {row.verdict}: {row.seen}")
        kept.write({**kept.read(), one.name: row})
    if tries:
        say(f"{len(tries) - failed} of {len(tries)} tries work")
    return failed


def try_one(wine: Wine, one: Try) -> kept.Row:
    """Run a try in an empty folder, and end what it has left running."""
    date = today()
    pictures = folder() / "pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="goishi-windows-") as scratch:
        try:
            with limited(wine, one.minutes):
                seen, verdict = one.run(Place(wine, Path(scratch), pictures)), kept.WORKS
        except (TryError, HandError, OSError) as error:
            seen, verdict = str(error), kept.FAILS
            say(f"{one.name}: {error}")
        finally:
            wine.end_all()
    return kept.Row(date, verdict, seen)


@contextlib.contextmanager
def limited(wine: Wine, minutes: float) -> Iterator[None]:
    """Context manager whose block fails after some minutes, with everything in the prefix ended."""

    def end(number: int, frame: FrameType | None) -> None:
        wine.end_all()
        raise TryError(f"expected it to end within {minutes:g} minutes, found it still at work")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, minutes * 60.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def today() -> str:
    """Return the date, UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def test_all(wine: Wine, groups: Sequence[suite.Group]) -> int:
    """Run groups of tests, keep their counts, print what is left out; return how many failed."""
    total, traces = Counter[str](), 0
    for group in groups:
        found, text = suite.run(wine, group, say_raw)
        wine.end_all()
        seen = ", ".join(f"{number} {kind}" for kind, number in found.items())
        say(f"{group.name}: {seen}")
        verdict = kept.FAILS if suite.failures(found) else kept.WORKS
        kept.write({**kept.read(), group.name: kept.Row(today(), verdict, seen)})
        total.update(found)
        traces += text.count(TRACE) if suite.failures(found) else 0
    if not groups:
        return 0
    for begin, kind, why in suite.LEFT_OUT:
        say(f"left out ({kind}): {begin}: {why}")
    failed = suite.failures(total)
    say(f"Windows: {total['passed']} passed, {failed} failed, {total['skipped']} skipped, "
        f"{traces} tracebacks")  # fmt: skip
    return failed


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """Context manager with a display of Xvfb; yields its name."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN],
        pass_fds=(writing,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    timer = threading.Timer(30.0, server.kill)
    timer.start()
    try:
        with open(reading, encoding="ascii") as stream:
            number = stream.readline().strip()
        timer.cancel()
        yield f":{number}"
    finally:
        timer.cancel()
        server.terminate()
        server.wait()


def say(text: str) -> None:
    """Write a line."""
    say_raw(f"{text}\n")


def say_raw(text: str) -> None:
    """Write a part of the output as it comes."""
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
