"""The floor of the hall, with soft shadows below the boards."""

from __future__ import annotations

from scripts.hall.board import HallBoard
from sim import Script, field, tr


class HallFloor(Script):
    """Paints the floor of the hall once at the start, with a shadow below each board."""

    side: float = field(150.0, min=10.0, max=1000.0, unit="m", help=tr("Length of a side"))

    def start(self) -> None:
        if not self.run.graphics:
            return
        from scripts.hall import painter

        spots = [
            slot.object.transform.world_position
            for slot in self.scene.components()
            if isinstance(slot.instance, HallBoard)
        ]
        x, y, _ = self.object.transform.world_position
        self.object.model = {"builtin": "plane", "size": [self.side, self.side]}
        self.object.material = {"roughness": 0.85}
        self.object.texture = painter.floor(
            self.side, self.side, [(float(spot[0]) - x, float(spot[1]) - y) for spot in spots]
        )
