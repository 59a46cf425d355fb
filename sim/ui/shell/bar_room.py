"""Which parts of a bar have room; the others go into its menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class BarPart(NamedTuple):
    """One button of a bar.

    Attributes:
        width: pixels, at least.
        gap: pixels before it.
        rank: what ranks lower stays longer where the bar is narrow.
        wide: pixels with its name written out; `width` for one without.
    """

    width: float
    gap: float
    rank: int
    wide: float


class Fit(NamedTuple):
    """What of a bar is drawn.

    Attributes:
        kept: numbers of the parts that are drawn, ascending.
        wide: numbers of those whose names are written out.
    """

    kept: tuple[int, ...]
    wide: frozenset[int]


def fit(parts: Sequence[BarPart], room: float, more: float) -> Fit:
    """Choose the parts that fit, the lowest ranks first.

    Args:
        parts: the bar's, from left to right.
        room: pixels there are.
        more: pixels of the menu's button, needed where something is left out.
    """
    if sum(part.gap + part.width for part in parts) > room:
        room -= more
    kept = []
    for index in sorted(range(len(parts)), key=lambda index: parts[index].rank):
        needed = parts[index].gap + parts[index].width
        if needed <= room:
            room -= needed
            kept.append(index)
    wide = set()
    for index in sorted(kept):
        longer = parts[index].wide - parts[index].width
        if 0 < longer <= room:
            room -= longer
            wide.add(index)
    return Fit(tuple(sorted(kept)), frozenset(wide))
