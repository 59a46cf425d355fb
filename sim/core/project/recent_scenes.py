"""Recently opened scenes, kept in a small file, and the shipped examples."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from base.files import SHIPPED_ROOT, atomic_write, read_regular, set_aside
from base.language.wording import wording
from sim.core.files.scene_file import find_project

FILE_NAME = "recent.json"
FORMAT = "goishi.recent/1"
MOST = 12
SUFFIX = ".scene.json"
PICTURES = "thumbnails"
LARGEST = 4 * 1024 * 1024  # bytes of a scene that is read for its name only


@dataclass(frozen=True)
class SceneCard:
    """Preview of a scene: path, title, description.

    Attributes:
        picture: thumbnail file, None for none.
    """

    path: Path
    name: str
    description: str = ""
    picture: Path | None = None

    @property
    def place(self) -> str:
        """Where it lies, which tells two of one name apart: its project, or a project's folder."""
        folder = self.path.parent
        return folder.parent.name if self.path.name.endswith(SUFFIX) else folder.name


class RecentScenes:
    """The recently opened scenes, the latest first, stored in a file.

    A damaged file gives a warning and an empty list. When the next scene is opened, it is kept
    as `recent.json.bad`.

    Args:
        path: path of the file.
        warn: called with the text of each warning.
    """

    def __init__(self, path: Path, *, warn: Callable[[str], None]) -> None:
        self.path = path
        self._warn = warn
        self.is_first_start = not path.exists()
        self._is_whole = True
        self.paths: list[Path] = self._read()

    def add(self, scene: Path) -> None:
        """Move a scene to the top of the list and save the list."""
        scene = scene.absolute()
        self.paths = [scene, *[path for path in self.paths if path != scene]][:MOST]
        data = {"format": FORMAT, "scenes": [str(path) for path in self.paths]}
        try:
            if not self._is_whole and os.path.lexists(self.path):
                self._warn(f"{self.path}: it is kept as {set_aside(self.path)}")
            self._is_whole = True
            atomic_write(self.path, json.dumps(data, indent=2) + "\n")
        except OSError as error:
            self._warn(f"{self.path}: recent scenes cannot be kept: {error.strerror or error}")

    def cards(self) -> list[SceneCard]:
        """Return previews of those scenes that still exist."""
        return [self._card(path) for path in self.paths if path.is_file()]

    def projects(self) -> list[SceneCard]:
        """Return a card for each project of these scenes: its folder, and its last picture."""
        found: dict[Path, SceneCard] = {}
        for path in self.paths:
            folder = find_project(path)
            if path.is_file() and (folder / "scenes").is_dir():
                card = self._card(path)
                found.setdefault(folder, replace(card, path=folder, name=folder.name))
        return list(found.values())

    def picture_of(self, scene: Path) -> Path:
        """Return the path at which the picture of a scene is kept."""
        name = hashlib.sha256(os.fsencode(scene.absolute())).hexdigest()[:20]
        return self.path.parent / PICTURES / f"{name}.png"

    def tidy_pictures(self) -> None:
        """Delete the pictures of scenes that are not in the list."""
        kept = {self.picture_of(path) for path in self.paths}
        with contextlib.suppress(OSError):
            for file in (self.path.parent / PICTURES).glob("*.png"):
                if file not in kept:
                    file.unlink(missing_ok=True)

    def _card(self, path: Path) -> SceneCard:
        card, picture = card_of(path), self.picture_of(path)
        return (
            replace(card, picture=picture) if card.picture is None and picture.is_file() else card
        )

    def _read(self) -> list[Path]:
        try:
            data = json.loads(read_regular(self.path))
            if data["format"] != FORMAT:
                raise ValueError(f"format {data['format']!r}")
            scenes = data["scenes"]
            if not isinstance(scenes, list) or not all(isinstance(item, str) for item in scenes):
                raise TypeError("scenes: expected a list of paths")
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            self._is_whole = False
            self._warn(f"{self.path}: expected recent scenes, found: {error}; the list is empty")
            return []
        return [Path(item) for item in scenes[:MOST]]


def example_cards(root: Path) -> list[SceneCard]:
    """Return previews of a project's scenes by name, with thumbnails of `docs/images/scenes/`."""
    cards = [card_of(path) for path in sorted((root / "scenes").glob(f"*{SUFFIX}"))]
    return sorted(cards, key=lambda card: card.name.lower())


def card_of(path: Path) -> SceneCard:
    """Return the preview of a scene file, from its keys `name` and `description`."""
    plain = path.name.removesuffix(SUFFIX)
    picture = path.parent.parent / "docs" / "images" / "scenes" / f"{plain}.png"
    name, description = plain.replace("_", " ").capitalize(), ""
    try:
        data = json.loads(read_regular(path, LARGEST))
        name = _text(data.get("name")) or name
        description = _text(data.get("description"))
    except (OSError, ValueError, AttributeError, RecursionError):
        description = "cannot be read"
    return SceneCard(path, name, description, picture if picture.is_file() else None)


def window_title(path: Path) -> str:
    """Return the title of a window that shows a scene: the scene, its project and Goishi.

    A shipped scene has no project of its own.
    """
    card = card_of(path)
    is_shipped = find_project(path) == SHIPPED_ROOT
    return " - ".join([wording(card.name), *([] if is_shipped else [card.place]), "Goishi"])


def _text(value: object) -> str:
    return value.strip()[:300] if isinstance(value, str) else ""
