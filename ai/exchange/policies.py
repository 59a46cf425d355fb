"""Trained policies of agents as ONNX models: an observation in, an action out.

The normalisation of observations and the bounds of actions are inside. So another program gives
the model what the agent would see, and does what comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.exchange.graph import BATCH, ExchangeError, OnnxGraph, told
from base.policies.policy import (
    CLIP,
    TANH,
    Layers,
    PlainSpace,
    Policy,
    bounds_of,
    is_image,
    space_text,
)

MOST_LISTED: Final = 4096
"""Maximum number of bounds that are listed one by one in the metadata."""


@dataclass(frozen=True)
class AgentWords:
    """What an agent says of its numbers; empty where it is unknown.

    Attributes:
        description: what it sees and does, for people.
        observation: names of an observation's numbers, in their order.
        action: names of the discrete actions, or of the numbers of an action.
    """

    description: str = ""
    observation: Sequence[str] = ()
    action: Sequence[str] = ()


def policy_graph(
    policy: Policy,
    name: str,
    description: str,
    facts: Mapping[str, object],
    words: AgentWords | None = None,
) -> OnnxGraph:
    """Return a policy as an ONNX model.

    Its input `observation` is `[batch, …]` as the agent sees it, pictures as `[batch, h, w, c]`
    from 0 to 255. Its output `action` is the most likely action, as `Policy.best` returns it. Its
    output `scores` is what `Policy.scores` returns.

    Args:
        policy: the policy.
        name: name of the model.
        description: what the agent sees and does, for people.
        facts: further metadata by key.
        words: what the agent says of its numbers; None if it is unknown.

    Raises:
        ExchangeError: the agent names another number of numbers than the policy has.
    """
    words = words or AgentWords()
    graph = OnnxGraph(name, description)
    shape = np.shape(policy.observation_space[1])
    graph.facts |= told(
        {
            "kind": "policy",
            "description": description,
            **facts,
            "observation": _space_facts(policy.observation_space, words.observation),
            "action": _space_facts(policy.action_space, words.action),
            "normalisation": {
                "mean": _numbers(policy.mean),
                "deviation": _numbers(policy.deviation),
                "clip": CLIP,
                "inside": True,
            },
            "spread": None
            if policy.log_deviation is None
            else _numbers(np.exp(policy.log_deviation)),
            "card": policy.card,
        }
    )
    seen = graph.input("observation", [BATCH, *shape], _seen_text(policy.observation_space))
    scores = _scores(graph, policy, seen)
    is_discrete = policy.action_space[0] == "discrete"
    if is_discrete:
        _add_choice(graph, policy.action_space, scores)
        meaning = "logits: one for each action, in their order; their softmax is how likely each is"
    else:
        _add_numbers(graph, policy, scores)
        meaning = "outputs of the network, from which the action's numbers are made"
    count = len(policy.layers[-1][1])
    graph.output(scores, "scores", [BATCH, count], meaning)
    return graph


def _scores(graph: OnnxGraph, policy: Policy, seen: str) -> str:
    """Add the normalisation and the layers; return the name of the network's outputs."""
    is_picture = is_image(policy.observation_space)
    value = seen if is_picture else graph.add("Flatten", seen, axis=1)
    value = graph.add("Sub", value, graph.constant(policy.mean.astype(np.float32)))
    value = graph.add("Div", value, graph.constant(policy.deviation.astype(np.float32)))
    low, high = (graph.constant(np.float32(sign * CLIP)) for sign in (-1.0, 1.0))
    value = graph.add("Clip", value, low, high)
    return _layers(graph, policy.layers, value, policy)


