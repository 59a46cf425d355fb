"""Right-to-left text: the order in which the parts of a line stand, by python-bidi.

python-bidi returns a line in visual order, but not where each character went. So the characters
are replaced by others of the same bidirectional class, which carry their index, a digit at a time.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import NamedTuple

from bidi import get_display
from bidi.mirror import MIRRORED

BASE = 8
DIGITS = {
    "L": "abcdefgh",
    "R": "אבגדהוזח",
    "AL": "ابتثجحخد",
    "EN": "01234567",
    "AN": "٠١٢٣٤٥٦٧",
    "ES": "+-\u207a\u207b\u208a\u208b\u2212\ufb29",
    "ET": "#$%¢£¤¥€",
    "CS": ",./:\u00a0\u060c\u202f\u2044",
    "NSM": "\u0308\u0309\u030a\u030b\u030c\u030d\u030e\u030f",
    "BN": "\u00ad\u200b\u200c\u200d\u2060\u2061\u2062\u2063",
}
"""Characters of each bidirectional class, one for each digit."""
MARKS = "\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307"
"""Marks, one for each digit. One stands behind each neutral character and goes where that goes."""
NEUTRALS = {"ON": "!", "WS": " ", "S": " ", "B": " "}
STRONG = {"R": True, "AL": True, "L": False, "EN": False, "AN": False}
VALUES = {letter: value for digits in DIGITS.values() for value, letter in enumerate(digits)}
RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff"
    "\U0001e800-\U0001efff]"
)


_MIRROR = str.maketrans(MIRRORED)


def mirrored(text: str) -> str:
    """Return a text with each bracket turned round, as it is drawn from right to left."""
    return text.translate(_MIRROR)


class Run(NamedTuple):
    """A part of a line with one direction.

    Attributes:
        start: index of its first character.
        stop: index behind its last character.
        is_rtl: whether it runs from right to left.
    """

    start: int
    stop: int
    is_rtl: bool


@functools.lru_cache(maxsize=1024)
def direction_runs(line: str) -> tuple[Run, ...]:
    """Return the parts of a line in visual order, from left to right.

    Invisible characters that steer the direction are in no part.

    Source: Unicode Standard Annex 9 (the bidirectional algorithm).

    Args:
        line: one line without line breaks and tabs.
    """
    if not RIGHT_TO_LEFT.search(line):
        return (Run(0, len(line), False),) if line else ()
    order = _visual_order(line)
    runs: list[Run] = []
    for index, is_rtl in order:
        start, stop, was_rtl = runs[-1] if runs else Run(-1, -1, False)
        if runs and is_rtl == was_rtl and index == (start - 1 if is_rtl else stop):
            runs[-1] = Run(min(start, index), max(stop, index + 1), is_rtl)
        else:
            runs.append(Run(index, index + 1, is_rtl))
    return tuple(runs)


def _visual_order(line: str) -> list[tuple[int, bool]]:
    """Return the index of each character in visual order, and whether it runs to the left."""
    classes = [unicodedata.bidirectional(letter) or "L" for letter in line]
    order: list[int] = []
    known: list[bool | None] = []
    power = 1
    while power == 1 or power < len(line):
        digits = [index // power % BASE for index in range(len(line))]
        found = _decoded(get_display("".join(map(_coded, line, classes, digits))))
        known = [is_rtl for _, is_rtl in found]
        before = order or [0] * len(found)
        order = [old + power * digit for old, (digit, _) in zip(before, found, strict=True)]
        power *= BASE
    place = {index: number for number, index in enumerate(order)}
    return [
        (index, _is_rtl(index, classes[index], is_rtl, place))
        for index, is_rtl in zip(order, known, strict=True)
    ]


def _coded(letter: str, kind: str, digit: int) -> str:
    """Return what stands for a character: its class, and one digit of its index.

    Args:
        letter: the character.
        kind: its bidirectional class.
        digit: the digit.
    """
    if kind in NEUTRALS:  # brackets stay, as their pairs matter
        is_bracket = unicodedata.category(letter) in ("Ps", "Pe")
        return (letter if is_bracket else NEUTRALS[kind]) + MARKS[digit]
    return DIGITS[kind][digit] if kind in DIGITS else letter


def _decoded(shown: str) -> list[tuple[int, bool | None]]:
    """Return the digit of each character of a line in visual order.

    Args:
        shown: the coded line in visual order.

    Returns:
        The digits. Those of neutral characters have the direction: whether the mark is on the left.
    """
    found: list[tuple[int, bool | None]] = []
    letters = iter(shown)
    for letter in letters:
        if letter in MARKS:  # what it belongs to follows
            found.append((MARKS.index(letter), True))
            next(letters, "")
        elif letter in VALUES and letter not in NEUTRALS.values():
            found.append((VALUES[letter], None))
        elif unicodedata.bidirectional(letter) in NEUTRALS:
            found.append((MARKS.index(next(letters)), False))
    return found


def _is_rtl(index: int, kind: str, known: bool | None, place: dict[int, int]) -> bool:
    """Return whether a character is in a part that runs from right to left.

    Args:
        index: index of the character.
        kind: its bidirectional class.
        known: its direction, if its mark told it.
        place: where each character is in visual order, by its index.
    """
    if known is not None:
        return known
    if kind in STRONG:
        return STRONG[kind]
    if index - 1 in place:
        return place[index - 1] == place[index] + 1
    return place.get(index + 1) == place[index] - 1
