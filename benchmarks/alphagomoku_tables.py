"""Take runs of AlphaGomoku into docs/studies/alphagomoku.md; the tables between its marks are made.

    python -m benchmarks.alphagomoku_tables --modifications runs/nine-without
    python -m benchmarks.alphagomoku_tables --nine runs/nine --fifteen runs/fifteen
    python -m benchmarks.alphagomoku_tables             make the tables anew from what is stored
    python -m benchmarks.alphagomoku_tables --check     say what would change, exit code 1

The flags name folders of `benchmarks.alphagomoku_modifications` and of
`benchmarks.alphagomoku_self_play`, finished or not. What is in their `study.json` is stored beside
the page, and the page says where nothing was run yet. The exit code is 2 if something does not fit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT, atomic_write
from base.storage.json_file import read_json, write_json
from base.values import JsonObject
from benchmarks.alphagomoku_modifications import NOT_RUN, STUDY, lengths_table, scores_table
from benchmarks.alphagomoku_self_play import matches_table
from benchmarks.console import parser_of
from benchmarks.study_tables import StudyError, made_anew

PAGE: Final = SHIPPED_ROOT / "docs" / "studies" / "alphagomoku.md"
STORED: Final = PAGE.with_suffix(".json")
PARTS: Final = {
    "modifications": ("modifications", scores_table),
    "lengths": ("modifications", lengths_table),
    "self-play-nine": ("nine", matches_table),
    "self-play-fifteen": ("fifteen", matches_table),
}
"""What is between each pair of marks: the study that it is made from, and what makes it."""


def main(words: Sequence[str] | None = None) -> int:
    """Keep and make, or check; return 1 where the page would change, 2 where something is wrong."""
    parser = parser_of(__doc__, modifications=Path, nine=Path, fifteen=Path, check=False)
    try:
        return keep_and_make(parser.parse_args(words))
    except (StudyError, OSError, ValueError) as error:
        print(f"alphagomoku_tables: {error}", file=sys.stderr)
        return 2


def keep_and_make(given: argparse.Namespace) -> int:
    """Store what the folders hold and make the tables; return the exit code."""
    stored = read_json(STORED)
    before = PAGE.read_text(encoding="utf-8")
    if given.check:
        is_same = rewritten(before, stored) == before
        print("nothing would change" if is_same else f"{PAGE}: expected the tables of {STORED}")
        return 0 if is_same else 1
    for name, _ in PARTS.values():
        folder = getattr(given, name)
        if folder is not None:
            stored[name] = read_json(folder / STUDY)
    write_json(STORED, stored)
    atomic_write(PAGE, rewritten(before, stored))
    return 0


def rewritten(text: str, stored: JsonObject) -> str:
    """Return the page with its tables made from what is stored.

    Raises:
        StudyError: a table's marks are missing or name none.
    """
    return made_anew(
        text,
        {
            table: make(stored[study]) if study in stored else f"This was {NOT_RUN}."
            for table, (study, make) in PARTS.items()
        },
    )


if __name__ == "__main__":
    sys.exit(main())
