"""Worker processes that begin warm: forks of one process that has loaded what players and learners need.

A worker of the product is a new interpreter. It loads NumPy, numba with the kernels and, for a
learner, TensorFlow, which takes longer than most matches of the tests. Where a test is about a match
and not about how its workers begin, they are forks of a process that has imported all of this and
has run none of it. All else is as in the product: the pipe, the target, its settings, the folder
and the environment of the process that asks. How workers begin is shown by `tests/ai/workers`,
`tests/base/worker`, `tests/sim/core/workers`, by each test that runs `main.py`, and by those that
ask for `cold_workers`.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from typing import Any

from ai.kernels.cache import configure_environment, is_compiled

LOADED = "GOISHI_TESTS_LOAD_WORKERS"
"""Set while the process starts that loads the modules."""
MODULES = (
    "ai.workers.player", "ai.workers.trainer", "ai.workers.hall", "ai.workers.searcher",
    "ai.players.genetic", "ai.players.alpha_beta", "ai.players.oracle", "ai.session.opening",
    "ai.session.evaluation", "ai.learning.self_teaching", "ai.nets.trainer",
)  # fmt: skip
HOUSE = "ai.workers."
"""How the targets of warm workers begin; others load little."""
READ_EARLY = ("NUMBA_", "XDG_CACHE_HOME", "OMP_", "OPENBLAS_", "MKL_")
"""How variables begin that modules read while they are imported: where one differs, none is warm."""
FOLLOWS = "NUMBA_CACHE_DIR"
"""Variable that any process which loads kernels sets by itself, from those above."""

STARTING = threading.Lock()  # each worker is started in a thread of its own


def load() -> None:
    """Import what workers import. Forks have none of the other threads, so there may be none."""
    configure_environment(jit=True)
    for name in MODULES:
        import_module(name)
    assert threading.active_count() == 1
    assert "panda3d" not in sys.modules


def begin(
    environment: Mapping[str, str], target: Callable[..., object], args: tuple[Any, ...]
) -> None:
    """Run a worker in a fork, in the environment of the process that asked for it."""
    os.environ.clear()
    os.environ.update(environment)
    target(*args)


def run_commands(lines: Sequence[Sequence[str]]) -> None:
    """Run command lines in turn, and end with the worst of their exit codes."""
    from sim.commands.cli.application import run_application  # no worker needs it

    sys.exit(max(map(run_application, lines)))


def read_early() -> dict[str, str]:
    """Return the variables that the loaded modules have read."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith(READ_EARLY) and name != FOLLOWS
    }


class WarmContext:
    """Stands in the place of the context of multiprocessing that starts new interpreters."""

    def __init__(self) -> None:
        self._cold = multiprocessing.get_context("spawn")
        self._warm = multiprocessing.get_context("forkserver")
        self._known = read_early()
        self.Pipe = self._cold.Pipe

    def get_context(self, method: str) -> WarmContext:
        """Return itself: it stands in the place of the module, too."""
        assert method == "spawn"
        return self

    def Process(
        self, *, target: Callable[..., None], args: tuple[Any, ...], **named: Any
    ) -> BaseProcess:
        """Return a process that is still to be started."""
        _, worker, settings = args
        is_usual = settings.get("jit") in (None, True) and read_early() == self._known
        if not (worker.startswith(HOUSE) and is_usual and is_compiled()):
            return self._cold.Process(target=target, args=args, **named)
        return self.fork(target, args, **named)

    def fork(
        self, target: Callable[..., object], args: tuple[Any, ...], **named: Any
    ) -> BaseProcess:
        """Return a process, still to be started, that begins warm whatever it runs."""
        start_loading()
        return self._warm.Process(target=begin, args=(dict(os.environ), target, args), **named)


def start_loading() -> None:
    """Start the process that loads the modules, the first time that a worker is wanted."""
    with STARTING:
        multiprocessing.set_forkserver_preload([__name__])
        os.environ[LOADED] = "1"
        try:
            forkserver.ensure_running()
        finally:
            del os.environ[LOADED]


if os.environ.get(LOADED) and is_compiled():
    load()
