"""Writes the API reference and the pages of docs/ as HTML: `python -m docs.build [DIR]`.

    python -m docs.build            writes site/, open site/index.html

The reference is made from the docstrings by pdoc: the public doors `sim`, `sim.testing` and `ai`,
what a script finds behind `self`, and the shipped components. Everything is imported into this one
process, which loads neither Panda3D nor TensorFlow. Exit code 1, a line each, where a public name
has no docstring or a link leads nowhere.
"""

from __future__ import annotations

import html
import inspect
import re
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import markdown2
import pdoc
import pdoc.doc
import pdoc.render
from markupsafe import Markup
from pdoc.render_helpers import format_signature

from sim.core.fields import Field, collect_fields
from sim.core.script import Script
from sim.core.signals import Signal

ROOT: Final = Path(__file__).resolve().parents[1]
PAGES: Final = ROOT / "docs"
TEMPLATES: Final = PAGES / "reference"
DEFAULT_OUT: Final = ROOT / "site"
NEVER_LOADED: Final = ("panda3d", "direct", "tensorflow", "keras")

DOORS: Final = ("sim", "sim.testing", "ai")
"""Modules of which every name in `__all__`, or every public one, is documented."""
BEHIND_SELF: Final[Mapping[str, tuple[str, ...]]] = {
    "sim.core.script": ("Time",),
    "sim.core.script_log": ("Log",),
    "sim.core.transform": ("Transform",),
    "sim.core.scene_camera": ("SceneCamera",),
    "sim.core.input_actions": ("InputActions", "Click", "InputEvent"),
    "sim.core.metrics": ("MetricStore",),
    "sim.core.run_context": ("RunContext",),
    "sim.core.panels": ("PanelRegistry", "PanelEntry", "CommandEntry", "StatusBoard"),
    "sim.core.hud": ("Hud",),
    "sim.core.link": ("WorkerLink",),
    "sim.core.links": ("Links",),
    "sim.core.pending": ("Pending",),
    "sim.core.signals": ("BoundSignal",),
    "sim.core.recording": ("RecorderDoor", "RecordingSettings"),
    "sim.core.sound_bank": ("SoundDoor",),
    "sim.ui.context": ("Ui",),
}
"""Classes whose objects a script gets by `self.…` or as an argument, by module."""
GROUPS: Final = {
    "Writing scripts": ("sim", "sim.core.components", "sim.testing"),
    "Writing players": ("ai",),
    "What a script finds behind self": tuple(BEHIND_SELF),
}


@dataclass(frozen=True)
class Page:
    """A page of docs/."""

    name: str
    title: str
    text: str


class Door(pdoc.doc.Module):  # type: ignore[misc]
    """A module as the reference shows it: chosen names, and docstrings of what it re-exports."""

    def __init__(self, module: ModuleType, names: Sequence[str] | None = None) -> None:
        super().__init__(module)
        chosen = names if names is not None else getattr(module, "__all__", None)
        if chosen is None:
            chosen = [
                name
                for name, value in vars(module).items()
                if inspect.isclass(value)
                and value.__module__ == module.__name__
                and not name.startswith("_")
            ]
        members = {name: getattr(module, name) for name in chosen}
        self.__dict__["_member_objects"] = members
        self.__dict__["_var_docstrings"] = {**self._var_docstrings, **_texts_of_homes(module)}
        for item in self.members.values():
            if isinstance(item, pdoc.doc.Class):
                _leave_to_bases(item)
                if issubclass(item.obj, Script):
                    _tell_fields(item)


def main(arguments: Sequence[str]) -> int:
    """Write the reference, then say what is wrong with it; return the exit code."""
    out = Path(arguments[0]) if arguments else DEFAULT_OUT
    faults = build(out)
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"{len(list(out.rglob('*.html')))} pages in {out}\n")
    return 1 if faults else 0


def build(out: Path) -> list[str]:
    """Write everything into a folder, which is emptied first, and return the faults.

    Raises:
        OSError: the folder cannot be written.
        ValueError: the folder holds something else.
    """
    if out.exists() and any(out.iterdir()) and not (out / "search.js").is_file():
        raise ValueError(f"{out}: expected a new folder or an earlier reference")
    shutil.rmtree(out, ignore_errors=True)
    pdoc.render.configure(
        docformat="google", show_source=False, template_directory=TEMPLATES, search=True
    )
    pdoc.render.env.filters["format_signature"] = _format_signature
    pdoc.render.env.filters["short_types"] = short_types
    pages = read_pages()
    doors = load_doors()
    with _without_warnings():
        _write_reference(doors, pages, out)
    for page in pages:
        _write(out / "pages" / f"{page.name}.html", _page_html(page, pages))
    shutil.copytree(PAGES / "images", out / "pages" / "images")
    loaded = [f"{name}: expected never to be loaded here" for name in NEVER_LOADED if _has(name)]
    return [*undocumented(doors), *shapeless(doors), *broken_links(out), *loaded]


