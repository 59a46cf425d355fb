"""The players that ship, by name.

A player is named by text (`"module:callable"`), so listing them imports none.
A factory is called as `factory(rules, settings)` with every setting resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

from ai.players.settings import Setting, SettingError, SettingValue, resolve

if TYPE_CHECKING:
    from ai.game import Rules
    from ai.players.base import Player


SQUARE: Final = "freestyle or exact, any win length, square boards without gravity"


class UnknownPlayerError(LookupError):
    """No player has this name; the message lists those that exist."""


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """What is known about a player without loading it."""

    name: str
    description: str
    source: str
    """Where the method comes from."""
    factory: str
    """`"module:callable"`, called with (rules, settings)."""
    learner: str | None = None
    """`"module:callable"` of its learner, where it learns."""
    rules: str = "freestyle or exact, any win length, any board, with or without gravity"
    """Rules it plays, in words."""
    sizes: tuple[int, int] = (3, 20)
    """Smallest and largest board."""
    plays_other_games: bool = True
    """Whether it also plays boards that are no square, and those where stones fall."""
    settings_from: str | None = None
    """`"module:name"` of its tuple of settings."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What can be set."""
        if self.settings_from is None:
            return ()
        return cast("tuple[Setting, ...]", load_target(self.settings_from))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: the entry of `players --json`."""
        return {
            "name": self.name,
            "description": self.description,
            "source": self.source,
            "learns": self.learner is not None,
            "rules": self.rules,
            "board_sizes": {"minimum": self.sizes[0], "maximum": self.sizes[1]},
            "settings": [setting.as_dict() for setting in self.settings],
        }


_LISTED: Final = (
    PlayerInfo(
        name="cnn-ann-plus",
        description="The self-teaching network with our improvements: a warm-started hybrid net, "
        "symmetries, threat labels, win records and rehearsal.",
        source="the paper's self-teaching method, improved",
        factory="ai.players.cnn_ann_plus:create",
        learner="ai.learning.self_teaching:create_plus",
        settings_from="ai.players.cnn_ann_plus:SETTINGS",
    ),
    PlayerInfo(
        name="cnn-ann",
        description="The self-teaching network of the paper: a CNN trained on a memory of "
        "situations it lost.",
        source="self-teaching Gomoku with a CNN and an ANN memory, 7x7",
        factory="ai.players.cnn_ann:create",
        learner="ai.learning.self_teaching:create",
        settings_from="ai.players.cnn_ann:SETTINGS",
    ),
    PlayerInfo(
        name="genetic",
        description="A genetic algorithm that evolves seven-stone continuations for each move.",
        source="evolving a Gomoku solver by a genetic algorithm (Wang, Huang 2014)",
        factory="ai.players.genetic:create",
        rules=SQUARE,
        plays_other_games=False,
        settings_from="ai.players.genetic:SETTINGS",
    ),
    PlayerInfo(
        name="oracle",
        description="Plays proven wins of small boards, found by proof-number search, and the "
        "genetic player's move where it finds none.",
        source="depth-first proof-number search (Nagai 2002) with pairing and potential bounds",
        factory="ai.players.oracle:create",
        rules="freestyle, any win length; a full board won by White",
        sizes=(3, 8),
        plays_other_games=False,
        settings_from="ai.players.oracle:SETTINGS",
    ),
    PlayerInfo(
        name="pattern",
        description="Looks one ply ahead with the pattern values: a yardstick for the others.",
        source="the pattern table of the genetic algorithm, used greedily",
        factory="ai.players.pattern:create",
        rules=SQUARE,
        plays_other_games=False,
        settings_from="ai.players.pattern:SETTINGS",
    ),
    PlayerInfo(
        name="alpha-beta",
        description="Looks some plies ahead on any board and counts open lines: exact where the "
        "game ends within its depth.",
        source="minimax with alpha-beta pruning (Knuth, Moore 1975) and a table of positions",
        factory="ai.players.alpha_beta:create",
        settings_from="ai.players.alpha_beta:SETTINGS",
    ),
    PlayerInfo(
        name="one-ply",
        description="Wins where it can, else stops a row, else plays any point.",
        source="none",
        factory="ai.players.one_ply:create",
        settings_from="ai.players.one_ply:SETTINGS",
    ),
    PlayerInfo(
        name="random",
        description="Plays any empty point: the weakest yardstick.",
        source="none",
        factory="ai.players.random_player:create",
    ),
    PlayerInfo(
        name="human",
        description="A person who clicks on points.",
        source="you",
        factory="ai.players.human:create",
    ),
)

PLAYERS: Final[Mapping[str, PlayerInfo]] = MappingProxyType({info.name: info for info in _LISTED})
"""The shipped players by name, the strongest learner first."""


def get_player_info(name: str) -> PlayerInfo:
    """Return what is known about the player `name`.

    A name with a colon is taken as a factory of one's own (`"module:callable"`),
    without settings.

    Raises:
        UnknownPlayerError: no player has this name.
    """
    if name in PLAYERS:
        return PLAYERS[name]
    if ":" in name:
        return PlayerInfo(name, "A player of your own.", name.partition(":")[0], factory=name)
    raise UnknownPlayerError(f"expected one of {', '.join(PLAYERS)}; found {name!r}")


def resolve_settings(info: PlayerInfo, given: Mapping[str, object]) -> dict[str, SettingValue]:
    """Return all settings of a player, the given ones checked and in place.

    Raises:
        SettingError: a key is unknown or a value does not fit.
    """
    return resolve(info.settings, given, owner=info.name)


def create_player(name: str, rules: Rules, settings: Mapping[str, object] | None = None) -> Player:
    """Load and build the player `name` for these rules.

    Raises:
        UnknownPlayerError: no player has this name, or its factory cannot be found.
        SettingError: a setting is unknown, does not fit, or the board is out of its sizes.
    """
    info = get_player_info(name)
    resolved = resolve_settings(info, settings or {})
    smallest, largest = info.sizes
    for side in (rules.size, rules.rows):
        if not smallest <= side <= largest:
            raise SettingError(
                f"{name}: expected a board from {smallest} to {largest}, found {side}"
            )
    if not (rules.is_plain or info.plays_other_games):
        raise SettingError(f"{name}: expected a square board without gravity, found {rules!r}")
    factory = cast(
        "Callable[[Rules, Mapping[str, SettingValue]], Player]", load_target(info.factory)
    )
    return factory(rules, resolved)


def describe_players() -> list[dict[str, Any]]:
    """Return what `players --json` writes: plain values, one entry a player."""
    return [info.as_dict() for info in PLAYERS.values()]


def load_target(target: str) -> object:
    """Import the object that `"module:name"` names.

    Raises:
        UnknownPlayerError: there is no such module or name.
    """
    module_name, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module_name), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        raise UnknownPlayerError(
            f"expected 'module:callable', found {target!r}: {error}"
        ) from error


__all__ = [
    "PLAYERS",
    "PlayerInfo",
    "Setting",
    "SettingError",
    "SettingValue",
    "UnknownPlayerError",
    "create_player",
    "describe_players",
    "get_player_info",
    "load_target",
    "resolve_settings",
]
