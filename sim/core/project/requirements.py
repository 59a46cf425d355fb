"""Checks whether the packages of a project's `requirements.txt` are installed.

Versions are checked, too. Only requirements by name are checked; options, URLs and folders are
skipped. A missing package does not keep a scene from opening.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement

from base.command_line import join_words
from base.files import read_regular
from base.program import PROGRAM

FILE: Final = "requirements.txt"
INCLUDES: Final = ("-r", "--requirement")
DEEPEST: Final = 8  # files that include each other


@dataclass(frozen=True)
class RequirementFault:
    """An unmet or malformed line of a requirements file.

    Attributes:
        file: path of the file; relative to the project if it is inside.
        line: number of the line, from 1; 0 if the file itself cannot be read.
        expected: the requirement, or the valid form of a line.
        found: the installed version, or the line's text.
        install: command that installs what is missing; empty if there is none.
    """

    file: str
    line: int
    expected: str
    found: str
    install: str = ""

    def __str__(self) -> str:
        """Return place, expectation, finding and install command in one line."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        text = f"{place}: expected {self.expected}, found {self.found}"
        return f"{text}; to install: {self.install}" if self.install else text


def requirement_faults(project: Path) -> list[RequirementFault]:
    """Return the unmet or malformed requirements of a project.

    Args:
        project: the folder that may hold a `requirements.txt`.
    """
    path = project / FILE
    if not path.is_file():
        return []
    install = f"{PROGRAM} pip install -r {join_words([str(path)])}"
    return list(_faults_of_file(path, project, install, ()))


def _faults_of_file(
    path: Path, project: Path, install: str, opened: tuple[Path, ...]
) -> Iterator[RequirementFault]:
    name = path.relative_to(project).as_posix() if path.is_relative_to(project) else str(path)
    try:
        text = read_regular(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        yield RequirementFault(name, 0, "a requirements file", _reason(error))
        return
    for number, line in _logical_lines(text):
        words = line.split()
        if words[0] in INCLUDES or words[0].startswith("--requirement="):
            other = path.parent / line.partition("=" if "=" in words[0] else " ")[2].strip()
            above = (*opened, path.resolve())
            if other.resolve() not in above and len(above) < DEEPEST:
                yield from _faults_of_file(other, project, install, above)
        elif not _is_for_pip_alone(line):
            yield from _faults_of_line(line, name, number, install)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that is not empty, without comments.

    Lines that end with a backslash are joined with the next; the first one's number counts.
    """
    joined, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        start = start or number
        if line.endswith("\\"):
            joined += line[:-1] + " "
            continue
        whole = joined + line
        said = "" if whole.lstrip().startswith("#") else whole.partition(" #")[0].strip()
        if said:
            yield start, said
        joined, start = "", 0


def _is_for_pip_alone(line: str) -> bool:
    """Return whether a line names no package, so that only pip understands it.

    Such lines are options, addresses, folders and files such as wheels.

    Args:
        line: a line of a requirements file.
    """
    is_path = line.startswith((".", "/", "~")) or line.endswith((".whl", ".tar.gz", ".zip"))
    has_address = "://" in line and " @ " not in line
    return line.startswith("-") or is_path or has_address


def _faults_of_line(line: str, file: str, number: int, install: str) -> Iterator[RequirementFault]:
    said = line.partition(" --")[0].strip()  # options of this line, as --hash, are pip's
    try:
        requirement = Requirement(said)
    except InvalidRequirement:
        yield RequirementFault(file, number, "a requirement such as scipy>=1.10", repr(said))
        return
    if requirement.marker is not None and not requirement.marker.evaluate():
        return
    wanted = f"{requirement.name}{requirement.specifier}"
    try:
        there = version(requirement.name)
    except PackageNotFoundError:
        yield RequirementFault(file, number, wanted, f"no {requirement.name}", install)
        return
    if not requirement.specifier.contains(there, prereleases=True):
        yield RequirementFault(file, number, wanted, f"{requirement.name} {there}", install)


def _reason(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return (error.strerror if isinstance(error, OSError) else str(error)) or str(error)
