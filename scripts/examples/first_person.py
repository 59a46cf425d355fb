"""A courtyard seen through the eyes of whoever walks there."""

from __future__ import annotations

import math

from sim import Script, field, tr

STEEPEST = 85.0  # degrees up or down
KEYS = {
    tr("forward", "way"): ("w", "arrow_up", "pad_left_stick_up"),
    tr("back", "way"): ("s", "arrow_down", "pad_left_stick_down"),
    tr("left", "way"): ("a", "arrow_left", "pad_left_stick_left"),
    tr("right", "way"): ("d", "arrow_right", "pad_left_stick_right"),
    tr("run", "way"): ("shift", "pad_left_shoulder"),
}


class FirstPerson(Script):
    """Walks by W A S D or a gamepad, and looks around by the locked mouse or the right stick."""

    walking: float = field(3.0, min=0.1, max=20.0, unit="m/s")
    running: float = field(7.0, min=0.1, max=40.0, unit="m/s", help="While Shift is held")
    turning: float = field(0.12, min=0.01, max=2.0, help="Degrees for each pixel of the mouse")
    swivel: float = field(150.0, min=1.0, max=720.0, unit="°/s", help="By the stick")
    reach: float = field(11.0, min=1.0, max=500.0, unit="m", help="From the middle to the walls")

    def start(self) -> None:
        for action, keys in KEYS.items():
            self.input.bind(action, *keys)

    def update(self, dt: float) -> None:
        if self.input.clicks:
            self.input.mouse_lock = True  # Escape gives the pointer back
        self.look(dt)
        self.walk(dt)

    def look(self, dt: float) -> None:
        """Turn the view."""
        heading, pitch, _ = self.object.transform.rotation
        right, down = self.input.mouse_delta if self.input.mouse_lock else (0.0, 0.0)
        heading -= self.turning * right + self.swivel * dt * self.input.axis("right_x")
        pitch += self.swivel * dt * self.input.axis("right_y") - self.turning * down
        pitch = min(max(pitch, -STEEPEST), STEEPEST)
        self.object.transform.rotation = (heading, pitch, 0.0)

    def walk(self, dt: float) -> None:
        """Go on along the ground, at the same speed in each direction."""
        aside, ahead = self.input.axis("left", "right"), self.input.axis("back", "forward")
        speed = self.running if self.input.down("run") else self.walking
        step = speed * dt / max(1.0, math.hypot(aside, ahead))
        heading = math.radians(self.object.transform.rotation[0])
        x, y, z = self.object.transform.position
        x += step * (aside * math.cos(heading) - ahead * math.sin(heading))
        y += step * (aside * math.sin(heading) + ahead * math.cos(heading))
        x, y = (min(max(value, -self.reach), self.reach) for value in (x, y))
        self.object.transform.position = (x, y, z)
