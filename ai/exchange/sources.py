"""Finds the network or policy that a name or a file stands for, and returns it as an ONNX model."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.exchange.board_networks import move_net_graph, self_teaching_graph
from ai.exchange.graph import ExchangeError, OnnxGraph
from ai.exchange.pairs import pair_graph
from ai.exchange.policies import AgentWords, policy_graph
from ai.game import Game, RulesError, game_of
from ai.game.lines import symmetries
from ai.nets.architecture import WeightArrays, WeightsError
from ai.nets.features import build_architecture, build_encoder
from ai.nets.move_net import FILE as MOVE_NET_FILE
from ai.nets.move_net import MoveNetwork, load_move_net
from ai.nets.policy_value import FILE as PAIR_FILE
from ai.nets.policy_value import NetworkPair, load_pair
from ai.players.base import PlayerError
from ai.players.frozen import FILE as FROZEN_FILE
from ai.players.frozen import FrozenPlayer
from ai.registry.freezing import freeze
from ai.registry.info import PlayerInfo, UnknownPlayerError
from ai.registry.players import get_player_info, resolve_settings, split_label
from ai.store.learnt_file import SUFFIX as LEARNT_SUFFIX
from ai.store.learnt_file import LearntFile, read_learnt
from base.files import SHIPPED_ROOT
from base.policies.policy import FILE as POLICY_FILE
from base.policies.policy import load_policy
from base.schema import OptionError, OptionValue
from base.spelling import one_of
from base.storage.card_file import SUFFIX, CardFileError, format_of

BOARD: Final = 15
COLORS: Final = ("black", "white")
SELF_TEACHING: Final = ("cnn-lines", "cnn-ann-plus", "cnn-ann")
"""Players whose network is what they have learnt."""
SEARCHING: Final = ("alphagomoku", "move-net", "mcts-nn")
"""Players whose network is in a file."""
NO_NETWORKS: Final[Mapping[str, str]] = {
    "ann": "its memory of situations, without a network",
    "ann-lines": "its memory of lines, without a network",
    "alpha-beta": "a search on patterns and whole numbers that are compiled with it",
    "human": "a person",
}
"""What plays in place of a network, by player."""
POLICIES: Final = "assets/policies"
POLICY: Final = "policy.npz"


@dataclass(frozen=True)
class Wish:
    """What a user asks for beside the source.

    Attributes:
        version: version of Goishi, for the metadata.
        board: points along a side; None for the network's own, or 15.
        color: "black" or "white" for one network of a pair; None for both.
        learnt: returns what a player has learnt in a scene, by the player's name.
    """

    version: str
    board: int | None = None
    color: str | None = None
    learnt: Callable[[str], LearntFile] | None = None


def network_of_source(source: str, wish: Wish) -> OnnxGraph:
    """Return a network as an ONNX model.

    Args:
        source: name of a player, `NAME@KEY=VALUE,…` with settings; or the path of a file of
            networks (`.npz`), of a file of what was learnt (`.learnt`) or of the folder of a run.
        wish: what else the user asked for.

    Raises:
        ExchangeError: there is no such network; the message says what was expected.
        CardFileError: the file is damaged, or of another kind.
        LearntFileError: the same, of a file of what was learnt.
    """
    path = Path(source).expanduser()
    try:
        if path.suffix == LEARNT_SUFFIX:
            return _with_board(_learnt_graph(read_learnt(path), wish, path.name), wish)
        if path.suffix == SUFFIX:
            return _file_graph(path, wish)
        if path.is_dir():
            return _with_board(_frozen_graph(freeze(path), wish, path.name), wish)
        return _player_graph(source, wish)
    except (WeightsError, OptionError, PlayerError, RulesError) as error:
        raise ExchangeError(f"{source}: {error}") from error


def policy_of_source(source: str, version: str, describe: Callable[[str], AgentWords]) -> OnnxGraph:
    """Return a policy as an ONNX model.

    Args:
        source: name of a shipped policy, or the path of a policy's file or of a training's folder.
        version: version of Goishi, for the metadata.
        describe: returns what the agent of a scene says of its numbers, by the scene's file name;
            "" if the policy does not name its scene.

    Raises:
        ExchangeError: there is no such policy.
        CardFileError: the file is damaged, or of another kind.
    """
    path = _policy_path(source)
    if path.is_file() and format_of(path) in _NETWORK_FORMATS:
        raise ExchangeError(
            f"{source}: expected a policy that `train ppo` or `train sac` has written, found a "
            "network of a player: export-net takes it"
        )
    policy = load_policy(path)
    scene = str(policy.card.get("scene", ""))
    words = describe(scene)
    learner = str(policy.card.get("learner", "")).upper()
    title = " ".join(part for part in (learner, "policy", f"of {scene}" if scene else "") if part)
    description = f"{title}. {words.description}".strip()
    facts = {"version": version, "source": path.name}
    return policy_graph(policy, path.stem, description, facts, words)


# -- policies --------------------------------------------------------------------------------------


def shipped_policies() -> list[str]:
    """Return the names of the policies that Goishi includes."""
    return sorted(path.stem for path in (SHIPPED_ROOT / POLICIES).glob(f"*{SUFFIX}"))


def _policy_path(source: str) -> Path:
    """Return the path of a policy's file; see `policy_of_source`."""
    path = Path(source).expanduser()
    if path.is_dir():
        files = sorted(path.glob("policy*.npz"))
        if len(files) == 1:
            return files[0]
        names = ", ".join(file.name for file in files) or f"no {POLICY}"
        raise ExchangeError(f"{source}: expected a folder with one policy, found {names}")
    if path.suffix == SUFFIX or path.is_file():
        return path
    known = shipped_policies()
    if source not in known:
        raise ExchangeError(
            f"expected a file of a policy (.npz), the folder of a training, or "
            f"{one_of(known, source)}; found {source!r:.80}"
        )
    return SHIPPED_ROOT / POLICIES / f"{source}{SUFFIX}"


