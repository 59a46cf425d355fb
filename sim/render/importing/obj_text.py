"""The text of OBJ and MTL files, checked before ufbx reads it, to say what is wrong with it."""

from __future__ import annotations

from sim.render.importing.model_data import ModelError
from sim.render.importing.pictures import Beside

FIRST_LINES = 2000  # in which an OBJ names its materials
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
SAMPLE = 64  # bytes: text of two bytes a letter has zeros among the first


def is_wide(content: bytes) -> bool:
    """Return whether a text is in UTF-16."""
    head = content[:SAMPLE]
    halves = (head[::2].count(0), head[1::2].count(0))
    return content.startswith(WIDE_MARKS) or max(halves) * 4 > len(head) > 1


def check_text(content: bytes) -> None:
    """Check that an OBJ's bytes are text that can be read.

    Raises:
        ModelError: they are UTF-16, or no text.
    """
    if is_wide(content):
        raise ModelError("expected text in UTF-8 or ASCII, found UTF-16")
    if b"\0" in content[:SAMPLE] or content.startswith(b"\x1f\x8b"):
        raise ModelError("expected text in UTF-8 or ASCII, found binary data")


def material_library(content: bytes, beside: Beside) -> tuple[bytes, list[str]]:
    """Return the text of the MTL file that an OBJ names, empty for none, and warnings.

    Args:
        content: text of the OBJ.
        beside: looks the file up.
    """
    for line in content.splitlines()[:FIRST_LINES]:
        if not line.startswith(b"mtllib "):
            continue
        name = line[7:].strip().decode("utf-8", errors="replace")
        found = beside.find(name)
        if found is None:
            beside.missing.append(name)
            return b"", []
        return named_materials(found.read_bytes(), name)
    return b"", []


def named_materials(content: bytes, name: str) -> tuple[bytes, list[str]]:
    """Return an MTL's text without materials that have no name, and a warning for each.

    Args:
        content: text of the file.
        name: name of the file, for the warnings.
    """
    if is_wide(content):
        return b"", [f"expected text in UTF-8 or ASCII in {name}, found UTF-16: left out"]
    kept, warnings, is_nameless = [], [], False
    for number, line in enumerate(content.splitlines(), start=1):
        words = line.split()
        if words[:1] == [b"newmtl"]:
            is_nameless = len(words) == 1
            if is_nameless:
                warnings.append(
                    f"expected a name behind newmtl in {name}, line {number}, found none: left out"
                )
        if not is_nameless:
            kept.append(line)
    return b"\n".join(kept) + b"\n", warnings
