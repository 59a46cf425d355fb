"""Texts that the window shows in the user's language.

A `Wording` is a text like any other: its value is English. So logs, files and tests stay English.
It also knows how it was made, and the window asks it for the same text in the language in use. So
texts can be declared anywhere, and a change of language shows at the next frame.

    >>> tr("{name} begins").format(name="White")
    'White begins'
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, SupportsIndex

from base.language.catalogs import DATES, ENGLISH, Catalog
from base.language.refusals import REFUSALS

ID = "##"
"""In ImGui's texts, what follows is a name that is not shown."""


class Wording(str):
    """A text whose value is English, and which knows itself in other languages.

    Joined to other texts by `+`, `format`, `join` and the methods below, it stays one. An f-string
    makes a plain text of it, which stays English: write `tr("{name} wins").format(name=name)`.
    """

    __slots__ = ("_made",)
    _made: _Made

    def shown(self) -> str:
        """Return the text in the language in use."""
        catalog = Catalog.current
        return str(self) if catalog.is_english else self._made.shown(catalog)

    def format(self, *args: object, **values: object) -> Wording:
        """Fill the places of the text; texts among the values are translated, too."""
        return _made(str.format(self, *args, **values), _Filled(self, args, values))

    def __add__(self, other: str) -> Wording:
        return _made(str.__add__(self, other), _Joined((self, other)))

    def __radd__(self, other: str) -> Wording:
        return _made(str.__add__(other, self), _Joined((other, self)))

    def join(self, parts: Iterable[str], /) -> Wording:
        """Join texts, with this one between them."""
        every = list(parts)
        between = [piece for part in every for piece in (self, part)][1:]
        return _made(str.join(self, every), _Joined(tuple(between)))

    def partition(self, mark: str, /) -> tuple[str, str, str]:
        """Split at the first mark; the part before "##" stays translated."""
        before, found, after = str.partition(self, mark)
        if found and mark != ID:
            return before, found, after
        return _made(before, _Changed(self, "partition", mark)), found, after

    def strip(self, letters: str | None = None, /) -> Wording:
        """Return the text without these letters at its ends."""
        return _made(str.strip(self, letters), _Changed(self, "strip", letters))

    def removeprefix(self, prefix: str, /) -> Wording:
        """Return the text without this at its beginning."""
        return _made(str.removeprefix(self, prefix), _Changed(self, "removeprefix", prefix))

    def capitalize(self) -> Wording:
        """Return the text with a capital at its beginning."""
        return _made(str.capitalize(self), _Changed(self, "capitalize"))

    def upper(self) -> Wording:
        """Return the text in capitals."""
        return _made(str.upper(self), _Changed(self, "upper"))

    def splitlines(self, keepends: bool = False) -> list[str]:
        """Return the lines; they are translated if the language has as many."""
        lines = str.splitlines(self, keepends)
        return [
            _made(line, _Changed(self, "splitlines", keepends, place=place))
            for place, line in enumerate(lines)
        ]

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        return str(self)[place]

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (str(self), self._made)


class _Made:
    """How a text was made."""

    def shown(self, catalog: Catalog) -> str:
        """Return it in the language of a catalogue."""
        raise NotImplementedError


class _Said(_Made):
    """A text of the catalogue.

    Args:
        text: it in English.
        context: tells it from the same text with another meaning.
    """

    def __init__(self, text: str, context: str = "") -> None:
        self.text, self.context = text, context

    def shown(self, catalog: Catalog) -> str:
        return catalog.find(self.text, self.context)


class _Counted(_Made):
    """A text of the catalogue with a number.

    Args:
        one: it in English, for one.
        many: it in English, for other numbers.
        count: the number.
    """

    def __init__(self, one: str, many: str, count: float) -> None:
        self.one, self.many, self.count = one, many, count

    def shown(self, catalog: Catalog) -> str:
        return catalog.find_plural(self.one, self.many, self.count)


class _Filled(_Made):
    """A text whose places are filled.

    Args:
        text: the text with places.
        args: what stands there, in order.
        values: what stands there, by name.
    """

    def __init__(self, text: Wording, args: Sequence[object], values: Mapping[str, object]) -> None:
        self.text, self.args, self.values = text, args, values

    def shown(self, catalog: Catalog) -> str:
        args = [_local(value, catalog) for value in self.args]
        values = {name: _local(value, catalog) for name, value in self.values.items()}
        try:
            return self.text.shown().format(*args, **values)
        except (LookupError, ValueError, AttributeError):  # the translation has another place
            return str.format(self.text, *self.args, **self.values)


class _Joined(_Made):
    """Texts one after the other."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.parts = parts

    def shown(self, catalog: Catalog) -> str:
        return "".join(map(translated, self.parts))


class _Changed(_Made):
    """A text that a method of `str` has changed.

    Args:
        text: the text.
        method: name of the method.
        args: its arguments.
        place: which part of the result is meant.
    """

    def __init__(self, text: Wording, method: str, *args: object, place: int = 0) -> None:
        self.text, self.method, self.args, self.place = text, method, args, place

    def shown(self, catalog: Catalog) -> str:
        found = getattr(self.text.shown(), self.method)(*self.args)
        if isinstance(found, str):
            return found
        return str(found[self.place]) if self.place < len(found) else ""


class _Number:
    """A number that is written with the comma and the point of a language.

    Args:
        value: the number.
        catalog: the language.
    """

    def __init__(self, value: float, catalog: Catalog) -> None:
        self.value, self.catalog = value, catalog

    def __format__(self, spec: str) -> str:
        return self.catalog.number(format(self.value, spec))

    def __repr__(self) -> str:
        return self.catalog.number(repr(self.value))


def _local(value: object, catalog: Catalog) -> object:
    """Return what fills a place of a text in the language of a catalogue."""
    if isinstance(value, Exception):
        value = refusal(str(value))
    if isinstance(value, Wording):
        return value.shown()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return _Number(value, catalog) if is_number and catalog.has_comma else value  # type: ignore[arg-type]


class _Numeral(_Made):
    """A number that is written already.

    Args:
        text: it as English writes it.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def shown(self, catalog: Catalog) -> str:
        return catalog.number(self.text)


