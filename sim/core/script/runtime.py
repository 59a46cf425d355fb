"""What an error does to the rest, and methods that are looked up at each call."""

from __future__ import annotations

import enum

from sim.core.scene.scene_object import ComponentSlot
from sim.core.script.coroutines import Task
from sim.core.tasks.waits import Wait


class ErrorPolicy(enum.StrEnum):
    """What an error in a script does to the rest."""

    ISOLATE = "isolate"
    """the component is quarantined, all else goes on"""
    PAUSE = "pause"
    """and the clock is paused"""
    ABORT = "abort"
    """and the run ends with exit code 1"""


class Handler:
    """A method looked up at each call, so that hot reload reaches it."""

    def __init__(self, slot: ComponentSlot, name: str) -> None:
        self.slot = slot
        self.__name__ = name
        self.__self__ = self

    def __call__(self, *arguments: object) -> object:
        """Call the method that the component has now."""
        return getattr(self.slot.instance, self.__name__)(*arguments)


def is_answer(wait: Wait) -> bool:
    """Whether a wait is for a worker, or for a task that is over: no frame is needed for it."""
    return bool(getattr(wait, "is_answer", False)) or (isinstance(wait, Task) and wait.done)
