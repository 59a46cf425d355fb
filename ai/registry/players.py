"""Registry of players by name: those of Goishi, those of a project, and external engines.

The function that creates a player is stored as text ("module:callable"), so that listing players
imports none. It is called with the rules and the values of all settings.

An entry of a project's `goishi.toml` is `name = "module:create"`, or a table with more:

    [players.pebble]
    create = "scripts.pebble:create"
    description = "Plays beside the last stone."
    sizes = [3, 15]
    settings.reach = {default = 1, minimum = 1, maximum = 5, help = "How far beside"}
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from ai.players.levels import ALPHA_BETA, ALPHAGOMOKU, MCTS
from ai.registry.engines import PREFIX, engine_info, engine_players
from ai.registry.info import (
    ALL_RULES,
    ANY_GAME,
    ANY_LINES,
    ANY_RULES,
    FOUL_FREE,
    PlayerInfo,
    UnknownPlayerError,
    load_target,
)
from base.errors import GoishiError, MakerError
from base.files import resolve_in_project
from base.language.wording import tr
from base.manifest import (
    FILE,
    TARGET_FORM,
    ProjectError,
    check_keys,
    check_own_target,
    entries_of,
    read_tables,
    refuse,
    summary,
)
from base.modules import maker_error
from base.schema import Option, OptionError, OptionValue, resolve
from base.spelling import one_of
from base.trust import may_import
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.game import Game
    from ai.players.base import Player


TABLE: Final = "players"
WORDS: Final = ("title", "short_name", "explains", "after_loss")
"""Keys of a project's entry that hold texts for people."""
KEYS: Final[Mapping[str, type]] = {
    "create": str, "learner": str, "description": str, "source": str, "rules": str,
    "supported_rules": list, "sizes": list, "other_games": bool, "any_game": bool, "settings": dict,
    **dict.fromkeys(WORDS, str),
}  # fmt: skip
SETTING_KEYS: Final = ("default", "minimum", "maximum", "choices", "help", "optional")


def read_players(project: Path, taken: Mapping[str, PlayerInfo]) -> dict[str, PlayerInfo]:
    """Return the players that a project adds, by name, in the order of its file.

    None of them is imported.

    Args:
        project: the folder that holds `goishi.toml`.
        taken: players whose names a project cannot use.

    Raises:
        ProjectError: an entry is invalid; the message names file, key, expected and found value.
    """
    found: dict[str, PlayerInfo] = {}
    for name, entry in entries_of(read_tables(project), TABLE).items():
        if name in taken:
            refuse(f"{TABLE}.{name}", "a name that no shipped player has", name)
        found[name] = _player(project, name, entry)
    return found


def _player(project: Path, name: str, entry: object) -> PlayerInfo:
    key = f"{TABLE}.{name}"
    if isinstance(entry, str):
        entry = {"create": entry}
        key_of_create = key
    else:
        key_of_create = f"{key}.create"
    if not isinstance(entry, dict):
        refuse(key, "module:name or a table", entry)
    check_keys(key, entry, KEYS)
    if "create" not in entry:
        refuse(key_of_create, TARGET_FORM, "nothing")
    factory = check_own_target(key_of_create, entry["create"], project)
    learner = entry.get("learner")
    described = summary(project, factory, or_module=True)
    return PlayerInfo(
        name=name,
        description=entry.get("description") or described or "A project's player.",
        source=entry.get("source") or factory.partition(":")[0],
        factory=factory,
        learner=learner and check_own_target(f"{key}.learner", learner, project),
        rules=entry.get("rules") or (ANY_GAME if entry.get("any_game") else ANY_RULES),
        **{key: entry[key] for key in WORDS if key in entry},
        supported_rules=_rules(
            f"{key}.supported_rules", entry.get("supported_rules", list(FOUL_FREE))
        ),
        sizes=_sizes(f"{key}.sizes", entry.get("sizes", [3, 22])),
        plays_other_games=entry.get("other_games", True),
        plays_any_game=entry.get("any_game", False),
        own_settings=tuple(
            _setting(f"{key}.settings.{name}", name, item)
            for name, item in entry.get("settings", {}).items()
        ),
        project=project.resolve(),
    )


