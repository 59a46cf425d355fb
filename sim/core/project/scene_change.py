"""A scene that a script opens in place of the present one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from base.errors import SceneFileError, UsageError
from base.files import resolve_in_project
from base.spelling import project_file
from base.storage.plain_data import plain_data
from base.values import JsonObject
from sim.core.files.scene_file import find_project, load

LONGEST_FADE: Final = 60.0
"""Maximum length of a fade, seconds."""


@dataclass(frozen=True)
class SceneChange:
    """A change to another scene that a script has asked for.

    Attributes:
        path: absolute path of the scene file, which was valid when it was asked for.
        given: what the scene is given, as JSON data.
        fade: real seconds in which the picture fades out, and those in which it fades in again.
    """

    path: Path
    given: JsonObject = field(default_factory=dict)
    fade: float = 0.0


def checked_change(
    project: Path, path: str, given: object, fade: float, *, allows_missing: bool
) -> SceneChange:
    """Check that a scene can be opened; return the change to it.

    Args:
        project: folder of the project.
        path: path of the scene file, relative to the project, with `/`.
        given: what the scene is given: a dict of JSON data, or None for nothing.
        fade: seconds of the fade.
        allows_missing: whether files that the scene's objects name may be missing.

    Raises:
        UsageError: an argument does not fit, there is no such file in the project, or it is no
            valid scene. It says nothing of a place, so that the line of the script is shown.
    """
    is_length = isinstance(fade, int | float) and not isinstance(fade, bool)
    if not (is_length and math.isfinite(fade) and 0.0 <= fade <= LONGEST_FADE):
        raise UsageError(
            f"scene.open: fade: expected 0 to {LONGEST_FADE:g} seconds, found {fade!r:.40}"
        )
    if given is not None and not isinstance(given, dict):
        raise UsageError(f"scene.open: given: expected a dict, found {given!r:.60}")
    file = _file_of(project, path)
    try:
        load(file, project=project, allows_missing=allows_missing)
    except SceneFileError as error:
        place = ":".join(filter(None, (path, error.object_id, error.key)))
        raise UsageError(
            f"scene.open: {place}: expected {error.expected}, found {error.found}"
        ) from None
    data = plain_data(given or {}, "scene.open: given")
    return SceneChange(file, data if isinstance(data, dict) else {}, float(fade))


def _file_of(project: Path, path: object) -> Path:
    """Return the absolute path of a scene file of a project.

    Raises:
        UsageError: there is no such file in the project.
    """
    if not isinstance(path, str):
        raise UsageError(f"scene.open: expected the path of a scene as text, found {path!r:.60}")
    try:
        file = resolve_in_project(project, path)
    except ValueError as error:
        raise UsageError(f"scene.open: expected {error}, found {path!r:.200}") from None
    if not file.is_file():
        raise UsageError(
            f"scene.open: expected {project_file(project, path)}, found none at {path!r:.200}"
        )
    if find_project(file) != project.resolve():
        raise UsageError(f"scene.open: expected a scene of this project, found {path!r:.200}")
    return file
