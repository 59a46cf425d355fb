"""Quality presets, and the automatic choice between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.render.window.compose import (
    ALL_EDGES,
    MOVING_EDGES,
    NO_EDGES,
    WIDE_EDGES,
    WIDE_MOVING_EDGES,
)

if TYPE_CHECKING:
    from sim.render.window.display import Display


@dataclass(frozen=True)
class Preset:
    """Rendering quality settings.

    Attributes:
        scale: resolution of the scene relative to its place in the window.
        samples: samples a pixel of the resting picture, 0 for no multisampling.
        smoothing: which edges are smoothed after drawing.
        resting: how those of what rests are smoothed where the processor draws: its samples are
            useless, for large triangles lose parts.
    """

    scale: float
    samples: int
    smoothing: int = NO_EDGES
    resting: int = NO_EDGES


PRESETS = {
    "low": Preset(0.75, 0),
    "medium": Preset(1.0, 4, smoothing=MOVING_EDGES, resting=ALL_EDGES),
    "high": Preset(1.0, 4, smoothing=WIDE_MOVING_EDGES, resting=WIDE_EDGES),
}
DRAFT = Preset(0.7, 0, smoothing=ALL_EDGES)
"""While the camera moves and the processor draws."""


def choose(display: Display) -> str:
    """Return the preset for this machine: medium for software rendering, else high."""
    return "medium" if display.is_software else "high"