# -- networks --------------------------------------------------------------------------------------

_NETWORK_FORMATS: Final = (PAIR_FILE.format, MOVE_NET_FILE.format, FROZEN_FILE.format)


def _file_graph(path: Path, wish: Wish) -> OnnxGraph:
    """Return the network of a card file, by the format that its card tells."""
    found = format_of(path)
    if found == PAIR_FILE.format:
        pair = load_pair(path)
        return _pair_graph(pair, wish.board or pair.architecture.size, wish, path.name)
    if found == MOVE_NET_FILE.format:
        return _move_net_graph(load_move_net(path), wish, path.name)
    if found == FROZEN_FILE.format:
        return _with_board(_frozen_graph(FrozenPlayer.load(path), wish, path.name), wish)
    if found == POLICY_FILE.format:
        raise ExchangeError(
            f"{path}: expected a network of a player, found a policy: export-policy takes it"
        )
    raise ExchangeError(
        f"{path}: expected networks of alphagomoku, of move-net or a frozen one, "
        f"found {found!r:.60}"
    )


def _player_graph(source: str, wish: Wish) -> OnnxGraph:
    """Return the network of a player by its name, with settings."""
    name, given = split_label(source)
    known = (*SEARCHING, *SELF_TEACHING)
    if name in NO_NETWORKS:
        raise ExchangeError(
            f"expected a player that plays by a network ({', '.join(known)}), found {name}, which "
            f"is {NO_NETWORKS[name]}"
        )
    try:
        info = get_player_info(name)
    except UnknownPlayerError:
        raise ExchangeError(
            f"expected {one_of(known, name)}, or a file (.npz, .learnt) or a run's folder with "
            f"a network; found {name!r:.80}"
        ) from None
    if name in SELF_TEACHING:
        return _own_graph(name, given, wish)
    if name not in SEARCHING:
        raise ExchangeError(
            f"expected a player that plays by a network ({', '.join(known)}), found {name}, which "
            "has none"
        )
    return _search_graph(name, info, given, wish)


def _search_graph(name: str, info: PlayerInfo, given: Mapping[str, str], wish: Wish) -> OnnxGraph:
    """Return the network of a player that keeps it in a file."""
    settings = resolve_settings(info, given)
    board = wish.board or BOARD
    if name == "alphagomoku":
        from ai.players.published.alphagomoku import pair_of

        return _pair_graph(
            pair_of(settings, board),
            board,
            wish,
            str(settings["weights"]),
            is_averaged=bool(settings["averaged"]),
        )
    from ai.players.published.move_net import network_of

    return _move_net_graph(network_of(settings), wish, str(settings["network"]))


