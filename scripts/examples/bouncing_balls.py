"""Balls of several materials that fall onto whatever the scene holds; a click drops or kicks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim import Contact, RigidBody, SceneObject, Script, field

LOWEST = -4.0  # metres, below which a ball is gone
LOUD = 6.0  # newton seconds
QUIET = 0.25


@dataclass(frozen=True)
class Kind:
    """Material of a ball.

    Attributes:
        density: kilograms per cubic metre, reduced so that kicks have an effect.
    """

    colors: tuple[tuple[float, float, float], ...]
    roughness: float
    restitution: float
    density: float
    opacity: float = 1.0


KINDS = {
    "rubber": Kind(((0.86, 0.20, 0.16), (0.95, 0.62, 0.12), (0.16, 0.50, 0.78)), 0.55, 0.85, 6.0),
    "wood": Kind(((0.62, 0.42, 0.24), (0.45, 0.28, 0.16)), 0.7, 0.35, 5.0),
    "marble": Kind(((0.93, 0.92, 0.89), (0.20, 0.36, 0.31)), 0.12, 0.55, 14.0),
    "steel": Kind(((0.32, 0.34, 0.37),), 0.18, 0.45, 30.0),
    "glass": Kind(((0.55, 0.85, 0.80),), 0.06, 0.5, 12.0, 0.55),
}


class BouncingBalls(Script):
    """Drops balls around its object. Click: kick a ball, or drop one there."""

    seconds_between: float = field(
        0.3, min=0.05, max=10.0, unit="s", help="Time from one ball to the next"
    )
    most: int = field(80, min=1, max=400, title="Most balls", help="The oldest are removed")
    width: float = field(5.0, min=0.0, max=30.0, unit="m", help="Width of the area where they fall")
    smallest: float = field(0.16, min=0.05, max=1.0, unit="m")
    largest: float = field(0.32, min=0.05, max=2.0, unit="m")
    kick: float = field(6.0, min=0.0, max=50.0, unit="m/s", help="Speed of a kicked ball")

    def start(self) -> None:
        self.balls: list[SceneObject] = []
        self.start_coroutine(self.rain())

    async def rain(self) -> None:
        while True:
            x, y, z = self.object.transform.world_position
            across, along = self.rng.uniform(-0.5, 0.5, 2) * (self.width, 0.3 * self.width)
            self.drop((x + across, y + along, z + self.rng.uniform(0.0, 0.6)))
            await self.seconds(self.seconds_between)

    def update(self, dt: float) -> None:
        for click in self.input.clicks:
            if click.button == "mouse1" and click.origin is not None:
                self.clicked(click.origin, click.direction)
        for ball in [ball for ball in self.balls if not ball.is_alive or height(ball) < LOWEST]:
            self.balls.remove(ball)
            ball.destroy()

    def clicked(self, origin: Any, direction: Any) -> None:
        """Kick the ball under the pointer, or drop one above the point hit."""
        hit = self.scene.ray_cast(origin, direction)
        if hit is None:
            return
        body = hit.object.get(RigidBody)
        if body is None or body.kind != "dynamic":
            x, y, z = hit.point
            self.drop((x, y, z + 2.5))
            return
        away = (float(direction[0]), float(direction[1]), 0.7)
        body.apply_impulse([body.mass * self.kick * part for part in away], hit.point)

    def drop(self, place: Any) -> SceneObject:
        """Create a ball of random kind and size."""
        name = str(self.rng.choice(list(KINDS)))
        kind = KINDS[name]
        radius = float(self.rng.uniform(self.smallest, self.largest))
        material = {
            "color": list(kind.colors[self.rng.integers(len(kind.colors))]),
            "roughness": kind.roughness,
        }
        if kind.opacity < 1.0:
            material["opacity"] = kind.opacity
        ball = self.scene.spawn(
            f"{name} ball",
            model={"builtin": "sphere", "radius": radius},
            material=material,
            position=[float(part) for part in place],
        )
        ball.add(
            "sim:RigidBody",
            mass=kind.density * 4.2 * radius**3,
            restitution=kind.restitution,
        )
        ball.get(RigidBody).collided.connect(self.knocked)
        self.balls.append(ball)
        if len(self.balls) > self.most:
            self.balls.pop(0).destroy()
        return ball

    def knocked(self, other: SceneObject, contact: Contact) -> None:
        """Play a sound where a hard collision happens."""
        if contact.impulse > QUIET:
            self.sound.play("tap", volume=min(1.0, contact.impulse / LOUD), position=contact.point)


def height(ball: SceneObject) -> float:
    """Return the height of a ball, metres."""
    return float(ball.transform.position[2])
