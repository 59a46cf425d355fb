"""The table `[game]` of a project's `goishi.toml`: how its game looks when it is packed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.files import resolve_in_project
from base.manifest import check_keys, entries_of, read_tables, refuse
from sim.core.input.key_map import normal

TABLE: Final = "game"
KEYS: Final = {
    "title": str, "icon": str, "scene": str, "window": str, "full_screen": bool, "quit": str,
}  # fmt: skip
"""The keys of the table, each with the type of its value."""
ICONS: Final = (".png", ".ico")
QUIT: Final = "control+q"
WINDOW: Final = re.compile(r"\d{3,4}x\d{3,4}")


@dataclass(frozen=True)
class GameTable:
    """How a project's game looks.

    Attributes:
        title: title of the window.
        icon: picture of the window, a path within the project; empty for none.
        scene: the scene that opens first, a path within the project; empty if it is not said.
        window: size of the window, such as "1280x720"; empty for the usual one.
        full_screen: whether the game begins in full screen.
        quit: chord that ends the game, such as "control+q"; empty for none.
    """

    title: str
    icon: str = ""
    scene: str = ""
    window: str = ""
    full_screen: bool = False
    quit: str = QUIT


def read_game(project: Path) -> GameTable:
    """Return the table `[game]` of a project, with defaults for what it does not say.

    Raises:
        ProjectError: `goishi.toml` cannot be read, or a value of the table is invalid.
    """
    table = entries_of(read_tables(project), TABLE)
    check_keys(TABLE, table, KEYS)
    title = str(table.get("title", "")).strip() or project.resolve().name
    if not title.isprintable():
        refuse(f"{TABLE}.title", "a title that can be shown", title)
    for key, suffixes in (("icon", ICONS), ("scene", (".scene.json",))):
        if key in table:
            _check_file(project, f"{TABLE}.{key}", str(table[key]), suffixes)
    if table.get("window") and not WINDOW.fullmatch(str(table["window"])):
        refuse(f"{TABLE}.window", "WIDTHxHEIGHT, as in 1280x720", table["window"])
    chord = normal(str(table.get("quit", QUIT)))
    if table.get("quit") and not chord:
        refuse(f"{TABLE}.quit", "a key such as f10 or control+q", table["quit"])
    return GameTable(**{**table, "title": title, "quit": chord})


def _check_file(project: Path, key: str, path: str, suffixes: tuple[str, ...]) -> None:
    """Check that a value names a file of the project.

    Args:
        project: folder of the project.
        key: dotted key of the value, for the error.
        path: the value.
        suffixes: how the file's name may end.
    """
    expected = f"a file of the project ending in {' or '.join(suffixes)}"
    try:
        is_there = resolve_in_project(project, path).is_file()
    except ValueError:
        is_there = False
    if not is_there or not path.lower().endswith(suffixes):
        refuse(key, expected, path)
