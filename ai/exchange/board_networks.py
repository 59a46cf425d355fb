"""Networks that rate the points of a board as ONNX models: stones in, a share of each point out.

These are the self-teaching networks, and the network of `move-net`. The features that a network is
given, such as the state vector, are computed inside. So is the mean over the symmetries, where the
player takes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.exchange.graph import BATCH, ExchangeError, OnnxGraph, told
from ai.exchange.policies import channels_first
from ai.exchange.views import averaged, turned
from ai.game import Game, Rules
from ai.memory.lines import LineReader, line_responses
from ai.nets.architecture import (
    CONVOLUTION,
    LINES,
    NO_NETWORK,
    Architecture,
    check_weights,
)
from ai.nets.features import (
    PLANES,
    STATE_VECTOR,
    StateEncoder,
    build_architecture,
    build_encoder,
    played_images,
)
from ai.nets.move_net import MoveNetwork, architecture_of

if TYPE_CHECKING:
    from base.schema import OptionValue

    Weights = Mapping[str, NDArray[np.float32]]

OUT: Final = 1e30
"""What is taken off the logit of a point that cannot be played, so that its share is 0."""
ORDER: Final = "rows from the top, then columns"
LEARNER_TEXT: Final = f"1 stones of the opponent, -1 own stones, 0 empty points; {ORDER}"
MOVER_TEXT: Final = f"1 stones of the side to move, -1 the other side's, 0 empty points; {ORDER}"
MOVE_TEXT: Final = "number of the point to play, row by row from the top left, from 0"


def self_teaching_graph(
    rules: Game,
    settings: Mapping[str, OptionValue],
    weights: Weights,
    description: str,
    facts: Mapping[str, object],
) -> OnnxGraph:
    """Return a self-teaching network as an ONNX model.

    Its input `stones` is `[batch, rows, columns]`. Its output `policy`, `[batch, rows * columns]`,
    is what the player takes as the shares of the points. Where each empty point can be played, or
    in an m,n,k game, a second output `move`, `[batch]`, is the playable point with the largest
    share.

    Args:
        rules: rules of the game.
        settings: all settings of the player.
        weights: the network's arrays by name.
        description: what the model is, for people.
        facts: further metadata by key.

    Raises:
        ExchangeError: the player has no network, or learns by lines in a game whose own method
            `legal` says what can be played.
        OptionError: a setting is invalid.
        WeightsError: the weights do not fit the settings.
    """
    encoder = build_encoder(rules, settings)
    architecture = build_architecture(rules, settings, channels=encoder.channels)
    if architecture.layout == NO_NETWORK:
        raise ExchangeError("expected a player with a network, found one that has its memory alone")
    arrays = check_weights(architecture, weights)
    graph = OnnxGraph("self_teaching", description)
    graph.facts |= told(
        {
            "kind": "self-teaching network",
            "description": description,
            **facts,
            "rules": rules.as_dict(),
            "settings": dict(settings),
        }
    )
    stones = graph.input("stones", [BATCH, rules.rows, rules.size], LEARNER_TEXT)
    flat = graph.add("Flatten", stones, axis=1)
    is_known = isinstance(rules, Rules) or type(rules).legal is Game.legal
    if architecture.layout == LINES:
        if not is_known:
            raise ExchangeError(
                "expected a game without a method `legal` of its own for a network of lines, "
                f"found {rules!r}"
            )
        policy = _line_shares(graph, rules, settings, architecture, arrays, flat)
        meaning = "share of each point that can be played, sum 1; 0 for all others"
    else:
        policy = _averaged_shares(graph, rules, settings, encoder, architecture, arrays, flat)
        meaning = "share of each point, those with stones included, sum 1"
    graph.output(policy, "policy", [BATCH, rules.points], f"{meaning}; row by row from the top")
    if is_known:
        _add_move(graph, policy, _playable(graph, rules, flat))
    return graph


def move_net_graph(
    network: MoveNetwork, size: int, description: str, facts: Mapping[str, object]
) -> OnnxGraph:
    """Return the network of `move-net` as an ONNX model.

    Its input `stones` is `[batch, n, n]`. Its output `policy`, `[batch, n * n]`, is the share of
    each empty point. On the empty board the middle point has 1, as the player has it.

    Args:
        network: the network.
        size: points along a side of the board, n.
        description: what the model is, for people.
        facts: further metadata by key.
    """
    architecture = architecture_of(network.weights, size, network.views)
    graph = OnnxGraph("move_net", description)
    graph.facts |= told(
        {
            "kind": "move-net",
            "description": description,
            **facts,
            "board": size,
            "card": network.card,
        }
    )
    stones = graph.input("stones", [BATCH, size, size], MOVER_TEXT)
    flat = graph.add("Flatten", stones, axis=1)
    logits = _viewed_logits(graph, architecture, network.weights, flat)
    empty = _empty(graph, flat)
    masked = graph.add("Sub", logits, _closed(graph, empty))
    shares = graph.add("Mul", graph.add("Softmax", masked, axis=1), empty)
    begins = graph.add("ReduceMin", empty, axes=[1], keepdims=1)  # 1 on the empty board, else 0
    middle = np.zeros(size * size, np.float32)
    middle[size // 2 * size + size // 2] = 1.0
    first = graph.add("Mul", begins, graph.constant(middle))
    later = graph.add("Mul", graph.add("Sub", graph.constant(np.float32(1.0)), begins), shares)
    policy = graph.add("Add", first, later)
    meaning = "share of each empty point, sum 1; 0 where a stone stands; row by row from the top"
    graph.output(policy, "policy", [BATCH, size * size], meaning)
    _add_move(graph, policy, empty)
    return graph


# -- what can be played ----------------------------------------------------------------------------


def _empty(graph: OnnxGraph, flat: str) -> str:
    """Return `[batch, A]` 1 for each empty point, 0 for the others."""
    return graph.add("Sub", graph.constant(np.float32(1.0)), graph.add("Abs", flat))


def _closed(graph: OnnxGraph, playable: str) -> str:
    """Return `[batch, A]` 0 for each point that can be played, `OUT` for the others."""
    others = graph.add("Sub", graph.constant(np.float32(1.0)), playable)
    return graph.add("Mul", others, graph.constant(np.float32(OUT)))


def _playable(graph: OnnxGraph, rules: Game, flat: str) -> str:
    """Return `[batch, A]` 1 for each point that can be played, 0 for the others."""
    empty = _empty(graph, flat)
    if not (isinstance(rules, Rules) and rules.gravity):
        return empty
    size = rules.size
    ends = graph.constant(np.array([0, 0, 0, size], np.int64))
    one = graph.constant(np.float32(1.0))
    floored = graph.add("Pad", graph.add("Abs", flat), ends, one)
    starts, stops, axes = (
        graph.constant(np.array([each], np.int64)) for each in (size, rules.points + size, 1)
    )
    return graph.add("Mul", empty, graph.add("Slice", floored, starts, stops, axes))


def _add_move(graph: OnnxGraph, policy: str, playable: str) -> None:
    """Add the output `move`: the playable point with the largest share, the first of equal ones."""
    others = graph.add("Sub", playable, graph.constant(np.float32(1.0)))
    below = graph.add("Mul", others, graph.constant(np.float32(2.0)))  # shares are 1 at most
    move = graph.add("ArgMax", graph.add("Add", policy, below), axis=1, keepdims=0)
    graph.output(move, "move", [BATCH], MOVE_TEXT, dtype="int64")


# -- networks on planes ----------------------------------------------------------------------------


def _averaged_shares(
    graph: OnnxGraph,
    rules: Game,
    settings: Mapping[str, OptionValue],
    encoder: StateEncoder,
    architecture: Architecture,
    weights: Weights,
    flat: str,
) -> str:
    """Return `[batch, A]` the network's shares, the mean over the symmetries that are played."""
    images = played_images(rules, settings)
    if len(images) > 1:
        flat = graph.reshaped(turned(graph, flat, images), [-1, rules.points])
    features = _features(graph, encoder, architecture, flat)
    shares = graph.add("Softmax", _logits(graph, architecture, weights, features), axis=1)
    return averaged(graph, shares, images) if len(images) > 1 else shares


