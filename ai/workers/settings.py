"""What every worker process of players and learners is told at its start, and does about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypedDict

from ai.kernels.cache import configure_environment, is_compiled
from ai.registry.info import open_project
from base.worker.process import be_nice

PLAYER_NICE: Final = 5
LEARNER_NICE: Final = 10
"""Less urgent than the players and the picture, which somebody waits for or looks at."""


class WorkerSettings(TypedDict, total=False):
    """Settings of a worker's process at its start; each worker uses some of them."""

    environment: Mapping[str, str]
    """Environment variables, added to those that set one thread for all libraries."""
    nice: int
    """Added to the priority, in place of the worker's own default."""
    jit: bool | None
    """For players and the hall: True for compiled kernels, compiling them first if the cache has
        none, False for the twin, None or absent for compiled ones if the cache has them.
    """
    threads: int
    """For the trainer and the hall: number of TensorFlow's threads (1)."""
    share: float
    """For the trainer: share of the time in which it computes, above 0 to 1 (1.0)."""
    idle: float
    """For the trainer: seconds without a request before it loads TensorFlow (2.0)."""
    project: str | None
    """A project's folder, whose players may sit down and learn, too, and whose games be played."""


def settle(settings: WorkerSettings, nice: int = PLAYER_NICE) -> None:
    """Set the priority of this process, and open the project."""
    be_nice(int(settings.get("nice", nice)))
    project = settings.get("project")
    if project:
        open_project(Path(project))  # messages name its games by their class


def choose_kernels(settings: WorkerSettings) -> None:
    """Let the kernels of this process be compiled ones or their twin, as the settings say."""
    jit = settings.get("jit")
    configure_environment(jit=is_compiled() if jit is None else bool(jit))
