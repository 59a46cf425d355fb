"""Services that the script host offers to scripts, in addition to those of every component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from base.closed import Closed
from sim.core.scene.scene import ComponentHost, ComponentSlot
from sim.core.script.job import JobCall, Report
from sim.core.script.panels import PanelRegistry, StatusBoard
from sim.core.script.user_code import Steps, Task
from sim.core.tasks.clock import Clock
from sim.core.tasks.waits import Wait

if TYPE_CHECKING:
    from sim.core.script.hud import HudBoard


class TaskStarter(Protocol):
    """Runs coroutines of scripts."""

    def start(self, slot: ComponentSlot, coroutine: Steps) -> Task:
        """Start a coroutine and return its task; the task advances once a frame.

        Args:
            slot: slot of the component that the coroutine belongs to.
            coroutine: a coroutine object of an async function, or a generator.
        """


class JobStarter(Protocol):
    """Runs `@job` functions of scripts in worker processes."""

    def start(self, slot: ComponentSlot, call: JobCall[object], on_progress: Report | None) -> Wait:
        """Start a job's call in a worker; awaiting the returned wait gives the job's result.

        Args:
            slot: slot of the component that asks.
            call: the prepared call.
            on_progress: called with a fraction and a dict of values when the job reports; None for
                none.
        """


class ScriptServices(ComponentHost, Protocol):
    """Interface of the script host that scripts use."""

    panels: PanelRegistry
    status: StatusBoard
    hud: HudBoard
    time: Time

    @property
    def tasks(self) -> TaskStarter:
        """Starts coroutines."""

    @property
    def jobs(self) -> JobStarter:
        """Starts jobs."""


class Time(Closed):
    """Scene time and its speed: `self.time` of a script."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def now(self) -> float:
        """Scene time in seconds; in `fixed_update`, the time at the end of the step."""
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
        """Number of frames since the start."""
        return int(self._clock.tick.frame)

    @property
    def instant(self) -> bool:
        """Whether the scene runs at unlimited speed, where animations and waits end at once."""
        return bool(self._clock.instant)

    @property
    def speed(self) -> float:
        """Requested speed: scene seconds per real second; infinity for unlimited."""
        return float(self._clock.speed)

    @property
    def reached_speed(self) -> float:
        """Actual speed: scene seconds per real second, measured over the last second."""
        return float(self._clock.reached_speed)


def services_of(slot: ComponentSlot) -> ScriptServices:
    """Return the script host of the scene that a component is in.

    Raises:
        LookupError: the scene has no script host.
    """
    return cast("ScriptServices", slot.host)  # the one host there is; the scene knows it as less
