"""The protocol's rule bitmask (`INFO rule`) and our rules: the one place where they meet."""

from __future__ import annotations

from typing import Final

from ai.game import Game, Rules, RulesError

EXACT: Final = 1
"""Exactly five in a row win; without it longer rows do, too."""
CONTINUOUS: Final = 2
RENJU: Final = 4
CARO: Final = 8

WIN_LENGTH: Final = 5
_PLAYED: Final = {0: "freestyle", EXACT: "standard"}
"""The rules that we play, by bitmask, and their names in `engines.toml`."""
RULE_NAMES: Final = tuple(_PLAYED.values())


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
        names = ", ".join(f"{number} ({name})" for number, name in _PLAYED.items())
        raise RulesError(f"rule: expected one of {names}; found {bits}")
    return Rules(width, WIN_LENGTH, exact=bits == EXACT, height=height)


def bits_of(rules: Game) -> int:
    """Return the bitmask of a game.

    Raises:
        RulesError: the protocol has no such game.
    """
    if not isinstance(rules, Rules) or rules.gravity or rules.win_length != WIN_LENGTH:
        raise RulesError(f"expected five in a row without gravity, found {rules!r}")
    if rules.rule not in RULE_NAMES:
        raise RulesError(f"rule: expected {' or '.join(RULE_NAMES)}, found {rules.rule}")
    return EXACT if rules.exact else 0


def rule_name(rules: Game) -> str:
    """Return the name of a game's rules, as in `engines.toml`.

    Raises:
        RulesError: the protocol has no such game.
    """
    return _PLAYED[bits_of(rules)]


__all__ = ["RULE_NAMES", "bits_of", "rule_name", "rules_of"]