def load_doors() -> dict[str, Door]:
    """Import what is documented and return it by module name."""
    with _without_warnings():
        return _load_doors()


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Be quiet about annotations that only a type checker can read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def _load_doors() -> dict[str, Door]:
    doors = {name: Door(import_module(name)) for name in (*DOORS, "sim.core.components")}
    for name, names in BEHIND_SELF.items():
        doors[name] = Door(import_module(name), names)
    for name in script_modules():
        door = Door(import_module(name))
        if door.members:
            doors[name] = door
    return doors


def script_modules() -> list[str]:
    """Return the names of the modules that hold shipped components."""
    return [
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for path in sorted((ROOT / "scripts").rglob("*.py"))
        if re.search(r"^class \w+\((?!Protocol|enum)\w", path.read_text(encoding="utf-8"), re.M)
    ]


def read_pages() -> list[Page]:
    """Return the pages of docs/ in the order of their titles."""
    found = []
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        found.append(Page(path.stem, text.partition("\n")[0].lstrip("# "), text))
    return sorted(found, key=lambda page: page.title)


# -- what is wrong --------------------------------------------------------------------------------


def undocumented(doors: Mapping[str, Door]) -> list[str]:
    """Return the public names of the reference that have no docstring, a line each."""
    return [
        f"{item.fullname}: expected a docstring, found none"
        for door in doors.values()
        for item in _public(door)
        if not item.docstring
    ]


def shapeless(doors: Mapping[str, Door]) -> list[str]:
    """Return what takes arrays and says nothing of their shapes as in `[n, 3]`, a line each."""
    return [
        f"{item.fullname}: expected the shapes of its arrays as in `[n, 3]`, found none"
        for name in DOORS
        if name in doors
        for item in _public(doors[name])
        if isinstance(item, pdoc.doc.Function)
        and any("numpy.ndarray" in str(part) for part in item.signature.parameters.values())
        and "[" not in item.docstring
    ]


def _public(door: Door) -> Iterator[pdoc.doc.Doc[Any]]:
    """Yield a door, its names, and the methods and properties of its classes.

    A component's hooks are told once, at `sim.Script`, and need no words of their own.
    """
    yield door
    for item in door.members.values():
        yield item
        if not isinstance(item, pdoc.doc.Class):
            continue
        is_script = issubclass(item.obj, Script) and item.obj is not Script
        for member in item.own_members:
            is_code = isinstance(member, pdoc.doc.Function) or _is_property(item, member)
            if is_code and not member.name.startswith("_") and not is_script:
                yield member


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
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages.get(target)
            has_place = (
                known is None or not parts.fragment or unquote(parts.fragment) in known.places
            )
            if not target.is_file() or not has_place:
                name = path.relative_to(folder).as_posix()
                faults.append(f"{name}: expected a page or a place, found {link!r}")
    return faults


def _has(name: str) -> bool:
    return name in sys.modules


# -- the reference --------------------------------------------------------------------------------


def _write_reference(doors: Mapping[str, Door], pages: Sequence[Page], out: Path) -> None:
    modules: dict[str, pdoc.doc.Module] = dict(doors)
    homes = {
        (item.obj.__module__, item.qualname): name
        for name in (*DOORS, "sim.core.components")
        for item in doors[name].members.values()
        if isinstance(item, pdoc.doc.Class | pdoc.doc.Function)
    }
    for name, door in doors.items():
        text = pdoc.render.html_module(door, modules)
        _write(out / f"{name.replace('.', '/')}.html", _lead_to_doors(text, name, doors, homes))
    scripts = [name for name in doors if name.startswith("scripts.")]
    groups: dict[str, Sequence[str]] = {**GROUPS, "Shipped components": scripts}
    index = pdoc.render.env.get_template("index.html.jinja2")
    _write(out / "index.html", index.render(all_modules=doors, groups=groups, pages=pages))
    _write(out / "search.js", pdoc.render.search_index(modules))


