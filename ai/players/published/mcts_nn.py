"""The guided Monte Carlo player: tree search with a network.

The network selects the moves to search and plays the games out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from ai.game import Rules
from ai.players.published.mcts import TreePlayer, searching
from ai.players.published.move_net import NETWORK, network_of
from ai.search.uct import CP, GUIDED_MEMORY, THRESHOLD, GuidedUct
from base.schema import Option, OptionValue

SETTINGS: Final = (
    Option(
        "iterations",
        500,
        1,
        help="iterations of a move where neither its seconds nor its nodes are limited",
    ),
    Option("cp", CP, 0.0, 10.0, help="exploration: Cp of V = mean + 2 Cp sqrt(2 ln N / n)"),
    Option(
        "threshold",
        THRESHOLD,
        0.0,
        1.0,
        help="share of the network above which a move is searched; the document's is 0.013",
    ),
    Option(
        "fives_first",
        False,
        help="whether a simulation makes and stops fives before it asks the network",
    ),
    Option("keep_tree", True, help="whether a move goes on with the tree of the one before"),
    Option("memory", GUIDED_MEMORY, 1, 16_384, help="bound of the tree, MiB"),
    NETWORK,
)
UNCOMPILED: Final = 1
"""Maximum number of iterations per move while the kernels are not compiled.

Each iteration then takes 1,000 times as long.
"""


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> TreePlayer:
    """Create the player; called by the registry.

    Raises:
        OptionError: the network's file cannot be used.
    """
    search = GuidedUct(
        rules,
        network_of(settings, rules.size),
        cp=cast("float", settings["cp"]),
        threshold=cast("float", settings["threshold"]),
        fives_first=cast("bool", settings["fives_first"]),
        keeps_tree=cast("bool", settings["keep_tree"]),
        memory=cast("int", settings["memory"]),
    )
    iterations = cast("int", settings["iterations"])
    return TreePlayer("mcts-nn", searching(search), iterations=iterations, uncompiled=UNCOMPILED)
