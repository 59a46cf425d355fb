"""Marks of two networks' choices on the board: a number for each, in the network's colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scripts.gomoku.board.color_scale import Rgb
from scripts.gomoku.board.overlay_picture import OverlayPicture
from scripts.gomoku.explain.overlays import TOP
from sim import SceneObject, Script

if TYPE_CHECKING:
    from scripts.gomoku.game.match import Match

FIRST_COLOR: Rgb = (0.95, 0.65, 0.2)
SECOND_COLOR: Rgb = (0.3, 0.55, 0.98)
EDGE: Rgb = (0.1, 0.1, 0.1)
RADIUS = 0.2
ASIDE = 0.22  # metres left and right of the point

Choices = Sequence[tuple[int, float]]


class ComparisonMarks:
    """Numbers on a plane above the stones; nothing is spawned before they are first shown."""

    def __init__(self, script: Script, match: Match) -> None:
        self._script = script
        self._match = match
        self._plane: SceneObject | None = None

    @property
    def is_shown(self) -> bool:
        """Whether marks are on the board."""
        return self._plane is not None and self._plane.is_alive and self._plane.visible

    def show(self, size: int, choices: Sequence[Choices]) -> None:
        """Show the choices of up to two networks.

        Args:
            size: points along a side of the board.
            choices: (point, share) of each network's best points, the best first.
        """
        picture = OverlayPicture(size)
        sides = ((FIRST_COLOR, -ASIDE), (SECOND_COLOR, ASIDE))
        for best, (color, aside) in zip(choices, sides, strict=False):
            for rank, (point, _) in enumerate(best, start=1):
                picture.badge(point, str(rank), RADIUS, color, at=(aside, 0.0), edge=EDGE)
        if self._plane is None or not self._plane.is_alive:
            self._plane = self._script.scene.spawn(
                "Comparison", parent=self._match.board.object, position=(0.0, 0.0, TOP),
                material={"unlit": True, "layer": 3},
            )  # fmt: skip
            self._plane.casts_shadow = False
        self._plane.model = {"builtin": "plane", "size": size}
        self._plane.texture = picture.pixels
        self._plane.visible = not picture.is_empty

    def hide(self) -> None:
        """Take the marks away."""
        if self._plane is not None and self._plane.is_alive:
            self._plane.visible = False

    def destroy(self) -> None:
        """Remove the plane."""
        if self._plane is not None and self._plane.is_alive:
            self._plane.destroy()
