"""`new`: make a script or a project that runs, to start from."""

from __future__ import annotations

import contextlib
import keyword
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from base.storage.run_folder import require_empty
from base.values import printable
from sim.commands.cli.ending import echo
from sim.core.files.scene_checker import ID_PATTERN
from sim.core.project.trust import Trust, remember, trust_own
from sim.core.scene.scene import new_id

TEMPLATE: Final = SHIPPED_ROOT / "scripts" / "common" / "template.py"
TEMPLATE_CLASS: Final = "Template"
PROJECT_FILES: Final = SHIPPED_ROOT / "assets" / "new_project"
PROJECT_SCENE: Final = "scenes/main.scene.json"
PROJECT_SCRIPT: Final = "hello"


def new_script(
    name: Annotated[str, typer.Argument(help="As in falling_leaf, or games/falling_leaf.")],
    project: Annotated[
        Path,
        typer.Option(metavar="DIR", help="A folder inside the project [.].", show_default=False),
    ] = Path(),
) -> None:
    """Write scripts/NAME.py, a script with every hook that you may want."""
    folder = project_of(project)
    parts = name.removesuffix(".py").replace("\\", "/").split("/")
    for part in parts:
        if not part.isidentifier() or keyword.iskeyword(part):
            raise UsageError(f"NAME: expected a Python name such as falling_leaf, found {name!r}")
    fault = trust_own(folder)
    path = folder.joinpath("scripts", *parts).with_suffix(".py")
    module = ".".join(("scripts", *parts))
    class_name = _class_name(parts[-1])
    _write_new(path, script_text(class_name))
    echo(f"wrote {path}")
    echo(f'attach it in a scene: {{"type": "{module}:{class_name}"}}')
    _warn(fault)


def new_project(
    path: Annotated[
        Path, typer.Argument(metavar="NAME", help="The folder to make.", show_default=False)
    ],
) -> None:
    """Make a project: a folder with a scene that runs, a script, a test, assets."""
    folder = path.expanduser()
    require_empty(folder, "NAME")
    with _made_whole(folder):
        _write_project(folder)
    fault = remember(folder, Trust.TRUSTED)
    echo(f"made {folder}")
    echo(f"open it: python main.py run {shlex.quote(str(folder / PROJECT_SCENE))}")
    echo(f"test it: python main.py test {shlex.quote(str(folder))}")
    _warn(fault)


def _write_project(folder: Path) -> None:
    """Write the files of a new project into a folder that is empty or does not exist."""
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    title = printable(folder.absolute().name)
    _write_new(folder / "scripts" / f"{PROJECT_SCRIPT}.py", script_text("Hello"))
    for source in sorted(PROJECT_FILES.rglob("*")):
        if source.suffix in (".md", ".toml", ".txt", ".py") or source.name == "gitignore":
            name = source.relative_to(PROJECT_FILES).as_posix().replace("gitignore", ".gitignore")
            text = source.read_text(encoding="utf-8").replace("prj_NEW", new_id("prj"))
            _write_new(folder / name, text.replace("# NAME\n", f"# {title}\n"))
    _write_new(folder / PROJECT_SCENE, project_scene())


@contextlib.contextmanager
def _made_whole(folder: Path) -> Iterator[None]:
    """Context manager that removes what its block has made in an empty folder if the block fails.

    Args:
        folder: a folder that is empty or does not exist; in the latter case it is removed, too.

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
                f"NAME: expected a folder that a project can be written to, found {folder}: "
                f"{error.strerror or error}; nothing of it is left"
            ) from None
        raise


def project_of(folder: Path) -> Path:
    """Return the nearest folder from `folder` upwards that holds `scenes/`.

    Raises:
        UsageError: no such folder holds `scenes/`.
    """
    start = folder.expanduser().absolute()
    for candidate in (start, *start.parents):
        if (candidate / "scenes").is_dir():
            return candidate
    raise UsageError(
        f"--project: expected a folder inside a project (one that holds scenes/), found {start}"
    )


def script_text(class_name: str) -> str:
    """Return the text of the shipped script template, with its class renamed to `class_name`."""
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(rf"\b{TEMPLATE_CLASS}\b", class_name, text)


def project_scene() -> str:
    """Return the scene file of a new project, with fresh object ids."""
    text = (PROJECT_FILES / PROJECT_SCENE).read_text(encoding="utf-8")
    made: dict[str, str] = {}
    return ID_PATTERN.sub(lambda found: made.setdefault(found[0], new_id(found[1])), text)


def _class_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_") if word) or "Unnamed"


def _warn(fault: str) -> None:
    if fault:
        sys.stderr.write(f"goishi: warning: {printable(fault)}\n")


def _write_new(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        file = path.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise UsageError(f"NAME: expected a new name, found the file {path}") from None
    try:
        with file:
            file.write(text)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # writing does not name it
        raise
