"""What the measuring programs print: the machine, goals, and tables in Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence


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


def verdict(is_met: bool) -> str:
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
