"""Poses of cameras: an orbit camera around a target, and a pose as a matrix."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Point = tuple[float, float, float]
FloatArray = npt.NDArray[np.float64]
AHEAD = 10.0  # metres from a mounted camera to the point around which the user turns it
FAR = 10_000.0
"""Metres up to which a camera draws by itself. Only `near` tells how coarse the depth is."""
FAR_DISTANCES = 100.0  # to what the camera looks at, up to which it draws if that is more
LEAST_DEPTH = 1.01  # minimum distance between the clipping planes, metres
UPRIGHT: Point = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class CameraView:
    """A camera that orbits a target point: direction, distance and angle of view.

    Attributes:
        target: the point that it looks at, metres.
        azimuth: degrees around the z axis; 0 looks along +y.
        elevation: degrees above the horizon.
        distance: metres from the target.
        fov: vertical angle of view, degrees.
    """

    target: Point = (0.0, 0.0, 0.0)
    azimuth: float = 0.0
    elevation: float = 40.0
    distance: float = 16.0
    fov: float = 32.0

    @property
    def position(self) -> Point:
        """World position of the camera, metres."""
        around, up = np.radians([self.azimuth, self.elevation])
        flat = self.distance * np.cos(up)
        x, y, z = self.target
        return (
            float(x + np.sin(around) * flat),
            float(y - np.cos(around) * flat),
            float(z + np.sin(up) * self.distance),
        )

    @property
    def right(self) -> Point:
        """Unit vector in the world that points to the right in the picture."""
        around = np.radians(self.azimuth)
        return (float(np.cos(around)), float(np.sin(around)), 0.0)

    @property
    def eye(self) -> CameraPose:
        """The same view as a `CameraPose`; equal views share one cached object."""
        return _eye_of(self)

    def seen_from(self, near: float, far: float) -> CameraPose:
        """Return the view as a `CameraPose` with given clipping distances.

        Only what is between these two distances from the camera is drawn.

        Args:
            near: metres; 0 for the automatic distance.
            far: metres; 0 for the automatic distance.
        """
        return _eye_of(self, near, far)


@dataclass(frozen=True, eq=False)
class CameraPose:
    """Pose and lens of a camera: position, orientation, angle of view, clipping planes.

    Attributes:
        matrix: `[4, 4]` from the camera to the world, for row vectors; its rows are right, ahead,
            up and position.
        fov: vertical angle of view, degrees.
        near, far: clipping distances along the direction of view, metres.
        height: metres that a picture shows from its lower to its upper edge in parallel projection;
            0 for perspective.
    """

    matrix: FloatArray
    fov: float = 32.0
    near: float = 0.05
    far: float = FAR
    height: float = 0.0

    @property
    def position(self) -> FloatArray:
        """World position `[3]`, metres."""
        return self.matrix[3, :3]

    @property
    def ahead(self) -> FloatArray:
        """Unit vector `[3]` of the direction of view."""
        return self.matrix[1, :3]

    @property
    def up(self) -> FloatArray:
        """Unit vector `[3]` in the world that points upwards in the picture."""
        return self.matrix[2, :3]

    @property
    def view(self) -> CameraView:
        """A `CameraView` with the same position and direction; a roll of the camera is lost.

        Its target is `AHEAD` metres in front of the camera.
        """
        x, y, z = self.ahead
        elevation = float(np.degrees(np.arcsin(np.clip(-z, -1.0, 1.0))))
        azimuth = float(np.degrees(np.arctan2(-x, y)))
        tx, ty, tz = map(float, self.position + self.ahead * AHEAD)
        return CameraView((tx, ty, tz), azimuth, elevation, AHEAD, self.fov)

    def clipped(self, near: float, far: float) -> CameraPose:
        """Return the pose with other clipping distances.

        Args:
            near: metres; 0 keeps the present one.
            far: metres; 0 keeps the present one.
        """
        if near <= 0.0 and far <= 0.0:
            return self
        first = near if near > 0.0 else self.near
        last = far if far > 0.0 else self.far
        return replace(self, near=first, far=max(last, first * LEAST_DEPTH))

    @property
    def numbers(self) -> tuple[float, ...]:
        """All values as a flat tuple, to compare poses."""
        return (*map(float, self.matrix.ravel()), self.fov, self.near, self.far, self.height)

    @staticmethod
    def looking_at(position: Sequence[float], target: Sequence[float], fov: float) -> CameraPose:
        """Return the pose of an upright camera.

        Args:
            position: world position of the camera, metres.
            target: world position that it looks at, metres.
            fov: vertical angle of view, degrees.
        """
        place = np.asarray(position, dtype=np.float64)
        away = np.asarray(target, dtype=np.float64) - place
        distance = float(np.linalg.norm(away))
        ahead = _unit(away) if distance > 0.0 else np.array([0.0, 1.0, 0.0])
        edge = np.cross(ahead, UPRIGHT)
        edge = _unit(edge) if np.linalg.norm(edge) > 1e-6 else np.array([1.0, 0.0, 0.0])
        return CameraPose(_matrix(edge, ahead, place), fov, *_reach(distance))

    @staticmethod
    def on(world: FloatArray, fov: float) -> CameraPose:
        """Return the pose of a camera on an object: ahead is the object's y, up is its z.

        Args:
            world: world matrix `[4, 4]` of the object; its scale is ignored.
            fov: vertical angle of view, degrees.
        """
        ahead, up = _unit(world[1, :3]), world[2, :3]
        edge = _unit(np.cross(ahead, up))
        return CameraPose(_matrix(edge, ahead, world[3, :3]), fov)


@functools.lru_cache(maxsize=16)
def _eye_of(view: CameraView, near: float = 0.0, far: float = 0.0) -> CameraPose:
    """Return the pose of a view; cached, because it is requested several times per frame.

    Args:
        view: the view.
        near: clipping distance, metres; 0 for the automatic one.
        far: clipping distance, metres; 0 for the automatic one.
    """
    around = np.radians(view.azimuth)
    edge = np.array([np.cos(around), np.sin(around), 0.0])
    position = np.array(view.position)
    ahead = _unit(np.array(view.target) - position)
    matrix = _matrix(edge, ahead, position)
    matrix.flags.writeable = False
    return CameraPose(matrix, view.fov, *_reach(view.distance)).clipped(near, far)


def _matrix(edge: FloatArray, ahead: FloatArray, place: FloatArray) -> FloatArray:
    """Return the camera matrix `[4, 4]`, from the camera to the world.

    Args:
        edge: unit vector to the right.
        ahead: unit vector of the direction of view.
        place: position, metres.
    """
    matrix = np.eye(4)
    matrix[0, :3], matrix[1, :3], matrix[2, :3] = edge, ahead, np.cross(edge, ahead)
    matrix[3, :3] = place
    return matrix


def _reach(distance: float) -> tuple[float, float]:
    """Return automatic near and far clipping distances in metres.

    Args:
        distance: metres to what the camera looks at.
    """
    return max(0.1, distance * 0.05), max(FAR, distance * FAR_DISTANCES)


def _unit(direction: FloatArray) -> FloatArray:
    return np.asarray(direction / (float(np.linalg.norm(direction)) or 1.0))
