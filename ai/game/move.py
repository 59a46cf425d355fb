"""Colors and moves as numbers."""

from __future__ import annotations

from typing import Final, TypeAlias

Color: TypeAlias = int
"""BLACK, WHITE, or EMPTY where nobody is meant."""

Move: TypeAlias = int
"""A point as a number: `row * size + col`, row 0 at the far side (the top, under gravity); PASS."""

BLACK: Final = 1
"""The side that moves first, and its stones."""
WHITE: Final = -1
"""The other side, and its stones."""
EMPTY: Final = 0
"""A point without a stone; nobody."""
PASS: Final = -1
"""The move of a side that can play no point: it counts as a ply, and the other side is to move."""
