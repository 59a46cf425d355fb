"""A camera that presents the scene by itself: slow circles, close shots, cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim import CameraView, Script, field, tr

SPEEDS = np.array([2.6, 2.6, 2.6, 13.0, 9.0, 3.5, 5.0])
"""Maximum speeds per second: target in metres, azimuth, elevation, distance, angle of view."""
SETTLE_SECONDS = 1.7
LONGEST_STEP = 0.1  # seconds: a slow frame moves the camera no further


@dataclass(frozen=True)
class Shot:
    """A view to move to, and its drift.

    Attributes:
        turn: degrees a second around the target.
        seconds: duration of the shot; infinity until the next one.
    """

    view: CameraView
    turn: float = 0.0
    seconds: float = math.inf


class SmoothPath:
    """Smooths a camera's view: continuous acceleration, and at most the speeds `SPEEDS`.

    Each number is a critically damped spring (Lowe, Game Programming Gems 4, chapter 1.10).
    """

    def __init__(self, view: CameraView) -> None:
        self.view = view
        self._speed = np.zeros(7)

    def jump(self, view: CameraView) -> None:
        """Set the view at once, at rest."""
        self.view = view
        self._speed[:] = 0.0

    def step(self, goal: CameraView, dt: float) -> CameraView:
        """Advance by `dt` seconds towards the goal and return the present view."""
        dt = min(dt, LONGEST_STEP)
        if dt <= 0.0:
            return self.view
        now, wanted = _numbers(self.view), _numbers(goal)
        wanted[3] = now[3] + (wanted[3] - now[3] + 180.0) % 360.0 - 180.0
        omega = 2.0 / SETTLE_SECONDS
        decay = 1.0 / (1.0 + omega * dt + 0.48 * (omega * dt) ** 2 + 0.235 * (omega * dt) ** 3)
        gap = np.clip(now - wanted, -SPEEDS * SETTLE_SECONDS, SPEEDS * SETTLE_SECONDS)
        pull = (self._speed + omega * gap) * dt
        moved = now - gap + (gap + pull) * decay
        moved = now + np.clip(moved - now, -SPEEDS * dt, SPEEDS * dt)
        self._speed = np.clip((self._speed - omega * pull) * decay, -SPEEDS, SPEEDS)
        self.view = _view_of(moved)
        return self.view


class CinematicCamera(Script):
    """Moves the camera while nobody uses the mouse: a slow circle, close shots, cuts.

    Other scripts direct it with `look_at`, `cut_to` and `cut_home`.
    """

    is_on: bool = field(
        False, help=tr("Lead the view from the start; a presentation does so anyway")
    )
    idle_seconds: float = field(
        8.0, min=0.0, max=600.0, unit="s", help=tr("Time without the mouse before it leads")
    )
    turn: float = field(3.5, min=-12.0, max=12.0, unit="°/s", help=tr("Speed of the circle"))
    close_seconds: float = field(
        7.0, min=1.0, max=60.0, unit="s", help=tr("Length of a close shot")
    )
    wide_seconds: float = field(
        6.0, min=0.0, max=60.0, unit="s", help=tr("Time on the circle between close shots")
    )
    close_elevation: float = field(
        24.0, min=5.0, max=80.0, unit="°", help=tr("Camera angle of close shots")
    )
    close_distance: float = field(
        0.62, min=0.1, max=2.0, help=tr("Distance of close shots, as a part of the circle's")
    )
    clearance: float = field(
        0.8, min=0.0, max=20.0, unit="m", help=tr("Least height over the board")
    )

    def awake(self) -> None:
        self.home: CameraView | None = None
        self.path = SmoothPath(CameraView())
        self.shot: Shot | None = None
        self.shown_for = 0.0
        self.is_switched_on = False

    def disable(self) -> None:
        self._let_go()

    @property
    def is_leading(self) -> bool:
        """Whether it controls the view now."""
        return self.home is not None

    def switch(self, is_on: bool) -> None:
        """Switch the control of the view on or off."""
        self.is_switched_on = is_on

    def look_at(self, point: Sequence[float]) -> None:
        """Move to a low close shot of a world point; a running close shot only turns to it."""
        if self.home is None:
            return
        target = (float(point[0]), float(point[1]), float(point[2]))
        if self.shot is not None and self.shot.seconds < math.inf:
            self.shot = replace(self.shot, view=replace(self.shot.view, target=target))
        elif self.shown_for >= self.wide_seconds:
            self._show(
                Shot(
                    replace(
                        self.path.view,
                        target=target,
                        elevation=self.close_elevation,
                        distance=self.home.distance * self.close_distance,
                    ),
                    turn=self.turn * 0.6,
                    seconds=self.close_seconds,
                )
            )

    def cut_to(self, points: Sequence[Sequence[float]], *, seconds: float = 6.0) -> None:
        """Cut to a view along a row of world points, for `seconds`."""
        if self.home is None or not len(points):
            return
        places = np.array([list(map(float, point)) for point in points])
        along = places[-1] - places[0]
        length = float(np.linalg.norm(along))
        azimuth = math.degrees(math.atan2(along[1], along[0])) if length else self.path.view.azimuth
        azimuth += 180.0 * round((self.path.view.azimuth - azimuth) / 180.0)  # no jump to behind
        x, y, z = map(float, places.mean(axis=0))
        view = CameraView((x, y, z), azimuth - 14.0, 34.0, 4.0 + 1.75 * length, self.home.fov)
        self._show(Shot(view, turn=2.0, seconds=seconds), is_cut=True)

    def cut_home(self) -> None:
        """Cut to the wide view."""
        if self.home is not None:
            self._show(self._circle(self.home.azimuth), is_cut=True)

    def late_update(self, dt: float) -> None:
        camera = self.scene.camera
        if self.home is not None and not camera.is_led:
            self._let_go()  # somebody used the mouse
        if not (self.is_on or self.is_switched_on):
            self._let_go()
            return
        if self.home is None:
            if camera.idle_seconds < self.idle_seconds or self.time.instant:
                return
            self.home = camera.view
            self.path.jump(camera.view)
            self._show(self._circle(camera.view.azimuth))
        camera.lead(self._advance(dt / max(self.time.speed, 1e-3)))

    def _advance(self, seconds: float) -> CameraView:
        shot = self.shot or self._circle(self.path.view.azimuth)
        self.shown_for += seconds
        if self.shown_for > shot.seconds:
            shot = self._circle(self.path.view.azimuth)
            self._show(shot)
        turned = replace(shot.view, azimuth=shot.view.azimuth + shot.turn * seconds)
        self.shot = replace(shot, view=turned)
        return self.path.step(above(turned, self.clearance), seconds)

    def _circle(self, azimuth: float) -> Shot:
        home = self.home or self.path.view
        return Shot(replace(home, azimuth=azimuth), turn=self.turn)

    def _show(self, shot: Shot, *, is_cut: bool = False) -> None:
        self.shot = shot
        self.shown_for = 0.0
        if is_cut:
            self.path.jump(above(shot.view, self.clearance))

    def _let_go(self) -> None:
        if self.home is not None:
            self.home = None
            self.shot = None
            self.scene.camera.release()


def above(view: CameraView, height: float) -> CameraView:
    """Return the view with its elevation raised until the camera is at least `height` high."""
    share = min(1.0, max(-1.0, (height - view.target[2]) / view.distance))
    return replace(view, elevation=max(view.elevation, math.degrees(math.asin(share)), 5.0))


def _numbers(view: CameraView) -> Any:
    return np.array([*view.target, view.azimuth, view.elevation, view.distance, view.fov])


def _view_of(numbers: Any) -> CameraView:
    x, y, z, azimuth, elevation, distance, fov = map(float, numbers)
    return CameraView((x, y, z), azimuth, elevation, distance, fov)
