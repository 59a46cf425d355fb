"""What sides and rules are called in the window."""

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
