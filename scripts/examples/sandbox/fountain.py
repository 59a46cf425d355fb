"""A fountain of balls: objects that are created and destroyed."""

from __future__ import annotations

import numpy as np

from sim import SceneObject, Script, field

COLORS = [(0.93, 0.42, 0.33), (0.96, 0.72, 0.26), (0.95, 0.9, 0.8), (0.18, 0.62, 0.6)]


class Fountain(Script):
    """Throws balls that fall to the ground and vanish; a click on it throws many."""

    per_second: float = field(5.0, min=0.0, max=100.0, unit="/s")
    speed: float = field(6.5, min=0.1, max=30.0, unit="m/s")
    burst: int = field(30, min=0, max=500, help="Balls that a click throws")

    def start(self) -> None:
        self.flying: list[tuple[SceneObject, np.ndarray]] = []
        self.due = 0.0

    def update(self, dt: float) -> None:
        self.due += self.per_second * dt
        if any(self.scene.pick(click) is self.object for click in self.input.clicks):
            self.due += self.burst
        while self.due >= 1.0:
            self.due -= 1.0
            self.throw()

    def throw(self) -> None:
        """Throw one ball of random size and color upwards, slightly scattered."""
        ball = self.scene.spawn(
            "Ball",
            model={"builtin": "sphere", "radius": float(self.rng.uniform(0.09, 0.17))},
            position=np.add(self.object.transform.world_position, (0.0, 0.0, 0.9)),
            material={"color": COLORS[self.rng.integers(len(COLORS))], "roughness": 0.3},
        )
        way = np.array([*self.rng.normal(0.0, 0.13, 2), 1.0]) * self.speed
        self.flying.append((ball, way * self.rng.uniform(0.85, 1.0)))

    def fixed_update(self, dt: float) -> None:
        for ball, velocity in list(self.flying):
            velocity[2] -= 9.81 * dt
            ball.transform.translate(tuple(velocity * dt))
            if ball.transform.position[2] < 0.1:
                self.flying.remove((ball, velocity))
                ball.destroy()