def _own_graph(name: str, given: Mapping[str, str], wish: Wish) -> OnnxGraph:
    """Return the network that a self-teaching player has learnt in a scene."""
    if given:
        raise ExchangeError(
            f"{name}: expected the settings with which it learnt, found {', '.join(given)}"
        )
    if wish.learnt is None:
        raise ExchangeError(f"{name}: expected a file of what it has learnt, found its name alone")
    return _with_board(_learnt_graph(wish.learnt(name), wish, name), wish)


def _pair_graph(
    pair: NetworkPair, size: int, wish: Wish, source: str, *, is_averaged: bool = False
) -> OnnxGraph:
    arrays: dict[str, Mapping[str, NDArray[np.float32]]]
    if pair.white is pair.black:
        arrays = {"both": pair.black}
    elif wish.color is not None:
        arrays = {wish.color: pair.black if wish.color == "black" else pair.white}
    else:
        arrays = {"black": pair.black, "white": pair.white}
    description = (
        f"AlphaGomoku's policy-value networks ({', '.join(arrays)}) on {size}x{size}: what each "
        "move is likely to be, and who will win"
    )
    facts = {"version": wish.version, "source": source, "plays": list(arrays), "card": pair.card}
    images = symmetries(size) if is_averaged else None
    return pair_graph(arrays, size, description, facts, images=images)


def _move_net_graph(network: MoveNetwork, wish: Wish, source: str) -> OnnxGraph:
    size = wish.board or network.board or BOARD
    if network.board not in (None, size):
        only = f"{network.board}x{network.board}"
        raise ExchangeError(f"{source}: expected the board {only} of this network, found {size}")
    description = f"The network of move-net on {size}x{size}: what each move is likely to be"
    return move_net_graph(network, size, description, {"version": wish.version, "source": source})


def _frozen_graph(frozen: FrozenPlayer, wish: Wish, source: str) -> OnnxGraph:
    return _self_teaching(frozen.rules, frozen.settings, frozen.weights, wish, source, "")


def _learnt_graph(learnt: LearntFile, wish: Wish, source: str) -> OnnxGraph:
    """Return the network in a file of what was learnt."""
    from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights

    if learnt.player in NO_NETWORKS or CHECKPOINT_WEIGHTS not in learnt.files:
        what = NO_NETWORKS.get(learnt.player, "without a network")
        raise ExchangeError(
            f"{source}: expected a network, found what {learnt.player} has learnt, which is {what}"
        )
    if "create" in learnt.rules:
        raise ExchangeError(f"{source}: expected a game of Goishi, found one of a project")
    try:
        rules = game_of(learnt.rules)
        settings = resolve_settings(get_player_info(learnt.player), learnt.settings)
    except (UnknownPlayerError, TypeError) as error:
        raise ExchangeError(f"{source}: {error}") from error
    encoder = build_encoder(rules, settings)
    architecture = build_architecture(rules, settings, channels=encoder.channels)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / CHECKPOINT_WEIGHTS
        path.write_bytes(learnt.files[CHECKPOINT_WEIGHTS])
        try:
            weights = read_weights(path, architecture)
        except CardFileError as error:
            raise CardFileError(str(error).replace(str(path), source)) from error
    return _self_teaching(rules, settings, weights, wish, source, learnt.words)


def _self_teaching(
    rules: Game,
    settings: Mapping[str, OptionValue],
    weights: WeightArrays,
    wish: Wish,
    source: str,
    words: str,
) -> OnnxGraph:
    board = f"{rules.size}x{rules.rows}"
    description = f"A self-teaching network on {board}: where the opponent must be stopped"
    facts = {"version": wish.version, "source": source, "learnt": words}
    return self_teaching_graph(rules, settings, weights, description, facts)


def _with_board(graph: OnnxGraph, wish: Wish) -> OnnxGraph:
    """Return a model of a network that was learnt on one board, after a check of the user's wish.

    Raises:
        ExchangeError: the user asked for another board, or for the network of a color.
    """
    if wish.board is not None:
        raise ExchangeError("--board: expected no board for a network that was learnt on one")
    if wish.color is not None:
        raise ExchangeError("--color: expected no color for a network that plays both")
    return graph


__all__ = ["Wish", "network_of_source", "policy_of_source", "shipped_policies"]
