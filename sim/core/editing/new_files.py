"""New projects, scenes and scripts to start from, for the command line and the window.

What is made is whole, or nothing of it is left.
"""

from __future__ import annotations

import contextlib
import json
import keyword
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from base.errors import GoishiError, UsageError
from base.files import IS_INSTALLED, SHIPPED_ROOT, check_outside_package
from base.program import PROGRAM
from base.storage.run_folder import require_empty
from base.values import JsonObject, printable
from sim.core.files.scene_checker import FORMAT, ID_PATTERN
from sim.core.files.scene_file import dumps
from sim.core.project.trust import Trust, remember, trust_own
from sim.core.scene.scene import new_id

TEMPLATE: Final = SHIPPED_ROOT / "scripts" / "common" / "template.py"
TEMPLATE_CLASS: Final = "Template"
PROJECT_FILES: Final = SHIPPED_ROOT / "assets" / "new_project"
PROJECT_SCENE: Final = "scenes/main.scene.json"
PROJECT_SCRIPT: Final = "hello"
DEVICE: Final = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9¹²³]")
"""Names of devices on Windows, which no file there may have, whatever comes after a dot."""
NAME: Final = "NAME"
"""What an error calls the given name if nothing else is said: the argument of the command line."""


def make_project(folder: Path, what: str = NAME) -> str:
    """Make a project that runs, in a folder that is empty or does not exist; it is trusted.

    Args:
        folder: the folder.
        what: what errors call it.

    Returns:
        Why the trust could not be stored; empty otherwise.

    Raises:
        UsageError: there is a file, or a folder that is not empty.
        GoishiError: the system refused to write; nothing of the project is left.
    """
    require_empty(folder, what)
    with _made_whole(folder, what):
        _write_project(folder)
    return remember(folder, Trust.TRUSTED)


def _write_project(folder: Path) -> None:
    """Write the files of a new project into a folder that is empty or does not exist."""
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    title = printable(folder.absolute().name)
    write_new(folder / "scripts" / f"{PROJECT_SCRIPT}.py", script_text("Hello"))
    words = {"prj_NEW": new_id("prj"), "# NAME\n": f"# {title}\n", **_program()}
    for source in sorted(PROJECT_FILES.rglob("*")):
        if source.suffix in (".md", ".toml", ".txt", ".py") or source.name == "gitignore":
            name = source.relative_to(PROJECT_FILES).as_posix().replace("gitignore", ".gitignore")
            write_new(folder / name, _filled(source, words))
    for source in sorted((PROJECT_FILES / "vscode").iterdir()):
        write_new(folder / ".vscode" / source.name, _filled(source, _editor_words()))
    write_new(folder / PROJECT_SCENE, project_scene())


def _filled(template: Path, words: Mapping[str, str]) -> str:
    """Return the text of a template with its words replaced.

    Args:
        template: the file.
        words: what stands for each word of the template.
    """
    text = template.read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _program() -> dict[str, str]:
    """Return how the texts of a new project call Goishi, which in a clone is a path of the user."""
    if not IS_INSTALLED:
        return {}
    return {
        "python main.py": PROGRAM,
        " `GOISHI` below is the folder that holds Goishi's `main.py`.": "",
        "python GOISHI/main.py": PROGRAM,
        ", or pytest with Goishi's folder on PYTHONPATH": "",
    }


def _editor_words() -> dict[str, str]:
    """Return the paths of this machine for the settings of VS Code, as JSON writes them."""
    schema = (SHIPPED_ROOT / "sim" / "core" / "files" / "scene.schema.json").as_uri()
    paths = {
        "PYTHON": sys.executable,
        "GOISHI_MAIN": str(SHIPPED_ROOT / "main.py"),
        "GOISHI_FOLDER": str(SHIPPED_ROOT),
        "GOISHI_SCHEMA": schema,
    }
    quoted = {f'"{word}"': json.dumps(path, ensure_ascii=False) for word, path in paths.items()}
    return {**quoted, "=GOISHI_FOLDER": f"={SHIPPED_ROOT}"}


@contextlib.contextmanager
def _made_whole(folder: Path, what: str) -> Iterator[None]:
    """Context manager that removes what its block has made in an empty folder if the block fails.

    Args:
        folder: a folder that is empty or does not exist; in the latter case it is removed, too.
        what: what errors call it.

    Raises:
        GoishiError: the system refused to write; says why and where.
    """
    was_there = folder.exists()
    try:
        yield
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if was_there:
            with contextlib.suppress(OSError):
                folder.mkdir(exist_ok=True)
        if isinstance(error, OSError) and not isinstance(error, GoishiError):
            raise GoishiError(
                f"{what}: expected a folder that a project can be written to, found {folder}: "
                f"{error.strerror or error}; nothing of it is left"
            ) from None
        raise


