"""Makes its object follow another one, as on a rope."""

from __future__ import annotations

import numpy as np

from sim import SceneObject, Script, field, tr


class Follow(Script):
    """Keeps a distance behind another object of the same parent."""

    target: SceneObject | None = field(None)
    distance: float = field(0.6, min=0.0, max=100.0, unit="m", help=tr("Length of the rope"))

    def late_update(self, dt: float) -> None:
        if self.target is None:
            return
        transform = self.object.transform
        rope = self.target.transform.position - transform.position
        length = float(np.linalg.norm(rope))
        if length > self.distance:
            transform.position += rope * (1.0 - self.distance / length)
            transform.look_at(self.target.transform.position)
