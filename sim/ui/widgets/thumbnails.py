"""Small pictures of picture and model files, made when they are first seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from sim.core.assets.assets import Asset, AssetLibrary, AssetState
from sim.core.assets.formats import FORMATS
from sim.core.canvas.painter import Picture
from sim.core.geometry.rotations import FloatArray
from sim.render.materials.textures import picture_of
from sim.render.models.figures import FigureSource, read_figure
from sim.render.view.silhouette import triangles_of

SIDE = 96  # pixels
GROUND = 60  # grey, beside a picture that is not square
MOST = 2000
MOST_TRIANGLES = 6000  # of a model; of more every n-th is drawn
FROM = np.array([0.55, -0.75, 0.45])  # where a model is seen from
LIGHT = np.array([0.35, -0.6, 0.72])
SHADES = (70.0, 150.0)  # grey in the shadow, and more in the light


class Thumbnails:
    """The thumbnails of a project; one is remade only when its file was saved again.

    Args:
        add_picture: uploads a picture and returns its ImGui texture id.

    Attributes:
        revision: increases with each finished model.
    """

    def __init__(self, add_picture: Callable[[Picture], int]) -> None:
        self._add_picture = add_picture
        self._known: dict[str, tuple[float, int | None]] = {}
        self._coming: tuple[str, float, AssetLibrary, Asset] | None = None
        self.revision = 0

    def number(self, path: str, project: Path) -> int | None:
        """Return the ImGui texture id of a file's thumbnail.

        Args:
            path: path of the file, relative to the project.
            project: folder of the project.

        Returns:
            The id; None if the file cannot be read or its model is still being read.
        """
        try:
            saved = (project / path).stat().st_mtime
        except OSError:
            saved = 0.0
        known = self._known.get(path)
        if known is None or known[0] != saved:
            if len(self._known) >= MOST:
                return None
            if path.lower().endswith(tuple(FORMATS)):
                self._begin(path, saved, project)
                return None if known is None else known[1]
            self._known[path] = known = (saved, self._make(path, project))
        return known[1]

    def poll(self) -> int:
        """If a model has been read, make its thumbnail; return `revision` in any case."""
        if self._coming is not None:
            path, saved, library, asset = self._coming
            library.poll()
            if asset.state is not AssetState.LOADING:
                library.close()
                self._coming = None
                self._known[path] = (saved, self._paint(asset))
                self.revision += 1
        return self.revision

    def close(self) -> None:
        """Stop reading a model."""
        if self._coming is not None:
            self._coming[2].close()
            self._coming = None

    def _begin(self, path: str, saved: float, project: Path) -> None:
        """Start reading a model in the background, unless another one is being read.

        Its errors are not reported here but where the model is used.

        Args:
            path: path of the file, relative to the project.
            saved: time of the last change of the file, seconds.
            project: folder of the project.
        """
        if self._coming is None:
            library = AssetLibrary(project)
            library.read_content = read_figure
            self._coming = (path, saved, library, library.get(path))

    def _paint(self, asset: Asset) -> int | None:
        if not isinstance(asset.content, FigureSource):
            return None
        triangles = triangles_of(asset.content.root)
        return self._add_picture(painted(triangles)) if len(triangles) else None

    def _make(self, path: str, project: Path) -> int | None:
        try:
            found = picture_of(path, project)
        except (OSError, ValueError):
            return None  # whoever uses it says why
        return None if found is None else self._add_picture(small(found[..., :3]))


def small(picture: Picture) -> Picture:
    """Return a picture `[h, w, 3]` in a square of `SIDE` pixels, whole and not stretched."""
    height, width = picture.shape[:2]
    share = SIDE / max(height, width)
    size = (max(1, round(width * share)), max(1, round(height * share)))
    shrunk = cv2.resize(np.ascontiguousarray(picture), size, interpolation=cv2.INTER_AREA)
    square = np.full((SIDE, SIDE, 3), GROUND, dtype=np.uint8)
    top, left = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
    square[top : top + size[1], left : left + size[0]] = shrunk
    return square


def painted(triangles: FloatArray) -> Picture:
    """Return a grey picture of a model, a square of `SIDE` pixels.

    Args:
        triangles: corners of its triangles, `[m, 3, 3]`; the farthest are painted first.
    """
    some = triangles[:: max(1, -(-len(triangles) // MOST_TRIANGLES))]
    ahead = -FROM / np.linalg.norm(FROM)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    axes = np.array([right, -np.cross(right, ahead), ahead])
    seen = some @ axes.T
    flat = seen[..., :2]
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    share = 0.86 * SIDE / max(1e-9, float((high - low).max()))
    places = np.rint((flat - (low + high) / 2.0) * share + SIDE / 2.0).astype(np.int32)
    normals = np.cross(some[:, 1] - some[:, 0], some[:, 2] - some[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    facing = abs(normals @ (LIGHT / np.linalg.norm(LIGHT))) / np.maximum(lengths, 1e-12)
    shades = SHADES[0] + SHADES[1] * facing
    square = np.full((SIDE, SIDE, 3), GROUND, dtype=np.uint8)
    for number in np.argsort(-seen[..., 2].mean(axis=1)):
        cv2.fillConvexPoly(square, places[number], (float(shades[number]),) * 3)
    return square