class _Dated(_Made):
    """A moment in local time.

    Args:
        moment: the moment.
        is_short: whether year and time are left out.
    """

    def __init__(self, moment: datetime, *, is_short: bool) -> None:
        self.moment, self.is_short = moment, is_short

    def shown(self, catalog: Catalog) -> str:
        return catalog.date(self.moment, is_short=self.is_short)


class _Capital(_Made):
    """A text with a capital at its beginning.

    Args:
        text: the text.
    """

    def __init__(self, text: Wording) -> None:
        self.text = text

    def shown(self, catalog: Catalog) -> str:
        found = self.text.shown()
        return found[:1].upper() + found[1:]


def tr(text: str, context: str = "") -> str:
    """Mark a text of the window: return it as one that is shown in the user's language.

    Args:
        text: the text in English. The tests read it from the source, so it is written out here.
        context: tells it from the same English text with another meaning: a `Move` of a game is
            not a `Move` of an object.
    """
    return _known(str(text), context)


def tr_many(one: str, many: str, count: float, /, **values: object) -> str:
    """Return a text that depends on a number, and that is shown in the user's language.

    Args:
        one: the text in English for one.
        many: the text in English for other numbers.
        count: the number; it fills the place `{count}`, unless a value of this name is given.
        **values: fill the other places.

    >>> tr_many("{count} game", "{count} games", 3)
    '3 games'
    """
    text = _made(one if count == 1 else many, _Counted(one, many, count))
    return text.format(**{"count": count, **values})


def numeral(text: str) -> str:
    """Mark a written number: it is shown with the comma and the point of the user's language.

    Args:
        text: the number as English writes it, with a unit if it has one.

    >>> numeral("1,234.5 s")
    '1,234.5 s'
    """
    return _made(text, _Numeral(text))


def dated(moment: datetime, *, is_short: bool = False) -> str:
    """Return a moment as it is written in the user's language.

    Args:
        moment: the moment in local time.
        is_short: whether only the day and the month are written.

    >>> dated(datetime(2026, 5, 31, 9, 7))
    '31 May 2026 09:07'
    """
    text = moment.strftime(DATES[ENGLISH][is_short])
    return _made(text, _Dated(moment, is_short=is_short))


def wording(text: str) -> str:
    """Return a text that is known while the program runs only, such as a title in a file.

    It is shown translated if the catalogue has it, and as it is otherwise.

    Args:
        text: the text in English.
    """
    return text if isinstance(text, Wording) else _known(text)


ERROR = "error"
"""The context of an error's words in the catalogues."""
INNER = ("what", "why")
"""How the places of a message begin that hold other messages."""


def refusal(text: str) -> str:
    """Return the English message of an error as one that the window shows in the user's language.

    A message that has no translation stays as it is.

    >>> refusal("size: expected a whole number from 3 to 20, found 2")
    'size: expected a whole number from 3 to 20, found 2'

    Args:
        text: the message.
    """
    if isinstance(text, Wording):
        return text
    return _recognised(text)[1]


@lru_cache(maxsize=512)
def _recognised(text: str) -> tuple[int, str]:
    """Return how many letters of a message are known, and the message as the best template.

    Without a template, it is 0 and the message as it is.
    """
    best: tuple[int, str] = (0, text)
    for pattern, own, said in _templates():
        match = pattern.fullmatch(text)
        if match is None:
            continue
        values = {name: _recognised(value) for name, value in match.groupdict().items()}
        known = own + sum(count for count, _ in values.values())
        is_known = all(count for name, (count, _) in values.items() if name.startswith(INNER))
        if is_known and known > best[0]:
            best = known, said.format(**{name: part for name, (_, part) in values.items()})
    return best


@cache
def _templates() -> list[tuple[re.Pattern[str], int, Wording]]:
    """Return the messages as patterns, each with the number of its own letters and its text."""
    found = []
    for text in REFUSALS:
        parts = list(string.Formatter().parse(text))
        pattern = "".join(
            re.escape(before) + (f"(?P<{name}>.+?)" if name else "") for before, name, _, _ in parts
        )
        own = sum(len(before) for before, *_ in parts)
        found.append((re.compile(pattern, re.DOTALL), own, _known(text, ERROR)))
    return found


def capitalized(text: str) -> str:
    """Return a text with a capital at its beginning; the rest stays, and its translation, too."""
    if isinstance(text, Wording):
        return _made(text[:1].upper() + text[1:], _Capital(text))
    return text[:1].upper() + text[1:]


def translated(text: str) -> str:
    """Return any text in the language in use: a plain one as it is."""
    return text.shown() if isinstance(text, Wording) else text


@cache
def _known(text: str, context: str = "") -> Wording:
    return _made(text, _Said(text, context))


def _made(text: str, made: _Made) -> Wording:
    found = str.__new__(Wording, text)
    found._made = made
    return found
