"""Pictures of a model: embedded, or in files beside it, inside the project."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import PNMImage, StringStream, Texture

from sim.core.assets.assets import stamp
from sim.core.canvas.picture_limit import OversizedPictureError, check_header
from sim.render.importing.model_data import Pixels

LARGEST_SIDE = 1024  # pixels; larger pictures are made smaller, so that showing them never stalls
MOST_BYTES = 64 * 2**20
FOLDERS = ("", "textures", "Textures", "maps", "images")


class Beside:
    """Files that a model refers to, searched beside it and never outside the project.

    Attributes:
        seen: the files that were looked up, with their `stamp`; for the cache.
        missing: names of pictures that were not found.
        oversized: a warning for each picture that is too large.
    """

    def __init__(self, model: Path, project: Path) -> None:
        self.folder = model.parent
        self.stem = model.stem
        self.project = project.resolve()
        self.seen: dict[str, list[int] | None] = {}
        self.missing: list[str] = []
        self.oversized: list[str] = []

    def find(self, *names: str) -> Path | None:
        """Return the first existing file among several names, None for none."""
        for name in (name for name in names if name):
            for relative in self._places(name):
                path = self.folder / relative
                self.seen[relative] = stamp(path)
                if self.seen[relative] is not None and self._is_inside(path):
                    return path
        return None

    def _places(self, name: str) -> list[str]:
        slashed = PureWindowsPath(name).as_posix()
        pure = PurePosixPath(slashed)
        is_relative = not pure.is_absolute() and ":" not in slashed
        places = [slashed] if is_relative and ".." not in pure.parts else []
        folders = (*FOLDERS, f"{self.stem}.fbm")
        places += [f"{folder}/{pure.name}" if folder else pure.name for folder in folders]
        return list(dict.fromkeys(place for place in places if pure.name))

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.is_file() and self.project in path.resolve().parents
        except OSError:
            return False

    def picture(self, *names: str) -> Pixels | None:
        """Return the picture of the first existing file; None, recorded as missing, for none."""
        path = self.find(*names)
        name = next((name for name in names if name), "?")
        if path is None or path.stat().st_size > MOST_BYTES:
            self.missing.append(name)
            return None
        return self.decode(path.read_bytes(), name)

    def decode(self, content: bytes, name: str) -> Pixels | None:
        """Return the picture in a file's bytes; None, recorded, where there is none.

        Args:
            content: content of the file; empty where it is missing.
            name: name of the file, for the warning.
        """
        try:
            found = decoded(content)
        except OversizedPictureError as error:
            self.refuse(name, error)
            return None
        if found is None:
            self.missing.append(name)
        return found

    def refuse(self, name: str, error: OversizedPictureError) -> None:
        """Record a picture that is too large."""
        name = PureWindowsPath(name).name
        self.oversized.append(
            f"expected a picture of at most {error.limit}, found {name} of {error}: left out"
        )

    def warnings(self) -> list[str]:
        """Return a line that lists the missing pictures, if any, and one for each oversized one."""
        found = []
        if self.missing:
            names = ", ".join(sorted({PureWindowsPath(name).name for name in self.missing}))
            found.append(f"expected files beside it that it names, not found: {names}")
        return found + sorted(set(self.oversized))


def _rare(content: bytes) -> Pixels | None:
    """Return the pixels of a kind of picture that OpenCV does not know, such as TGA."""
    image = PNMImage()
    if not image.read(StringStream(content), "picture.tga"):
        return None
    texture = Texture("picture")
    texture.load(image)
    kind = "BGRA" if image.has_alpha() else "BGR"
    pixels = np.frombuffer(texture.get_ram_image_as(kind), dtype=np.uint8)
    return pixels.reshape(texture.get_y_size(), texture.get_x_size(), len(kind))[::-1]


def decoded(content: bytes) -> Pixels | None:
    """Decode a picture file, scaled down to at most `LARGEST_SIDE`; None if it is invalid.

    Raises:
        OversizedPictureError: its header says that it is too large; nothing was decoded.
    """
    check_header(content)
    import cv2  # only where there are pictures: a server without libGL can read the rest

    data = np.frombuffer(content, dtype=np.uint8)
    if not data.size:
        return None
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
    except cv2.error:
        picture = None
    if picture is None:
        picture = _rare(content)
    return None if picture is None else fitted(picture)


def fitted(picture: npt.NDArray[Any]) -> Pixels:
    """Convert a picture to `[h, w, 3|4]` uint8, scaled down to at most `LARGEST_SIDE`."""
    import cv2

    if picture.dtype == np.uint16:
        picture = (picture >> 8).astype(np.uint8)
    elif picture.dtype != np.uint8:
        picture = np.clip(np.nan_to_num(picture) * 255.0, 0, 255).astype(np.uint8)
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    elif picture.shape[2] == 2:
        picture = np.dstack([picture[..., :1]] * 3 + [picture[..., 1:]])
    scale = LARGEST_SIDE / max(picture.shape[:2])
    if scale < 1.0:
        wide, high = (max(1, round(side * scale)) for side in picture.shape[1::-1])
        picture = cv2.resize(picture, (wide, high), interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(picture, dtype=np.uint8)
