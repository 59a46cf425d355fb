"""Registry of players by name: shipped ones, and those of a project.

A factory is given as text (`"module:callable"`), so that listing players imports none.
A factory is called as `factory(rules, settings)` with every setting resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from ai.registry.info import PlayerInfo, UnknownPlayerError, load_target
from ai.registry.project_players import read_players
from base.schema import OptionError, OptionValue, resolve
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.game import Rules
    from ai.players.base import Player


SQUARE: Final = "freestyle or exact, any win length, square boards without gravity"


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
        source="the self-teaching paper on 7x7 Gomoku, CNN and ANN (Appl. Sci. 2021, 11, 1291)",
        factory="ai.players.cnn_ann:create",
        learner="ai.learning.self_teaching:create",
        settings_from="ai.players.cnn_ann:SETTINGS",
    ),
    PlayerInfo(
        name="ann",
        description="The paper's memory alone, without a network: plays what the situations "
        "nearest to the board say (kernel regression).",
        source="the situation memory of the self-teaching paper (Appl. Sci. 2021, 11, 1291), "
        "answered by kernel regression (Nadaraya 1964, Watson 1964)",
        factory="ai.players.ann:create",
        learner="ai.learning.ann:create",
        settings_from="ai.players.ann:SETTINGS",
    ),
    PlayerInfo(
        name="genetic",
        description="A genetic algorithm that evolves seven-stone continuations for each move.",
        source="a genetic algorithm over seven-step plans, as a report describes it that cites "
        "Wang, Huang 2014",
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


def list_players(project: Path | None = None) -> list[PlayerInfo]:
    """Return the shipped players, then those that a project's `goishi.toml` adds.

    Raises:
        ProjectError: that file does not fit; says key, expected and found.
    """
    own = read_players(project, PLAYERS) if project is not None else {}
    return [*PLAYERS.values(), *own.values()]


def get_player_info(name: str, project: Path | None = None) -> PlayerInfo:
    """Return the registry entry of the player `name`.

    A name with a colon is a custom factory (`"module:callable"`) without settings.

    Args:
        name: as `players` lists it.
        project: the folder of a project that may add players of its own.

    Raises:
        UnknownPlayerError: no player has this name.
        ProjectError: the project's `goishi.toml` does not fit.
    """
    if name in PLAYERS:
        return PLAYERS[name]
    if ":" in name:
        source = name.partition(":")[0]
        return PlayerInfo(name, "A player of your own.", source, factory=name, project=project)
    known = {info.name: info for info in list_players(project)}
    if name not in known:
        raise UnknownPlayerError(f"expected one of {', '.join(known)}; found {name!r}")
    return known[name]


def resolve_settings(info: PlayerInfo, given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return all settings of a player: the given ones checked, defaults for the rest.

    Raises:
        OptionError: a key is unknown or a value is invalid.
    """
    return resolve(info.settings, given, owner=info.name)


def create_player(
    name: str,
    rules: Rules,
    settings: Mapping[str, object] | None = None,
    *,
    project: Path | None = None,
) -> Player:
    """Import and create the player `name` for these rules.

    Args:
        name: as `players` lists it, or `"module:callable"`.
        rules: rules of the game.
        settings: settings that differ from the player's defaults.
        project: folder of a project that may add players; its `scripts` are imported
            when one of them is created.

    Raises:
        UnknownPlayerError: no player has this name, or its factory cannot be found.
        OptionError: a setting is unknown, does not fit, or the board is out of its sizes.
        ProjectError: the project's `goishi.toml` does not fit.
    """
    info = get_player_info(name, project)
    resolved = resolve_settings(info, settings or {})
    smallest, largest = info.sizes
    for side in (rules.size, rules.rows):
        if not smallest <= side <= largest:
            raise OptionError(
                f"{name}: expected a board from {smallest} to {largest}, found {side}"
            )
    if not (rules.is_plain or info.plays_other_games):
        raise OptionError(f"{name}: expected a square board without gravity, found {rules!r}")
    factory = cast("Callable[[Rules, Mapping[str, OptionValue]], Player]", info.load(info.factory))
    return factory(rules, resolved)


def describe_players(project: Path | None = None) -> list[JsonObject]:
    """Return the output of `players --json`: plain values, one entry a player.

    Raises:
        ProjectError: the project's `goishi.toml` does not fit.
    """
    return [info.as_dict() for info in list_players(project)]


__all__ = [
    "PLAYERS",
    "PlayerInfo",
    "UnknownPlayerError",
    "create_player",
    "describe_players",
    "get_player_info",
    "list_players",
    "load_target",
    "resolve_settings",
]
