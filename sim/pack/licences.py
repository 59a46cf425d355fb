"""Writes LICENSES.txt of a packed game: what is inside, and under which licences."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Final

LICENCES: Final = "LICENSES.txt"
_TEXTS: Final = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)
_LONGEST: Final = 90
_HEAD: Final = """\
This game was packed with Goishi. It holds the parts below as plain files.

You may replace a part under the LGPL (or any other part) by another version: put its files in the
place of those in the folder python. Nothing compares them. The full texts lie where each part says.
"""


def licence_of(name: str) -> str:
    """Return the licence of an installed distribution, as its own data says it, in one line.

    Args:
        name: name of the distribution.
    """
    try:
        data = importlib.metadata.metadata(name)
    except PackageNotFoundError:
        return "not said"
    classes = [
        line.rpartition(" :: ")[2]
        for line in data.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    said = _first(data.get_all("License-Expression"))
    plain = _first(data.get_all("License")).splitlines()
    short = plain[0].strip() if plain and len(plain[0]) <= _LONGEST else ""
    return said or ", ".join(classes) or short or "see its texts"


def _first(values: list[str] | None) -> str:
    return values[0].strip() if values else ""


def licences_text(python: Path, versions: dict[str, str]) -> str:
    """Return the text of LICENSES.txt.

    Args:
        python: the Python folder of the game.
        versions: version of each packed distribution by name.
    """
    parts = [
        _HEAD,
        _part("Goishi", "", "see its text", ["goishi/LICENSE"]),
        _part("Python", platform.python_version(), "Python Software Foundation License", []),
    ]
    top = python.parent
    for name, version in versions.items():
        stem = re.sub(r"[-_.]+", "[-_.]", name)
        folders = [
            path
            for path in python.rglob("*.dist-info")
            if re.fullmatch(rf"{stem}-.*", path.name, re.IGNORECASE)
        ]
        texts = [
            path.relative_to(top).as_posix()
            for folder in folders
            for path in sorted(folder.rglob("*"))
            if path.is_file() and _TEXTS.search(path.name)
        ]
        parts.append(_part(name, version, licence_of(name), texts))
    brought = sorted(
        path.name
        for path in (python / "lib").glob("*.so*")
        if not path.name.startswith("libpython")
    )
    if brought:
        parts.append(
            "Libraries of the packing system (python/lib), under their own licences:\n"
            f"  {', '.join(brought)}\n"
        )
    return "\n".join(parts)


def _part(name: str, version: str, licence: str, texts: list[str]) -> str:
    where = "".join(f"  {text}\n" for text in texts)
    return f"{name} {version}".strip() + f": {licence}\n{where}"