def _rules(key: str, value: list[str]) -> tuple[str, ...]:
    if not value or not all(item in ALL_RULES for item in value):
        refuse(key, f"a list of {', '.join(ALL_RULES)}", value)
    return tuple(value)


def _sizes(key: str, value: list[int]) -> tuple[int, int]:
    is_pair = len(value) == 2 and all(type(item) is int for item in value)
    if not is_pair or not 3 <= value[0] <= value[1] <= 22:
        refuse(key, "[smallest, largest] from 3 to 22", value)
    return value[0], value[1]


def _setting(key: str, name: str, entry: object) -> Option:
    if not isinstance(entry, dict) or "default" not in entry:
        refuse(key, "a table with a default", entry)
    for item in entry:
        if item not in SETTING_KEYS:
            refuse(f"{key}.{item}", f"one of {', '.join(SETTING_KEYS)}", item)
    if not isinstance(entry["default"], bool | int | float | str):
        refuse(f"{key}.default", "a switch, a number or a text", entry["default"])
    for bound in ("minimum", "maximum"):
        if bound in entry and type(entry[bound]) not in (int, float):
            refuse(f"{key}.{bound}", "a number", entry[bound])
    if not isinstance(entry.get("choices", []), list):
        refuse(f"{key}.choices", "a list", entry["choices"])
    setting = Option(
        key=name,
        default=entry["default"],
        minimum=entry.get("minimum"),
        maximum=entry.get("maximum"),
        choices=tuple(entry.get("choices", ())),
        help=str(entry.get("help", "")),
        optional=bool(entry.get("optional", False)),
    )
    try:
        setting.resolve(setting.default)
    except OptionError as error:
        raise ProjectError(f"{FILE}:{key}.default: {error}") from None
    return setting


SQUARE: Final = "freestyle or standard, any win length, square boards without gravity"
FREESTYLE: Final = "freestyle, any win length, square boards without gravity"
OTHERS: Final = "; any game that is not m,n,k"
EVERY_RULE: Final = "every rule, any win length, any board, with or without gravity"
RETRAINS: Final = tr("looks back over the game, remembers and retrains")
LEAST_HELD_LINES: Final = 0.5
"""Least share of records whose label is among the five best points; by luck it is some 0.17."""
WEIGHTS: Final = "weights"
"""Name of the setting for a file of weights."""
SHIPPED: Final = "shipped"
"""Value of the setting `weights` that stands for the weights that Goishi includes."""
READY: Final = (7, 9, 15)
"""Board sizes for which Goishi includes weights of `alphagomoku`."""
_READING: Final = {
    "walk_back": "stones", "combine": "normalised", "distance": "state-vector",
    "output": "softmax", "loss": "cross-entropy", "optimizer": "adam",
}  # fmt: skip
REMOVED: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "cnn-ann": {**_READING, "layout": "conv-dense-dense"},
        "cnn-ann-plus": _READING,
        "ann": {key: _READING[key] for key in ("walk_back", "distance")},
    }
)
"""Settings that no longer exist, with a value for each, by player.

Stored runs and scenes may still hold them. Each setting chose between several readings of the
paper. The value is the reading that was kept.
"""


def _self_teaching(name: str, learner: str, *, source: str, description: str) -> PlayerInfo:
    """Return the registry entry of a self-teaching network, which plays any game.

    The module of the player has the player's name, with underscores.

    Args:
        name: name of the player.
        learner: function that creates its learner, "module:callable".
        source: source of the method.
        description: what the player is, in a sentence.
    """
    module = f"ai.players.{name.replace('-', '_')}"
    return PlayerInfo(
        name,
        description,
        source,
        factory=f"{module}:create",
        title=tr("self-teaching network"),
        explains="network",
        after_loss=RETRAINS,
        rules=ANY_GAME,
        plays_any_game=True,
        supported_rules=FOUL_FREE,
        learner=learner,
        settings_from=f"{module}:SETTINGS",
    )


