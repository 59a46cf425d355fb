"""The tables of docs/keys.md, made of the names in the code.

`python -m docs.key_tables` writes them into the page. `tests/test_key_page.py` fails if the page
says anything else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sim.core.input.key_map import shown
from sim.core.input.key_names import (
    ALIASES,
    CHARACTERS,
    KEYS,
    MODIFIERS,
    PAD_ALIASES,
    PAD_AXES,
    PAD_BUTTONS,
    PAD_DIRECTIONS,
    POINTER_BUTTONS,
    SIDED,
    WHEEL,
)
from sim.ui.shell.key_owner import SAFE

PAGE: Final = Path(__file__).resolve().parent / "keys.md"
PLACE: Final = r"(<!-- table: {} -->\n).*?(<!-- end -->)"


def filled(text: str) -> str:
    """Return the text of the page with its tables made anew.

    Raises:
        ValueError: the page has no place for a table.
    """
    for name, table in tables().items():
        parts = re.split(PLACE.format(re.escape(name)), text, flags=re.S)
        if len(parts) != 4:  # before, both comments, after
            raise ValueError(f"{PAGE.name}: expected one place for the table {name!r}")
        before, begin, end, after = parts
        text = f"{before}{begin}\n{table}\n\n{end}{after}"
    return text


def tables() -> dict[str, str]:
    """Return the tables of the page in Markdown, by name."""
    return {
        "safe": f"{', '.join(map(shown, SAFE))} and all chords with Ctrl stay the window's.",
        "keys": _table(("name", "other names"), _keys()),
        "characters": _table(("character", "names"), _characters()),
        "mouse": _table(
            ("name", "other names"), _with_others([*_in_order(POINTER_BUTTONS), *WHEEL])
        ),
        "buttons": _table(("name", "other names"), _pad(PAD_BUTTONS)),
        "axes": _table(("axis", "other names", "values", "as a key"), _axes()),
    }


def _keys() -> list[tuple[str, ...]]:
    numbered = [name for name in _in_order(KEYS) if re.fullmatch(r"f\d+", name)]
    both = [*MODIFIERS, "meta"]
    plain = [key for key in _in_order(KEYS) if key not in {*numbered, *both, *SIDED}]
    rows = [(f"{_code(numbered[0])} to {_code(numbered[-1])}", ""), *_with_others(plain)]
    for name in both:
        sides = [side for side, either in SIDED.items() if either == name]
        rows.append((_code(name), ", ".join(_others(name))))
        rows += [(_code(side), ", ".join(_others(side))) for side in sides]
    return rows


def _characters() -> list[tuple[str, ...]]:
    return [
        (_code("\\|" if character == "|" else character), ", ".join(map(_code, names)))
        for character, names in CHARACTERS.items()
    ]


def _pad(parts: Iterable[str]) -> list[tuple[str, ...]]:
    return [
        (_code(f"pad_{part}"), ", ".join(_code(f"pad_{name}") for name in _aliases_of(part)))
        for part in parts
    ]


def _axes() -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for axis in PAD_AXES:
        ways = [f"pad_{name}" for name, (of, _) in PAD_DIRECTIONS.items() if of == axis]
        values = "-1 to 1; right and up are positive" if ways else "0 to 1"
        keys = ", ".join(map(_code, ways or [f"pad_{axis}"]))
        rows.append((_code(axis), ", ".join(map(_code, _aliases_of(axis))), values, keys))
    return rows


def _with_others(names: Iterable[str]) -> list[tuple[str, ...]]:
    return [(_code(name), ", ".join(_others(name))) for name in names]


def _others(name: str) -> list[str]:
    return [_code(other) for other, key in ALIASES.items() if key == name and other.strip()]


def _aliases_of(part: str) -> list[str]:
    return [name for name, known in PAD_ALIASES.items() if known == part]


def _in_order(names: Iterable[str]) -> list[str]:
    """Return names in the order of the alphabet, numbers by their size."""
    return sorted(names, key=lambda name: (name.rstrip("0123456789"), len(name), name))


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Write the tables into the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