def _features(
    graph: OnnxGraph, encoder: StateEncoder, architecture: Architecture, flat: str
) -> str:
    """Return `[batch, C, rows, columns]` the input of the network."""
    shape = [-1, 1, architecture.rows, architecture.size]
    if encoder.encoding == STATE_VECTOR:
        each_point = np.eye(encoder.points, dtype=np.int8)
        matrix = encoder.features(each_point)[..., 0]  # its rows are the answers to single stones
        return graph.reshaped(graph.add("MatMul", flat, graph.constant(matrix)), shape)
    theirs = graph.add("Relu", flat)
    planes = [theirs, graph.add("Relu", graph.add("Neg", flat))]
    if encoder.encoding != PLANES:
        planes.append(_empty(graph, flat))
    return graph.add("Concat", *(graph.reshaped(plane, shape) for plane in planes), axis=1)


def _viewed_logits(
    graph: OnnxGraph, architecture: Architecture, weights: Weights, flat: str
) -> str:
    """Return `[batch, A]` logits of stones `[batch, A]`, of one view of the board or of two."""
    shape = [-1, 1, architecture.rows, architecture.size]
    logits = _logits(graph, architecture, weights, graph.reshaped(flat, shape))
    if architecture.views == 1:
        return logits
    grid = np.arange(architecture.points).reshape(architecture.rows, architecture.size)
    mirror = grid[None, :, ::-1].reshape(1, -1)
    other = graph.reshaped(turned(graph, flat, mirror), shape)
    mirrored = turned(graph, _logits(graph, architecture, weights, other), mirror)
    return graph.add("Add", logits, mirrored)