_LISTED: Final = (
    _self_teaching(
        "cnn-ann-plus",
        "ai.learning.self_teaching:create_plus",
        description=tr(
            "The self-teaching network with our improvements: a warm-started hybrid net, "
            "symmetries, threat labels, win records and rehearsal."
        ),
        source="the paper's self-teaching method, improved",
    ),
    _self_teaching(
        "cnn-ann",
        "ai.learning.self_teaching:create",
        description=tr(
            "The self-teaching network of the paper: a CNN trained on a memory of "
            "situations it lost."
        ),
        source="the self-teaching paper on 7x7 Gomoku, CNN and ANN (Appl. Sci. 2021, 11, 1291)",
    ),
    PlayerInfo(
        name="ann",
        description=tr(
            "The paper's memory alone, without a network: plays what the situations "
            "nearest to the board say (kernel regression)."
        ),
        source=(
            "the situation memory of the self-teaching paper (Appl. Sci. 2021, 11, 1291), "
            "answered by kernel regression (Nadaraya 1964, Watson 1964)"
        ),
        factory="ai.players.ann:create",
        title=tr("memory alone (ANN)"),
        short_name=tr("Memory alone (ANN)"),
        explains="memory",
        after_loss=tr("looks back over the game and remembers what it should have played"),
        rules=ANY_GAME,
        plays_any_game=True,
        supported_rules=FOUL_FREE,
        learner="ai.learning.ann:create",
        settings_from="ai.players.ann:SETTINGS",
    ),
    PlayerInfo(
        name="cnn-lines",
        description=tr(
            "A self-teaching network whose convolutions run along the lines of the board; "
            "it learns from the records of its lost games alone."
        ),
        source=(
            "the records of the self-teaching paper (Appl. Sci. 2021, 11, 1291), seen line by "
            "line by a network of our own"
        ),
        factory="ai.players.cnn_lines:create",
        title=tr("self-teaching network of lines"),
        short_name=tr("Network of lines (cnn-lines)"),
        explains="network",
        after_loss=RETRAINS,
        rules=ANY_LINES,
        plays_any_game=True,
        needs_lines=True,
        supported_rules=FOUL_FREE,
        learner="ai.learning.lines:create_cnn",
        least_held=LEAST_HELD_LINES,
        settings_from="ai.players.cnn_lines:SETTINGS",
    ),
    PlayerInfo(
        name="ann-lines",
        description=tr(
            "A memory of the lines that it missed in lost games, without a network: each "
            "line's worth can be read."
        ),
        source=(
            "the records and the memory of the self-teaching paper (Appl. Sci. 2021, 11, 1291) "
            "applied to lines, answered by kernel regression (Nadaraya 1964, Watson 1964)"
        ),
        factory="ai.players.ann_lines:create",
        title=tr("memory of lines"),
        short_name=tr("Memory of lines (ann-lines)"),
        explains="memory",
        after_loss=tr("looks back over the game and remembers the lines that it missed"),
        rules=ANY_LINES,
        plays_any_game=True,
        needs_lines=True,
        supported_rules=FOUL_FREE,
        learner="ai.learning.lines:create_ann",
        least_held=LEAST_HELD_LINES,
        settings_from="ai.players.ann_lines:SETTINGS",
    ),
    PlayerInfo(
        name="genetic",
        description=tr("A genetic algorithm that evolves seven-stone continuations for each move."),
        source=(
            "a genetic algorithm over seven-step plans, as a report describes it that cites "
            "Wang, Huang 2014"
        ),
        factory="ai.players.genetic:create",
        title=tr("genetic algorithm"),
        explains="plans",
        plain_nodes=20_000,
        rules=SQUARE,
        plays_other_games=False,
        supported_rules=FOUL_FREE,
        settings_from="ai.players.genetic_settings:SETTINGS",
    ),
    PlayerInfo(
        name="oracle",
        description=tr(
            "Plays proven wins of small boards, found by proof-number search, and the "
            "genetic player's move where it finds none."
        ),
        source="depth-first proof-number search (Nagai 2002) with pairing and potential bounds",
        factory="ai.players.oracle:create",
        title=tr("perfect player"),
        explains="proof",
        rules="freestyle, any win length; a full board won by White",
        sizes=(3, 8),
        plays_other_games=False,
        supported_rules=("freestyle",),
        settings_from="ai.players.oracle:SETTINGS",
    ),
    PlayerInfo(
        name="pattern",
        description=tr("Looks one ply ahead with the pattern values: a yardstick for the others."),
        source="the pattern table of the genetic algorithm, used greedily",
        factory="ai.players.pattern:create",
        title=tr("pattern player"),
        explains="patterns",
        rules=SQUARE,
        plays_other_games=False,
        supported_rules=FOUL_FREE,
    ),
    PlayerInfo(
        name="convolution",
        description=tr(
            "Counts lines of stones by convolution filters and plays the point with the "
            "highest value; no search, and the same eyes for both sides."
        ),
        source="Yan, Convolution-Based Gomoku Game State Evaluation Algorithm; weights fitted here",
        factory="ai.players.published.convolution:create",
        title=tr("convolution filters"),
        short_name=tr("Convolution"),
        explains="field",
        rules=FREESTYLE,
        plays_other_games=False,
        supported_rules=("freestyle",),
        settings_from="ai.players.published.convolution:SETTINGS",
    ),
    PlayerInfo(
        name="minimax-q",
        description=tr(
            "Wins or stops a row where it must; else a two-layer search by ten pattern "
            "scores, whose root scores are changed by what follows below them."
        ),
        source=(
            "a report on a Gomoku engine by tree search, a pattern dictionary and Q-learning "
            "of root scores (2019)"
        ),
        factory="ai.players.published.minimax_q:create",
        title=tr("minimax with learnt root scores"),
        short_name=tr("Minimax-Q"),
        explains="scores",
        rules=SQUARE,
        plays_other_games=False,
        supported_rules=FOUL_FREE,
        settings_from="ai.players.published.minimax_q:SETTINGS",
    ),
    PlayerInfo(
        name="alpha-beta",
        description=tr(
            "Looks ahead on any board: exact where the game ends within its depth; on "
            "large Gomoku boards by patterns, wins by fours in a row first."
        ),
        source=(
            "minimax with alpha-beta pruning (Knuth, Moore 1975) and a table of positions; "
            "principal variation search (Marsland, Campbell 1982) on large Gomoku boards"
        ),
        factory="ai.players.alpha_beta:create",
        title=tr("alpha-beta search"),
        explains="search",
        rules=EVERY_RULE + OTHERS,
        plays_any_game=True,
        supported_rules=ALL_RULES,
        settings_from="ai.players.alpha_beta:SETTINGS",
        levels=ALPHA_BETA,
    ),
    PlayerInfo(
        name="mcts",
        description=tr(
            "Monte Carlo tree search (UCT): plays thousands of random games near the "
            "stones and the move that its tree visits most."
        ),
        source=(
            "UCT (Kocsis, Szepesvari, Willemson 2006) with region-limited playouts, as a "
            "thesis on Gomoku-swap2 and a report on Gomoku agents describe it"
        ),
        factory="ai.players.published.mcts:create",
        title=tr("Monte Carlo tree search"),
        short_name=tr("Monte Carlo (mcts)"),
        explains="search",
        rules=SQUARE + OTHERS,
        plays_any_game=True,
        plays_other_games=False,
        settings_from="ai.players.published.mcts:SETTINGS",
        levels=MCTS,
        supported_rules=FOUL_FREE,
    ),
    PlayerInfo(
        name="mcts-nn",
        description=tr(
            "Monte Carlo tree search guided by the move network, which chooses the moves "
            "that are searched and plays the games out."
        ),
        source=(
            "M. Muzika, Application of Game Theoretic Algorithms to Gomoku, CTU Prague 2017; "
            "the network's weights trained here"
        ),
        factory="ai.players.published.mcts_nn:create",
        plain_nodes=4,
        title=tr("tree search with a move network"),
        short_name=tr("Guided Monte Carlo (mcts-nn)"),
        explains=tr("guided search"),
        rules=SQUARE,
        plays_other_games=False,
        settings_from="ai.players.published.mcts_nn:SETTINGS",
        supported_rules=FOUL_FREE,
    ),
    PlayerInfo(
        name="alphagomoku",
        portrait=("crown", "red"),
        description=tr(
            "Monte Carlo tree search guided by two policy-value networks, one for each "
            "color, trained by `train alphagomoku`."
        ),
        source=(
            "Z. Xie et al., AlphaGomoku: An AlphaGo-based Gomoku Artificial Intelligence "
            "using Curriculum Learning"
        ),
        factory="ai.players.published.alphagomoku:create",
        plain_nodes=60,
        title=tr("tree search with policy-value networks"),
        short_name=tr("AlphaGomoku"),
        explains=tr("guided search"),
        rules=SQUARE,
        plays_other_games=False,
        supported_rules=FOUL_FREE,
        ready_sizes=READY,
        settings_from="ai.players.published.alphagomoku:SETTINGS",
        levels=ALPHAGOMOKU,
    ),
    PlayerInfo(
        name="move-net",
        description=tr(
            "Plays the move that a small network, trained on games, finds likeliest; no search."
        ),
        source=(
            "M. Muzika, Application of Game Theoretic Algorithms to Gomoku, CTU Prague 2017; "
            "weights trained here, on games of pattern and minimax-q"
        ),
        factory="ai.players.published.move_net:create",
        title=tr("move network"),
        short_name=tr("Move network"),
        explains="network",
        rules=SQUARE,
        plays_other_games=False,
        settings_from="ai.players.published.move_net:SETTINGS",
        supported_rules=FOUL_FREE,
    ),
    PlayerInfo(
        name="one-ply",
        description=tr("Wins where it can, else stops a row, else plays any point."),
        source="none",
        factory="ai.players.one_ply:create",
        title=tr("one-ply rule"),
        explains="rule",
        rules=EVERY_RULE,
        supported_rules=ALL_RULES,
        settings_from="ai.players.one_ply:SETTINGS",
    ),
    PlayerInfo(
        name="random",
        portrait=("dice", "muted"),
        description=tr("Plays any empty point: the weakest yardstick."),
        source="none",
        factory="ai.players.random_player:create",
        title=tr("random player"),
        explains="",
        rules=ANY_GAME,
        supported_rules=ALL_RULES,
        plays_any_game=True,
    ),
    PlayerInfo(
        name="human",
        description=tr("A person who clicks on points."),
        source="you",
        factory="ai.players.human:create",
        title="you",
        explains="",
        rules=ANY_GAME,
        supported_rules=ALL_RULES,
        plays_any_game=True,
    ),
)

