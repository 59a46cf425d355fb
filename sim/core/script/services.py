"""The script host's services for scripts, beyond those of every component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from sim.core.scene.host import ComponentHost
from sim.core.scene.scene_object import ComponentSlot
from sim.core.script.coroutines import Steps, Task
from sim.core.script.job import JobCall, Report
from sim.core.script.panels import PanelRegistry, StatusBoard
from sim.core.tasks.clock import Tick
from sim.core.tasks.waits import Wait

if TYPE_CHECKING:
    from sim.core.script.hud import HudBoard
    from sim.core.script.script import Time


class TaskStarter(Protocol):
    """Runs coroutines of scripts."""

    def start(self, slot: ComponentSlot, coroutine: Steps) -> Task:
        """Start an async function or a generator; it runs a step a frame."""


class JobStarter(Protocol):
    """Runs `@job` functions of scripts in worker processes."""

    def start(
        self,
        slot: ComponentSlot,
        call: JobCall[object],
        on_progress: Report | None,
    ) -> Wait:
        """Start a job's call in a worker; the wait's result is the job's."""


class ScriptServices(ComponentHost, Protocol):
    """The script host as scripts see it."""

    panels: PanelRegistry
    status: StatusBoard
    hud: HudBoard
    time: Time
    tick: Tick

    @property
    def tasks(self) -> TaskStarter:
        """Runs coroutines."""

    @property
    def jobs(self) -> JobStarter:
        """Runs jobs."""


def services_of(slot: ComponentSlot) -> ScriptServices:
    """Return the script host of the scene that a component is in.

    Raises:
        LookupError: the scene has no script host.
    """
    return cast("ScriptServices", slot.host)  # the one host there is; the scene knows it as less
