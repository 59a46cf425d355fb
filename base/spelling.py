"""Names in error messages: the known ones, those first that look like a misspelt one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

ALIKE: Final = 0.6
"""Least similarity of two names, 0 to 1, at which one may be a misspelling of the other."""
MOST_NAMES: Final = 60
"""Maximum number of names in a message."""
MOST_FILES: Final = 2000
"""Maximum number of files that are compared with a misspelt path."""
NEAR_NAMES: Final = 3
"""Maximum number of names that are offered in place of a misspelt one."""
MOST_LISTED: Final = 20
"""Maximum number of names in a hint where none does."""
NEAR_FILES: Final = 3
"""Maximum number of files in a message."""


def nearest_first(known: Iterable[object], found: object) -> list[str]:
    """Return names as texts, those first that look like a misspelt one, the most similar first.

    The others follow in their own order.

    Args:
        known: the names.
        found: the misspelt name; if it is no text, the order stays.
    """
    names = list(map(str, known))
    near = near_names(names, found) if isinstance(found, str) else []
    return [*near, *(name for name in names if name not in near)]


def near_names(known: Iterable[str], found: str) -> list[str]:
    """Return those names that look like a misspelt one, the most similar first.

    Args:
        known: the names.
        found: the misspelt name; upper and lower case count as the same.
    """
    wanted = found.lower()
    similar = {
        name: difflib.SequenceMatcher(None, name.lower(), wanted).ratio()
        for name in dict.fromkeys(known)
    }
    near = [name for name, share in similar.items() if share >= ALIKE]
    return sorted(near, key=lambda name: -similar[name])


def hint_of(known: Iterable[object], found: object) -> str:
    """Return a hint for the end of an error message: names that look like a misspelt one.

    If none does, it lists the first known names.

    >>> hint_of(["mass", "friction"], "mas"), hint_of(["mass", "friction"], "colour")
    ("; did you mean 'mass'?", '; there are mass, friction')

    Args:
        known: the names.
        found: the misspelt name.

    Returns:
        The hint; "" if no name is known.
    """
    names = list(map(str, known))
    near = near_names(names, found)[:NEAR_NAMES] if isinstance(found, str) else []
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"; there are {', '.join(names[:MOST_LISTED])}{more}" if names else ""


def one_of(known: Iterable[object], found: object, most: int = MOST_NAMES) -> str:
    """Return "one of" and the known names, for an error message; see `nearest_first`.

    Args:
        known: the names.
        found: the misspelt name.
        most: maximum number of names; the last ones are left out.

    >>> one_of(["mcts", "pattern", "alpha-beta"], "alfa-beta")
    'one of alpha-beta, mcts, pattern'
    """
    names = nearest_first(known, found)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"one of {', '.join(names[:most])}{more}"


def suggested(message: str) -> list[str]:
    """Return the names of an error message of `one_of` that look like the misspelt one.

    Args:
        message: the message, which ends with "found" and what was typed.

    >>> suggested("guest: expected one of alpha-beta, mcts, pattern; found 'alfa-beta'")
    ['alpha-beta']
    """
    parts = re.search(r"one of (.+?)(?: and \d+ more)?(?: or none)?[,;] found '([^']*)'", message)
    return near_names(parts[1].split(", "), parts[2])[:NEAR_NAMES] if parts else []


def files_like(path: Path) -> str:
    """Return a hint for an error message about a missing file: names in its folder like its own.

    Args:
        path: the path; no such file exists.

    Returns:
        The hint; "" if its folder is missing, or holds nothing like it.
    """
    try:
        names = sorted(item.name for item in islice(path.parent.iterdir(), MOST_FILES))
    except OSError:
        return ""
    return hint_of(near_names(names, path.name)[:NEAR_FILES], path.name)


def project_file(project: Path, path: str) -> str:
    """Return "a file of the project" for an error message, with files like a misspelt path.

    Files of its kind come first: of a missing sound no picture is named, unless there is no sound.

    Args:
        project: folder of the project.
        path: the path, relative to the project; no such file exists.
    """
    top = path.partition("/")[0]
    folder = project / top if "/" in path and top not in ("", "..") else project / "assets"
    found = islice(folder.rglob("*"), MOST_FILES) if folder.is_dir() else ()
    files = sorted(item.relative_to(project).as_posix() for item in found if item.is_file())
    suffix = PurePosixPath(path).suffix.lower()
    alike = [file for file in files if PurePosixPath(file).suffix.lower() == suffix]
    near = (near_names(alike, path) or near_names(files, path))[:NEAR_FILES]
    return "a file of the project" + (f", such as {' or '.join(near)}" if near else "")