def project_scene() -> str:
    """Return the scene file of a new project, with fresh object ids."""
    text = (PROJECT_FILES / PROJECT_SCENE).read_text(encoding="utf-8")
    made: dict[str, str] = {}
    return ID_PATTERN.sub(lambda found: made.setdefault(found[0], new_id(found[1])), text)


def make_scene(path: Path, what: str = NAME) -> None:
    """Write a new scene with a camera, the sun and a floor to a file that does not exist.

    Args:
        path: the file.
        what: what errors call it.

    Raises:
        UsageError: there is a file already.
        OSError: the system refused to write; nothing is left.
    """
    write_new(path, dumps(_new_scene()).decode(), what)


def _new_scene() -> JsonObject:
    """Return the data of a new scene, with fresh ids."""

    def thing(name: str, order: int, parts: JsonObject, **values: object) -> JsonObject:
        found = {new_id("cmp"): {"type": key, "fields": item} for key, item in parts.items()}
        return {"name": name, "order": order, **values, "components": found}

    eye = {"target": [0, 0, 1.4]}  # with the horizon, which says where up is
    light = {"kind": "sun", "shadows": "cast"}
    camera = thing("Camera", 0, {"sim:Camera": eye}, position=[4, -12, 3.2])
    sun = thing("Sun", 1, {"sim:Light": light, "sim:Sky": {}}, position=[-9, -7, 12])
    floor = thing("Floor", 2, {"sim:RigidBody": {"kind": "static"}})
    floor["model"] = {"builtin": "plane", "size": [200, 200]}
    floor["material"] = {"color": [0.42, 0.45, 0.4], "roughness": 0.95}
    return {
        "format": FORMAT,
        "id": new_id("scn"),
        "settings": {"seed": 1},
        "objects": {new_id("obj"): entry for entry in (camera, sun, floor)},
    }


def make_script(project: Path, name: str, what: str = NAME) -> tuple[Path, str, str]:
    """Write a script with every hook that one may want, below the folder `scripts` of a project.

    Args:
        project: the project's folder; one without any code is trusted from now on.
        name: name of its module, such as "falling_leaf" or "games/falling_leaf".
        what: what errors call it.

    Returns:
        Path of the file, the type of its component, and why the trust could not be stored (empty
        otherwise).

    Raises:
        UsageError: the name is none of Python's, or there is such a file already.
        OSError: the system refused to write; nothing is left.
    """
    parts = name.removesuffix(".py").replace("\\", "/").split("/")
    for part in parts:
        if not part.isidentifier() or keyword.iskeyword(part):
            raise UsageError(f"{what}: expected a Python name such as falling_leaf, found {name!r}")
    fault = trust_own(project)
    path = project.joinpath("scripts", *parts).with_suffix(".py")
    class_name = _class_name(parts[-1])
    write_new(path, script_text(class_name), what)
    return path, f"{'.'.join(('scripts', *parts))}:{class_name}", fault


def script_text(class_name: str) -> str:
    """Return the text of the shipped script template, with its class renamed to `class_name`."""
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(rf"\b{TEMPLATE_CLASS}\b", class_name, text)


def _class_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_") if word) or "Unnamed"


def free_path(folder: Path, stem: str, suffix: str) -> Path:
    """Return the path of a file that does not exist: `lamp.prefab.json`, or else `lamp_2…`.

    Args:
        folder: folder of the file.
        stem: beginning of its name.
        suffix: end of its name, with the dot.
    """
    path, number = folder / f"{stem}{suffix}", 1
    while path.exists() or path.is_symlink():
        number += 1
        path = folder / f"{stem}_{number}{suffix}"
    return path


def file_stem(name: str) -> str:
    """Return a name in the form of a file's: lower case, with `_` for what is no letter or digit.

    Names of devices on Windows, such as `con`, get a `_` on every system.

    >>> file_stem("Street lamp (old)"), file_stem("???"), file_stem("Con")
    ('street_lamp_old', 'unnamed', 'con_')
    """
    stem = re.sub(r"[^\w]+", "_", name.lower()).strip("_")[:60] or "unnamed"
    return f"{stem}_" if DEVICE.fullmatch(stem) else stem


def write_new(path: Path, text: str, what: str = NAME) -> None:
    """Write a file that does not exist, and the folders above it.

    Args:
        path: the file.
        text: its text.
        what: what the error calls it.

    Raises:
        UsageError: there is such a file already.
        OSError: the system refused to write, or the path lies in an installed Goishi; nothing is
            left.
    """
    check_outside_package(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise UsageError(f"{what}: expected a new name, found the file {path}") from None
    try:
        with file:
            file.write(text)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # writing does not name it
        raise
