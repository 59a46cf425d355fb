"""A figure that walks along a path, rests, and waves when it is clicked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim import SceneObject, Script, field, signal

SAMPLES = 40  # of the path between two waypoints


def spline(points: Any) -> np.ndarray:
    """Return a closed Catmull-Rom curve `[n * SAMPLES + 1, 3]` through points `[n, 3]`."""
    p = np.asarray(points, dtype=float)
    before, after, last = np.roll(p, 1, 0), np.roll(p, -1, 0), np.roll(p, -2, 0)
    t = np.linspace(0.0, 1.0, SAMPLES, endpoint=False)[:, None, None]
    curve = p + 0.5 * t * (
        after
        - before
        + t * (2.0 * before - 5.0 * p + 4.0 * after - last)
        + t * t * (3.0 * (p - after) + last - before)
    )
    return np.concatenate([curve.transpose(1, 0, 2).reshape(-1, 3), p[:1]])


class Walker(Script):
    """Walks through the children of a path, round after round; waves when it is clicked."""

    path: SceneObject | None = field(None, help="Its children are the waypoints, in their order")
    speed: float = field(1.3, min=0.0, max=5.0, unit="m/s")
    stride: float = field(1.6, min=0.1, max=5.0, unit="m", help="Length of two steps")
    turning: float = field(5.0, min=0.1, max=50.0, unit="1/s", help="How fast it turns")
    rest: float = field(2.5, min=0.0, max=600.0, unit="s", help="Pause after each round")
    waved = signal()

    def start(self) -> None:
        children = self.path.children if self.path is not None else []
        if len(children) < 3:
            raise ValueError(f"path: expected at least 3 waypoints, found {len(children)}")
        self.curve = spline([child.transform.world_position for child in children])
        steps = np.linalg.norm(np.diff(self.curve, axis=0), axis=1)
        self.way = np.concatenate([[0.0], np.cumsum(steps)])
        self.gone, self.is_walking = 0.0, False
        self.object.transform.position = self.curve[0]
        self.go()

    def go(self) -> None:
        """Resume walking."""
        self.is_walking = True
        self.object.animation.play("walk", speed=self.speed / self.stride, blend=0.3)

    def update(self, dt: float) -> None:
        is_clicked = any(self.scene.pick(click) is self.object for click in self.input.clicks)
        if self.is_walking and is_clicked:
            self.start_coroutine(self.stop("wave"))
        elif self.is_walking:
            self.walk(dt)
        else:
            azimuth = math.radians(self.scene.camera.view.azimuth)
            self.turn(math.sin(azimuth), -math.cos(azimuth), dt)  # to who looks

    def walk(self, dt: float) -> None:
        """Advance along the path by `dt` seconds."""
        self.gone += dt * self.speed
        if self.gone >= self.way[-1]:
            self.gone -= self.way[-1]
            self.start_coroutine(self.stop("idle"))
        here, ahead = self.at(self.gone), self.at(self.gone + 0.15)
        self.object.transform.position = tuple(here)
        x, y, _ = ahead - here
        self.turn(x, y, dt)

    def at(self, gone: float) -> np.ndarray:
        """Return the point `gone` metres along the path."""
        gone %= self.way[-1]
        return np.array([np.interp(gone, self.way, self.curve[:, axis]) for axis in range(3)])

    def turn(self, x: float, y: float, dt: float) -> None:
        """Turn smoothly towards a direction (x, y)."""
        heading = float(self.object.transform.rotation[0])
        wanted = math.degrees(math.atan2(-x, y))
        gap = (wanted - heading + 180.0) % 360.0 - 180.0
        heading += gap * min(1.0, self.turning * dt)
        self.object.transform.rotation = (heading, 0.0, 0.0)

    async def stop(self, clip: str) -> None:
        """Stop for a clip, waving or idling; then walk on."""
        self.is_walking = False
        if clip == "wave":
            self.waved.emit()
            await self.object.animation.play_once("wave", blend=0.25)
        else:
            self.object.animation.play("idle", blend=0.4)
            await self.seconds(self.rest)
        self.go()
