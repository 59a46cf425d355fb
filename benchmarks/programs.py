"""What the measuring programs start: Goishi itself, a C compiler, and small projects to run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from base.files import SHIPPED_ROOT

MAIN = str(SHIPPED_ROOT / "main.py")


def run_main(*words: str, folder: Path = SHIPPED_ROOT, **environment: str) -> str:
    """Run `python main.py` with some words; return what it printed.

    Args:
        words: of its command line.
        folder: the working folder.
        environment: variables that are added.

    Raises:
        CalledProcessError: its exit code is not 0.
    """
    command, env = [sys.executable, MAIN, *words], {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True)
    return done.stdout


def start_main(*words: str, **how: Any) -> Any:
    """Start `python main.py` with some words and return the process; its output is not read.

    Args:
        words: of its command line.
        how: further arguments of `subprocess.Popen`.
    """
    silent = subprocess.DEVNULL
    command = [sys.executable, MAIN, *words]
    return subprocess.Popen(command, cwd=SHIPPED_ROOT, stdin=silent, stdout=silent, **how)


def user_folders(root: Path) -> dict[str, str]:
    """Return the environment of a user who has started nothing yet."""
    return {"XDG_CACHE_HOME": str(root / "cache"), "XDG_DATA_HOME": str(root / "data")}


def build_c(source: Path, target: Path, *flags: str) -> Path | None:
    """Compile a C file, one that stands beside this module; return `target`.

    Returns:
        None if there is no C compiler.

    Raises:
        CalledProcessError: it does not compile.
    """
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    subprocess.run([compiler, str(source), "-o", str(target), *flags], check=True, timeout=120)
    return target


def write_project(
    root: Path,
    objects: Mapping[str, Any] | None = None,
    scripts: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Path:
    """Write a project with one scene; return the scene's file.

    Args:
        root: folder of the project.
        objects: of the scene, as its file has them.
        scripts: texts by module name.
        settings: of the scene.
    """
    for name in ("scenes", "scripts", "assets"):
        (root / name).mkdir(parents=True)
    for name, text in (scripts or {}).items():
        path = root / "scripts" / f"{name}.py"
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    scene = root / "scenes" / "main.scene.json"
    content = {
        "format": "goishi.scene/1",
        "id": "scn_measured",
        "settings": settings or {},
        "objects": objects or {},
    }
    scene.write_text(json.dumps(content), encoding="utf-8")
    return scene


def grid_of_objects(
    count: int, component: str, fields: Callable[[int], Mapping[str, Any]] = lambda number: {}
) -> dict[str, Any]:
    """Return the objects of a scene: a grid of objects with a component each.

    Args:
        count: number of objects.
        component: its type; "" for none.
        fields: returns the fields of the component by the object's number.
    """
    objects = {}
    for number in range(count):
        held = {"type": component, "fields": fields(number)}
        objects[f"obj_{number:06}"] = {
            "name": f"Object {number}",
            "position": [*place_of(number), 0.0],
            "components": {f"cmp_{number:06}": held} if component else {},
        }
    return objects


def place_of(number: int) -> tuple[float, float]:
    """Return the place of an object in a grid with 40 columns, in metres."""
    return (number % 40) * 3.0, (number // 40) * 3.0
