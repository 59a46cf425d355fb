"""Protocols that the scene needs of the layers above: scripts, their host, physics."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from sim.core.input.input_actions import InputActions
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.metrics import MetricStore
from sim.core.tasks.clock import Clock
from sim.core.workers.pool import Links

if TYPE_CHECKING:
    from sim.core.scene.scene_object import ComponentSlot, SceneObject


class Component(Protocol):
    """A script that is attached to an object."""

    @property
    def slot(self) -> ComponentSlot:
        """Its slot in the scene, which outlives the script."""

    @property
    def object(self) -> SceneObject:
        """The object that the component is attached to."""

    def reloaded(self, old: type) -> None:
        """Called after the script's file was saved; `old` is the replaced class."""


class ComponentLoader(Protocol):
    """Loads the class that a component's type name refers to."""

    def load(self, type_name: str) -> type[Component]:
        """Return the class of `scripts.x:Class`, `goishi:scripts.x:Class` or `sim:Class`."""


class RunningTask(Protocol):
    """A coroutine of a script.

    Attributes:
        name: of the function, for error messages.
    """

    name: str

    def cancel(self) -> None:
        """Stop it where it waits."""


class Listened(Protocol):
    """A signal, with those who listen to it: each a component, a name and what is called."""

    listeners: list[tuple[ComponentSlot, str, Callable[..., object]]]


class Runtime:
    """The script host's data about one component.

    Attributes:
        hooks: names of the hooks that its class overrides.
        rng: the component's own randomness, once it was asked for.
        lost_tasks: coroutines were cancelled when it failed.
        is_leaving: its last hooks run, or have run.
        bindings: signals that its methods with `@on` listen to.
        marks: those methods, each with the signal it names, of the class `marks_of`.
    """

    def __init__(self) -> None:
        self.hooks: frozenset[str] = frozenset()
        self.tasks: list[RunningTask] = []
        self.rng: np.random.Generator | None = None
        self.is_awake = False
        self.is_on = False
        self.is_started = False
        self.lost_tasks = False
        self.is_leaving = False
        self.bindings: list[Listened] = []
        self.marks_of: type | None = None
        self.marks: tuple[tuple[str, str], ...] = ()


class Watchdog(Protocol):
    """Interrupts calls of scripts that take too long."""

    def watching(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Interrupt the block after `timeout` seconds; None for the default."""


class Guard(Protocol):
    """Calls user code."""

    def call(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> object:
        """Call user code; an exception becomes one console line and quarantines the component."""

    def end(self, slot: ComponentSlot, hook: str, function: Callable[[], object]) -> None:
        """Call what ends a part of a component; an error is reported, and the component goes on."""


class EndedEpisodes(Protocol):
    """The episodes of a scene's agents that have ended.

    Attributes:
        show: shows an episode by its number, or raises LookupError; None where none is kept.
    """

    show: Callable[[int], object] | None

    @property
    def ended(self) -> Collection[tuple[int, float]]:
        """Number and return of the last ones, oldest first."""


class ComponentHost(Protocol):
    """The script host as components and the editor see it.

    Attributes:
        is_held: whether scripts are suspended: the scene is paused or not started.
    """

    clock: Clock
    console: Console
    input: InputActions
    metrics: MetricStore
    links: Links
    run: RunContext
    is_held: bool

    @property
    def agents(self) -> EndedEpisodes:
        """What the scene's agents have done."""

    @property
    def loader(self) -> ComponentLoader:
        """Loads the classes of components."""

    @property
    def watchdog(self) -> Watchdog:
        """Interrupts calls of scripts that take too long."""

    def attach(self, slot: ComponentSlot) -> None:
        """Load the script of a new component."""

    def detach(self, slot: ComponentSlot) -> None:
        """Run the last hooks of a component that is removed."""

    def activity_changed(self, slot: ComponentSlot) -> None:
        """Call `enable` or `disable` when a component's activity changed."""

    def call(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> object:
        """Call user code; an exception becomes one console line."""

    def fail(self, slot: ComponentSlot, hook: str, error: BaseException) -> ConsoleRecord:
        """Quarantine a component, with one console line that says why."""

    def set_field(self, slot: ComponentSlot, name: str, raw: object) -> None:
        """Set a field to a raw value and run the script's `validate`."""


MOTION = 8
"""Numbers of one body's motion."""


@dataclass(frozen=True)
class Motions:
    """How the bodies of a scene move.

    Attributes:
        bodies: ids of their components.
        numbers: `[n, 8]` velocity (m/s), spin (radians a second), whether it is awake (0 or 1),
            and for how many seconds it has been slow enough to fall asleep.
        broken: ids of the joints that are broken.
    """

    bodies: tuple[str, ...] = ()
    numbers: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((0, MOTION)))
    broken: tuple[str, ...] = ()


class Physics(Protocol):
    """The physics simulation of a scene.

    Attributes:
        gravity: acceleration, metres per second squared.
    """

    gravity: tuple[float, float, float]

    def step(self, dt: float) -> None:
        """Simulate `dt` seconds, then notify the bodies of their contacts."""

    def remember_joints(self) -> None:
        """Anchor the joints that begin now at the present places of their bodies."""

    def motions(self) -> Motions:
        """Return how the bodies move now."""

    def put_motions(self, motions: Motions) -> None:
        """Restore the velocities and joints of bodies that are placed already."""
