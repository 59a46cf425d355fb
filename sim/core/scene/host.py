"""What the scene needs of those above it, scripts, host and physics, and what it keeps for them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

import numpy as np

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
        """Its place in the scene, which outlives it."""

    @property
    def object(self) -> SceneObject:
        """The object that carries it."""

    def reloaded(self, old: type) -> None:
        """The script's file was saved; `old` is the class that was replaced."""


class ComponentLoader(Protocol):
    """Finds the class that a component's type names."""

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
    """What the script host keeps about one component.

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
    """Breaks calls of scripts that do not come back."""

    def watching(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Break what runs within the block after so many seconds."""


class ComponentHost(Protocol):
    """The script host, as components and those who edit them see it.

    Attributes:
        is_held: whether scripts stand still: the scene is paused or not begun.
    """

    clock: Clock
    console: Console
    input: InputActions
    metrics: MetricStore
    links: Links
    run: RunContext
    is_held: bool

    @property
    def loader(self) -> ComponentLoader:
        """Finds the classes of components."""

    @property
    def watchdog(self) -> Watchdog:
        """Breaks calls of scripts that do not come back."""

    def attach(self, slot: ComponentSlot) -> None:
        """Load the script of a new component."""

    def detach(self, slot: ComponentSlot) -> None:
        """Run the last hooks of a component that goes."""

    def activity_changed(self, slot: ComponentSlot) -> None:
        """Run `enable` or `disable` when a component's activity changed."""

    def call(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> object:
        """Call user code. Whatever it raises ends there, as one console line."""

    def fail(self, slot: ComponentSlot, hook: str, error: BaseException) -> ConsoleRecord:
        """Put a component into quarantine, with one console line that says why."""

    def set_field(self, slot: ComponentSlot, name: str, raw: object) -> None:
        """Give a field a raw value, and let the script check it."""


class Physics(Protocol):
    """What moves the bodies of a scene.

    Attributes:
        gravity: metres a second, each second.
    """

    gravity: tuple[float, float, float]

    def step(self, dt: float) -> None:
        """Let `dt` seconds pass, then tell the bodies what they touched."""
