"""The studio's selection and active tool."""

from __future__ import annotations

from typing import Final

from sim.core.editing import Editor
from sim.core.editing.prompt import HandObject
from sim.core.scene.scene import Scene
from sim.core.scene.scene_object import SceneObject

TOOLS: Final = ("play", "move", "rotate", "scale")


class Selection:
    """The selected object and the active tool; with the tool `play` clicks go to the scripts."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.tool = "play"
        self.is_local = False
        self.snap = 0.0
        self.revision = 0
        self._id = ""

    @property
    def object(self) -> SceneObject | None:
        """The selected object, None if there is none or it was destroyed."""
        found = self.scene.get(self._id)
        return found if found is not None and found.is_alive else None

    def in_hand(self, editor: Editor) -> HandObject | None:
        """Return the selected object as a proxy whose assignments are edits."""
        obj = self.object
        return None if obj is None else HandObject(editor, obj)

    def choose(self, obj: SceneObject | None) -> None:
        """Select an object, or none."""
        wanted = "" if obj is None else obj.id
        if wanted != self._id:
            self._id = wanted
            self.revision += 1

    def is_in_hand(self, tool: str) -> bool:
        """Return whether a tool is the active one."""
        return self.tool == tool

    def use(self, tool: str) -> None:
        """Set the active tool."""
        self.tool = tool
        self.revision += 1
