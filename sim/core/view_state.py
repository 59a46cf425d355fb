"""The view as plain numbers: where it is taken from, and who leads it, a person or a script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sim.core.input_actions import InputEvent

LONGEST_FRAME = 0.25  # seconds that one frame counts as rest of the mouse


@dataclass(frozen=True)
class Pose:
    """Where a view is taken from.

    Attributes:
        target: the point looked at, metres.
        azimuth: degrees around z; 0 looks along +y.
        elevation: degrees above the horizon.
        distance: metres from the target.
        fov: vertical angle of view, degrees.
    """

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    azimuth: float = 0.0
    elevation: float = 40.0
    distance: float = 16.0
    fov: float = 32.0

    @property
    def position(self) -> tuple[float, float, float]:
        """Where the eye is, metres."""
        around, up = np.radians([self.azimuth, self.elevation])
        flat = self.distance * np.cos(up)
        x, y, z = self.target
        return (
            float(x + np.sin(around) * flat),
            float(y - np.cos(around) * flat),
            float(z + np.sin(up) * self.distance),
        )

    @property
    def right(self) -> tuple[float, float, float]:
        """The direction of the picture's right edge."""
        around = np.radians(self.azimuth)
        return (float(np.cos(around)), float(np.sin(around)), 0.0)


class ViewState:
    """The view of a scene, `self.scene.view`: read it anywhere, lead it from one script.

    Attributes:
        pose: the view as it is now.
        idle_seconds: wall seconds since a person pressed, turned or scrolled with the mouse.
    """

    def __init__(self) -> None:
        self.pose = Pose()
        self.idle_seconds = 0.0
        self._wanted: Pose | None = None

    @property
    def wanted(self) -> Pose | None:
        """The pose that a script leads to, None while a person holds the view."""
        return self._wanted

    @property
    def is_led(self) -> bool:
        """Whether a script leads the view."""
        return self._wanted is not None

    def lead(self, pose: Pose) -> None:
        """Show the view from `pose` from now on, exactly; easing is the caller's.

        Raises:
            ValueError: a number is not finite, or the distance or the angle is not positive.
        """
        numbers: Sequence[float] = (
            *pose.target, pose.azimuth, pose.elevation, pose.distance, pose.fov,
        )  # fmt: skip
        if not np.isfinite(numbers).all() or pose.distance <= 0.0 or not 1.0 <= pose.fov <= 150.0:
            raise ValueError(f"view: expected a finite pose in front of something, found {pose}")
        self._wanted = pose

    def release(self) -> None:
        """Give the view back to the person."""
        self._wanted = None

    def pass_time(self, seconds: float, events: Iterable[InputEvent]) -> None:
        """Let a frame's seconds pass, and note what a person did with the mouse in it."""
        self.idle_seconds += min(seconds, LONGEST_FRAME)
        if any(event.kind in ("button_down", "wheel") for event in events):
            self.touch()

    def touch(self) -> None:
        """Note that a person used the mouse: the view is theirs at once."""
        self.idle_seconds = 0.0
        self.release()


__all__ = ["Pose", "ViewState"]
