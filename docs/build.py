"""Writes the guides of docs/ and the API reference as HTML: `python -m docs.build [DIR]`.

    python -m docs.build            writes site/, open site/index.html

The site needs no server: the search of every page reads `search.js` (`docs/search.py`), the start
page groups the pages and names their kinds as `docs/guides.py` says. The reference is made from the
docstrings by pdoc: the public doors `sim`, `sim.testing` and `ai`, what a script finds behind
`self`, and the shipped components. Everything is imported into this one process, which loads
neither Panda3D nor TensorFlow. Exit code 1, a line each, where a public name has no docstring, a
page no group or kind, or a link leads nowhere.
"""

from __future__ import annotations

import gc
import inspect
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import markdown2
import pdoc
import pdoc.doc
import pdoc.render
from markupsafe import Markup
from pdoc.render_helpers import format_signature

from docs.doors import BEHIND_SELF, DOORS, Door, load_doors, without_warnings
from docs.faults import broken_links, shapeless, undocumented
from docs.guides import KINDS, WAYS, Page, grouped, page_at, read_pages, ungrouped
from docs.search import search_index

ROOT: Final = Path(__file__).resolve().parents[1]
PAGES: Final = ROOT / "docs"
TEMPLATES: Final = PAGES / "reference"
DEFAULT_OUT: Final = ROOT / "site"
NEVER_LOADED: Final = ("panda3d", "direct", "tensorflow", "keras")

LEAD: Final = (
    "A 3D world that you script in Python and watch while it runs. In its first one, AIs play "
    "Gomoku and teach themselves: White starts knowing nothing and learns from each loss."
)
LINK: Final = re.compile(r"(?<!!)\[([^\]]+)\]\(([\w./-]+)(#[\w-]*)?\)")
"""A link to a file, with a place or without."""
GROUPS: Final = {
    "Writing scripts": ("sim", "sim.core.components.components", "sim.testing"),
    "Writing players": ("ai",),
    "Programs and notebooks": ("goishi",),
    "What a script finds behind self": tuple(BEHIND_SELF),
}


def main(arguments: Sequence[str]) -> int:
    """Write the reference, then say what is wrong with it; return the exit code."""
    out = Path(arguments[0]) if arguments else DEFAULT_OUT
    gc.disable()  # a short process that keeps nearly all it makes: a third of its time
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
    pdoc.render.env.globals["guides"] = grouped(pages)
    doors = load_doors()
    with without_warnings():
        _write_reference(doors, pages, out)
    for page in pages:
        _write(out / "pages" / f"{page.name}.html", _page_html(page, pages))
    shutil.copytree(PAGES / "images", out / "pages" / "images")
    loaded = [
        f"{name}: expected never to be loaded here" for name in NEVER_LOADED if name in sys.modules
    ]
    return [
        *ungrouped(pages), *undocumented(doors), *shapeless(doors), *broken_links(out), *loaded,
    ]  # fmt: skip


# -- the reference --------------------------------------------------------------------------------


def _write_reference(doors: Mapping[str, Door], pages: Sequence[Page], out: Path) -> None:
    modules: dict[str, pdoc.doc.Module] = dict(doors)
    homes = {
        (item.obj.__module__, item.qualname): name
        for name in (*DOORS, "sim.core.components.components")
        for item in doors[name].members.values()
        if isinstance(item, pdoc.doc.Class | pdoc.doc.Function)
    }
    for name, door in doors.items():
        text = pdoc.render.html_module(door, modules)
        _write(out / f"{name.replace('.', '/')}.html", _lead_to_doors(text, name, doors, homes))
    scripts = [name for name in doors if name.startswith("scripts.")]
    groups: dict[str, Sequence[str]] = {**GROUPS, "Shipped components": scripts}
    index = pdoc.render.env.get_template("index.html.jinja2")
    _write(
        out / "index.html",
        index.render(all_modules=doors, groups=groups, kinds=KINDS, ways=WAYS, lead=LEAD),
    )
    _write(out / "search.js", search_index(pages, doors))


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


# -- the pages ------------------------------------------------------------------------------------


def _page_html(page: Page, pages: Sequence[Page]) -> str:
    made = markdown2.markdown(
        linked(page, pages),
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
        title=page.title, text=str(made), contents=contents, up="../" * page.name.count("/")
    )
    return str(page_text)


def linked(page: Page, pages: Sequence[Page]) -> str:
    """Return a page's text; its links lead to the HTML of pages, to pictures, and to no file."""
    names = {item.name for item in pages}
    folder = (PAGES / f"{page.name}.md").parent

    def lead(match: re.Match[str]) -> str:
        shown, target, place = match.groups(default="")
        if target.endswith(".md") and page_at(page.name, target) in names:
            return f"[{shown}]({target.removesuffix('.md')}.html{place})"
        file = (folder / target).resolve()
        is_picture = file.is_relative_to(PAGES / "images")
        return shown if file.exists() and not is_picture else match[0]

    return LINK.sub(lead, page.text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