PLAYERS: Final[Mapping[str, PlayerInfo]] = MappingProxyType({info.name: info for info in _LISTED})
"""Shipped players by name; the strongest learner comes first."""


def list_players(project: Path | None = None) -> list[PlayerInfo]:
    """Return all players: those that Goishi includes, a project's, and the user's external engines.

    Args:
        project: folder of a project; None for no project.

    Raises:
        ProjectError: a file is invalid; the message names key, expected and found value.
    """
    own = read_players(project, PLAYERS) if project is not None else {}
    return [*PLAYERS.values(), *own.values(), *engine_players().values()]


def get_player_info(name: str, project: Path | None = None) -> PlayerInfo:
    """Return the registry entry of a player.

    `gomocup:NAME` is an external engine that the user has declared. Any other name with a colon is
    a function that creates a player, "module:callable", without settings.

    Args:
        name: name of the player, as the command `players` lists it.
        project: folder of a project that may add players; None for no project.

    Raises:
        UnknownPlayerError: no player has this name.
        ProjectError: the project's `goishi.toml` is invalid.
    """
    if name in PLAYERS:
        return PLAYERS[name]
    if name.startswith(PREFIX):
        return engine_info(name)
    if ":" in name:
        source = name.partition(":")[0]
        if source.partition(".")[0] in sys.stdlib_module_names:  # a scene may name it: no door
            raise UnknownPlayerError(f"expected a player or its module:callable, found {name!r}")
        return PlayerInfo(
            name,
            "A player of your own.",
            source,
            factory=name,
            project=project,
            plays_any_game=True,
        )
    known = {info.name: info for info in list_players(project)}
    if name not in known:
        expected = one_of(known, name)
        raise UnknownPlayerError(f"expected {expected}; found {name!r}", expected)
    return known[name]