def _layers(graph: OnnxGraph, layers: Layers, value: str, policy: Policy) -> str:
    """Add the layers of a network; return the name of its outputs.

    Args:
        graph: the model.
        layers: the layers in order.
        value: name of the normalised observations.
        policy: the policy.
    """
    shape = np.shape(policy.observation_space[1])
    is_picture = is_image(policy.observation_space)
    if is_picture:
        value = graph.add("Transpose", value, perm=[0, 3, 1, 2])
    for number, (weights, biases) in enumerate(layers):
        if weights.ndim == 4:
            value = graph.add("Relu", graph.convolution(value, weights, biases, stride=2))
            high, wide, _, channels = weights.shape
            shape = ((shape[0] - high) // 2 + 1, (shape[1] - wide) // 2 + 1, channels)
            continue
        if is_picture:  # from here on numbers in a row, as they lie in a picture [h, w, c]
            value = graph.add("Flatten", value, axis=1)
            weights = channels_first(weights, shape)
            is_picture = False
        value = graph.dense(value, weights, biases)
        if number < len(layers) - 1:
            value = graph.add("Tanh" if policy.activation == TANH else "Relu", value)
    return value


def channels_first(weights: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the weights of a dense layer for pictures whose channels come first.

    Args:
        weights: `[h * w * c, out]`, for pictures `[h, w, c]`.
        shape: h, w and c.

    Returns:
        `[c * h * w, out]`, for pictures `[c, h, w]`.
    """
    high, wide, channels = shape
    turned = weights.reshape(high, wide, channels, -1).transpose(2, 0, 1, 3)
    return turned.reshape(len(weights), -1)


def _add_choice(graph: OnnxGraph, space: PlainSpace, scores: str) -> None:
    """Add the output `action` of a discrete space: the number of the likeliest action."""
    action = graph.add("ArgMax", scores, axis=1, keepdims=0)
    count, start = int(space[1]), int(space[2])
    action = graph.add("Add", action, graph.constant(np.int64(start)))
    meaning = f"number of the most likely action, {start} to {start + count - 1}"
    graph.output(action, "action", [BATCH], meaning, dtype="int64")


def _add_numbers(graph: OnnxGraph, policy: Policy, scores: str) -> None:
    """Add the output `action` of a box: its numbers, between the bounds."""
    space = policy.action_space
    low, high, middle, half = bounds_of(space)
    value = graph.add("Tanh", scores) if policy.is_squashed else scores
    value = graph.add("Mul", value, graph.constant(half))
    value = graph.add("Add", value, graph.constant(middle))
    value = graph.add("Max", value, graph.constant(low))
    value = graph.add("Min", value, graph.constant(high))
    shape = np.shape(space[1])
    if len(shape) != 1:
        value = graph.reshaped(value, [-1, *shape])
    is_whole = np.dtype(str(space[3])).kind in "iu"
    if is_whole:
        value = graph.cast(value, "int64")
    meaning = f"the most likely action's numbers, in their order: {space_text(space)}"
    kind = "int64" if is_whole else "float32"
    graph.output(value, "action", [BATCH, *shape], meaning, dtype=kind)


# -- what the numbers mean -------------------------------------------------------------------------


def _seen_text(space: PlainSpace) -> str:
    if is_image(space):
        shape = list(np.shape(space[1]))
        return f"pictures, 0 to 255, rows from the top, then columns, then colors: {shape}"
    return f"what the agent sees, before any normalisation, in its order: {space_text(space)}"


def _space_facts(space: PlainSpace, names: Sequence[str]) -> dict[str, object]:
    """Return what the metadata says of a space.

    Args:
        space: the space.
        names: names of its numbers or actions; () if they have none.

    Raises:
        ExchangeError: there are more or fewer names.
    """
    count = int(space[1]) if space[0] == "discrete" else int(np.size(space[1]))
    if names and len(names) != count:
        raise ExchangeError(f"names: expected {count}, found {len(names)}: {', '.join(names):.80}")
    listed = {"names": list(names)} if names else {}
    if space[0] == "discrete":
        return {"kind": "discrete", "n": count, "start": int(space[2]), **listed}
    return listed | {
        "kind": "box",
        "shape": list(np.shape(space[1])),
        "dtype": str(space[3]),
        "low": _numbers(np.asarray(space[1])),
        "high": _numbers(np.asarray(space[2])),
    }


def _numbers(values: NDArray[Any]) -> object:
    """Return numbers for JSON: one if all are equal, infinite ones as text."""
    flat = np.asarray(values).reshape(-1)
    listed: list[object] = [
        float(value) if np.isfinite(value) else str(float(value)) for value in flat
    ]
    if listed and all(each == listed[0] for each in listed):
        return listed[0]
    return listed if len(listed) <= MOST_LISTED else f"{len(listed)} numbers"


__all__ = ["AgentWords", "channels_first", "policy_graph"]
