"""Settings of worker processes at their start, and how they are applied."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypedDict

from ai.kernels.cache import configure_environment, is_compiled
from ai.registry.info import open_project
from base.worker.process import be_nice

PLAYER_NICE: Final = 5
LEARNER_NICE: Final = 10
"""Niceness of processes that learn; a higher number means a lower priority.

These processes yield to the players and to drawing, for which a person waits.
"""


class WorkerSettings(TypedDict, total=False):
    """Settings of a worker's process at its start; each worker uses some of them."""

    environment: Mapping[str, str]
    """Environment variables of the process, by name.

    They are added to `ai.workers.ENVIRONMENT`, which sets one thread for all libraries.
    """
    nice: int
    """Niceness (low priority) of the process, in place of the worker's own default.

    A higher number means a lower priority.
    """
    jit: bool | None
    """For players and the hall: whether to use compiled kernels.

    True compiles them first if the cache has none. False uses the Python version of the kernels.
    None or absent uses compiled ones if the cache has them.
    """
    threads: int
    """For the trainer and the hall: number of TensorFlow's threads; 1 if absent."""
    share: float
    """For the trainer: fraction of the time in which it computes, above 0 to 1; 1 if absent."""
    idle: float
    """For the trainer: seconds without a request before TensorFlow is loaded; 2 if absent."""
    project: str | None
    """Folder of a project whose players and games may be used in addition; None for none."""


def settle(settings: WorkerSettings, nice: int = PLAYER_NICE) -> None:
    """Set the priority of this process, and make the project's players and games known.

    Args:
        settings: settings of the worker.
        nice: niceness (low priority) if `settings` has none.
    """
    be_nice(int(settings.get("nice", nice)))
    project = settings.get("project")
    if project:
        open_project(Path(project))  # messages name its games by their class


def choose_kernels(settings: WorkerSettings) -> None:
    """Choose whether this process uses compiled kernels or their Python version."""
    jit = settings.get("jit")
    configure_environment(jit=is_compiled() if jit is None else bool(jit))
