"""What the measuring programs read from the command line, and what they print.

They print the machine, whether goals are met, and tables in Markdown.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterable, Sequence
from typing import Any


def parser_of(doc: str | None, **flags: Any) -> argparse.ArgumentParser:
    """Return a parser of flags, each named by a keyword and described by its default.

    `parser_of(__doc__, games=300, out=Path)` reads `--games N` (300 without it) and `--out FILE`
    (None without it).

    Args:
        doc: the program's docstring, which `--help` shows.
        flags: the default of each flag, from which its type follows: False for a switch, a list for
            several values, a class for a flag without a default. Whole numbers are 1 or more, those
            of `seed` any. A pair is (default, help text).
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for key, given in flags.items():
        default, text = given if isinstance(given, tuple) else (given, None)
        name = "--" + key.replace("_", "-")
        if default is False:
            parser.add_argument(name, action="store_true", help=text)
            continue
        several = "+" if isinstance(default, list) else None
        first = default[0] if several else default
        reads: Any = first if isinstance(first, type) else type(first)
        if reads is int and key != "seed":
            reads = at_least_one
        shown = None if isinstance(first, type) else default
        parser.add_argument(name, type=reads, nargs=several, default=shown, help=text)
    return parser


def at_least_one(text: str) -> int:
    """Read a count.

    Raises:
        ArgumentTypeError: it is no whole number, or less than 1.
    """
    count = _whole(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, found {text!r}")
    return count


def even(text: str) -> int:
    """Read a number of games, half of them with each color.

    Raises:
        ArgumentTypeError: it is odd, or less than 2.
    """
    count = _whole(text)
    if count < 2 or count % 2:
        raise argparse.ArgumentTypeError(f"expected an even number, found {text!r}")
    return count


def settings_of(pairs: Iterable[str]) -> dict[str, str]:
    """Read the settings KEY=VALUE of a player.

    >>> settings_of(["alpha=5", "input=planes"])
    {'alpha': '5', 'input': 'planes'}
    """
    return dict(pair.split("=", 1) for pair in pairs)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return 0


# -- what is printed -----------------------------------------------------------------------------


def machine(*more: object) -> str:
    """Return the line that says what was measured on.

    Args:
        more: what else the figures depend on, such as the renderer.
    """
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    own = f"machine: {platform.platform()}, {cores} cores{load}, Python {platform.python_version()}"
    return "; ".join([own, *map(str, more)])


def verdict(is_met: object) -> str:
    """Return the word for whether a goal is met."""
    return "met" if is_met else "MISSED"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown.

    >>> print(table(("player", "won"), [("mcts", "3")]))
    | player | won |
    |---|---|
    | mcts | 3 |
    """
    lines = [row(heads), "|" + "---|" * len(heads), *map(row, rows)]
    return "\n".join(lines)


def row(cells: Iterable[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"
