"""Pictures as people with each kind of colour blindness see them, side by side.

    python -m benchmarks.color_vision PICTURE … [--out DIR]

Each picture becomes one sheet: as it is, then with protanopia, deuteranopia and tritanopia. The
matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation
of Color Vision Deficiency" (IEEE TVCG, 2009), at full severity. They hold for linear RGB.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.console import machine, parser_of
from benchmarks.language_pictures import sheet

Floats = NDArray[np.float64]
MACHADO: dict[str, Floats] = {
    "none": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]),
}  # fmt: skip
"""Kinds of colour blindness, each with what it makes of red, green and blue."""


def linear(color: ArrayLike) -> Floats:
    """Return sRGB values from 0 to 1 as linear ones."""
    values = np.asarray(color, dtype=np.float64)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def encoded(light: ArrayLike) -> Floats:
    """Return linear values from 0 to 1 as sRGB ones."""
    values = np.asarray(light, dtype=np.float64)
    return np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1 / 2.4) - 0.055)


def simulated(color: ArrayLike, kind: str) -> Floats:
    """Return colours as they are seen with a kind of colour blindness.

    Args:
        color: `[…, 3]` red, green and blue in sRGB, 0 to 1.
        kind: key of `MACHADO`.

    Returns:
        `[…, 3]` linear red, green and blue, 0 to 1.
    """
    return np.clip(linear(color) @ MACHADO[kind].T, 0.0, 1.0)


def all_kinds(picture: NDArray[Any]) -> NDArray[Any]:
    """Return a picture of OpenCV as each kind sees it, on one sheet."""
    color = picture[..., ::-1] / 255.0
    seen = (encoded(simulated(color, kind))[..., ::-1] for kind in MACHADO)
    return np.asarray(sheet([np.rint(255.0 * part).astype(np.uint8) for part in seen]))


def main() -> None:
    """Draw the sheets of the pictures that were named."""
    parser = parser_of(__doc__, out=Path("color_vision"))
    parser.add_argument("pictures", nargs="+", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(machine())
    for path in options.pictures:
        picture = cv2.imread(str(path))
        if picture is None:
            raise SystemExit(f"{path}: expected a picture")
        cv2.imwrite(str(options.out / path.name), all_kinds(picture))
        print(f"{path.name}: {', '.join(MACHADO)}", flush=True)


if __name__ == "__main__":
    main()
