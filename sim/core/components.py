"""The engine's own components: fields that the picture reads, written with the scripts' API."""

from __future__ import annotations

from typing import Literal

from sim.core.environment import DayLight, Fog, Sky
from sim.core.fields import Color, field
from sim.core.meshes import MOST_LETTERS
from sim.core.physics import Gravity, Layer, RigidBody
from sim.core.script import Script

Vector = tuple[float, float, float]


class Camera(Script):
    """The view: orbits its target; the object's position is where it starts."""

    fov: float = field(32.0, min=5.0, max=120.0, unit="°", help="Vertical angle of view")
    target: Vector = field((0.0, 0.0, 0.0), help="The point that the camera looks at")
    min_distance: float = field(3.0, min=0.1, max=1000.0, unit="m")
    max_distance: float = field(80.0, min=0.1, max=5000.0, unit="m")
    min_elevation: float = field(8.0, min=-89.0, max=89.0, unit="°")
    max_elevation: float = field(88.0, min=-89.0, max=89.0, unit="°")


class Light(Script):
    """A light: the sun shines from the object's position towards the origin."""

    kind: Literal["sun", "point", "ambient"] = field("sun")
    color: Color = field((1.0, 0.95, 0.86), help="sRGB")
    intensity: float = field(3.0, min=0.0, max=100.0)
    shadows: Literal["spots", "cast"] = field(
        "spots", help="Of a sun: spots below things, or thrown on everything"
    )


class Text(Script):
    """Solid letters, where the object has no other model."""

    text: str = field("Text", multiline=True)
    size: float = field(1.0, min=0.01, max=100.0, unit="m", help="Height of a capital letter")
    color: Color = field((1.0, 1.0, 1.0))
    depth: float = field(0.1, min=0.001, max=100.0, unit="m")

    def __init__(self) -> None:
        self._shown = -1

    def update(self, dt: float) -> None:
        """Show what the fields say."""
        if self._shown == self.slot.revision:
            return
        self._shown = self.slot.revision
        if self.object.model is None or self.object.model.get("builtin") == "text":
            self.object.model = {
                "builtin": "text",
                "text": self.text.strip()[:MOST_LETTERS] or " ?",
                "size": self.size,
                "depth": self.depth,
            }
            self.object.material = {**self.object.material, "color": list(self.color)}

    def disable(self) -> None:
        """Show nothing."""
        self._shown = -1
        if (self.object.model or {}).get("builtin") == "text":
            self.object.model = None


ENGINE_TYPES = (
    "Camera",
    "Light",
    "Text",
    "RigidBody",
    "Layer",
    "Gravity",
    "Sky",
    "Fog",
    "DayLight",
)
"""Those that can be added to an object, as `sim:Name`, in the order of menus."""

__all__ = [
    "ENGINE_TYPES",
    "Camera",
    "DayLight",
    "Fog",
    "Gravity",
    "Layer",
    "Light",
    "RigidBody",
    "Sky",
    "Text",
]
