"""What is chosen in the studio, and which tool a click is for."""

from __future__ import annotations

from typing import Final

from sim.core.editing import Editor
from sim.core.editing.prompt import HandObject
from sim.core.scene.scene import Scene
from sim.core.scene.scene_object import SceneObject

TOOLS: Final = ("play", "move", "rotate", "scale")


class Selection:
    """The chosen object and the tool in hand; with `play` clicks belong to the scripts."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.tool = "play"
        self.is_local = False
        self.snap = 0.0
        self.revision = 0
        self._id = ""

    @property
    def object(self) -> SceneObject | None:
        """The chosen object, None where there is none or it is gone."""
        found = self.scene.get(self._id)
        return found if found is not None and found.is_alive else None

    def in_hand(self, editor: Editor) -> HandObject | None:
        """Return the chosen object as the prompt has it: what is assigned to it is an edit."""
        obj = self.object
        return None if obj is None else HandObject(editor, obj)

    def choose(self, obj: SceneObject | None) -> None:
        """Choose an object, or none."""
        wanted = "" if obj is None else obj.id
        if wanted != self._id:
            self._id = wanted
            self.revision += 1

    def is_in_hand(self, tool: str) -> bool:
        """Whether this is the tool in hand."""
        return self.tool == tool

    def use(self, tool: str) -> None:
        """Take a tool into the hand."""
        self.tool = tool
        self.revision += 1
