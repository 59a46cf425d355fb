"""Runs a program within a limit of processor seconds: a busy machine takes nothing of its time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import psutil  # type: ignore[import-untyped]

LOOK_SECONDS: Final = 0.25
MOST_WALL: Final = 4.0
"""Times the limit: so long may a program take by the clock, as one that waits spends nothing."""


def run_within(
    words: Sequence[str], seconds: float, *, folder: Path, environment: Mapping[str, str]
) -> tuple[int | None, float]:
    """Run a program in a session of its own, and end all of it that is left.

    Args:
        words: the program and its arguments; what it writes is dropped.
        seconds: of processors, its own and those of its children.
        folder: where it runs.
        environment: its variables.

    Returns:
        Its exit code, None where the limit was reached, and the processor seconds it took.
    """
    process = subprocess.Popen(
        words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True, env=environment,
    )  # fmt: skip
    end, spent = time.monotonic() + MOST_WALL * seconds, 0.0
    try:
        while spent < seconds and time.monotonic() < end:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(LOOK_SECONDS), spent
            spent = max(spent, spent_by(process.pid))
        return None, spent
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def spent_by(pid: int) -> float:
    """Return the processor seconds of a process, its children and those that it has waited for."""
    total = 0.0
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(pid)
        for process in (top, *top.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(process.cpu_times()[:4])  # user, system, and both of the children
    return total
