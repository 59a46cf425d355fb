"""What the scene needs of those above it: of its scripts, their host, and what moves bodies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

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
