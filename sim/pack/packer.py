"""Packs a project as a game.

GAME/
  NAME                   the executable (NAME.exe on Windows)
  python/                Python with the packages that the game needs
  goishi/                Goishi's modules, and main.py, which opens the scene
  project/               the project
  LICENSES.txt           what is inside, under which licences
  game.json              what the game is, with versions
GAME.zip                 the same in one file
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import SHIPPED_ROOT, rename, replace_folder
from base.manifest import FILE as PROJECT_FILE
from base.manifest import PROJECT_ID, read_tables
from base.storage.run_folder import require_empty
from sim.core.project.game_table import GameTable, read_game
from sim.core.project.run_options import parse_window
from sim.core.project.scene_dir import project_id
from sim.export.runtime import Needs, check_package, compile_all, folder_size
from sim.pack.choice import GAME_FILE, Choice, choose, files_of, first_scene
from sim.pack.licences import LICENCES, licences_text
from sim.pack.python_folder import (
    PackError,
    make_linux,
    make_windows,
    oldest_glibc,
    place_launcher,
)

FORMAT: Final = "goishi.game/1"
TARGETS: Final = ("here", "linux", "windows")
PYTHON, ENGINE, PROJECT = "python", "goishi", "project"
CHECK: Final = "--check"
ICON_SIDE: Final = 256
MAIN: Final = '''\
"""Opens the packed game that this file is a part of."""

import sys

if __name__ == "__main__":
    from sim.commands.packed_game import main

    sys.exit(main(sys.argv[1:]))
'''
_ENGINE_LEFT_OUT: Final = ("__pycache__", "*.pyc", "pack", "export")
_PLAYERS_ASSETS: Final = ("players", "policies", "recorded", "suites")
_CHECK_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True)
class PackRequest:
    """What to pack.

    Attributes:
        project: folder of the project.
        out: folder to write; a zip file of the same name is written beside it.
        target: "linux", "windows" or "here".
        scene: the scene that opens first; None for the one of `goishi.toml`, or the only one.
        packages: names of packages to add.
        learns: returns whether a text in a scene names a player that learns.
    """

    project: Path
    out: Path
    target: str = "here"
    scene: str | None = None
    packages: tuple[str, ...] = ()
    learns: Callable[[str], bool] = lambda word: False


@dataclass(frozen=True, slots=True)
class PackReport:
    """What was packed.

    Attributes:
        executable: name of the file that a player starts.
        choice: what the game needs.
        versions: version of each package by name.
        size: size of the folder, bytes.
        zip: the zip file.
        needs: what the player's machine needs, in words.
    """

    executable: str
    choice: Choice
    versions: dict[str, str]
    size: int
    zip: Path
    needs: str


def target_of(asked: str) -> str:
    """Return the system to pack for, "linux" or "windows".

    Args:
        asked: the value of `--target`.

    Raises:
        UsageError: it is none, or cannot be packed for on this machine.
    """
    here = {"linux": "linux", "win32": "windows"}.get(sys.platform, "")
    if asked not in TARGETS:
        raise UsageError(f"--target: expected {', '.join(TARGETS)}, found {asked!r}")
    if asked == "here" and not here:
        raise UsageError(f"--target: expected windows on {platform.system()}, found here")
    found = here if asked == "here" else asked
    if found == "linux" and (here != "linux" or platform.machine() != "x86_64"):
        machine = f"{platform.system()} on {platform.machine()}"
        raise UsageError(f"--target: expected linux on Linux (x86-64), found {machine}")
    return found


def pack(request: PackRequest) -> PackReport:
    """Pack a project; after an error the output folder is unchanged.

    Raises:
        UsageError: the request is invalid.
        GoishiError: a scene is invalid, or something is missing on this machine.
    """
    target = target_of(request.target)
    project = request.project.resolve()
    if not project.is_dir():
        raise UsageError(f"PROJECT: expected a folder with a project, found none at {project}")
    out = request.out.absolute()
    require_empty(out, holds=_is_game)
    if out.with_name(f"{out.name}.zip").exists() and not _is_game(out):
        raise UsageError(f"--out: expected no file {out.name}.zip beside it, found one")
    for name in request.packages:
        check_package(name)
    scene = first_scene(project, request.scene)
    game = read_game(project)
    choice = choose(project, scene, request.packages, request.learns)
    if choice.missing:
        raise PackError("; ".join(choice.missing))
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.unfinished-", dir=out.parent) as folder:
        staged = Path(folder) / out.name
        staged.mkdir()
        executable, versions = _fill(staged, project, game, choice, target)
        if target == _here():
            _check(staged, executable)
        size = folder_size(staged)
        archive = shutil.make_archive(str(staged), "zip", folder, out.name)
        needs = _needs_of(staged, target)
        replace_folder(out, staged, staged.with_name(f"{out.name}.before"))
        rename(Path(archive), out.with_name(f"{out.name}.zip"))
    return PackReport(executable, choice, versions, size, out.with_name(f"{out.name}.zip"), needs)


def _here() -> str:
    return "windows" if sys.platform == "win32" else "linux"


def _is_game(folder: Path) -> bool:
    try:
        found = json.loads((folder / GAME_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT


# -- the folder -----------------------------------------------------------------------------------


def _fill(
    folder: Path, project: Path, game: GameTable, choice: Choice, target: str
) -> tuple[str, dict[str, str]]:
    needs = Needs(choice.packages, choice.modules)
    make = make_linux if target == "linux" else make_windows
    versions = make(folder / PYTHON, needs)
    copy_engine(folder / ENGINE, choice)
    if game.icon:
        place_icon(folder / ENGINE, project / game.icon)
    inside = PROJECT
    if project == SHIPPED_ROOT:
        inside = ENGINE
        _copy_files((project / name for name in choice.scenes), project, folder / ENGINE)
    else:
        _copy_files(files_of(project), project, folder / PROJECT)
    own_id = sign_project(folder / inside, project)
    compile_all(folder / ENGINE, folder, py_compile.PycInvalidationMode.UNCHECKED_HASH)
    name = executable_name(game.title) + (".exe" if target == "windows" else "")
    place_launcher(target, folder / name)
    if game.icon and target == "windows":
        give_icon(folder / name, folder / ENGINE / "icon.png")
    (folder / LICENCES).write_text(licences_text(folder / PYTHON, versions), encoding="utf-8")
    about = {
        "format": FORMAT,
        "title": game.title,
        "id": own_id,
        "project": inside,
        "scene": choice.scene,
        "scenes": list(choice.scenes),
        "data": executable_name(game.title),
        "icon": game.icon,
        "window": list(parse_window(game.window)) if game.window else None,
        "full_screen": game.full_screen,
        "quit": game.quit,
        "platform": f"{target}-x86_64",
        "python": platform.python_version(),
        "packages": versions,
    }
    text = json.dumps(about, indent=2, ensure_ascii=False)
    (folder / GAME_FILE).write_text(f"{text}\n", encoding="utf-8")
    return name, versions


def executable_name(title: str) -> str:
    """Return a file name for a title: without spaces and what systems refuse.

    >>> executable_name("The Cave: II"), executable_name("섬"), executable_name("python")
    ('The_Cave_II', '섬', 'game_python')
    """
    plain = re.sub(r"[^\w-]+", "_", title).strip("_")[:60] or "game"
    reserved = plain.lower().startswith("python") or plain.lower() in (
        ENGINE,
        PROJECT,
        "nul",
        "con",
    )
    return f"game_{plain}" if reserved else plain


def copy_engine(folder: Path, choice: Choice) -> None:
    """Copy Goishi's modules and what they read.

    Args:
        folder: folder to make.
        choice: says whether players are needed.
    """
    ignored = shutil.ignore_patterns(*_ENGINE_LEFT_OUT)
    tops = ["base", "sim", "scripts", *(["ai"] if choice.uses_players else [])]
    for name in tops:
        kept = None if name in ("scripts", "ai") else ignored
        plain = kept or shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(SHIPPED_ROOT / name, folder / name, ignore=plain)
    unused = () if choice.uses_players else _PLAYERS_ASSETS
    shutil.copytree(
        SHIPPED_ROOT / "assets", folder / "assets",
        ignore=shutil.ignore_patterns("new_project", "__pycache__", *unused),
    )  # fmt: skip
    for name in (PROJECT_FILE, "LICENSE"):
        if (SHIPPED_ROOT / name).is_file():
            shutil.copyfile(SHIPPED_ROOT / name, folder / name)
    (folder / "scenes").mkdir()
    (folder / "main.py").write_text(MAIN, encoding="utf-8")


def _copy_files(files: Iterable[Path], source: Path, folder: Path) -> None:
    for path in files:
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def sign_project(folder: Path, project: Path) -> str:
    """Give a copied project an id, if it has none, so that its saved games are found; return it.

    A project that is packed again at the same place has the same id.

    Args:
        folder: the copy.
        project: the project.
    """
    found = project_id(project)
    if found:
        return found
    made = f"prj_{hashlib.sha256(str(project).encode()).hexdigest()[:12]}"
    path = folder / PROJECT_FILE
    text = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
    path.write_text(f'{PROJECT_ID} = "{made}"\n{text}', encoding="utf-8")
    read_tables(folder)
    return made


def place_icon(folder: Path, icon: Path) -> None:
    """Write a game's icon as a PNG and an ICO file, which systems read.

    Args:
        folder: the folder to write to.
        icon: a picture.

    Raises:
        UsageError: it is none.
    """
    from PIL import Image

    try:
        with Image.open(icon) as found:
            picture = found.convert("RGBA")
    except (OSError, ValueError, SyntaxError) as error:
        raise UsageError(f"game.icon: expected a picture, found {icon}: {error}") from None
    side = max(picture.size)
    square = Image.new("RGBA", (side, side))
    square.paste(picture, ((side - picture.width) // 2, (side - picture.height) // 2))
    square = square.resize((ICON_SIDE, ICON_SIDE), Image.Resampling.LANCZOS)
    square.save(folder / "icon.png")
    square.save(folder / "icon.ico")


def give_icon(executable: Path, icon: Path) -> None:
    """Give a Windows executable an icon.

    Args:
        executable: the executable, changed in place.
        icon: a PNG file.
    """
    from direct.directnotify.DirectNotifyGlobal import directNotify
    from direct.dist.icon import Icon
    from direct.dist.pefile import PEFile

    directNotify.getCategory("Icon").setWarning(False)  # of sizes that it makes of the largest
    picture = Icon()
    picture.addImage(str(icon))
    picture.generateMissingImages()
    program = PEFile()
    program.open(str(executable), "r+b")
    program.add_icon(picture)
    program.add_resource_section()
    program.write_changes()
    program.close()


def _needs_of(folder: Path, target: str) -> str:
    if target == "windows":
        return "Windows 10 or newer (x86-64), OpenGL 3.3"
    return f"Linux (x86-64) with glibc {oldest_glibc(folder)} or newer, X, OpenGL 3.3"


def _check(folder: Path, executable: str) -> None:
    """Open the packed game once without a picture, with nothing but what was packed.

    Args:
        folder: the game's folder.
        executable: name of its executable.

    Raises:
        PackError: it does not run.
    """
    environment = {"HOME": str(folder.parent), "LANG": "C.UTF-8"}
    if sys.platform == "win32":
        environment = dict(os.environ)
    try:
        done = subprocess.run(
            [str(folder / executable), CHECK],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            timeout=_CHECK_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise PackError("the packed game: expected an end of its check, found none") from None
    if done.returncode:
        said = " | ".join((done.stderr or done.stdout).strip().splitlines()[-6:])
        raise PackError(
            f"the packed game does not run on its own: {said}; name what is missing by --packages"
        )