def _logits(graph: OnnxGraph, architecture: Architecture, weights: Weights, features: str) -> str:
    """Return `[batch, A]` logits for features `[batch, C, rows, columns]`."""
    totals: list[str] = []
    for chain in architecture.chains:
        value, shape = features, (architecture.rows, architecture.size, architecture.channels)
        is_picture = True
        for number, layer in enumerate(chain):
            kernel, bias = weights[f"{layer.name}.kernel"], weights[f"{layer.name}.bias"]
            if layer.kind == CONVOLUTION:
                value = graph.convolution(value, kernel, bias, padding=layer.kernel // 2)
                shape = (*shape[:2], layer.outputs)
            else:
                if is_picture:
                    value = graph.add("Flatten", value, axis=1)
                    kernel = channels_first(kernel, shape)
                    is_picture = False
                value = graph.dense(value, kernel, bias)
            if number < len(chain) - 1:
                value = graph.add("Relu", value)
        totals.append(graph.add("Flatten", value, axis=1))
    total = totals[0]
    for other in totals[1:]:
        total = graph.add("Add", total, other)
    return total


# -- networks along lines --------------------------------------------------------------------------


def _line_shares(
    graph: OnnxGraph,
    rules: Game,
    settings: Mapping[str, OptionValue],
    architecture: Architecture,
    weights: Weights,
    flat: str,
) -> str:
    """Return `[batch, A]` the shares of `cnn-lines`: of the points that can be played."""
    reader = LineReader.of(rules)
    responses = line_responses(architecture.line_reach, architecture.line_width)
    worths = responses @ weights["lines.kernel"][:, 0]
    table = worths[reader.numbers_of_sides()].reshape(-1)
    logits = _line_sums(graph, reader, table, flat)
    logits = graph.add("Add", logits, graph.constant(weights["lines.bias"]))
    own = float(cast("float", settings["own"]))
    if own != 0.0:
        sums = _line_sums(graph, reader, table, graph.add("Neg", flat))
        sums = graph.add("Mul", sums, graph.constant(np.float32(own)))
        logits = graph.add("Add", logits, sums)
    playable = _playable(graph, rules, flat)
    masked = graph.add("Sub", logits, _closed(graph, playable))
    return graph.add("Softmax", masked, axis=1)


def _line_sums(graph: OnnxGraph, reader: LineReader, table: NDArray[np.float32], flat: str) -> str:
    """Return `[batch, A]` the sum of what the lines through each point are worth.

    Args:
        graph: the model.
        reader: reads line situations.
        table: `[S * S]` what the line with each two sides is worth.
        flat: name of the stones, `[batch, A]`: the opponent's 1, own -1.
    """
    reach, one = reader.reach, graph.constant(np.float32(1.0))
    ends = graph.constant(np.array([0, 0, 0, 1], np.int64))
    padded = graph.add("Pad", flat, ends, graph.constant(np.float32(-1.0)))  # outside: closed
    places = graph.constant(reader.places.reshape(-1).astype(np.int64))
    cells = graph.add("Gather", padded, places, axis=1)
    cells = graph.reshaped(cells, [-1, reader.points * reader.lines * 2, reach])
    closing = graph.add("Relu", graph.add("Neg", cells))
    met = graph.add("CumSum", closing, graph.constant(np.int64(2)))  # closing cells so far
    is_open = graph.add("Sub", one, graph.add("Min", met, one))
    digits = graph.add("Mul", graph.add("Add", cells, one), is_open)
    pairs = graph.reshaped(digits, [-1, reader.points * reader.lines, 2 * reach])
    powers = 3 ** np.arange(reach)
    column = np.concatenate([powers * 3**reach, powers]).astype(np.float32)[:, None]
    numbers = graph.cast(graph.add("MatMul", pairs, graph.constant(column)), "int64")
    worths = graph.add("Gather", graph.constant(table), numbers, axis=0)
    worths = graph.reshaped(worths, [-1, reader.points, reader.lines])
    return graph.add("ReduceSum", worths, graph.constant(np.array([2], np.int64)), keepdims=0)


__all__ = ["move_net_graph", "self_teaching_graph"]
