"""Writes `assets/models/figure.glb` anew: `python -m assets.models.maker [FILE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from assets.models.maker.clips import sampled
from assets.models.maker.figure import Figure
from assets.models.maker.glb import write

SHIPPED = Path(__file__).resolve().parents[1] / "figure.glb"


def main(arguments: list[str]) -> None:
    """Make the model."""
    path = Path(arguments[0]) if arguments else SHIPPED
    figure = Figure()
    size = write(path, figure, sampled())
    vertices = sum(len(part.shape.points) for part in figure.parts)
    sys.stdout.write(f"{path}: {size} bytes, {vertices} vertices, {len(figure.joints)} joints\n")


if __name__ == "__main__":
    main(sys.argv[1:])
