"""Progress of long commands: a bar, or a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ai.kernels.cache import compile_all, is_compiled


def warm_up() -> None:
    """Compile the fast kernels if this was not done yet, before any process needs them."""
    if not is_compiled():
        sys.stderr.write("goishi: one-time speed-up: compiling fast code for this machine\n")
        compile_all(lambda step, steps, name, seconds: None)


@contextmanager
def bar(title: str, total: int, first: str = "") -> Iterator[Callable[[int, str], None]]:
    """Context manager that shows a progress bar with the remaining time.

    Without a terminal it prints lines instead: the first of them at once, if `first` is given, the
    next as soon as the remaining time can be estimated, and then one every 20 seconds.

    Args:
        title: text before the bar.
        total: number of steps.
        first: note on what is done before the first step.

    Yields:
        Function to call with the number of finished steps and a short note. It may be called often.
    """
    if not sys.stderr.isatty():
        yield _plain_lines(title, total, first)
        return
    from rich import progress as parts
    from rich.console import Console

    titled = parts.TextColumn("{task.description}"), parts.BarColumn(), parts.MofNCompleteColumn()
    timed = parts.TimeElapsedColumn(), parts.TextColumn("left"), parts.TimeRemainingColumn()
    columns = (*titled, parts.TextColumn("{task.fields[note]}"), *timed)
    # Lines for a terminal are written above the bar; those for a file go into the file.
    console, is_above = Console(stderr=True), sys.stdout.isatty()
    with parts.Progress(*columns, console=console, redirect_stdout=is_above) as progress:
        task = progress.add_task(title, total=total, note=first)
        yield _seldom(lambda done, note: progress.update(task, completed=done, note=note), total)


def left_text(seconds: float) -> str:
    """Return a remaining time in words, such as "40 s left" or "2 h 5 min left".

    >>> left_text(40.2), left_text(770.0), left_text(7500.0)
    ('40 s left', '13 min left', '2 h 5 min left')
    """
    if seconds < 99.5:
        return f"{seconds:.0f} s left"
    minutes = round(seconds / 60.0)
    return f"{minutes} min left" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min left"


class TimeLeft:
    """Estimates the remaining time of work that goes on, from the pace since it was first seen."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._first: tuple[float, int] | None = None

    def seconds(self, done: int) -> float | None:
        """Return the seconds that are left, or None at the first call and before any progress.

        Args:
            done: number of finished steps.
        """
        now = time.monotonic()
        if self._first is None:
            self._first = now, done
        started, before = self._first
        if done <= before:
            return None
        return (now - started) / (done - before) * max(self._total - done, 0)


def _seldom(
    show: Callable[[int, str], None], total: int, every: float = 0.1
) -> Callable[[int, str], None]:
    """Return a function that calls `show` at most each `every` seconds, and for the last step."""
    shown = -every

    def show_seldom(done: int, note: str) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= every or done >= total:
            shown = now
            show(done, note)

    return show_seldom


def _plain_lines(
    title: str, total: int, first: str, soon: float = 1.0, every: float = 20.0
) -> Callable[[int, str], None]:
    """Return a function that writes lines of progress to stderr.

    Args:
        title: text before each line.
        total: number of steps.
        first: note of a line that is written at once; "" for none.
        soon: seconds from the first step to the first line with an estimate, where `first` is
            given.
        every: seconds between lines.
    """
    left = TimeLeft(total)
    due: float | None = None if first else time.monotonic() + every
    if first:
        sys.stderr.write(f"goishi: {title}: 0 of {total:,}, {first}\n")
        sys.stderr.flush()

    def show(done: int, note: str) -> None:
        nonlocal due
        now, seconds = time.monotonic(), left.seconds(done)
        due = now + soon if due is None else due
        if now < due or seconds is None:
            return
        due = now + every
        told = "".join(f", {part}" for part in (note, left_text(seconds)) if part)
        sys.stderr.write(f"goishi: {title}: {done:,} of {total:,}{told}\n")
        sys.stderr.flush()

    return show
