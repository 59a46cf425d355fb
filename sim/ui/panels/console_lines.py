"""Lines of the console panel: filtered, merged, unfolded; recomputed only on a change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sim.core.reporting.console import Console, ConsoleRecord

FRAME = re.compile(r"^\s+(?P<file>\S.*):(?P<line>\d+) in \S+$")


SLACK = 256  # rows kept for a while after their records fell out of the console


@dataclass
class Row:
    """A record that matches the filter, or the last of several equal ones.

    Attributes:
        key: unique key of the row.
        past: total count of the equal records before this one.
    """

    record: ConsoleRecord
    key: int
    past: int = 0

    @property
    def count(self) -> int:
        """Total count of its records."""
        return self.past + self.record.count


@dataclass(frozen=True)
class Line:
    """One line on the screen: a row itself, or one of its detail lines."""

    row: Row
    detail: str | None = None


class ConsoleLines:
    """The lines of a console under a filter."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.levels = {"error": True, "warning": True, "info": True, "debug": False}
        self.search = ""
        self.is_collapsed = False
        self.rows: list[Row] = []
        self.rebuilt = 0  # how often everything was filtered anew
        self._opened: set[int] = set()
        self._flat: list[Line] | None = None  # lines, where some row is open
        self._filter: tuple[object, ...] = ()
        self._revision = -1
        self._last: ConsoleRecord | None = None
        self._joined: dict[tuple[object, ...], Row] = {}

    def __len__(self) -> int:
        return len(self.rows) if self._flat is None else len(self._flat)

    def line(self, number: int) -> Line:
        """Return a line by its index."""
        return Line(self.rows[number]) if self._flat is None else self._flat[number]

    def toggle(self, row: Row) -> None:
        """Unfold or fold the details of a row."""
        self._opened ^= {row.key}
        self._lay_out()

    def is_open(self, row: Row) -> bool:
        """Return whether the details of a row are shown."""
        return row.key in self._opened

    def update(self) -> None:
        """Recompute the lines after a change of the console or the filter."""
        wanted = (tuple(self.levels.items()), self.search.lower(), self.is_collapsed)
        is_same = wanted == self._filter
        if is_same and self._revision == self.console.revision:
            return
        self._filter = wanted
        self._revision = self.console.revision
        fresh = self._fresh() if is_same else None
        if fresh is None:
            self.rebuilt += 1
            self.rows, self._joined = [], {}
            fresh = list(self.console.records)
            self._opened &= set(map(id, fresh))
        for record in fresh:
            self._add(record)
        records = self.console.records
        self._last = records[-1] if records else None
        if len(self.rows) > len(records) + SLACK:
            self._drop()
        self._lay_out()

    def _fresh(self) -> list[ConsoleRecord] | None:
        """Return the records since the last update; None where they cannot be told."""
        if self._last is None:
            return None
        found: list[ConsoleRecord] = []
        for record in reversed(self.console.records):
            if record is self._last:
                return found[::-1]
            found.append(record)
        return None

    def _add(self, record: ConsoleRecord) -> None:
        if not self.levels[record.level] or self.search.lower() not in text_of(record).lower():
            return
        known = self._joined.get(record.key) if self.is_collapsed else None
        if known is not None:
            known.past += known.record.count
            known.record = record
            return
        row = Row(record, id(record))
        self.rows.append(row)
        if self.is_collapsed:
            self._joined[record.key] = row

    def _drop(self) -> None:
        """Forget rows whose records fell out of the console."""
        kept = set(map(id, self.console.records))
        self.rows = [row for row in self.rows if id(row.record) in kept]
        self._opened &= {row.key for row in self.rows}
        self._joined = {row.record.key: row for row in self.rows} if self.is_collapsed else {}

    def _lay_out(self) -> None:
        self._flat = None
        if not self._opened:
            return
        self._flat = []
        for row in self.rows:
            self._flat.append(Line(row))
            if row.key in self._opened:
                self._flat.extend(Line(row, text) for text in details_of(row.record))


def text_of(record: ConsoleRecord) -> str:
    """Return a record's text without its level."""
    return str(record).partition(" ")[2]


def details_of(record: ConsoleRecord) -> list[str]:
    """Return the detail lines of a record; empty if it has none."""
    if record.details:
        return record.details.splitlines()
    return record.text.splitlines() if "\n" in record.text else []


def place_in(detail: str) -> tuple[str, int] | None:
    """Return the file and line that a traceback line names, None for none."""
    found = FRAME.match(detail)
    return (found["file"], int(found["line"])) if found is not None else None


def as_text(rows: Iterable[Row]) -> str:
    """Return rows as text for the clipboard, a line each."""
    return "\n".join(str(row.record) for row in rows)


def as_python(rows: Iterable[Row]) -> str:
    """Return the Python source in the rows: typed inputs, and lines of edits."""
    lines = (row.record.text for row in rows)
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))
