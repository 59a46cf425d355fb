"""The script host's services for scripts, beyond those of every component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from sim.core.scene.scene import ComponentHost, ComponentSlot
from sim.core.script.coroutines import Steps, Task
from sim.core.script.job import JobCall, Report
from sim.core.script.panels import PanelRegistry, StatusBoard
from sim.core.tasks.clock import Clock
from sim.core.tasks.waits import Wait

if TYPE_CHECKING:
    from sim.core.script.hud import HudBoard


class TaskStarter(Protocol):
    """Runs coroutines of scripts."""

    def start(self, slot: ComponentSlot, coroutine: Steps) -> Task:
        """Start an async function or a generator; it runs a step a frame."""


class JobStarter(Protocol):
    """Runs `@job` functions of scripts in worker processes."""

    def start(self, slot: ComponentSlot, call: JobCall[object], on_progress: Report | None) -> Wait:
        """Start a job's call in a worker; the wait's result is the job's."""


class ScriptServices(ComponentHost, Protocol):
    """The script host as scripts see it."""

    panels: PanelRegistry
    status: StatusBoard
    hud: HudBoard
    time: Time

    @property
    def tasks(self) -> TaskStarter:
        """Runs coroutines."""

    @property
    def jobs(self) -> JobStarter:
        """Runs jobs."""


class Time:
    """The clock as scripts see it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def now(self) -> float:
        """Scene time, seconds; in `fixed_update`, at the end of the step."""
        return float(self._clock.time)

    @property
    def dt(self) -> float:
        """Scene time since the last frame, seconds."""
        return float(self._clock.tick.dt)

    @property
    def fixed_dt(self) -> float:
        """Length of a fixed step, seconds."""
        return float(self._clock.fixed_dt)

    @property
    def frame(self) -> int:
        """Number of frames so far."""
        return int(self._clock.tick.frame)

    @property
    def instant(self) -> bool:
        """Whether time is instant: animations have no length."""
        return bool(self._clock.instant)

    @property
    def speed(self) -> float:
        """Scene seconds per wall second that are wanted."""
        return float(self._clock.speed)

    @property
    def reached_speed(self) -> float:
        """Scene seconds per wall second that are reached, measured over the last second."""
        return float(self._clock.reached_speed)


def services_of(slot: ComponentSlot) -> ScriptServices:
    """Return the script host of the scene that a component is in.

    Raises:
        LookupError: the scene has no script host.
    """
    return cast("ScriptServices", slot.host)  # the one host there is; the scene knows it as less
