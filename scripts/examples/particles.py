"""Two galaxies circle each other: 50,000 stars moved by one compiled function."""

from __future__ import annotations

import math
import time
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sim import Script, Shape, action, compiled, field, tr

Vectors = Annotated[NDArray[np.float32], Shape(None, 3)]
Homes = Annotated[NDArray[np.float32], Shape(None, 2)]
Colors = Annotated[NDArray[np.uint8], Shape(None, 4)]
Cores = Annotated[NDArray[np.float64], Shape(None, 10)]

SOFT = 0.35
"""Distance in metres below which a core's pull stays the same."""
REACH = 2.6
"""Radius in metres of a disc; farther out it hardly holds its stars."""
TILTS = ((0.25, 0.10), (0.75, -0.5))
"""Tilts of the discs around x and y, radians."""

STARS, COMPILING = tr("{stars:,} stars"), tr("compiling")


@compiled
def move(
    places: Vectors,
    speeds: Vectors,
    colors: Colors,
    homes: Homes,
    cores: Cores,
    settling: float,
    dt: float,
) -> None:
    """Move every star for `dt` seconds; a faster star burns brighter.

    A core's halo pulls by 1/distance, so that no star is ever lost. A home is the number of a
    star's core and the radius of its circle there, to which it returns after each tide.
    A core has position, velocity, axis of its disc, and strength of its pull.
    """
    for i in range(places.shape[0]):
        x, y, z = places[i, 0], places[i, 1], places[i, 2]
        u, v, w = speeds[i, 0], speeds[i, 1], speeds[i, 2]
        for k in range(cores.shape[0]):
            dx, dy, dz = cores[k, 0] - x, cores[k, 1] - y, cores[k, 2] - z
            pull = cores[k, 9] / (dx * dx + dy * dy + dz * dz + SOFT * SOFT) * dt
            u, v, w = u + dx * pull, v + dy * pull, w + dz * pull
        h, wide = int(homes[i, 0]), homes[i, 1] * homes[i, 1]
        dx, dy, dz = x - cores[h, 0], y - cores[h, 1], z - cores[h, 2]
        away = dx * dx + dy * dy + dz * dz
        rate = wide * math.sqrt(cores[h, 9] / (wide + SOFT * SOFT)) / (away + 0.1 * wide)
        a, b, c = cores[h, 6], cores[h, 7], cores[h, 8]
        hold = settling / (1.0 + (away / (REACH * REACH)) ** 2) * dt
        u += (cores[h, 3] + (b * dz - c * dy) * rate - u) * hold
        v += (cores[h, 4] + (c * dx - a * dz) * rate - v) * hold
        w += (cores[h, 5] + (a * dy - b * dx) * rate - w) * hold
        speeds[i, 0], speeds[i, 1], speeds[i, 2] = u, v, w
        places[i, 0], places[i, 1], places[i, 2] = x + u * dt, y + v * dt, z + w * dt
        colors[i, 3] = min(160.0, 14.0 + 26.0 * math.sqrt(u * u + v * v + w * w))


class Particles(Script):
    """Two discs of stars, each around a core with a halo, that pass each other repeatedly."""

    stars: int = field(50_000, min=100, max=500_000, step=1000, help="Stars in all")
    settling: float = field(0.25, min=0.0, max=2.0, unit="1/s", help="How fast stars return")

    def start(self) -> None:
        """Start the simulation."""
        self.begin()

    def validate(self) -> None:
        """Restart with another number of stars."""
        if len(self.places) != self.stars:
            self.begin()

    @action
    def begin(self) -> None:
        """Reset both discs to their initial state."""
        self.cores = np.zeros((2, 10))
        for core, pull, share in ((0, 2.4, -1.7 / 4.1), (1, 1.7, 2.4 / 4.1)):
            self.cores[core, :3] = share * np.array([5.89, 2.83, -0.94])
            self.cores[core, 3:6] = share * np.array([-0.296, 0.640, 0.069])
            self.cores[core, 6:] = *tilted(*TILTS[core])[:, 2], pull
        half = self.stars // 2
        discs = [
            self.disc(0, self.stars - half, 2.5, (120, 165, 255)),
            self.disc(1, half, 2.0, (255, 168, 96)),
        ]
        self.places, self.speeds, self.homes, self.colors = (
            np.concatenate(parts) for parts in zip(*discs, strict=True)
        )
        self.object.points = self.places
        self.object.point_colors = self.colors

    def disc(
        self, core: int, count: int, radius: float, tint: tuple[int, int, int]
    ) -> list[NDArray[Any]]:
        """Return places, speeds, colours and homes of stars on circles around a core."""
        rng = self.rng
        away = radius * rng.beta(1.1, 2.0, count) + 0.06
        arm = rng.integers(0, 2, count) * math.pi + 2.6 * np.log(away + 0.25)
        arm += rng.normal(0.0, 0.55, count)
        c, s = np.cos(arm), np.sin(arm)
        flat = np.stack([c * away, s * away, rng.normal(0.0, 0.03, count)], axis=1)
        rate = away * np.sqrt(self.cores[core, 9] / (away**2 + SOFT**2))
        round_speed = np.stack([-s * rate, c * rate, np.zeros(count)], axis=1)
        turn = tilted(*TILTS[core]).T
        places = flat @ turn + self.cores[core, :3]
        speeds = round_speed @ turn + self.cores[core, 3:6]
        warm = np.exp(-away / (0.22 * radius))[:, None]  # old stars in the middle
        colors = np.array(tint) * (1 - warm) + np.array([255, 236, 205]) * warm
        colors += rng.normal(0.0, 14.0, (count, 3))
        rgba = np.concatenate([np.clip(colors, 0, 255), np.full((count, 1), 50)], axis=1)
        homes = np.stack([np.full(count, core), away], axis=1)
        floats = [array.astype(np.float32) for array in (places, speeds, homes)]
        return [*floats, rgba.astype(np.uint8)]

    def fixed_update(self, dt: float) -> None:
        """Move the cores, then all stars: 60 times a second, once the machine code is ready."""
        few = 200 if move.refused else 0  # stars that Python can move; 0 asks for machine code
        count = len(self.places) if move.is_compiled else few
        if count:  # the cores pull each other: kick, then drift, so that orbits stay as wide
            away = self.cores[1, :3] - self.cores[0, :3]
            pull = away / (float(away @ away) + 0.64) * dt
            self.cores[0, 3:6] += pull * self.cores[1, 9]
            self.cores[1, 3:6] -= pull * self.cores[0, 9]
            self.cores[:, :3] += self.cores[:, 3:6] * dt
        begun = time.perf_counter()
        places, speeds, colors = self.places[:count], self.speeds[:count], self.colors[:count]
        move(places, speeds, colors, self.homes[:count], self.cores, self.settling, dt)
        self.metrics.log("ms a step", (time.perf_counter() - begun) * 1000.0)

    def update(self, dt: float) -> None:
        """Upload the stars' positions."""
        self.status.set("stars", STARS.format(stars=self.stars) if move.is_compiled else COMPILING)
        self.object.points = self.places
        self.object.point_colors = self.colors


def tilted(a: float, b: float) -> NDArray[np.float64]:
    """Return the rotation matrix of a disc that is turned about y, then x (radians)."""
    around_x = [[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]]
    around_y = [[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]]
    return np.asarray(np.array(around_x) @ np.array(around_y))
