"""The catalogues of the window's texts: what the code says, and what each language has of it.

    python -m tests.catalogs            says what is missing
    python -m tests.catalogs write    takes new texts into the catalogues and compiles them

New texts come into the `.po` files without a translation; write it there, then compile again.
"""

from __future__ import annotations

import ast
import io
import json
import re
import string
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from base.language.catalogs import DOMAIN, ENGLISH, FOLDER, LANGUAGES
from base.language.refusals import REFUSALS
from base.language.wording import ERROR

CONTEXT = "\x04"
"""Between a text and what tells it from the same text with another meaning."""
ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("base", "sim", "ai", "scripts")
TRANSLATED = tuple(code for code in LANGUAGES if code != ENGLISH)


def texts_of_code(root: Path = ROOT) -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Yield file and text, or both forms of a plural, of all that the sources mark."""
    for top in SOURCES:
        for path in sorted((root / top).rglob("*.py")):
            source = path.read_bytes()
            if not any(mark in source for mark in (b"tr(", b"tr_many(", b" field(")):
                continue
            name = path.relative_to(root).as_posix()
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    text = _marked(node.func.id, node.args)
                    if text:
                        yield name, text
                    if node.func.id == "field":
                        yield from ((name, text) for text in _help_of(node))


def _help_of(call: ast.Call) -> Iterator[str]:
    """Yield the help of a field, which the Inspector looks up; small examples mark none."""
    for item in call.keywords:
        if item.arg == "help" and isinstance(item.value, ast.Constant):
            yield str(item.value.value)


def _marked(mark: str, arguments: list[ast.expr]) -> str | tuple[str, str]:
    """Return the text that a call of `tr` or `tr_many` marks; "" for another call."""
    said = [item.value for item in arguments if isinstance(item, ast.Constant)]
    texts = [item for item in said if isinstance(item, str)]
    if mark == "tr" and texts:
        return texts[0] + "".join(CONTEXT + item for item in texts[1:])
    return (texts[0], texts[1]) if mark == "tr_many" and len(texts) == 2 else ""


def texts_of_scenes(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield file and text of the cards of the shipped scenes."""
    for path in sorted((root / "scenes").glob("*.scene.json")):
        scene = json.loads(path.read_text(encoding="utf-8"))
        for key in ("name", "description"):
            if scene.get(key):
                yield path.relative_to(root).as_posix(), scene[key]


@cache
def template(root: Path = ROOT) -> Catalog:
    """Return the catalogue of all texts, without translations."""
    made = Catalog(domain=DOMAIN)
    errors = (("base/language/refusals.py", text + CONTEXT + ERROR) for text in REFUSALS)
    for file, text in (*texts_of_code(root), *texts_of_scenes(root), *errors):
        if isinstance(text, str):
            text, _, context = text.partition(CONTEXT)
            made.add(text, context=context or None, locations=[(file, 0)])
        else:
            made.add(text, locations=[(file, 0)])
    return made


def po_file(language: str) -> Path:
    """Return the path of a language's catalogue."""
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"


@cache
def read(language: str) -> Catalog:
    """Return a language's catalogue."""
    path = po_file(language)
    if not path.exists():
        return Catalog(locale=language, domain=DOMAIN)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def compiled(catalog: Catalog) -> bytes:
    """Return a catalogue as gettext reads it."""
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def update(catalog: Catalog, texts: Catalog) -> Catalog:
    """Return a catalogue with exactly the texts of the code; what is new has no translation."""
    made = Catalog(
        locale=catalog.locale,
        domain=DOMAIN,
        project="Goishi",
        creation_date=catalog.creation_date,
        revision_date=catalog.creation_date,
        fuzzy=False,
    )
    for message in texts:
        if message.id:
            known = catalog.get(message.id, message.context)
            text = known.string if known is not None else None
            made.add(message.id, text, context=message.context, locations=message.locations)
    return made


def save(language: str, catalog: Catalog) -> None:
    """Write a catalogue and its compiled form."""
    path = po_file(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    out = io.BytesIO()
    write_po(out, catalog, width=100, sort_output=True, include_lineno=False, omit_header=False)
    path.write_bytes(out.getvalue())
    read.cache_clear()
    path.with_suffix(".mo").write_bytes(compiled(read(language)))


def forms(message: Message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the English forms of a text and the translated ones."""
    texts = message.id if isinstance(message.id, list | tuple) else (message.id,)
    translated = message.string if isinstance(message.string, list | tuple) else (message.string,)
    return tuple(texts), tuple(translated)


def is_translated(message: Message) -> bool:
    """Return whether all forms of a text have a translation."""
    return all(forms(message)[1])


def places(text: str) -> list[str]:
    """Return the places of a text that are filled, sorted: "name", ".2f of x", "%d"."""
    found = [f"{name}:{spec}!{how}" for _, name, spec, how in _fields(text)]
    found += _percents(text)
    return sorted(found)


def _fields(text: str) -> list[tuple[str, str, str | None, str | None]]:
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return []
    return [item for item in parsed if item[1] is not None]  # type: ignore[misc]


def _percents(text: str) -> list[str]:
    return re.findall(r"%(?:\.\d+)?[dfgs]", text)


def main(arguments: list[str]) -> int:
    """Say or write what the catalogues lack; return how much is missing."""
    texts, missing = template(), 0
    for language in TRANSLATED:
        catalog = update(read(language), texts)
        if "write" in arguments:
            save(language, catalog)
        lacking = [message for message in catalog if message.id and not is_translated(message)]
        missing += len(lacking)
        print(f"{language}: {len(lacking)} of {len(catalog)} texts have no translation")  # noqa: T201
        for message in lacking[:5]:
            print(f"   {message.id!r}")  # noqa: T201
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
