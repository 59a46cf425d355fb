"""The player of AlphaGomoku: Monte Carlo tree search guided by two networks, one per color.

Each network returns a policy (a probability for each move) and a value (the expected result).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, cast

from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import Rules
from ai.nets.architecture import WeightsError
from ai.nets.policy_value import NetworkPair, load_pair
from ai.players.level_player import LevelPlayer
from ai.players.levels import ALPHAGOMOKU, Level, level_of
from ai.players.levels import OPTION as LEVEL
from ai.players.published.mcts import TreePlayer, comparing
from ai.search.puct import (
    BATCH,
    DECAY,
    MEMORY,
    SIMULATIONS,
    STOCHASTIC_PLIES,
    TEMPERATURE,
    C,
    Policy,
    Puct,
    PuctSettings,
)
from base.files import SHIPPED_ROOT
from base.schema import Option, OptionError, OptionValue
from base.storage.card_file import CardFileError

SHIPPED: Final = "shipped"
WEIGHTS_OF_SIZE: Final = "assets/players/alphagomoku_{size}.npz"
"""Path of the file with the pair of networks that Goishi includes for boards of one size."""
WEIGHTS_OF_ANY: Final = "assets/players/alphagomoku_any.npz"
"""Path of the file with the pair of networks that Goishi includes for all other board sizes.

These networks have pooling, so that they fit boards of any size.
"""
REDUCTION: Final = 0.2
LEAF_FOURS: Final = 100
"""Maximum number of fours tried in each position of the search tree.

They take 5 % of the time on 15x15.
"""
UNCOMPILED: Final = 24
"""Maximum number of simulations per move while the kernels are not compiled."""

SETTINGS: Final = (
    Option(
        "weights",
        SHIPPED,
        help="pair of networks that `train alphagomoku` wrote",
        names=(SHIPPED,),
    ),
    Option(
        "simulations",
        SIMULATIONS,
        1,
        help="simulations of a move where neither its seconds nor its nodes are limited",
    ),
    Option("c", C, 0.0, 100.0, help="weight of the networks' shares against the values found"),
    Option(
        "reduction",
        REDUCTION,
        -1.0,
        2.0,
        help="how much less than the position so far a move is taken "
        "to be worth before its first visit; below 0: it is worth 0",
    ),
    Option("decay", DECAY, 0.01, 1.0, help="share of a value that is left one ply up"),
    Option(
        "policy",
        "deterministic",
        choices=("deterministic", "stochastic", "semi-stochastic"),
        help="how visits become a move; semi-stochastic: drawn at the begin of a game only",
    ),
    Option("temperature", TEMPERATURE, 0.01, 100.0, help="of drawn moves: visits^(1/temperature)"),
    Option(
        "stochastic_plies",
        STOCHASTIC_PLIES,
        0,
        help="plies of a game in which semi-stochastic draws",
    ),
    Option("noise", 0.0, 0.0, 1.0, help="share of random noise in the first moves' shares"),
    Option("batch", BATCH, 1, 64, help="positions that the networks judge at once"),
    Option("averaged", False, help="whether the networks judge all eight images of a position"),
    Option(
        "forced",
        True,
        help="whether fives are taken and fours answered, whatever the networks' shares",
    ),
    Option(
        "leaf_fours",
        LEAF_FOURS,
        0,
        10_000,
        help="fours tried in each position of the tree, at most, in search of a win by them",
    ),
    Option("vcf", True, help="whether wins by continuous fours are looked for first"),
    Option("keep_tree", True, help="whether a move goes on with the tree of the one before"),
    Option("memory", MEMORY, 1, 16_384, help="bound of the tree, MiB"),
    LEVEL,
)


@cache
def shipped_pair(size: int) -> NetworkPair:
    """Return the pair of networks that Goishi includes for boards of a size.

    Args:
        size: number of columns.

    Raises:
        CardFileError: the file is missing or cannot be read.
    """
    own = SHIPPED_ROOT / WEIGHTS_OF_SIZE.format(size=size)
    return load_pair(own if own.is_file() else SHIPPED_ROOT / WEIGHTS_OF_ANY)


def pair_of(settings: Mapping[str, OptionValue], size: int) -> NetworkPair:
    """Return the pair of networks for the setting `weights`.

    Args:
        settings: the player's settings; `weights` is "shipped" or the path of a file.
        size: number of columns of the board.

    Raises:
        OptionError: the file is missing or holds no pair.
    """
    name = cast("str", settings["weights"])
    try:
        return shipped_pair(size) if name == SHIPPED else load_pair(Path(name))
    except CardFileError as error:
        raise OptionError(f"weights: {error}") from None


def search_settings(settings: Mapping[str, OptionValue]) -> PuctSettings:
    """Return the settings of the search from a player's settings."""
    return PuctSettings(
        c=cast("float", settings["c"]),
        reduction=cast("float", settings["reduction"]),
        decay=cast("float", settings["decay"]),
        policy=cast("Policy", settings["policy"]),
        temperature=cast("float", settings["temperature"]),
        stochastic_plies=cast("int", settings["stochastic_plies"]),
        noise=cast("float", settings["noise"]),
        batch=cast("int", settings["batch"]),
        forced=cast("bool", settings["forced"]),
        leaf_fours=cast("int", settings["leaf_fours"]),
        vcf=cast("bool", settings["vcf"]),
        keeps_tree=cast("bool", settings["keep_tree"]),
        memory=cast("int", settings["memory"]),
    )


def level_settings(level: Level) -> PuctSettings:
    """Return the settings of the search at a level of strength.

    Args:
        level: the level. Without fours, the search makes and stops no row by itself, either.
    """
    return PuctSettings(
        c=level.exploration,
        noise=level.noise,
        reduction=REDUCTION,
        forced=level.fours > 0,
        leaf_fours=level.fours,
        vcf=level.fours > 0,
        keeps_tree=False,
    )


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> TreePlayer | LevelPlayer:
    """Create the player, with its networks, at the level of its settings; called by the registry.

    Raises:
        OptionError: the networks' file cannot be used on this board.
    """
    pair = pair_of(settings, rules.size)
    level = level_of(settings, ALPHAGOMOKU)
    is_averaged = level is None and cast("bool", settings["averaged"])
    try:
        evaluator = PolicyValueEvaluator(rules, pair, is_averaged=is_averaged)
    except WeightsError as error:
        raise OptionError(f"weights: {settings['weights']}: {error}") from None
    simulations = cast("int", settings["simulations"])
    if level is not None:
        search = Puct(rules, evaluator, level_settings(level))
        own = None if simulations == SIMULATIONS else simulations
        return LevelPlayer(level, rules, comparing(level, search.search), own=own)
    search = Puct(rules, evaluator, search_settings(settings))
    return TreePlayer("alphagomoku", search.search, iterations=simulations, uncompiled=UNCOMPILED)
