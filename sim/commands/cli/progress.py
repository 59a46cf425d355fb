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
def bar(title: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """Context manager that shows a progress bar with the remaining time.

    Without a terminal it prints a line every 20 seconds instead.

    Args:
        title: text before the bar.
        total: number of steps.

    Yields:
        Function to call with the number of finished steps and a short note.
    """
    if not sys.stderr.isatty():
        yield _plain_lines(title, total)
        return
    from rich import progress as parts
    from rich.console import Console

    titled = parts.TextColumn("{task.description}"), parts.BarColumn(), parts.MofNCompleteColumn()
    timed = parts.TimeElapsedColumn(), parts.TextColumn("left"), parts.TimeRemainingColumn()
    columns = (*titled, parts.TextColumn("{task.fields[note]}"), *timed)
    with parts.Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total, note="")
        yield lambda done, note: progress.update(task, completed=done, note=note)


def _plain_lines(title: str, total: int, every: float = 20.0) -> Callable[[int, str], None]:
    started = told = time.monotonic()
    first: int | None = None

    def show(done: int, note: str) -> None:
        nonlocal told, first
        first = done if first is None else first
        now = time.monotonic()
        if now - told < every:
            return
        told = now
        left = (now - started) / max(1, done - first) * (total - done)
        sys.stderr.write(f"goishi: {title}: {done} of {total}, {note}, {left:.0f} s left\n")

    return show
