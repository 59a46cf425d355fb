"""Sensor components for agents; `read` returns measurements as arrays for `observe`."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from base.errors import FieldError
from base.language.wording import tr
from sim.core.components.physics import Contact, HingeJoint, Joint, RigidBody
from sim.core.scene.fields import field
from sim.core.scene.scene import SceneObject
from sim.core.script.script import Script

FloatArray = npt.NDArray[np.float32]
SPACING = 0.12  # metres between the drawn points of a ray
MOST_DOTS = 60  # of one ray
FREE, MET = (90, 200, 120, 255), (240, 90, 60, 255)


class RaySensor(Script):
    """A fan of rays around the object's y axis that measures the distance to what each ray hits."""

    count: int = field(9, min=1, max=256, help=tr("Number of rays"))
    fan: float = field(
        180.0, min=0.0, max=360.0, unit="°", help=tr("Angle from the first ray to the last")
    )
    distance: float = field(10.0, min=0.01, max=1000.0, unit="m", help=tr("Length of the rays"))
    layers: list[str] = field([], help=tr("Layers that the rays hit; empty: all"))
    shown: bool = field(True, help=tr("Draw the rays in the view"))
    values: FloatArray

    def awake(self) -> None:
        """Set the readings of all rays to 1, which means no hit."""
        self.values: FloatArray = np.ones(self.count, np.float32)
        self._dots: SceneObject | None = None

    def read(self) -> FloatArray:
        """Cast the rays; return how far each of them reaches before it hits something.

        Returns:
            `[count]` distances as a fraction of the field `distance`, the length of the rays. 1
            means that the ray hits nothing.
        """
        origin, layers = self.object.transform.world_position, self.layers or None
        ways = self.scene.ray_ways(
            origin, self.directions(), distance=self.distance, ignore=self.object, layers=layers
        )
        self.values = np.minimum(1.0, ways / self.distance).astype(np.float32)
        return self.values.copy()

    def directions(self) -> npt.NDArray[np.float64]:
        """Return the unit vectors of the rays in the world, `[count, 3]`, from left to right."""
        half = self.fan / 2.0
        # in a full circle the last ray must not equal the first
        ends = self.fan < 360.0
        angles = np.radians(np.linspace(half, -half, self.count, endpoint=ends))
        if self.count == 1:
            angles = np.zeros(1)
        local = np.stack([-np.sin(angles), np.cos(angles), np.zeros(self.count)], axis=1)
        turned = local @ np.asarray(self.object.transform.world_matrix)[:3, :3]
        return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True))

    def late_update(self, dt: float) -> None:
        """Draw the rays as last measured, if the run has graphics."""
        if not self.run.graphics:
            return
        if self._dots is None or not self._dots.is_alive:
            own_id = f"obj_{self.slot.id[4:]}"  # other objects keep their ids
            model = {"builtin": "points", "size": 0.06}
            self._dots = self.scene.spawn("Rays", model=model, object_id=own_id)
            self._dots.is_mark, self._dots.casts_shadow = True, False
        self._dots.visible = self.shown
        if self.shown:
            self._dots.points, self._dots.point_colors = self._rays()

    def disable(self) -> None:
        """Remove the drawn rays."""
        if self._dots is not None:
            self._dots.destroy()
            self._dots = None

    def _rays(self) -> tuple[FloatArray, npt.NDArray[np.uint8]]:
        """Return the points of dotted lines that show the rays, and their colours.

        Returns:
            World positions `[n, 3]`, metres, and colours `[n, 4]`. The last two points of a ray
            that hits something have another colour.
        """
        origin = np.asarray(self.object.transform.world_position)
        points, colors = [], []
        for share, direction in zip(self.values, self.directions(), strict=False):
            length = float(share) * self.distance
            number = min(MOST_DOTS, max(2, int(length / SPACING)))
            points.append(origin + np.linspace(0.0, length, number)[:, None] * direction)
            colors.append(np.tile(np.array(FREE, np.uint8), (number, 1)))
            if share < 1.0:
                colors[-1][-2:] = MET
        return np.concatenate(points).astype(np.float32), np.concatenate(colors)


