"""The compile worker: fills the kernel cache while players still run uncompiled, then ends."""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Final

from ai.messages.kernels import CompileDone, CompileKernels, CompileProgress
from ai.workers.settings import WorkerSettings, settle
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

CORES_OF_THE_WINDOW: Final = 3
"""Number of cores that the window, its first player and one compiling process use.

On machines with more cores, two processes compile.
"""


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings)
    serve(connection, handle)


def handle(payload: object, report: Report) -> object:
    """Compile all kernels and report the progress after each group of them.

    Args:
        payload: a `CompileKernels` message.
        report: called with each `CompileProgress`.

    Returns:
        A `CompileDone` message, with the error if the compilation failed.

    Raises:
        WorkerRequestError: `payload` is another message.
    """
    if not isinstance(payload, CompileKernels):
        raise WorkerRequestError(
            f"expected CompileKernels, found {type(payload).__name__} {payload!r:.100}"
        )
    cache = import_module("ai.kernels.cache")
    start = time.perf_counter()
    try:
        seconds = cache.compile_all(
            lambda step, steps, name, so_far: report(CompileProgress(step, steps, name, so_far)),
            processes=2 if (os.cpu_count() or 1) > CORES_OF_THE_WINDOW else 1,
        )
    except cache.KernelCompilationError as error:
        return CompileDone(False, time.perf_counter() - start, str(error))
    return CompileDone(True, seconds)
