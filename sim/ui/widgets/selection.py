"""The studio's selection and active tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from sim.core.editing import Editor
from sim.core.editing.prompt import HandObject
from sim.core.scene.scene import Scene, SceneObject

STEPS: Final = {"move": 0.25, "rotate": 15.0, "scale": 0.1}
TOOLS: Final = ("play", "move", "rotate", "scale")


class Selection:
    """The selected objects and the active tool.

    With the tool "play", clicks into the view go to the scripts.

    Args:
        scene: the scene.

    Attributes:
        tool: active tool: "play", "move", "rotate" or "scale".
        is_local: whether the handles have the object's axes, not the world's.
        steps: steps of the handles while Ctrl is held, by tool: metres, degrees and a factor.
        revision: increases with each change.
        on_choose: functions called with each newly selected object.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.tool = "play"
        self.is_local = False
        self.steps = dict(STEPS)
        self.revision = 0
        self.on_choose: list[Callable[[SceneObject], object]] = []
        self._ids: tuple[str, ...] = ()

    @property
    def object(self) -> SceneObject | None:
        """The object that was selected last, None if there is none or it was destroyed."""
        found = self.objects
        return found[-1] if found else None

    @property
    def objects(self) -> tuple[SceneObject, ...]:
        """All selected objects that are alive, in the order of their selection."""
        found = map(self.scene.get, self._ids)
        return tuple(obj for obj in found if obj is not None and obj.is_alive)

    @property
    def tops(self) -> tuple[SceneObject, ...]:
        """The selected objects without those that have a selected ancestor and move with it."""
        chosen = self.objects
        return tuple(obj for obj in chosen if not _is_below(obj, chosen))

    def __contains__(self, obj: SceneObject) -> bool:
        return obj.id in self._ids

    def in_hand(self, editor: Editor) -> HandObject | None:
        """Return the last selected object as a proxy for the prompt; assignments to it are edits.

        Returns:
            The proxy; None if nothing is selected.
        """
        obj = self.object
        return None if obj is None else HandObject(editor, obj)

    def choose(self, *objects: SceneObject | None) -> None:
        """Select objects and no others; None, or nothing, selects none."""
        wanted = tuple(dict.fromkeys(obj.id for obj in objects if obj is not None))
        if wanted == self._ids:
            return
        before, self._ids = self._ids, wanted
        self.revision += 1
        for obj in self.objects:
            if obj.id not in before or obj.id == wanted[-1]:
                for listener in self.on_choose:
                    listener(obj)

    def is_in_hand(self, tool: str) -> bool:
        """Return whether a tool is the active one."""
        return self.tool == tool

    def use(self, tool: str) -> None:
        """Set the active tool."""
        self.tool = tool
        self.revision += 1


def toggled(
    chosen: Iterable[SceneObject], objects: Iterable[SceneObject]
) -> tuple[SceneObject, ...]:
    """Return a selection after a click with Ctrl or Shift.

    Args:
        chosen: the present selection.
        objects: clicked objects; removed if all of them are selected, else added at the end.
    """
    now, wanted = tuple(chosen), tuple(objects)
    if wanted and all(obj in now for obj in wanted):
        return tuple(obj for obj in now if obj not in wanted)
    return (*(obj for obj in now if obj not in wanted), *wanted)


def _is_below(obj: SceneObject, others: Iterable[SceneObject]) -> bool:
    found, above = tuple(others), obj.parent
    while above is not None:
        if above in found:
            return True
        above = above.parent
    return False