class _Words:
    """An annotation that is shown in these words."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _format_signature(signature: inspect.Signature, colon: bool) -> Markup:
    """Return a signature as HTML, its types in short words."""

    def words(annotation: Any) -> Any:
        if annotation is inspect.Signature.empty:
            return annotation
        return _Words(short_types(inspect.formatannotation(annotation)))

    shown = signature.replace(
        parameters=[
            item.replace(annotation=words(item.annotation))
            for item in signature.parameters.values()
        ],
        return_annotation=words(signature.return_annotation),
    )
    return Markup(format_signature(shown, colon))


def short_types(text: str) -> str:
    """Return the text of a type as one would write it.

    >>> short_types("numpy.ndarray[tuple[typing.Any, ...], numpy.dtype[numpy.int8]] | None")
    'NDArray[int8] | None'
    """
    text = re.sub(
        r"numpy\.ndarray\[tuple\[(?:typing\.)?Any, \.\.\.\], numpy\.dtype\[([^\[\]]+)\]\]",
        r"NDArray[\1]",
        text,
    )
    return re.sub(r"\b(?:typing|pathlib|collections\.abc|types|numpy)\.", "", text)


def _lead_to_doors(
    text: str, name: str, doors: Mapping[str, Door], homes: Mapping[tuple[str, str], str]
) -> str:
    """Let a link to where a class is written lead to the door that shows it."""
    folder = name.split(".")[:-1]
    up = "../" * len(folder)

    def lead(match: re.Match[str]) -> str:
        parts = [*folder]
        for part in match[1].removesuffix(".html").split("/"):
            parts = parts[:-1] if part == ".." else [*parts, part]
        module, first = ".".join(parts), match[2].partition(".")[0]
        door = homes.get((module, first))
        if door is None or (module in doors and first in doors[module].members):
            return match[0]
        return f'href="{up}{door.replace(".", "/")}.html#{match[2]}"'

    for (module, first), door in homes.items():
        text = text.replace(f">{module}.{first}</a>", f">{door}.{first}</a>")
    return re.sub(r'href="([\w./]+\.html)#([\w.]+)"', lead, text)


def _texts_of_homes(module: ModuleType) -> dict[str, str]:
    """Return the docstrings of the variables that a door re-exports from elsewhere."""
    found: dict[str, str] = {}
    homes = getattr(module, "_HOMES", None)
    for home in (*homes, "ai.game.rules") if homes and module.__name__ == "ai" else homes or ():
        found |= pdoc.doc.Module(import_module(home))._var_docstrings
    return {name: text for name, text in found.items() if name in module.__all__}


def _leave_to_bases(owner: pdoc.doc.Class) -> None:
    """Hide what a class only inherits, or overrides without words of its own: its base says it."""
    for member in owner.members.values():
        own = inspect.getattr_static(owner.obj, member.name, None)
        is_code = inspect.isroutine(own) or isinstance(own, property)
        is_inherited = member.name not in vars(owner.obj)
        is_silent = is_code and not getattr(own, "__doc__", None)
        if is_silent or (is_inherited and not isinstance(member, pdoc.doc.Variable)):
            member.docstring = ""


def _tell_fields(component: pdoc.doc.Class) -> None:
    """Say of a component's fields and signals what the Inspector says."""
    fields = collect_fields(component.obj)
    for item in component.own_members:
        value = inspect.getattr_static(component.obj, item.name, None)
        if not isinstance(item, pdoc.doc.Variable):
            continue
        if item.name in fields:
            field = fields[item.name]
            item.docstring = _field_text(field)
            item.__dict__["default_value_str"] = repr(field.initial())
        elif isinstance(value, Signal):
            types = ", ".join(kind.__name__ for kind in value.types)
            item.docstring = f"A signal, emitted with ({types})."
            item.__dict__["default_value_str"] = f"signal({types})"


def _field_text(field: Field) -> str:
    """Return a field's help with its bounds: "How high it hops; from 0 to 10 m."."""
    said = field.help.rstrip(".") or f"The {field.name.replace('_', ' ')}"
    unit = f" {field.unit}" if field.unit else ""
    low, high = field.minimum, field.maximum
    if low is not None and high is not None:
        return f"{said}; from {low:g} to {high:g}{unit}."
    if low is not None:
        return f"{said}; {low:g}{unit} or more."
    if high is not None:
        return f"{said}; at most {high:g}{unit}."
    return f"{said} ({field.unit})." if unit else f"{said}."


# -- the pages ------------------------------------------------------------------------------------


def _page_html(page: Page, pages: Sequence[Page]) -> str:
    text = re.sub(r"\]\((\w+)\.md(#[\w-]*)?\)", r"](\1.html\2)", page.text)
    text = re.sub(r"\[([^\]]+)\]\((\.\./)?(scripts|studies)[\w/.]*\)", r"\1", text)  # no pages
    made = markdown2.markdown(
        text,
        extras={
            "fenced-code-blocks": {"cssclass": "pdoc-code codehilite"},
            "toc": {"depth": 2},
            "tables": None,
            "header-ids": None,
            "cuddled-lists": None,
        },
    )
    template = pdoc.render.env.get_template("page.html.jinja2")
    contents = getattr(made, "toc_html", "") or ""
    page_text = template.render(
        title=html.unescape(page.title), text=str(made), pages=pages, contents=contents
    )
    return str(page_text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
