"""The move network's player: plays the most probable point by a network, without a search."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, cast

import numpy as np

from ai.evaluators.move_net import MoveNetEvaluator
from ai.game import Position, Rules, open_board
from ai.nets.architecture import initial_weights
from ai.nets.move_net import MoveNetwork, load_move_net, move_net_architecture
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import NetworkAnswer
from base.files import SHIPPED_ROOT
from base.schema import Option, OptionError, OptionValue
from base.storage.card_file import CardFileError

NETWORK_FILE: Final = "assets/players/move_net.npz"
"""File of the network that Goishi includes; the `.json` file beside it describes it."""

EARLIER_FILE: Final = "assets/players/move_net_1.npz"
"""File of the network that was included before it, by which stored games were played."""

DENSE_FILE: Final = "assets/players/move_net_dense.npz"
"""File of the network with a dense output layer, for 15x15."""

EARLIER: Final = "earlier"
"""Name of the network that was shipped before; see `EARLIER_FILE`."""
DENSE: Final = "dense"
"""Name of the network with a dense output layer; see `DENSE_FILE`."""
UNTRAINED: Final = "untrained"
"""Name of a network with random weights, as the shipped one had before its training: a control."""
NETWORK: Final = Option(
    "network",
    "shipped",
    help="file that `train move-net` wrote; shipped: ours; earlier: the one shipped before; "
    "dense: a dense output layer, for 15x15 alone; untrained: random weights, a control",
    names=("shipped", EARLIER, DENSE, UNTRAINED),
)
SETTINGS: Final = (NETWORK,)


@cache
def shipped_network() -> MoveNetwork:
    """Return the shipped network.

    Raises:
        CardFileError: the file cannot be read.
    """
    return load_move_net(SHIPPED_ROOT / NETWORK_FILE)


@cache
def earlier_network() -> MoveNetwork:
    """Return the network that was shipped before; it learnt from games of 52 moves.

    Raises:
        CardFileError: the file cannot be read.
    """
    return load_move_net(SHIPPED_ROOT / EARLIER_FILE)


@cache
def dense_network() -> MoveNetwork:
    """Return the network with a dense output layer; it learnt from the shipped one's games.

    Raises:
        CardFileError: the file cannot be read.
    """
    return load_move_net(SHIPPED_ROOT / DENSE_FILE)


@cache
def untrained_network() -> MoveNetwork:
    """Return a network with random weights, which looks at as many views as the shipped one."""
    weights = initial_weights(move_net_architecture(15), 0)
    return MoveNetwork(weights, {"views": shipped_network().views})


_NAMED: Final = {
    NETWORK.default: shipped_network,
    EARLIER: earlier_network,
    DENSE: dense_network,
    UNTRAINED: untrained_network,
}


def network_of(settings: Mapping[str, OptionValue], size: int | None = None) -> MoveNetwork:
    """Return the network for the setting `network`.

    Args:
        settings: the player's settings; `network` is one of the names above or the path of a file.
        size: points along a side of the board to play on; None for the network's own.

    Raises:
        OptionError: the file is missing, holds no network of this player, or one of another board.
    """
    name = cast("str", settings["network"])
    try:
        network = _NAMED[name]() if name in _NAMED else load_move_net(Path(name))
    except CardFileError as error:
        raise OptionError(f"network: {error}") from None
    if size is not None and network.board not in (None, size):
        raise OptionError(
            f"network: expected one for {size}x{size}, "
            f"found {name!r}, which is for {network.board}x{network.board}"
        )
    return network


class MoveNetPlayer:
    """Plays the empty point with the highest probability; explained by `NetworkAnswer`."""

    name = "move-net"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        self._evaluator = MoveNetEvaluator(rules, network_of(settings, rules.size))

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the likeliest point, whatever the limit; `rng` is not used."""
        board = open_board(board)
        shares = self._evaluator.shares(board)
        return MoveChoice(
            int(shares.argmax()),
            policy=shares,
            explanation=NetworkAnswer(probabilities=tuple(shares.tolist()), rank=1, masked=0),
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""


create: Final = MoveNetPlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""
