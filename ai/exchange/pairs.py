"""The networks of `alphagomoku` as an ONNX model: planes in, a policy and a value out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.exchange.graph import BATCH, Dimensions, ExchangeError, OnnxGraph, told
from ai.exchange.policies import channels_first
from ai.exchange.views import averaged, turned
from ai.nets.policy_value import (
    PLANES,
    PolicyValueArchitecture,
    architecture_of,
    fold,
)

TAKEN: Final = 1e30
"""What is taken off the logit of a point that is taken, so that its share is 0."""
PLANES_TEXT: Final = (
    "0 or 1, rows from the top, then columns, then three planes: stones of the side to move, "
    "stones of the other side, the other side's last move (empty before the first)"
)
POLICY_TEXT: Final = (
    "share of each point, row by row from the top left; 0 where a stone stands, sum 1"
)
VALUE_TEXT: Final = "expected result for the side to move: -1 lost, 0 drawn, 1 won"
COLOR_TEXT: Final = "side to move: 1 Black, -1 White; it says which of both networks answers"


def pair_graph(
    networks: Mapping[str, Mapping[str, NDArray[np.float32]]],
    size: int,
    description: str,
    facts: Mapping[str, object],
    *,
    images: NDArray[np.intp] | None = None,
) -> OnnxGraph:
    """Return one or two policy-value networks as an ONNX model.

    Its input `planes` is `[batch, n, n, 3]`. Its outputs are `policy`, `[batch, n * n]`, and
    `value`, `[batch]`. With two networks an input `to_move` says which one answers.

    Args:
        networks: arrays of a network by the color that it plays, "black" or "white"; one entry for
            a model with a single network.
        size: points along a side of the board, n.
        description: what the model is, for people.
        facts: further metadata by key.
        images: `[S, A]` symmetries over which the answers are averaged; None for no averaging.

    Raises:
        ExchangeError: the networks do not fit the board.
    """
    graph = OnnxGraph("policy_value", description)
    graph.facts |= told(
        {"kind": "policy-value", "description": description, **facts, "board": size}
    )
    first = next(iter(networks.values()))
    is_any_size = images is None and architecture_of(first).is_pooled
    sides: Dimensions = ["rows", "columns"] if is_any_size else [size, size]
    planes = graph.input("planes", [BATCH, *sides, PLANES], PLANES_TEXT)
    seen = planes if images is None else _turned_planes(graph, planes, images, size)
    answers = [_network(graph, arrays, seen, size) for arrays in networks.values()]
    if images is not None:
        answers = [
            (averaged(graph, policy, images), _mean_value(graph, value, len(images)))
            for policy, value in answers
        ]
    policy, value = answers[0]
    if len(answers) == 2:
        color = graph.input("to_move", [BATCH], COLOR_TEXT)
        policy, value = _chosen(graph, color, answers)
    points = "points" if is_any_size else size * size
    graph.output(policy, "policy", [BATCH, points], POLICY_TEXT)
    graph.output(value, "value", [BATCH], VALUE_TEXT)
    return graph


def _turned_planes(graph: OnnxGraph, planes: str, images: NDArray[np.intp], size: int) -> str:
    flat = graph.reshaped(planes, [-1, size * size, PLANES])
    return graph.reshaped(turned(graph, flat, images), [-1, size, size, PLANES])


def _mean_value(graph: OnnxGraph, value: str, count: int) -> str:
    rows = graph.reshaped(value, [-1, count])
    return graph.add("ReduceMean", rows, axes=[1], keepdims=0)


def _network(
    graph: OnnxGraph, arrays: Mapping[str, NDArray[np.float32]], planes: str, size: int
) -> tuple[str, str]:
    """Add a network; return the names of its policy `[batch, A]` and its value `[batch]`."""
    try:
        architecture = architecture_of(arrays, size)
    except ValueError as error:
        raise ExchangeError(str(error)) from error
    folded = fold(architecture, dict(arrays))
    images = graph.add("Transpose", planes, perm=[0, 3, 1, 2])
    tower = _tower(graph, architecture, folded, images)
    logits, seen = _heads(graph, architecture, folded, tower)
    hidden = graph.add("Relu", _dense(graph, folded, "value_hidden", seen))
    value = graph.add("Tanh", _dense(graph, folded, "value_out", hidden))
    return _shares(graph, logits, images), graph.reshaped(value, [-1])


def _tower(
    graph: OnnxGraph, architecture: PolicyValueArchitecture, folded: Mapping[str, Any], images: str
) -> str:
    """Add the residual tower; return the name of its planes `[batch, F, n, n]`."""

    def convolved(value: str, name: str) -> str:
        kernel, bias = folded[f"{name}.kernel"], folded[f"{name}.bias"]
        return graph.convolution(value, kernel, bias, padding=1)

    layers = architecture.tower
    tower = graph.add("Relu", convolved(images, layers[0].name))
    for first, second in zip(layers[1::2], layers[2::2], strict=True):
        inner = graph.add("Relu", convolved(tower, first.name))
        tower = graph.add("Relu", graph.add("Add", convolved(inner, second.name), tower))
    return tower


def _heads(
    graph: OnnxGraph, architecture: PolicyValueArchitecture, folded: Mapping[str, Any], tower: str
) -> tuple[str, str]:
    """Add both heads up to the logits and to what the value's dense layers see.

    Returns:
        Names of the logits `[batch, A]` and of the numbers `[batch, k]`.
    """

    def convolved(value: str, name: str) -> str:
        return graph.convolution(value, folded[f"{name}.kernel"], folded[f"{name}.bias"])

    policy = convolved(tower, "policy_conv")
    value = graph.add("Relu", convolved(tower, "value_conv"))
    if architecture.is_pooled:
        shift = _dense(graph, folded, "policy_pool", _pools(graph, tower))
        shift = graph.reshaped(shift, [-1, architecture.filters, 1, 1])
        policy = graph.add("Relu", graph.add("Add", policy, shift))
        logits = graph.add("Flatten", convolved(policy, "policy_out"), axis=1)
        return logits, _pools(graph, value)
    size = architecture.size
    flat = graph.add("Flatten", graph.add("Relu", policy), axis=1)
    kernel = folded["policy_out.kernel"]
    shape = (size, size, len(kernel) // (size * size))
    logits = graph.dense(flat, channels_first(kernel, shape), folded["policy_out.bias"])
    return logits, graph.add("Flatten", value, axis=1)


def _dense(graph: OnnxGraph, folded: Mapping[str, Any], name: str, value: str) -> str:
    return graph.dense(value, folded[f"{name}.kernel"], folded[f"{name}.bias"])


def _pools(graph: OnnxGraph, value: str) -> str:
    """Return `[batch, 2 C]` the mean and the maximum of each plane of `[batch, C, n, n]`."""
    pools = [graph.add(each, value) for each in ("GlobalAveragePool", "GlobalMaxPool")]
    return graph.add("Flatten", graph.add("Concat", *pools, axis=1), axis=1)


def _shares(graph: OnnxGraph, logits: str, images: str) -> str:
    """Return the softmax of logits over the empty points.

    Args:
        graph: the model.
        logits: name of the logits, `[batch, A]`.
        images: name of the planes, `[batch, 3, n, n]`.
    """
    starts, ends, axes = (graph.constant(np.array([each], np.int64)) for each in (0, 2, 1))
    stones = graph.add("Slice", images, starts, ends, axes)
    taken = graph.add("ReduceMax", graph.add("Abs", stones), axes=[1], keepdims=0)
    taken = graph.add("Min", graph.add("Flatten", taken, axis=1), graph.constant(np.float32(1.0)))
    off = graph.add("Mul", taken, graph.constant(np.float32(TAKEN)))
    return graph.add("Softmax", graph.add("Sub", logits, off), axis=1)


def _chosen(graph: OnnxGraph, color: str, answers: list[tuple[str, str]]) -> tuple[str, str]:
    """Return the answers of the network of the side to move.

    Args:
        graph: the model.
        color: name of the side to move, `[batch]` 1 or -1.
        answers: names of Black's policy and value, then of White's.
    """
    one, half = graph.constant(np.float32(1.0)), graph.constant(np.float32(0.5))
    black = graph.add("Mul", graph.add("Add", color, one), half)
    white = graph.add("Sub", one, black)
    (black_policy, black_value), (white_policy, white_value) = answers
    value = graph.add(
        "Add", graph.add("Mul", black, black_value), graph.add("Mul", white, white_value)
    )
    black, white = (graph.reshaped(each, [-1, 1]) for each in (black, white))
    policy = graph.add(
        "Add", graph.add("Mul", black, black_policy), graph.add("Mul", white, white_policy)
    )
    return policy, value


__all__ = ["pair_graph"]
