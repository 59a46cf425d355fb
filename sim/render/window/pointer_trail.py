"""Pointer positions at button presses, in a frame in which the pointer also moved.

Panda3D gives a frame's button events in one list and the pointer's places in another. But each
button or key event leaves the pointer's place in that list once more, and a move never leaves
the place it began at. So the two lists can be laid one into the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

Place = tuple[float, float]


def in_order(
    before: Place, trail: Sequence[Place], marks: Sequence[int]
) -> list[tuple[Place, int | None]]:
    """Merge a frame's pointer moves and presses in order.

    Args:
        before: last pointer position of the previous frame.
        trail: positions since: one for each move, and one for each mark of a press.
        marks: number of entries in `trail` by each press.

    Returns:
        (place, None) for a move, (place, index into `marks`) for a press. Where the lists do not
        fit each other, all presses are at the last place.
    """
    steps: list[tuple[Place, int | None]] = []
    place, index = before, 0
    for stop, run in groupby(trail):
        left = len(list(run))
        if stop != place:
            steps.append((stop, None))
            place, left = stop, left - 1
        while index < len(marks) and marks[index] <= left:
            steps.append((place, index))
            left -= marks[index]
            index += 1
        if left:
            break
    else:
        if index == len(marks):
            return steps
    last = trail[-1] if trail else before
    return [(last, None), *((last, index) for index in range(len(marks)))]


__all__ = ["Place", "in_order"]
