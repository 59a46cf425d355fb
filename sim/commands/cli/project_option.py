"""`--project DIR` before a command: run the command on that project, from any folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import find_file
from base.manifest import FILE

FLAG: Final = "--project"
TRUST: Final = "--trust"
OWN_OPTION: Final = frozenset({"players", "games", "arena", "brain"})
"""Commands that have an option `--project` of their own."""
OWN_TRUST: Final = frozenset({"arena", "brain"})
"""Those of them that can run a project's code, and have an option `--trust`."""
OWN_FILES: Final[Mapping[str, str]] = {
    "run": ".scene.json",
    "check": ".scene.json",
    "export": ".py",
}
"""Commands that take a file of a project; for each the ending of the file's name."""
NO_PROJECT: Final = frozenset({"experiment", "grid", "replay", "warm", "forget"})


@dataclass(frozen=True)
class Given:
    """Options that the user wrote before the command.

    Attributes:
        project: folder of `--project`; None if the option was not given.
        is_trusted: whether `--trust` followed it.
    """

    project: Path | None = None
    is_trusted: bool = False


def split_project(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Separate a leading `--project DIR` from the words of a command line.

    Returns:
        The project's folder, None without the option, and the remaining words.

    Raises:
        UsageError: no folder is named, or it is not inside a project.
    """
    words = list(arguments)
    if words and words[0].startswith(f"{FLAG}="):
        return project_above(words[0].partition("=")[2]), words[1:]
    if words[:1] != [FLAG]:
        return None, words
    if len(words) == 1:
        raise UsageError(f"{FLAG}: expected a folder, found nothing")
    return project_above(words[1]), words[2:]


def project_above(folder: str | Path) -> Path:
    """Return the nearest folder from `folder` upwards that is a project.

    Raises:
        UsageError: no such folder is a project.
    """
    start = find_file(Path(folder)).absolute()
    for candidate in (start, *start.parents):
        if (candidate / FILE).is_file() or (candidate / "scenes").is_dir():
            return candidate
    raise UsageError(
        f"{FLAG}: expected a folder inside a project (one that holds scenes/ or {FILE}), "
        f"found {str(folder)!r}"
    )


def words_for(project: Path, arguments: Sequence[str]) -> list[str]:
    """Return a command's words, changed so that the command works on the project.

    The project's folder is added. File names that exist in the project get their path. For `pip`
    and the project's own commands nothing is changed, because these get the folder in another way.

    Args:
        project: folder of the project.
        arguments: words after `--project DIR`: the command first, or `--trust` before it.

    Raises:
        UsageError: no command follows, or the command cannot work on a project.
    """
    is_trusted = list(arguments[:1]) == [TRUST]
    words = list(arguments[is_trusted:]) or ["--help"]
    name = words[0]
    if is_trusted and (name in OWN_FILES or name in OWN_TRUST):
        words.append(TRUST)
    if name.startswith("-") and name not in ("--help", "-h", "--version"):
        raise UsageError(f"{FLAG}: expected a command after {project}, found {name!r}")
    if name in NO_PROJECT or words[:2] == ["new", "project"]:
        found = " ".join(words[: 1 + (name == "new")])
        raise UsageError(f"{FLAG}: expected a command that works on a project, found {found}")
    if name in OWN_OPTION or (name == "new" and len(words) > 1):
        return [*words, FLAG, str(project)]
    if name == "test":
        return [name, str(project), *words[1:]]
    if name in OWN_FILES:
        given = [FLAG, str(project)] if name == "run" else []
        return [name, *given, *(_in_project(project, word, OWN_FILES[name]) for word in words[1:])]
    return words


def _in_project(project: Path, word: str, ending: str) -> str:
    """Return the path of the project's file that a word names; otherwise the word itself.

    Args:
        project: folder of the project.
        word: a word of the command line.
        ending: ending of the file names that are looked for, such as ".py".
    """
    is_its = word.endswith(ending) and not word.startswith("-") and (project / word).is_file()
    return str(project / word) if is_its else word
