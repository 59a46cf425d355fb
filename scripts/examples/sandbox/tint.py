"""Changes the colour of its object at each click."""

from __future__ import annotations

import numpy as np

from sim import Color, Script, field


class Tint(Script):
    """Takes the next colour on a click, with a little hop."""

    colors: list[Color] = field(
        [(0.93, 0.42, 0.33), (0.96, 0.72, 0.26), (0.18, 0.62, 0.6), (0.2, 0.33, 0.56)]
    )
    jump: float = field(0.7, min=0.0, max=10.0, unit="m")

    def start(self) -> None:
        self.index = -1
        self.place = self.object.transform.position

    def update(self, dt: float) -> None:
        if any(self.scene.pick(click) is self.object for click in self.input.clicks):
            self.index = (self.index + 1) % len(self.colors)
            self.object.material = {**self.object.material, "color": list(self.colors[self.index])}
            self.start_coroutine(self.hop())

    async def hop(self) -> None:
        await self.move_to(np.add(self.place, (0.0, 0.0, self.jump)), seconds=0.18, ease="quad_out")
        await self.move_to(self.place, seconds=0.5, ease="bounce_out")
