"""Which parts of a bar have room; the others go into its menu."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


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


@dataclass(frozen=True)
class BarPlan(Generic[T]):
    """What of a bar is drawn where.

    Attributes:
        near: what is drawn from the left: the thing, pixels before it, and whether its name is
            written out.
        far: what is drawn at the right end: the thing, and its place, pixels from the left.
        left_out: what goes into the menu.
        more: place of the menu's button, pixels from the left.
    """

    near: tuple[tuple[T, float, bool], ...]
    far: tuple[tuple[T, float], ...]
    left_out: tuple[T, ...]
    more: float


def planned(
    things: Sequence[T], parts: Sequence[BarPart], *, far: int, room: tuple[float, float],
    more: tuple[float, float],
) -> BarPlan[T]:  # fmt: skip
    """Return what of a bar is drawn where.

    Args:
        things: the bar's, from left to right.
        parts: the place that each of them takes.
        far: how many of them, the last ones, stand at the right end.
        room: where the room for them begins and where it ends, pixels from the left.
        more: width of the menu's button and of the gap before it, pixels.
    """
    begin, end = room
    kept, wide = fit(parts, end - begin, sum(more))
    first = len(things) - far
    right = [index for index in kept if index >= first]
    start = end - sum(parts[index].gap + parts[index].width for index in right)
    place = start
    ends = []
    for index in right:
        ends.append((things[index], place + parts[index].gap))
        place += parts[index].gap + parts[index].width
    return BarPlan(
        tuple((things[i], parts[i].gap, i in wide) for i in kept if i < first),
        tuple(ends),
        tuple(thing for index, thing in enumerate(things) if index not in kept),
        start - more[0],
    )
