"""Recently opened scenes, kept in a small file, and the shipped examples."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from base.files import atomic_write, read_regular, set_aside

FILE_NAME = "recent.json"
FORMAT = "goishi.recent/1"
MOST = 12
SUFFIX = ".scene.json"
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
        return [card_of(path) for path in self.paths if path.is_file()]

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


def _text(value: object) -> str:
    return value.strip()[:300] if isinstance(value, str) else ""
