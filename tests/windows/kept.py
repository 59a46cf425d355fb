"""What the tries saw last, and on which day: docs/windows.json, and the table of docs/windows.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tests.windows.suite import GROUPS, ROOT
from tests.windows.tries import TRIES

RESULTS: Final = ROOT / "docs" / "windows.json"
PAGE: Final = ROOT / "docs" / "windows.md"
FORMAT: Final = "goishi.windows/1"
BEGIN: Final = "<!-- made: windows -->"
END: Final = "<!-- end -->"
WORKS: Final = "works"
FAILS: Final = "fails"
LINES: Final = {
    **{one.name: one.what for one in TRIES},
    **{group.name: group.what for group in GROUPS},
}
"""What each line of the table is about, by the name of its try or group of tests."""
LONGEST: Final = 160
"""Characters of what was seen, in the table."""


@dataclass(frozen=True)
class Row:
    """What a try or a group of tests saw.

    Attributes:
        date: UTC.
        verdict: "works", or what did not.
        seen: what was seen, in some words.
    """

    date: str
    verdict: str
    seen: str


def read(path: Path = RESULTS) -> dict[str, Row]:
    """Return the last rows by name; those of tries that there are no more are dropped."""
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))["tries"]
    return {name: Row(**rows[name]) for name in LINES if name in rows}


def write(rows: Mapping[str, Row], path: Path = RESULTS, page: Path = PAGE) -> None:
    """Keep the rows, and make the page's table of them."""
    kept = {name: asdict(rows[name]) for name in LINES if name in rows}
    text = json.dumps({"format": FORMAT, "tries": kept}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    made = f"{before}{BEGIN}\n\n{table(rows)}\n\n{END}{after}"
    page.write_text(made, encoding="utf-8", newline="\n")


def table(rows: Mapping[str, Row]) -> str:
    """Return the table of the last rows, those never tried included."""
    lines = ["| what | date (UTC) | verdict | seen |", "| --- | --- | --- | --- |"]
    for name, what in LINES.items():
        row = rows.get(name, Row("–", "not tried yet", "–"))
        cells = (what, row.date, row.verdict, plain(row.seen))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return text as a cell of a table shows it."""
    whole = " ".join(text.split()).replace("|", "/").replace("<", "&lt;").replace(">", "&gt;")
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"
