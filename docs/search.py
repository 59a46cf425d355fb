"""The index of the site's search: every section of every guide, every name of the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from docs.doors import Door
from docs.faults import public_names
from docs.guides import Page, plain

LONGEST: int = 6000  # letters of one entry
Entry = tuple[str, str, str, str]
"""Title, where it stands (of the page, or empty), address from the site's root, text."""


def search_index(pages: Sequence[Page], doors: Mapping[str, Door]) -> str:
    """Return the JavaScript that holds the index, as `window.goishiIndex`.

    A script is read from a file, too, where a page may fetch nothing.
    """
    entries = [*_entries_of_pages(pages), *_entries_of_doors(doors)]
    return f"window.goishiIndex = {json.dumps(entries, ensure_ascii=False)};\n"


def _entries_of_pages(pages: Sequence[Page]) -> Iterator[Entry]:
    for page in pages:
        for number, section in enumerate(page.sections):
            where = "" if number == 0 else page.title
            anchor = f"#{section.anchor}" if number else ""
            yield section.title, where, f"pages/{page.name}.html{anchor}", section.text[:LONGEST]


def _entries_of_doors(doors: Mapping[str, Door]) -> Iterator[Entry]:
    for module, door in doors.items():
        address = f"{module.replace('.', '/')}.html"
        for item in public_names(door):
            place = f"#{item.qualname}" if item.qualname else ""
            title = f"{module}.{item.qualname}" if item.qualname else module
            yield title, "Reference", f"{address}{place}", plain(item.docstring)[:LONGEST]
