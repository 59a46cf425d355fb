"""Numbers and lists in words, short enough for a panel and for a board's points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_FIRST_ORDINALS: Final = ("first", "second", "third")


def ordinal(rank: int) -> str:
    """Return "first", "second", "third", "4th" and so on."""
    if rank <= len(_FIRST_ORDINALS):
        return _FIRST_ORDINALS[rank - 1]
    is_teen = rank % 100 in (11, 12, 13)
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending}"


def percent(share: float) -> str:
    """Return a share of 1 as "41 %", with one decimal below ten."""
    value = share * 100.0
    if value >= 9.95 or value == 0.0:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if value >= 0.05 else "< 0.1 %"


def short_number(value: float) -> str:
    """Return a number with at most three digits: 0.43, 12, 350, 12,000, 1.2e6."""
    size = abs(float(f"{value:.3g}"))
    if size >= 1_000_000:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    if size >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.2g}" if size >= 0.005 else "0"


def compact_number(value: float) -> str:
    """Return a number in at most five characters: 14, 0.9, 690, 6.5k, -80k, 1.2M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * unit:
            part = value / unit
            return f"{part:.0f}{letter}" if abs(part) >= 9.95 else f"{part:.1f}{letter}"
    return f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}".removesuffix(".0")


def counted(number: int, what: str) -> str:
    """Return a number with its noun: "1 record", "3 records", "2 400 positions"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}".replace(",", " ")


def joined(items: Iterable[str]) -> str:
    """Return a list in words: "a", "a and b", "a, b and c"."""
    *most, last = list(items) or [""]
    return f"{', '.join(most)} and {last}" if most else last
