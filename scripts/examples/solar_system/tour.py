"""Flies the camera to a clicked planet, and follows it."""

from __future__ import annotations

import numpy as np

from scripts.examples.solar_system.planet import Planet
from sim import CameraView, SceneObject, Script, field, signal


class Tour(Script):
    """Flies to a planet on a click on it, home on a click beside; the mouse ends a visit."""

    flight: float = field(1.6, min=0.05, max=20.0, unit="s", help="Time of a flight")
    distance: float = field(8.0, min=1.0, max=50.0, help="Distance from a planet, in its radii")
    visited = signal(object)

    def awake(self) -> None:
        self.planet: SceneObject | None = None
        self.begin, self.share = CameraView(), 0.0

    def update(self, dt: float) -> None:
        for click in self.input.clicks:
            found = self.scene.pick(click)
            while found is not None and found.get(Planet) is None:
                found = found.parent
            self.planet, self.begin, self.share = found, self.scene.camera.view, 0.0
            if found is None:
                self.scene.camera.fly_home(seconds=self.flight)
            else:
                self.scene.camera.lead(self.begin)
                self.visited.emit(found)

    def late_update(self, dt: float) -> None:
        if self.planet is None or not self.scene.camera.is_led:
            self.planet = None
            return
        at_once = self.run.reduces_motion
        self.share = 1.0 if at_once else min(1.0, self.share + dt / self.flight)
        eased = self.share**2 * (3.0 - 2.0 * self.share)
        radius = float((self.planet.children[0].model or {}).get("radius", 0.5))
        goal = (*self.planet.transform.world_position, radius * self.distance)
        now = np.array([*self.begin.target, self.begin.distance])
        x, y, z, away = map(float, now + (np.array(goal) - now) * eased)
        self.scene.camera.lead(
            CameraView((x, y, z), self.begin.azimuth, self.begin.elevation, away, self.begin.fov)
        )