def find_player_info(name: str, project: Path | None = None) -> PlayerInfo:
    """Return a player's registry entry for display; never raise an error for an unknown name.

    For an unknown name, the entry holds only the name.

    Args:
        name: name of the player, as the command `players` lists it, or any other text.
        project: folder of a project that may add players; None for no project.
    """
    try:
        return get_player_info(name, project)
    except (UnknownPlayerError, ProjectError):
        return PlayerInfo(name, "", "")


def resolve_settings(info: PlayerInfo, given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return the values of all settings of a player: those given, checked, and defaults.

    Settings that no longer exist are dropped, see `REMOVED`.

    Args:
        info: the player's entry.
        given: values by key that differ from the defaults.

    Raises:
        OptionError: a key is unknown or a value is invalid.
    """
    removed = REMOVED.get(info.name, {})
    for key, kept in removed.items():
        if str(given.get(key, kept)) != kept:
            raise OptionError(
                f"{key}: expected {kept}, as {info.name} no longer has another, "
                f"found {given[key]!r}"
            )
    present = {key: value for key, value in given.items() if key not in removed}
    return resolve(info.settings, present, owner=info.name)


def split_label(text: str) -> tuple[str, dict[str, str]]:
    """Parse `NAME` or `NAME@KEY=VALUE,KEY=VALUE` into player and settings.

    >>> split_label("mcts@iterations=500,cp=0.7")
    ('mcts', {'iterations': '500', 'cp': '0.7'})

    Raises:
        OptionError: a part after the @ is not KEY=VALUE.
    """
    name, _, rest = text.partition("@")
    given: dict[str, str] = {}
    for pair in rest.split(",") if rest else ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise OptionError(f"expected KEY=VALUE after @, found {pair!r}")
        given[key.strip()] = value.strip()
    return name.strip(), given


def refusal_of(
    info: PlayerInfo, rules: Game, settings: Mapping[str, object] = MappingProxyType({})
) -> str:
    """Return why a player cannot play a game, as an error message; "" if it can.

    Args:
        info: the player's entry.
        rules: rules of the game.
        settings: given settings of the player. If they name a file of `weights`, the player may
            play on boards for which Goishi includes none.
    """
    from ai.game import Rules  # after the worker has set the environment that numpy reads

    smallest, largest = info.sizes
    for side in (rules.size, rules.rows):
        if not smallest <= side <= largest:
            return f"{info.name}: expected a board from {smallest} to {largest}, found {side}"
    if not isinstance(rules, Rules):
        if not info.plays_any_game:
            return f"{info.name}: expected an m,n,k game, found {rules!r}"
        if info.needs_lines and rules.lines() is None:
            return f"{info.name}: expected a game that names its lines, found {rules!r}"
    elif not (rules.is_plain or info.plays_other_games):
        return f"{info.name}: expected a square board without gravity, found {rules!r}"
    elif rules.rule not in info.supported_rules:
        known = " or ".join(info.supported_rules)
        return f"{info.name}: expected the rule {known}, found {rules.rule}"
    is_ready = not info.ready_sizes or rules.size in info.ready_sizes
    if not is_ready and settings.get(WEIGHTS, SHIPPED) == SHIPPED:
        known = ", ".join(map(str, info.ready_sizes))
        return (
            f"{info.name}: expected a board for which weights ship, of size {known}, or the "
            f"setting {WEIGHTS}, found {rules.size}"
        )
    return ""


def create_player(
    name: str,
    rules: Game,
    settings: Mapping[str, object] | None = None,
    *,
    project: Path | None = None,
) -> Player:
    """Create a player for a game; imports its code.

    Args:
        name: name of the player, as the command `players` lists it, or "module:callable".
        rules: rules of the game.
        settings: settings that differ from the player's defaults.
        project: folder of a project that may add players; None for no project.

    Raises:
        UnknownPlayerError: no player has this name, or its function cannot be found.
        OptionError: a setting is unknown or invalid, or the player does not play this game.
        ProjectError: the project's `goishi.toml` is invalid.
        MakerError: the function of a project's player failed, or returned no player.
    """
    info = get_player_info(name, project)
    resolved = resolve_settings(info, settings or {})
    check_game(info, rules, resolved)
    if info.project is None:
        return _made(info, rules, resolved)
    try:
        player = _made(info, rules, resolved)
    except (GoishiError, UnknownPlayerError, OptionError, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever the project's code raises
        from ai.game import RulesError  # after the worker has set the environment

        if isinstance(error, RulesError):
            raise
        raise maker_error(f"player {info.name}", error, info.project) from error
    if not callable(getattr(player, "choose", None)) or not hasattr(player, "close"):
        raise MakerError(
            f"player {info.name}: expected an object with choose and close from "
            f"{info.factory}, found {player!r:.80}"
        )
    return player


def _made(info: PlayerInfo, rules: Game, settings: Mapping[str, OptionValue]) -> Player:
    """Call the function of a player's entry, and return the player.

    Args:
        info: the entry.
        rules: rules of the game.
        settings: values of all settings.
    """
    factory = cast("Callable[[Game, Mapping[str, OptionValue]], Player]", info.load(info.factory))
    return factory(rules, settings)


def confined_settings(
    info: PlayerInfo, given: Mapping[str, object], project: Path | None
) -> dict[str, object]:
    """Return the settings that a scene gives a player; its files must lie inside the project.

    A scene from elsewhere is data, so it may not choose which of the user's files are read. The
    scenes of a project that the user trusts may name any file.

    Args:
        info: the player's entry.
        given: settings by key.
        project: folder of the scene's project; None if there is none.

    Returns:
        The settings; the paths of files in a project that is not trusted are absolute.

    Raises:
        OptionError: a file lies elsewhere, and the user does not trust the project.
    """
    found = dict(given)
    if project is None or may_import(project):
        return found
    for option in info.settings:
        value = found.get(option.key, "")
        if option.names and str(value) not in ("", *option.names):
            try:
                found[option.key] = str(resolve_in_project(project, str(value)))
            except ValueError as error:
                raise OptionError(
                    f"{option.key}: expected {error}, or any file once you trust the project "
                    f"(docs/security.md), found {str(value)!r:.200}"
                ) from None
    return found


def check_game(
    info: PlayerInfo, rules: Game, settings: Mapping[str, object] = MappingProxyType({})
) -> None:
    """Check by a player's entry that it plays a game, without importing the player.

    Args:
        info: the player's entry.
        rules: rules of the game.
        settings: settings that are given.

    Raises:
        OptionError: the player does not play this game.
    """
    refusal = refusal_of(info, rules, settings)
    if refusal:
        raise OptionError(refusal)


def describe_players(project: Path | None = None) -> list[JsonObject]:
    """Return the output of `players --json`: plain values, one entry per player.

    Args:
        project: folder of a project that may add players; None for no project.

    Raises:
        ProjectError: the project's `goishi.toml` is invalid.
    """
    return [info.as_dict() for info in list_players(project)]


__all__ = [
    "PLAYERS",
    "REMOVED",
    "PlayerInfo",
    "UnknownPlayerError",
    "check_game",
    "confined_settings",
    "create_player",
    "describe_players",
    "find_player_info",
    "get_player_info",
    "list_players",
    "load_target",
    "refusal_of",
    "resolve_settings",
    "split_label",
]
