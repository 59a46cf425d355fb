"""What is wrong with the reference: names without words, arrays without shapes, dead links."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pdoc.doc

from docs.doors import DOORS, Door
from sim.core.script.script import Script


def undocumented(doors: Mapping[str, Door]) -> list[str]:
    """Return the public names of the reference that have no docstring, a line each."""
    return [
        f"{item.fullname}: expected a docstring, found none"
        for door in doors.values()
        for item in public_names(door)
        if not item.docstring
    ]


def shapeless(doors: Mapping[str, Door]) -> list[str]:
    """Return what takes arrays and says nothing of their shapes as in `[n, 3]`, a line each."""
    return [
        f"{item.fullname}: expected the shapes of its arrays as in `[n, 3]`, found none"
        for name in DOORS
        if name in doors
        for item in public_names(doors[name])
        if isinstance(item, pdoc.doc.Function)
        and any("numpy.ndarray" in str(part) for part in item.signature.parameters.values())
        and "[" not in item.docstring
    ]


def public_names(door: Door) -> Iterator[pdoc.doc.Doc[Any]]:
    """Yield a door, its names, and the methods and properties of its classes.

    A component's hooks are told once, at `sim.Script`, and need no words of their own; nor does a
    method that only overrides one of a base.
    """
    yield door
    for item in door.members.values():
        yield item
        if not isinstance(item, pdoc.doc.Class):
            continue
        is_script = issubclass(item.obj, Script) and item.obj is not Script
        for member in item.own_members:
            is_code = isinstance(member, pdoc.doc.Function) or _is_property(item, member)
            is_told = is_script or _is_told_by_base(item, member)
            if is_code and not member.name.startswith("_") and not is_told:
                yield member


def _is_told_by_base(owner: pdoc.doc.Class, member: pdoc.doc.Doc[Any]) -> bool:
    """Whether a method without words of its own overrides one that has some."""
    bases = owner.obj.__mro__[1:]
    return not member.docstring and any(
        getattr(vars(base).get(member.name), "__doc__", None) for base in bases
    )


def _is_property(owner: pdoc.doc.Class, member: pdoc.doc.Doc[Any]) -> bool:
    return isinstance(inspect.getattr_static(owner.obj, member.name, None), property)


class _Links(HTMLParser):
    """The places that a page has, and the links that lead away from it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids and targets."""
        for key, value in attrs:
            if key in ("id", "name") and value:
                self.places.add(value)
            elif key in ("href", "src") and value and tag in ("a", "img", "link", "script"):
                self.links.append(value)


def broken_links(folder: Path) -> list[str]:
    """Return the links between the pages of a folder that lead nowhere, a line each."""
    pages = {
        path: _Links(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))
    }
    faults = []

    @functools.cache
    def target_of(folder: Path, to: str) -> Path | None:
        """Return the file that a path leads to; None if there is none."""
        target = (folder / unquote(to)).resolve()
        return target if target.is_file() else None

    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = target_of(path.parent, parts.path) if parts.path else path
            known = pages.get(target) if target else None
            has_place = (
                known is None or not parts.fragment or unquote(parts.fragment) in known.places
            )
            if target is None or not has_place:
                name = path.relative_to(folder).as_posix()
                faults.append(f"{name}: expected a page or a place, found {link!r}")
    return faults
