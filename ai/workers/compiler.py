"""The compile worker: fills the kernel cache while players still run uncompiled, then ends.

It compiles one module of kernels for each request. So each request can say anew whose kernels are
needed first.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ai.kernels.cache import (
    KernelCompilationError,
    begin_compiling,
    compile_elsewhere,
    compile_module,
    kernel_modules,
    missing,
    note_all_compiled,
    share_of_another,
)
from ai.messages.kernels import CompileDone, CompileKernels, CompileProgress
from ai.workers.kernels import kernels_needed
from ai.workers.settings import WorkerSettings, settle
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

CORES_OF_THE_WINDOW: Final = 3
"""Number of cores that the window, its first player and one compiling process use.

On machines with more cores, a second process compiles kernels that nobody waits for.
"""


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings)
    serve(connection, CompileService().handle)


class CompileService:
    """Compiles kernels, a module for each request; `main` runs it in a process."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._names: tuple[str, ...] = ()
        self._helper: subprocess.Popen[bytes] | None = None
        self._given: tuple[str, ...] = ()
        """Modules that the helper compiles: a second process, if there is one."""

    def handle(self, payload: object, report: Report) -> CompileProgress | CompileDone:
        """Compile the next module.

        Args:
            payload: a `CompileKernels` message.
            report: not used.

        Returns:
            A `CompileProgress` message, or `CompileDone` at the end or if the compilation failed.

        Raises:
            WorkerRequestError: `payload` is another message.
        """
        if not isinstance(payload, CompileKernels):
            raise WorkerRequestError(
                f"expected CompileKernels, found {type(payload).__name__} {payload!r:.100}"
            )
        try:
            if not self._names:
                begin_compiling()
                self._names = kernel_modules()
            return self._compile_next(payload)
        except KernelCompilationError as error:
            return CompileDone(False, self._seconds, str(error))

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    def _compile_next(self, request: CompileKernels) -> CompileProgress | CompileDone:
        left = missing(self._names)
        if left:
            name = self._urgent(request) or self._next_of(left)
            compile_module(name)
            left = missing(self._names)
            if left:
                steps = len(self._names)
                return CompileProgress(steps - len(left), steps, name, self._seconds)
        note_all_compiled()
        return CompileDone(True, self._seconds)

    @staticmethod
    def _urgent(request: CompileKernels) -> str:
        """Return the next module for those who are to get theirs first; "" if they have them."""
        project = None if request.project is None else Path(request.project)
        for user in request.first:
            for name in missing(kernels_needed(user, project)):
                return name
        return ""

    def _next_of(self, left: Sequence[str]) -> str:
        """Return the next module that nobody waits for; a second process may compile others.

        Args:
            left: modules that are still to be compiled.
        """
        if self._helper is None and (os.cpu_count() or 1) > CORES_OF_THE_WINDOW:
            self._given = share_of_another(left)
            self._helper = compile_elsewhere(self._given)
        mine = next((name for name in left if name not in self._given), "")
        if mine:
            return mine
        if self._helper is not None:
            self._helper.wait()  # what it compiled is loaded at once
        return left[0]
