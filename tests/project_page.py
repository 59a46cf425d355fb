"""The plugin project of docs/projects.md, built from the page itself."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from base.files import SHIPPED_ROOT
from sim.commands.new import new_project

PAGE = SHIPPED_ROOT / "docs" / "projects.md"
SCENE = "scenes/match.scene.json"


def files_of_page(page: Path = PAGE) -> dict[str, str]:
    """Return the files that the page shows: each stands below its name and a colon."""
    found = re.findall(r"^`([\w/.]+)`:\n\n```\w+\n(.+?)```", page.read_text("utf-8"), re.M | re.S)
    return dict(found)


def build_project(folder: Path) -> Path:
    """Do what the page says in a new folder and return it."""
    new_project(folder)
    for name, text in files_of_page().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@contextmanager
def own_scripts() -> Iterator[None]:
    """Give `scripts` and the path back as they were: a project's player was imported here."""
    path = list(sys.path)
    known = {name: module for name, module in sys.modules.items() if _is_script(name)}
    try:
        yield
    finally:
        sys.path[:] = path
        for name in [name for name in sys.modules if _is_script(name)]:
            del sys.modules[name]
        sys.modules.update(known)


def _is_script(name: str) -> bool:
    return name.partition(".")[0] == "scripts"
