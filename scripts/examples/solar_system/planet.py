"""Planets and moons: each orbits its parent object."""

from __future__ import annotations

import math

from sim import Script, field


class Sun(Script):
    """The centre, and the clock of all planets."""

    days_per_second: float = field(12.0, min=-400.0, max=400.0, help="Speed of everything")

    def awake(self) -> None:
        self.days = 0.0

    def update(self, dt: float) -> None:
        self.days += dt * self.days_per_second


class Planet(Script):
    """Orbits its parent and rotates its first child, the globe; its own rotation is the tilt."""

    sun: Sun = field(None)
    orbit: float = field(3.0, min=0.0, max=100.0, unit="m", help="Radius of its orbit")
    year: float = field(365.0, min=0.1, help="Days for one orbit")
    day: float = field(20.0, min=0.1, help="Days for one rotation")
    phase: float = field(0.0, min=0.0, max=360.0, unit="°", help="Angle where it begins")

    def update(self, dt: float) -> None:
        days = 0.0 if self.sun is None else self.sun.days
        angle = math.radians(self.phase) + 2.0 * math.pi * days / self.year
        place = (self.orbit * math.cos(angle), self.orbit * math.sin(angle), 0.0)
        self.object.transform.position = place
        if self.object.children:
            self.object.children[0].transform.rotation = (360.0 * days / self.day % 360.0, 0.0, 0.0)
