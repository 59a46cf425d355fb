"""Moves its object around a point, or around another object."""

from __future__ import annotations

import math

from sim import SceneObject, Script, field, tr


class Orbit(Script):
    """Moves in a circle, heading in the direction of motion."""

    around: SceneObject | None = field(None, help=tr("The centre; none: where the parent is"))
    radius: float = field(2.0, min=0.0, max=1000.0, unit="m")
    period: float = field(6.0, min=0.1, max=3600.0, unit="s", help=tr("Time of one round"))
    tilt: float = field(0.0, min=-90.0, max=90.0, unit="°", help=tr("Tilt of the circle around x"))
    phase: float = field(0.0, min=0.0, max=360.0, unit="°", help=tr("Angle where it begins"))

    def start(self) -> None:
        self.height = float(self.object.transform.position[2])
        self.angle = math.radians(self.phase)

    def update(self, dt: float) -> None:
        self.angle += dt * 2.0 * math.pi / self.period
        x, y, tilt = math.cos(self.angle), math.sin(self.angle), math.radians(self.tilt)
        cx, cy = (0.0, 0.0) if self.around is None else self.around.transform.position[:2]
        up = self.height + self.radius * y * math.sin(tilt)
        away = self.radius * y * math.cos(tilt)
        self.object.transform.position = (cx + self.radius * x, cy + away, up)
        self.object.transform.rotation = (math.degrees(self.angle), 0.0, 0.0)
