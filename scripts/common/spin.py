"""Rotates its object at constant speed."""

from __future__ import annotations

import numpy as np

from sim import Script, field


class Spin(Script):
    """Rotates on the spot."""

    speed: tuple[float, float, float] = field((45.0, 0.0, 0.0), unit="°/s")

    def update(self, dt: float) -> None:
        transform = self.object.transform
        transform.rotation = (transform.rotation + np.multiply(self.speed, dt)) % 360.0
