"""The protocol's rule bitmask (`INFO rule`) and our rules: the one place where they meet."""

from __future__ import annotations

from typing import Final

from ai.game import RULE_NAMES, Game, Rule, Rules, RulesError

EXACT: Final = 1
"""Exactly five in a row win; without it longer rows do, too."""
CONTINUOUS: Final = 2
"""The next game begins where this one ended: not played here."""
RENJU: Final = 4
CARO: Final = 8

WIN_LENGTH: Final = 5
_PLAYED: Final = {
    0: Rule.FREESTYLE,
    EXACT: Rule.STANDARD,
    RENJU: Rule.RENJU,
    CARO | EXACT: Rule.CARO,
    CARO: Rule.CARO,
}
"""The rules that we play by bitmask; of two for one rule, we send the first."""


def rules_of(bits: int, width: int, height: int) -> Rules:
    """Return the rules of a game that a manager describes.

    Args:
        bits: of INFO rule.
        width: columns.
        height: rows.

    Raises:
        RulesError: they are not played here, or the board is too small or too large.
    """
    if bits not in _PLAYED:
        names = ", ".join(f"{number} ({rule})" for number, rule in _PLAYED.items())
        raise RulesError(f"rule: expected one of {names}; found {bits}")
    return Rules(width, WIN_LENGTH, _PLAYED[bits], height=height)


def bits_of(rules: Game) -> int:
    """Return the bitmask of a game.

    Raises:
        RulesError: the protocol has no such game.
    """
    if not isinstance(rules, Rules) or rules.gravity or rules.win_length != WIN_LENGTH:
        raise RulesError(f"expected five in a row without gravity, found {rules!r}")
    return next(bits for bits, rule in _PLAYED.items() if rule is rules.rule)


def rule_name(rules: Game) -> str:
    """Return the name of a game's rules, as in `engines.toml`.

    Raises:
        RulesError: the protocol has no such game.
    """
    return _PLAYED[bits_of(rules)].value


__all__ = ["RULE_NAMES", "bits_of", "rule_name", "rules_of"]
