"""What is drawn for a model or a picture whose file is missing or cannot be read.

It is magenta, so that nobody takes it for a part of the scene.
"""

from __future__ import annotations

import textwrap
from typing import Final

import numpy as np

from sim.core.canvas.painter import Font, Painter, Picture
from sim.core.scene.scene import SceneObject

SIDE: Final = 256  # pixels of a picture
TILE: Final = 32  # pixels of a square
MAGENTA: Final = (230, 30, 230)  # blue, green, red
DARK: Final = (70, 10, 70)
INK: Final = (255, 255, 255, 255)
EDGE: Final = 14  # pixels of the dark border
LETTERS: Final = 60  # pixels
LONGEST_LINE, MOST_LINES = 9, 4  # letters, lines
SMALLEST, LARGEST = 0.3, 3.0  # metres of a side of the box in the world
USUAL: Final = 0.6  # metres, at a scale of 1


def missing_picture() -> Picture:
    """Return the picture for an object whose texture is missing: magenta and dark squares."""
    rows, columns = np.indices((SIDE, SIDE)) // TILE
    is_dark = (rows + columns) % 2 == 1
    return np.where(is_dark[..., None], DARK, MAGENTA).astype(np.uint8)


def name_plate(name: str, painter: Painter) -> Picture:
    """Return the picture on each side of the box for an object whose model is missing.

    Args:
        name: name of the object, written in a few lines; as small as it takes to fit.
        painter: draws the name.
    """
    pixels = np.empty((SIDE, SIDE, 3), dtype=np.uint8)
    pixels[:] = DARK
    pixels[EDGE:-EDGE, EDGE:-EDGE] = MAGENTA
    lines = textwrap.wrap(name, LONGEST_LINE)[:MOST_LINES] or [name]
    wide = max(painter.text_width(line, Font(LETTERS, 800)) for line in lines)
    size = LETTERS * min(1.0, (SIDE - 3.0 * EDGE) / max(wide, 1.0))
    top = (SIDE - 1.2 * size * len(lines)) / 2.0
    for number, line in enumerate(lines):
        middle = np.array([SIDE / 2.0, top + 1.2 * size * number + 0.95 * size])
        painter.text(pixels, line, middle, INK, Font(size, 800), "center")
    return pixels


def size_of_box(obj: SceneObject) -> tuple[float, float, float]:
    """Return the sides of the box for an object whose model is missing, in its own space.

    In the world they are between 0.3 and 3 m: a model in centimetres or in kilometres is seen, too.
    """
    world = np.asarray(obj.transform.world_matrix, dtype=np.float64)[:3, :3]
    scale = np.maximum(np.linalg.norm(world, axis=1), 1e-9)
    x, y, z = (np.clip(USUAL * scale, SMALLEST, LARGEST) / scale).tolist()
    return x, y, z
