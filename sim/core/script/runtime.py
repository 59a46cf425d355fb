"""What happens after an error in a script, and references to methods that follow hot reload."""

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
    """Function that calls a component's method by its name.

    The method is looked up at each call, so that it is the new one after a hot reload.
    """

    def __init__(self, slot: ComponentSlot, name: str) -> None:
        self.slot = slot
        self.__name__ = name
        self.__self__ = self

    @property
    def is_gone(self) -> bool:
        """Whether the class has had no such method since a hot reload."""
        return not hasattr(type(self.slot.instance), self.__name__)

    def __call__(self, *arguments: object) -> object:
        """Call the current version of the component's method and return its result.

        A method that a hot reload has removed does nothing.
        """
        return None if self.is_gone else getattr(self.slot.instance, self.__name__)(*arguments)
