"""Where the scene is that a user names: their own file, or one that ships with Goishi."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import SHIPPED_ROOT, from_home
from base.spelling import near_names

SUFFIX: Final = ".scene.json"
MOST_NEAR: Final = 3


def find_scene(scene: str | Path) -> Path:
    """Return the path of a scene's file; the given one if there is no such file anywhere.

    It is taken from the current folder. Otherwise it is a path in Goishi's folder, such as
    `scenes/car.scene.json`, or the bare name of a shipped scene, such as `car`.

    Args:
        scene: a path, with `~` for the home folder, or a name.
    """
    path = from_home(Path(scene))
    if path.is_absolute():
        return path
    places = (path, SHIPPED_ROOT / path, SHIPPED_ROOT / "scenes" / f"{scene}{SUFFIX}")
    return next((place for place in places if place.is_file()), path)


def require_scene(scene: str | Path, name: str = "SCENE") -> Path:
    """Return the path of a scene's file, as `find_scene` does.

    Args:
        scene: a path or a name.
        name: the option or argument, for the message.

    Raises:
        UsageError: there is no such file. The message names scenes with a similar name.
    """
    path = find_scene(scene)
    if path.is_file():
        return path
    files = [*path.parent.glob(f"*{SUFFIX}"), *(SHIPPED_ROOT / "scenes").glob(f"*{SUFFIX}")]
    names = {file.name.removesuffix(SUFFIX): file for file in reversed(files)}
    near = near_names(sorted(names), path.name.partition(".")[0])[:MOST_NEAR]
    shown = [
        name if names[name].is_relative_to(SHIPPED_ROOT) else str(names[name]) for name in near
    ]
    such = f", such as {' or '.join(shown)}" if shown else ""
    raise UsageError(f"{name}: expected a scene file{such}, found no file {str(path)!r}")
