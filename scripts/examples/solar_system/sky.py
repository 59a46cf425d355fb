"""Painted parts: the starry sky, and a name above each planet."""

from __future__ import annotations

import cv2
import numpy as np

from sim import SceneObject, Script, field


class Stars(Script):
    """Paints its object's texture as a starry sky."""

    count: int = field(2600, min=0, max=20000)

    def start(self) -> None:
        size = 2048
        cloud = np.clip(self.rng.random((9, 9, 3)) - 0.35, 0.0, 1.0) * (34, 16, 20) + (20, 11, 9)
        sky = cv2.resize(cloud.astype(np.uint8), (size, size), interpolation=cv2.INTER_CUBIC)
        x, y = self.rng.integers(0, size, (2, self.count))
        light = self.rng.uniform(40.0, 255.0, (self.count, 1)) ** 2 / 255.0
        sky[y, x] = sky[y, x - 1] = sky[y - 1, x] = sky[y - 1, x - 1] = light
        self.object.texture = cv2.GaussianBlur(sky, (3, 3), 0.7)


class Label(Script):
    """Shows the name of an object above it, always facing the camera."""

    target: SceneObject | None = field(None)
    height: float = field(0.8, min=0.0, max=20.0, unit="m", help="Height above the target")

    def start(self) -> None:
        if self.target is None:
            return
        mask = np.zeros((96, 480), np.uint8)
        name = self.target.name
        (width, _), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_DUPLEX, 2.0, 3)
        place = ((480 - width) // 2, 72)
        cv2.putText(mask, name, place, cv2.FONT_HERSHEY_DUPLEX, 2.0, 255, 3, cv2.LINE_AA)
        self.object.texture = np.dstack([np.full((96, 480, 3), (205, 225, 240), np.uint8), mask])

    def late_update(self, dt: float) -> None:
        if self.target is not None:
            x, y, z = self.target.transform.world_position
            self.object.transform.position = (x, y, z + self.height)
            pose = self.scene.camera.view
            self.object.transform.rotation = (pose.azimuth, 90.0 - pose.elevation, 0.0)