class ContactSensor(Script):
    """Measures whether the object's rigid body touches another, and how hard it was hit."""

    def awake(self) -> None:
        """Set the readings to no contact."""
        self._body: RigidBody | None = None
        self._touched: set[str] = set()
        self._hardest = 0.0

    def start(self) -> None:
        """Connect to the body's signals, if it exists already."""
        self._listen()

    def disable(self) -> None:
        """Disconnect from the body's signals."""
        if self._body is not None:
            self._body.collided.disconnect(self._collided)
            self._body.parted.disconnect(self._parted)
            self._body = None
        self._touched.clear()

    @property
    def is_touching(self) -> bool:
        """Whether the body touches another at present.

        Raises:
            FieldError: the object has no RigidBody.
        """
        if self._body is None:
            self._listen()
        if self._body is None:
            raise FieldError("ContactSensor", expected="a RigidBody on its object", found="none")
        return bool(self._touched)

    def read(self) -> FloatArray:
        """Return two numbers: contact, and the strongest impulse since the last call.

        Contact is 1 while the body touches another, else 0. The impulse is in newton seconds.

        Raises:
            FieldError: the object has no RigidBody.
        """
        found = np.array([float(self.is_touching), self._hardest], np.float32)
        self._hardest = 0.0
        return found

    def _listen(self) -> None:
        body = self.object.get(RigidBody) if self._body is None else None
        if body is not None:
            self._body = body
            body.collided.connect(self._collided)
            body.parted.connect(self._parted)

    def _collided(self, other: SceneObject, contact: Contact) -> None:
        self._touched.add(other.id)
        self._hardest = max(self._hardest, contact.impulse)

    def _parted(self, other: SceneObject) -> None:
        self._touched.discard(other.id)


class JointSensor(Script):
    """Measures positions and speeds of its object's joints, and optionally of its descendants'."""

    below: bool = field(False, help=tr("Also the joints of the objects below it, in their order"))
    circle: bool = field(False, help=tr("For a hinge: cosine and sine instead of the angle"))

    def read(self) -> FloatArray:
        """Return the numbers of each joint in turn: positions, followed by their speeds.

        A hinge has an angle (or its cosine and sine, see `circle`) and a speed. A slider has a
        position and a speed; for other joints see `Joint.read`. Units are degrees, metres and
        seconds.

        Raises:
            FieldError: there is no joint.
        """
        joints = self.joints
        if not joints:
            raise FieldError("JointSensor", expected="a joint on its object", found="none")
        return np.concatenate([self._numbers(joint) for joint in joints])

    @property
    def joints(self) -> list[Joint]:
        """The joints that it reads, in the order of objects and components."""
        objects = self.object.subtree() if self.below else [self.object]
        instances = (slot.instance for obj in objects for slot in obj.components)
        return [found for found in instances if isinstance(found, Joint)]

    def _numbers(self, joint: Joint) -> FloatArray:
        found = joint.read()
        if self.circle and isinstance(joint, HingeJoint):
            angle = np.radians(found[0])
            return np.array([np.cos(angle), np.sin(angle), found[1]], np.float32)
        return found


class CameraSensor(Script):
    """The picture of the object's Camera as an array; needs a run with graphics."""

    width: int = field(64, min=16, max=1024, unit="px")
    height: int = field(64, min=16, max=1024, unit="px")
    kind: Literal["color", "depth"] = field("color", help=tr("Colours, or depth in metres"))

    def read(self) -> npt.NDArray[np.uint8] | FloatArray:
        """Return the camera's picture as the field `kind` says.

        Returns:
            For "color", RGB `[height, width, 3]` uint8. For "depth", metres along the view
            direction, `[height, width]` float32.

        Raises:
            PictureError: the run has no graphics.
            ValueError: the object has no Camera.
        """
        camera = self.scene.camera
        if self.kind == "depth":
            return camera.depth(self.width, self.height, camera=self.object)
        return camera.image(self.width, self.height, camera=self.object)
