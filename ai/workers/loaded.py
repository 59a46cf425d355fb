"""Imports what workers need, once, in the process of which workers are copies.

It loads the compiled kernels, too, where there are any. Otherwise each worker chooses for itself,
as compiled ones may be there when it begins. What a player needs besides, it imports itself.
"""

from __future__ import annotations

import contextlib
import os
from importlib import import_module
from typing import Final

from ai.kernels.cache import configure_environment, is_compiled
from ai.workers import ENVIRONMENT
from ai.workers.settings import PLAYER_NICE
from base.interruption import ignore_terminal
from base.worker.process import be_nice

MODULES: Final = ("ai.workers.player", "ai.workers.trainer", "ai.learning.self_teaching")
WITH_KERNELS: Final = ("ai.players.genetic", "ai.players.pattern")
"""Modules with the kernels that most scenes need: those of the default scene."""


def load() -> None:
    """Import the modules; one that fails is imported again by the worker, which tells why."""
    ignore_terminal()
    be_nice(PLAYER_NICE)  # the window comes first
    os.environ.update(ENVIRONMENT)  # before NumPy, which reads it
    names: tuple[str, ...] = MODULES
    if is_compiled():
        configure_environment(jit=True)
        names = MODULES + WITH_KERNELS
    for name in names:
        with contextlib.suppress(Exception):
            import_module(name)


load()
