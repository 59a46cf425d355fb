"""What an error of a script does to the rest, and methods looked up by name at each call."""

from __future__ import annotations

import enum

from sim.core.scene.scene import ComponentSlot


class ErrorPolicy(enum.StrEnum):
    """Effect of a script's error on the rest of the scene."""

    ISOLATE = "isolate"
    """the component is quarantined, all else goes on"""
    PAUSE = "pause"
    """and the clock is paused"""
    ABORT = "abort"
    """and the run ends with exit code 1"""


class Handler:
    """A method looked up by name at each call, so that hot reload reaches it."""

    def __init__(self, slot: ComponentSlot, name: str) -> None:
        self.slot = slot
        self.__name__ = name
        self.__self__ = self

    def __call__(self, *arguments: object) -> object:
        """Call the method that the component has now."""
        return getattr(self.slot.instance, self.__name__)(*arguments)
