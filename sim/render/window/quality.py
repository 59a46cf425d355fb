"""Quality presets, and the automatic choice between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.render.window.display import Display


@dataclass(frozen=True)
class Preset:
    """Rendering quality settings.

    Attributes:
        scale: resolution of the scene relative to its place in the window.
        samples: samples a pixel of the resting picture, 0 for no multisampling.
    """

    scale: float
    samples: int


PRESETS = {
    "low": Preset(0.75, 0),
    "medium": Preset(1.0, 4),
    "high": Preset(1.0, 4),
}
DRAFT = Preset(0.7, 0)
"""While the camera moves and the processor draws."""


def choose(display: Display) -> str:
    """Return the preset for this machine: medium for software rendering, else high."""
    return "medium" if display.is_software else "high"
