"""The components camera, light and text, and the list of all components of the engine."""

from __future__ import annotations

from typing import Literal

import numpy as np

from base.closed import close
from base.errors import FieldError
from base.language.wording import tr
from sim.core.components.environment import DayLight, Fog, Sky
from sim.core.components.note import Note
from sim.core.components.physics import (
    BallJoint,
    Collider,
    FixedJoint,
    Gravity,
    HingeJoint,
    Inertia,
    Layer,
    RigidBody,
    SixAxisJoint,
    SliderJoint,
)
from sim.core.components.sensors import CameraSensor, ContactSensor, JointSensor, RaySensor
from sim.core.components.sound_source import Sound
from sim.core.geometry.camera_pose import CameraPose
from sim.core.geometry.meshes import MOST_LETTERS
from sim.core.scene.fields import Color, field
from sim.core.script.script import Script

Vector = tuple[float, float, float]
Rectangle = tuple[float, float, float, float]
WHOLE: Rectangle = (0.0, 0.0, 1.0, 1.0)


class Camera(Script):
    """A camera: shows the main view, or a smaller picture drawn over the main view.

    The main view is shown by the camera that was last made active. If none was, it is the first
    camera whose viewport covers the whole view. A camera that looks at a target can be orbited with
    the mouse. A camera that looks ahead is fixed to its object and moves with it.
    """

    fov: float = field(32.0, min=5.0, max=120.0, unit="°", help=tr("Vertical angle of view"))
    look: Literal["target", "ahead"] = field(
        "target", help=tr("At the target, or ahead along the object's own y axis")
    )
    target: Vector = field((0.0, 0.0, 0.0), help=tr("The point that the camera looks at"))
    active: bool = field(False, help=tr("Take the main view"))
    viewport: Rectangle = field(
        WHOLE,
        help=tr("Left, top, width and height in shares of the view; less than all lies over it"),
    )
    rate: float = field(
        10.0, min=0.1, max=60.0, unit="1/s", help=tr("How often a view over the main one is drawn")
    )
    near: float = field(
        0.0,
        min=0.0,
        max=1000.0,
        unit="m",
        help=tr(
            "Nothing nearer is drawn; 0 is automatic: a twentieth of the distance to the target"
        ),
    )
    far: float = field(
        0.0,
        min=0.0,
        max=100_000.0,
        unit="m",
        help=tr(
            "Nothing farther is drawn; 0 is automatic: 10 km, or 100 times as far as the target"
        ),
    )
    min_distance: float = field(3.0, min=0.1, max=1000.0, unit="m")
    max_distance: float = field(80.0, min=0.1, max=5000.0, unit="m")
    min_elevation: float = field(8.0, min=-89.0, max=89.0, unit="°")
    max_elevation: float = field(88.0, min=-89.0, max=89.0, unit="°")

    def __init__(self) -> None:
        self.scene.camera.add(self)

    def validate(self) -> None:
        """Check that the viewport is inside the view and not empty.

        Raises:
            FieldError: it is not.
        """
        left, top, width, height = self.viewport
        is_inside = min(left, top) >= 0.0 and left + width <= 1.001 and top + height <= 1.001
        if not is_inside or min(width, height) <= 0.0:
            expected = "left, top, width and height from 0 to 1, inside the view"
            raise FieldError("Camera.viewport", expected=expected, found=repr(self.viewport))

    def awake(self) -> None:
        """Check the fields."""
        self.validate()

    @property
    def is_inset(self) -> bool:
        """Whether the camera's picture is drawn over the main view rather than as the main view."""
        return not self.active and self.viewport != WHOLE

    @property
    def eye(self) -> CameraPose:
        """Pose (position, direction, angle of view) of the camera at present."""
        transform = self.object.transform
        if self.look == "ahead":
            pose = CameraPose.on(np.asarray(transform.world_matrix), self.fov)
        else:
            pose = CameraPose.looking_at(transform.world_position, self.target, self.fov)
        return pose.clipped(self.near, self.far)

    def make_active(self) -> None:
        """Make this the main camera from the next frame on."""
        self.active = True
        self.scene.camera.choose()


class Light(Script):
    """A light source: a sun, a point light, a spot light, or ambient light.

    A sun shines from the direction of its object's position towards the origin. At the origin
    itself it shines ahead of its object, along the object's y axis, as a spot light does. All
    lights of a scene add up; the shadows are those of the first sun that casts any.
    """

    kind: Literal["sun", "point", "spot", "ambient"] = field("sun")
    color: Color = field((1.0, 0.95, 0.86), help=tr("sRGB"))
    intensity: float = field(3.0, min=0.0, max=100.0)
    shadows: Literal["spots", "cast"] = field(
        "spots", help=tr("Shadows of a sun: spots below things, or cast on everything")
    )
    angle: float = field(
        45.0, min=1.0, max=170.0, unit="°", help=tr("How wide the cone of a spot light opens")
    )
    softness: float = field(
        0.2, min=0.0, max=1.0, help=tr("Share of a spot light's cone in which its light fades out")
    )


class Text(Script):
    """Solid 3D letters, shown as the model of an object that has no other model.

    They stand on the object's place and are read looking along its y axis. A text that
    `faces_camera` is turned to the camera of the main view in each frame of the running scene.
    """

    text: str = field("Text", multiline=True, help=tr("The letters; each line break starts a line"))
    size: float = field(1.0, min=0.01, max=100.0, unit="m", help=tr("Height of a capital letter"))
    color: Color = field((1.0, 1.0, 1.0), help=tr("Colour of the letters, sRGB"))
    depth: float = field(
        0.1, min=0.001, max=100.0, unit="m", help=tr("Thickness of the letters along the y axis")
    )
    faces_camera: bool = field(
        False, help=tr("Turn to the camera in each frame, so that it can always be read")
    )

    def __init__(self) -> None:
        self._shown = -1

    def update(self, dt: float) -> None:
        """Update the model when a field has changed."""
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

    def late_update(self, dt: float) -> None:
        """Turn the letters to the camera, if they face it."""
        if self.faces_camera:
            self.object.transform.look_along(self.scene.camera.coming_view.eye.ahead)

    def disable(self) -> None:
        """Remove the letters."""
        self._shown = -1
        if (self.object.model or {}).get("builtin") == "text":
            self.object.model = None


MENU_GROUPS: dict[str, tuple[type[Script], ...]] = {
    tr("View"): (Camera, Light, Text, Note),
    tr("Physics"): (
        RigidBody, FixedJoint, HingeJoint, SliderJoint, BallJoint, SixAxisJoint, Collider, Inertia,
        Layer, Gravity,
    ),
    tr("Sky"): (Sky, Fog, DayLight),
    tr("Sound"): (Sound,),
    tr("Sensors"): (RaySensor, ContactSensor, JointSensor, CameraSensor),
}  # fmt: skip
"""The engine's components, by the headings of the studio's menu."""
MENU = tuple(kind for kinds in MENU_GROUPS.values() for kind in kinds)
ENGINE_TYPES = tuple(kind.__name__ for kind in MENU)
"""Class names of the engine's components, in the order of the studio's menu.

A scene file writes them with a prefix, such as `sim:Camera`.
"""

for one in MENU:
    close(one)

__all__ = ["ENGINE_TYPES", *ENGINE_TYPES]
