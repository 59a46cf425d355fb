"""Trained policies: small networks from a file, evaluated with NumPy alone.

A policy file is a card file (`base/storage/card_file.py`): arrays with a JSON header, the card. The
arrays hold the layers, the normalisation of observations and the bounds of both spaces. The card
describes the spaces and how the policy was trained.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from base.files import atomic_write
from base.policies.layers import windows
from base.storage.card_file import Arrays, CardFile, CardFileError
from base.values import JsonObject

FILE: Final = CardFile(
    "goishi.policy/1", "a policy that `train ppo` or `train sac` has written", most_bytes=64 << 20
)
TANH: Final = "tanh"
RELU: Final = "relu"
ACTIVATIONS: Final = (TANH, RELU)
"""Functions that may follow the dense layers of a policy."""
CLIP: Final = 10.0
"""Normalised observations are clipped to this many standard deviations."""

Floats: TypeAlias = NDArray[np.float32]
Layers: TypeAlias = tuple[tuple[Floats, Floats], ...]
"""Layers of a network in order, each as (weights, biases): first convolutions, then dense layers.

A dense layer has weights `[in, out]` and biases `[out]`. The policy's activation follows each one
but the last. A convolution has weights `[h, w, in, out]` and biases `[out]`. It has stride 2 and no
padding, and is followed by ReLU.
"""
PlainSpace: TypeAlias = tuple[Any, ...]
"""A space as a tuple of plain values, as `sim.core.script.spaces.plain_space` returns it."""


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """A trained policy.

    Attributes:
        observation_space: `("box", low, high, dtype)`; an image is uint8 `[h, w, c]`.
        action_space: `("discrete", n, start)`, or a box of one dimension.
        mean: mean of each number of the observations, `[n]`; for images of each channel, `[c]`.
        deviation: standard deviation, in the same shape as `mean`.
        layers: the network. Its input is a normalised observation. Its output is `[k]`: a logit for
            each discrete action, or the mean of each number of an action.
        log_deviation: logarithm of the standard deviation of each number of an action, `[k]`; None
            for discrete actions, and where it depends on the observation.
        card: metadata: how the policy was trained, and its results.
        activation: the function after the dense layers, a value of `ACTIVATIONS`.
        is_squashed: whether the numbers of an action are tanh of the network's outputs, so that
            they are between the bounds.
    """

    observation_space: PlainSpace
    action_space: PlainSpace
    mean: Floats
    deviation: Floats
    layers: Layers
    log_deviation: Floats | None = None
    card: JsonObject = field(default_factory=dict)
    activation: str = TANH
    is_squashed: bool = False

    def scores(self, observations: NDArray[Any]) -> Floats:
        """Return the network's outputs, `[B, k]`.

        They are logits for discrete actions; otherwise they are the means of the actions' numbers,
        before tanh where the policy is squashed.

        Args:
            observations: `[B, …]`.
        """
        rows = normalised(observations, self.mean, self.deviation)
        return forward(self.layers, rows, self.activation)

    def best(self, observations: NDArray[Any]) -> NDArray[Any]:
        """Return the most likely action for each of `[B, …]` observations."""
        scores = self.scores(observations)
        scores = np.tanh(scores) if self.is_squashed else scores
        return actions_of(self.action_space, most_likely(self.action_space, scores))

    def act(self, observation: NDArray[Any]) -> int | NDArray[Any]:
        """Return the most likely action for one observation.

        Args:
            observation: numbers in the shape of the observation space, `[…]`.

        Returns:
            A whole number for discrete actions, else an array `[k]`.
        """
        action = self.best(np.asarray(observation)[None])[0]
        return int(action) if self.action_space[0] == "discrete" else action

    def check(self, observation_space: PlainSpace, action_space: PlainSpace, where: str) -> None:
        """Check that the policy was trained for these spaces.

        Args:
            observation_space: the agent's observation space.
            action_space: the agent's action space.
            where: name of the agent in the error.

        Raises:
            CardFileError: it was trained for other spaces.
        """
        observations = ("observation", self.observation_space, observation_space)
        actions = ("action", self.action_space, action_space)
        for name, mine, other in (observations, actions):
            if not is_same_space(mine, other):
                raise CardFileError(
                    f"{where}: expected a policy for the {name} space {space_text(other)}, "
                    f"found one for {space_text(mine)}"
                )


def forward(layers: Layers, rows: Floats, activation: str = TANH) -> Floats:
    """Return a network's output `[B, k]` for observations `[B, n]` or images `[B, h, w, c]`.

    Args:
        layers: the network.
        rows: the observations, normalised.
        activation: the function after its dense layers, a value of `ACTIVATIONS`.
    """
    for weights, biases in layers[:-1]:
        if weights.ndim == 4:
            rows = np.maximum(convolved(rows, weights) + biases, np.float32(0.0))
        else:
            rows = rows.reshape(len(rows), -1) @ weights + biases
            rows = np.tanh(rows) if activation == TANH else np.maximum(rows, np.float32(0.0))
    weights, biases = layers[-1]
    found: Floats = rows.reshape(len(rows), -1) @ weights + biases
    return found


def convolved(rows: Floats, filters: Floats) -> Floats:
    """Return images convolved with filters, with stride 2 and no padding.

    Args:
        rows: images `[B, h, w, c]`.
        filters: `[y, x, c, k]`.

    Returns:
        `[B, (h - y) // 2 + 1, (w - x) // 2 + 1, k]`.
    """
    high, wide, channels, count = filters.shape
    seen = windows(rows, high, wide, stride=2)
    flat = seen.reshape(-1, high * wide * channels)
    return (flat @ filters.reshape(-1, count)).reshape(*seen.shape[:3], count)


def normalised(observations: NDArray[Any], mean: Floats, deviation: Floats) -> Floats:
    """Return observations minus their mean, divided by the standard deviation, clipped to `CLIP`.

    Args:
        observations: `[B, …]`.
        mean: mean of each number or image channel.
        deviation: standard deviation, same shape as `mean`.

    Returns:
        `[B, n]`; images keep their shape.
    """
    rows = np.asarray(observations, np.float32)
    rows = rows if rows.ndim == 4 else rows.reshape(len(rows), -1)
    found: Floats = np.clip((rows - mean) / deviation, -CLIP, CLIP)
    return found


def most_likely(space: PlainSpace, scores: Floats) -> NDArray[Any]:
    """Return the most likely raw actions from a network's outputs.

    Args:
        space: the action space.
        scores: outputs of the network, `[B, k]`.

    Returns:
        For a discrete space indices from 0, `[B]`; otherwise `scores` as the means, `[B, k]`.
    """
    found: NDArray[Any] = np.argmax(scores, axis=1) if space[0] == "discrete" else scores
    return found


def actions_of(space: PlainSpace, raw: NDArray[Any]) -> NDArray[Any]:
    """Convert actions from the form in which the network gives them to values of the space.

    Args:
        space: the action space.
        raw: for a discrete space, indices from 0, `[B]`. For a box, numbers `[B, k]`. If a number
            has both bounds, -1 and 1 stand for them. Numbers beyond the bounds are clipped.

    Returns:
        The actions, `[B, …]`.
    """
    if space[0] == "discrete":
        numbers: NDArray[Any] = raw + int(space[2])
        return numbers
    low, high, middle, half = bounds_of(space)
    found: NDArray[Any] = np.clip(middle + half * raw, low, high).astype(space[3])
    return found.reshape(len(raw), *np.shape(space[1]))


def bounds_of(space: PlainSpace) -> tuple[Floats, Floats, Floats, Floats]:
    """Return what raw numbers of an action mean: a raw number r stands for `middle + half * r`.

    Args:
        space: an action space that is a box of k numbers.

    Returns:
        `[k]` lower bounds, upper bounds, middles and halves of the widths. Numbers without both
        bounds have the middle 0 and the half 1.
    """
    low, high = (np.asarray(bound, np.float32).reshape(-1) for bound in space[1:3])
    is_bounded = np.isfinite(low) & np.isfinite(high)
    middle, half = np.zeros_like(low), np.ones_like(low)
    least, most = low[is_bounded], high[is_bounded]
    middle[is_bounded], half[is_bounded] = (least + most) / 2.0, (most - least) / 2.0
    return low, high, middle, half


# -- spaces ----------------------------------------------------------------------------------------


def is_same_space(one: PlainSpace, other: PlainSpace) -> bool:
    """Return whether two spaces, given as tuples of plain values, are equal.

    Args:
        one: a space.
        other: another space.
    """
    return space_text(one) == space_text(other) and all(
        np.array_equal(mine, its)
        for mine, its in zip(one[1:3], other[1:3], strict=True)
        if one[0] == "box"
    )


def space_text(space: PlainSpace) -> str:
    """Return a short text that describes a space."""
    if space[0] == "box":
        low, high = (np.asarray(bound).reshape(-1) for bound in space[1:3])
        bounds = ", ".join(f"{a:g} to {b:g}" for a, b in zip(low[:4], high[:4], strict=True))
        more = ", …" if low.size > 4 else ""
        return f"Box {list(np.shape(space[1]))} of {space[3]} ({bounds}{more})"
    if space[0] == "discrete":
        return f"Discrete {space[1]} from {space[2]}"
    return f"{space[0]} {space[1:]!r:.60}"


def _described(name: str, space: PlainSpace, arrays: dict[str, NDArray[Any]]) -> JsonObject:
    """Return how the card of a policy file describes a space.

    Args:
        name: "sees" for the observation space, "acts" for the action space.
        space: the space as a tuple of plain values.
        arrays: arrays of the policy file. The bounds of a box are added to them in place, under
            names such as "sees.low".
    """
    if space[0] == "discrete":
        return {"kind": "discrete", "n": int(space[1]), "start": int(space[2])}
    arrays[f"{name}.low"], arrays[f"{name}.high"] = (np.asarray(bound) for bound in space[1:3])
    return {"kind": "box", "dtype": str(space[3])}


def _space_of(name: str, metadata: Mapping[str, Any], arrays: Mapping[str, Any]) -> PlainSpace:
    if metadata["kind"] == "discrete":
        return ("discrete", int(metadata["n"]), int(metadata["start"]))
    if metadata["kind"] != "box":
        raise ValueError(f"the {name} space {metadata['kind']!r}")
    low, high, kind = arrays[f"{name}.low"], arrays[f"{name}.high"], np.dtype(metadata["dtype"])
    if low.shape != high.shape or kind.kind not in "biuf" or np.isnan([low, high]).any():
        raise ValueError(f"the {name} space of {kind} from {low.shape} to {high.shape} numbers")
    return ("box", low, high, str(metadata["dtype"]))


# -- the file --------------------------------------------------------------------------------------


def policy_bytes(policy: Policy) -> bytes:
    """Return the content that `save_policy` writes: the same bytes for equal policies."""
    arrays: dict[str, NDArray[Any]] = {"mean": policy.mean, "deviation": policy.deviation}
    for number, (weights, biases) in enumerate(policy.layers):
        arrays[f"weights.{number}"], arrays[f"biases.{number}"] = weights, biases
    if policy.log_deviation is not None:
        arrays["log_deviation"] = policy.log_deviation
    card = {
        **policy.card,
        "sees": _described("sees", policy.observation_space, arrays),
        "acts": _described("acts", policy.action_space, arrays),
    }
    if policy.activation != TANH or policy.is_squashed:  # older files have neither
        card["network"] = {"activation": policy.activation, "squashed": policy.is_squashed}
    return FILE.content(arrays, card)


def save_policy(path: Path, policy: Policy) -> None:
    """Write a policy file atomically, replacing any that exists.

    Raises:
        OSError: the file cannot be written.
    """
    atomic_write(path, policy_bytes(policy))


def load_policy(path: str | os.PathLike[str]) -> Policy:
    """Read a trained policy from its file: `load_policy("run/policy.npz").act(observation)`.

    It needs NumPy alone, so a script can use it in each frame, and a program without a scene.

    Args:
        path: a file that `train ppo` has written.

    Returns:
        The policy; `act` returns its action for one observation, `best` those for several.

    Raises:
        CardFileError: the file cannot be opened, is no policy, or is damaged.
    """
    return FILE.load(Path(path), _policy_of)


def _policy_of(arrays: Arrays, card: JsonObject) -> Policy:
    sees, acts = (_space_of(name, card.pop(name), arrays) for name in ("sees", "acts"))
    count = sum(name.startswith("weights.") for name in arrays)
    layers = tuple((arrays[f"weights.{n}"], arrays[f"biases.{n}"]) for n in range(count))
    network = card.pop("network", {"activation": TANH, "squashed": False})
    if network["activation"] not in ACTIVATIONS or type(network["squashed"]) is not bool:
        raise ValueError(f"a network {network!r:.60}")
    policy = Policy(
        sees,
        acts,
        arrays["mean"],
        arrays["deviation"],
        layers,
        arrays.get("log_deviation"),
        card,
        network["activation"],
        network["squashed"],
    )
    _check(policy)
    return policy


def _check(policy: Policy) -> None:
    """Check that the arrays of a policy fit each other and its spaces.

    Raises:
        ValueError: a shape does not fit, or an array holds numbers other than finite float32.
    """
    shape: tuple[int, ...] = input_shape(policy.observation_space)
    wanted: Sequence[int] = shape[-1:]
    for weights, biases in policy.layers:
        shape = _after(shape, weights, biases)
    if policy.mean.shape != wanted or policy.deviation.shape != wanted or not policy.layers:
        raise ValueError(f"a normalisation {policy.mean.shape} of {wanted[0]} numbers")
    if shape != (output_size(policy.action_space),):
        raise ValueError(f"{shape[-1]} outputs for the actions {space_text(policy.action_space)}")
    arrays = [policy.mean, policy.deviation, *(item for pair in policy.layers for item in pair)]
    if policy.log_deviation is not None:
        if policy.log_deviation.shape != shape:
            raise ValueError(f"deviations {policy.log_deviation.shape} of {shape[-1]} actions")
        arrays.append(policy.log_deviation)
    for array in arrays:
        if array.dtype != np.float32 or not np.isfinite(array).all():
            raise ValueError("numbers that are not finite float32")


def _after(shape: tuple[int, ...], weights: Floats, biases: Floats) -> tuple[int, ...]:
    """Return the shape of the data of one observation after it has passed a layer.

    Args:
        shape: shape before the layer.
        weights: weights of the layer: `[in, out]`, or `[h, w, in, out]` for a convolution.
        biases: biases of the layer, `[out]`.

    Raises:
        ValueError: the layer does not fit the shape.
    """
    fault = ValueError(f"a layer {weights.shape} after {' x '.join(map(str, shape))} numbers")
    if weights.ndim == 4 and len(shape) == 3:
        high, wide, channels, count = weights.shape
        if channels != shape[2] or high > shape[0] or wide > shape[1] or biases.shape != (count,):
            raise fault
        return (shape[0] - high) // 2 + 1, (shape[1] - wide) // 2 + 1, count
    if weights.ndim != 2 or weights.shape[0] != np.prod(shape) or biases.shape != weights.shape[1:]:
        raise fault
    return (weights.shape[1],)


def is_image(space: PlainSpace) -> bool:
    """Whether observations are images: uint8 `[h, w, c]`."""
    return space[0] == "box" and np.ndim(space[1]) == 3 and str(space[3]) == "uint8"


def input_shape(space: PlainSpace) -> tuple[int, ...]:
    """Return the shape of one observation as a network's input: `[n]`, or `[h, w, c]`."""
    return tuple(np.shape(space[1])) if is_image(space) else (int(np.size(space[1])),)


def output_size(space: PlainSpace) -> int:
    """Return the network's number of outputs for an action space.

    A discrete space needs a logit per action, a box a mean per number of an action.
    """
    return int(space[1]) if space[0] == "discrete" else int(np.size(space[1]))
