"""Colours of the phases: bright enough for dark letters on them, in both themes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from imgui_bundle import imgui

from sim.core.profiling.spans import Phase

Tone = tuple[float, float, float]
DARK: Final[Mapping[Phase, Tone]] = MappingProxyType(
    {
        Phase.INPUT: (0.66, 0.70, 0.80),
        Phase.WORKERS: (0.33, 0.74, 0.71),
        Phase.SCRIPTS: (0.94, 0.66, 0.26),
        Phase.COROUTINES: (0.87, 0.85, 0.42),
        Phase.PHYSICS: (0.93, 0.47, 0.41),
        Phase.CLIPS: (0.90, 0.58, 0.80),
        Phase.CULLING: (0.44, 0.80, 0.90),
        Phase.DRAWING: (0.45, 0.66, 0.93),
        Phase.PANELS: (0.67, 0.57, 0.94),
        Phase.REST: (0.56, 0.54, 0.50),
    }
)
LIGHT: Final[Mapping[Phase, Tone]] = MappingProxyType(
    {
        Phase.INPUT: (0.55, 0.60, 0.72),
        Phase.WORKERS: (0.20, 0.64, 0.60),
        Phase.SCRIPTS: (0.91, 0.58, 0.13),
        Phase.COROUTINES: (0.76, 0.70, 0.16),
        Phase.PHYSICS: (0.90, 0.40, 0.34),
        Phase.CLIPS: (0.84, 0.46, 0.72),
        Phase.CULLING: (0.28, 0.70, 0.82),
        Phase.DRAWING: (0.33, 0.57, 0.88),
        Phase.PANELS: (0.58, 0.47, 0.88),
        Phase.REST: (0.60, 0.58, 0.54),
    }
)
TONES: Final = {"dark": DARK, "light": LIGHT}
LETTERS: Final = imgui.color_convert_float4_to_u32(imgui.ImVec4(0.07, 0.06, 0.05, 1.0))
"""Of names on bars."""
SHADES: Final = (1.0, 0.9)
"""Of neighbours, so that they can be told apart."""


@functools.cache
def packed_tones(theme: str, shade: float = 1.0) -> Mapping[Phase, int]:
    """Return the colours of a theme as 32 bits, for draw lists."""
    found = {}
    for phase, (red, green, blue) in TONES[theme].items():
        color = imgui.ImVec4(shade * red, shade * green, shade * blue, 1.0)
        found[phase] = imgui.color_convert_float4_to_u32(color)
    return MappingProxyType(found)
