"""Workers that begin loaded: copies of one process that has imported what they need.

A worker that starts as a new interpreter imports NumPy, numba and its own modules by itself, which
takes about a second of a processor. On Linux one process imports them once. Each worker is then a
copy of it (`multiprocessing`'s fork server), and begins at once. That process runs nothing: it has
one thread, no window and no TensorFlow, so that it can be copied safely. Elsewhere, and where the
process cannot be started, workers start as new interpreters.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import forkserver
from typing import TYPE_CHECKING, Final

from base.files import SHIPPED_ROOT
from base.values import JsonObject
from base.worker.process import run_worker
from base.worker.starting import safe_start, usual_environment

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

PATH: Final = "PYTHONPATH"


class LoadedWorkers:
    """Starts workers of a package as copies of a process that has imported a module.

    Attributes:
        was_used: whether a worker was started, or asked for.
    """

    def __init__(
        self, package: str, module: str, fits: Callable[[JsonObject], bool] = lambda settings: True
    ) -> None:
        """Create the object; nothing is started yet.

        Args:
            package: package of the workers' main functions, such as "ai.workers".
            module: module that the process imports; its import loads all that workers need.
            fits: returns whether a worker with these settings may be a copy.
        """
        self.was_used = False
        self._package = package
        self._module = module
        self._fits = fits
        self._lock = threading.Lock()
        self._is_possible = sys.platform.startswith("linux")

    def begin(self) -> None:
        """Start the process, unless it runs; it imports while this process goes on."""
        with self._lock:
            if not self._is_possible:
                return
            try:
                multiprocessing.set_forkserver_preload([self._module])
                with safe_start(), _importable():
                    forkserver.ensure_running()
            except (OSError, ValueError):  # no socket for it here, or no process
                self._is_possible = False

    def process_of(
        self, connection: Connection, target: str, settings: JsonObject, name: str
    ) -> BaseProcess | None:
        """Start a worker as a copy, and return its process.

        Args:
            connection: the worker's end of the pipe.
            target: the worker's main function, `module:function`.
            settings: settings of the worker.
            name: name of the process.

        Returns:
            The process; None if this worker has to start as a new interpreter.
        """
        if not self._is_fit(target, settings):
            return None
        self.was_used = True
        self.begin()
        if not self._is_possible:
            return None
        process = multiprocessing.get_context("forkserver").Process(
            target=run_copy,
            args=(usual_environment(), connection, target, settings),
            name=str(name),  # as for a new interpreter: a plain text
            daemon=True,
        )
        try:
            process.start()
        except (OSError, EOFError):  # the process that is copied has ended
            return None
        return process

    def _is_fit(self, target: str, settings: JsonObject) -> bool:
        is_ours = target.partition(":")[0].rpartition(".")[0] == self._package
        return is_ours and not settings.get("environment") and self._fits(settings)


def run_copy(
    environment: Mapping[str, str], connection: Connection, target: str, settings: JsonObject
) -> None:
    """Run a worker in a copy, in the environment of the process that asked for it.

    Args:
        environment: all environment variables.
        connection: the pipe to that process.
        target: see `run_worker`.
        settings: see `run_worker`.
    """
    os.environ.clear()
    os.environ.update(environment)
    run_worker(connection, target, settings)


@contextlib.contextmanager
def _importable() -> Iterator[None]:
    """Let a process that is started in the block import Goishi's modules."""
    before = os.environ.get(PATH)
    os.environ[PATH] = os.pathsep.join(filter(None, (str(SHIPPED_ROOT), before)))
    try:
        yield
    finally:
        if before is None:
            del os.environ[PATH]
        else:
            os.environ[PATH] = before
