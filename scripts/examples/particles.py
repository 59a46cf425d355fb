"""Two galaxies pass each other: 50,000 stars moved by one compiled function."""

from __future__ import annotations

import math
import time
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sim import Script, Shape, action, compiled, field

Vectors = Annotated[NDArray[np.float32], Shape(None, 3)]
Colors = Annotated[NDArray[np.uint8], Shape(None, 4)]
Cores = Annotated[NDArray[np.float64], Shape(None, 3)]

SOFT = 0.35
"""Distance, in metres, below which a core pulls no stronger."""


@compiled
def move(
    places: Vectors, speeds: Vectors, colors: Colors, cores: Cores, masses: Cores, dt: float
) -> None:
    """Let the cores pull every star for `dt` seconds; a faster star burns brighter."""
    for i in range(places.shape[0]):
        x, y, z = places[i, 0], places[i, 1], places[i, 2]
        ax = ay = az = 0.0
        for k in range(cores.shape[0]):
            dx, dy, dz = cores[k, 0] - x, cores[k, 1] - y, cores[k, 2] - z
            away = dx * dx + dy * dy + dz * dz + SOFT * SOFT
            pull = masses[k, 0] / (away * math.sqrt(away))
            ax += dx * pull
            ay += dy * pull
            az += dz * pull
        u, v, w = speeds[i, 0] + ax * dt, speeds[i, 1] + ay * dt, speeds[i, 2] + az * dt
        speeds[i, 0], speeds[i, 1], speeds[i, 2] = u, v, w
        places[i, 0], places[i, 1], places[i, 2] = x + u * dt, y + v * dt, z + w * dt
        light = 14.0 + 26.0 * math.sqrt(u * u + v * v + w * w)
        colors[i, 3] = min(160.0, light)


class Particles(Script):
    """Two discs of stars, each around a heavy core, on their way past each other."""

    stars: int = field(50_000, min=100, max=500_000, step=1000, help="Stars in all")
    meeting: float = field(12.0, min=5.0, max=600.0, unit="s", help="Until they meet anew")

    def start(self) -> None:
        """Begin a meeting."""
        self.begin()

    def validate(self) -> None:
        """Another number of stars: begin anew."""
        self.begin()

    @action
    def begin(self) -> None:
        """Put both discs in place."""
        self.cores = np.array([[-3.1, -1.5, 0.5], [3.1, 1.5, -0.5]])
        self.core_speeds = np.array([[0.62, -0.14, -0.05], [-0.62, 0.14, 0.05]])
        self.masses = np.array([[5.0, 0.0, 0.0], [3.4, 0.0, 0.0]])
        half = self.stars // 2
        discs = [
            self.disc(0, self.stars - half, 2.5, (0.25, 0.10), (120, 165, 255)),
            self.disc(1, half, 2.0, (0.75, -0.5), (255, 168, 96)),
        ]
        self.places, self.speeds, self.colors = (
            np.concatenate(parts) for parts in zip(*discs, strict=True)
        )
        self.age = 0.0
        self.object.points = self.places
        self.object.point_colors = self.colors

    def disc(
        self,
        core: int,
        count: int,
        radius: float,
        tilt: tuple[float, float],
        tint: tuple[int, int, int],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8]]:
        """Return places, speeds and colours of stars on circles around a core."""
        rng = self.rng
        away = radius * rng.beta(1.1, 2.0, count) + 0.06
        arm = rng.integers(0, 2, count) * math.pi + 2.6 * np.log(away + 0.25)
        angle = arm + rng.normal(0.0, 0.55, count)
        c, s = np.cos(angle), np.sin(angle)
        flat = np.stack([c * away, s * away, rng.normal(0.0, 0.03, count)], axis=1)
        rate = np.sqrt(self.masses[core, 0] * away**2 / (away**2 + SOFT**2) ** 1.5)
        round_speed = np.stack([-s * rate, c * rate, np.zeros(count)], axis=1)
        a, b = tilt
        turn = np.array(
            [[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]]
        ) @ np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
        places = flat @ turn.T + self.cores[core]
        speeds = round_speed @ turn.T + self.core_speeds[core]
        warm = np.exp(-away / (0.22 * radius))[:, None]  # old stars in the middle
        colors = np.array(tint) * (1 - warm) + np.array([255, 236, 205]) * warm
        colors = colors + rng.normal(0.0, 14.0, (count, 3))
        rgba = np.concatenate([np.clip(colors, 0, 255), np.full((count, 1), 50)], axis=1)
        return places.astype(np.float32), speeds.astype(np.float32), rgba.astype(np.uint8)

    def update(self, dt: float) -> None:
        """Move the cores, then all stars, or a few while Python does it."""
        dt = min(dt, 1 / 30)
        self.age += dt
        if self.age > self.meeting:
            self.begin()
        away = self.cores[1] - self.cores[0]
        pull = away / (float(away @ away) + SOFT) ** 1.5
        self.core_speeds += np.stack([pull * self.masses[1, 0], -pull * self.masses[0, 0]]) * dt
        self.cores += self.core_speeds * dt
        count = len(self.places) if move.is_compiled else 200
        begun = time.perf_counter()
        move(
            self.places[:count], self.speeds[:count], self.colors[:count],
            self.cores, self.masses, dt,
        )  # fmt: skip
        self.metrics.log("ms a step", (time.perf_counter() - begun) * 1000.0)
        self.status.set("stars", f"{count:,} stars" if move.is_compiled else "compiling")
        self.object.points = self.places
        self.object.point_colors = self.colors
