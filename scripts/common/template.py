"""A script to start from: change it while it runs, and save.

Every hook is optional; delete the ones that you do not need. Methods that start with an
underscore are your own.
"""

from __future__ import annotations

import math

from sim import Script, action, field, on, signal


class Template(Script):
    """Lets its object hop, and says so each time it lands."""

    height: float = field(1.2, min=0.0, max=20.0, unit="m", help="How high it hops")
    hops_per_second: float = field(0.8, min=0.05, max=10.0, help="How often it hops")
    turn: float = field(45.0, unit="°/s", help="How fast it turns")

    landed = signal(int)

    def awake(self) -> None:
        """Set up what is your own; fields have their values, others may not exist yet."""
        self.phase = 0.0
        self.landings = 0

    def start(self) -> None:
        """Run once, when every component of the scene is awake."""
        self.ground = float(self.object.transform.position[2])
        self.log.info(f"{self.object.name} hops; save this file with another height")

    def update(self, dt: float) -> None:
        """Run once a frame, `dt` seconds after the last."""
        before = self.phase
        self.phase += dt * self.hops_per_second
        transform = self.object.transform
        x, y, _ = transform.position
        transform.position = (x, y, self.ground + self.height * abs(math.sin(self.phase * math.pi)))
        heading, pitch, roll = transform.rotation
        transform.rotation = ((heading + self.turn * dt) % 360.0, pitch, roll)
        if int(self.phase) > int(before):
            self.landed.emit(self.landings + 1)

    @on("landed")
    def count(self, landings: int) -> None:
        """Listen to a signal; `@on("other.landed")` listens to the one in the field `other`."""
        self.landings = landings
        self.metrics.log("landings", landings)

    @action
    def rest(self) -> None:
        """Stop for a moment; an action is a button in the Inspector."""
        self.start_coroutine(self._rest())

    async def _rest(self) -> None:
        speed, self.hops_per_second = self.hops_per_second, 0.05
        await self.seconds(2.0)
        self.hops_per_second = speed
