"""A hopping stone: the first script to change. Save this file while the scene runs."""

from __future__ import annotations

import math

from sim import Script, field


class HelloStone(Script):
    """Hops on the spot."""

    height: float = field(1.5, min=0.0, max=10.0, unit="m", help="How high it hops")
    hops_per_second: float = field(0.8, min=0.1, max=5.0)

    def update(self, dt: float) -> None:
        """Follow a bouncing curve; try `math.sin(...) ** 2`, or another height."""
        bounce = abs(math.sin(self.time.now * self.hops_per_second * math.pi))
        x, y, _ = self.object.transform.position
        self.object.transform.position = (x, y, self.height * bounce)
