"""What sides, rules and fouls are called in the window."""

from __future__ import annotations

from ai import BLACK, WHITE
from sim import tr

SIDES = {BLACK: tr("Black"), WHITE: tr("White")}
RULE_TITLES = {
    "freestyle": tr("freestyle"),
    "standard": tr("standard"),
    "renju": tr("renju"),
    "caro": tr("caro"),
}
"""Titles of the rules, by name."""
FOULS = {
    "overline": tr("overline"),
    "double four": tr("double four"),
    "double three": tr("double three"),
}
"""What Black must not make in renju, by name."""


def foul_title(foul: object) -> str:
    """Return what a foul is called in the window.

    Args:
        foul: the foul, or its name.
    """
    return FOULS.get(str(foul), str(foul))
