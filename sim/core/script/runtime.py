"""Error policy of scripts, and methods that are looked up by name at each call."""

from __future__ import annotations

import enum

from sim.core.scene.scene import ComponentSlot


class ErrorPolicy(enum.StrEnum):
    """Effect of an error in a script on the rest of the scene."""

    ISOLATE = "isolate"
    """The component is quarantined (stopped); everything else continues."""
    PAUSE = "pause"
    """The component is quarantined and the clock is paused."""
    ABORT = "abort"
    """The component is quarantined and the run ends with exit code 1."""


class Handler:
    """Callable that looks up a component's method at each call, so that hot reload takes effect."""

    def __init__(self, slot: ComponentSlot, name: str) -> None:
        self.slot = slot
        self.__name__ = name
        self.__self__ = self

    def __call__(self, *arguments: object) -> object:
        """Call the current version of the component's method and return its result."""
        return getattr(self.slot.instance, self.__name__)(*arguments)
