"""Networks without TensorFlow: architectures as plain values, initial weights, inference.

A network consists of one or more chains of layers. Each chain gets the features as input, and the
outputs of all chains are added: these are the `[A]` logits. A ReLU follows every layer except the
last one of a chain. The paper's networks have one chain; the hybrid net has two.

Inference is stage 2 of 6, "CNN-based estimation". One move costs a few small matrix products, far
less than a call into TensorFlow; a test compares the answers with those of Keras.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.memory.lines import line_responses
from base.policies.layers import padded, softmax, windows
from base.spelling import one_of

CONVOLUTION: Final = "convolution"
DENSE: Final = "dense"
LINE: Final = "line"

PAPER: Final = "conv-dense-dense"
HYBRID: Final = "hybrid"
LINES: Final = "lines"
"""Layout of `cnn-lines`: a codebook of filters along the lines of the board, summed at a point."""
LAYOUTS: Final = (PAPER, HYBRID)
TWO_CONVOLUTIONS: Final = "two-convolutions"
"""Layout of `move-net`: two hidden convolutions, and a third one that gives each point a score."""
DENSE_SCORES: Final = "two-convolutions-dense"
"""The same with a dense layer in the third one's place, for boards of one size."""
NO_NETWORK: Final = "no-network"
"""Layout without layers or weights, for a player whose memory answers without a network."""

MOST_KERNEL: Final = 15
"""The largest side of a convolution's kernel."""


class ArchitectureError(ValueError):
    """The description of a network is invalid."""


@dataclass(frozen=True, slots=True)
class NetworkLayer:
    """A layer of a network: its kind and the shape of its weights."""

    name: str
    kind: str
    """CONVOLUTION (zero-padded, output as large as the input), DENSE, or LINE.

    LINE has a filter for each line situation, which answers 1 where a line of the point is in it,
    and less where it is near it. A dense layer rates the answers, the same at all points and for
    all its lines.
    """
    inputs: int
    outputs: int
    kernel: int = 1
    """Side of a convolution's kernel."""

    @property
    def kernel_shape(self) -> tuple[int, ...]:
        """Shape of the layer's kernel, with the axes in Keras' order."""
        if self.kind == CONVOLUTION:
            return (self.kernel, self.kernel, self.inputs, self.outputs)
        return (self.inputs, self.outputs)

    @property
    def fan_in(self) -> int:
        """Number of inputs of one output neuron."""
        return self.inputs * self.kernel * self.kernel if self.kind == CONVOLUTION else self.inputs


@dataclass(frozen=True, slots=True)
class Architecture:
    """Description of a network that computes one score for each point of the board.

    Its input has the shape `[rows, size, channels]`.
    """

    size: int
    channels: int
    layout: str = PAPER
    """Which layers the network has.

    - "conv-dense-dense": the paper's 3x3 convolution and two dense layers.
    - "hybrid": three convolutions and a 1x1 convolution to the scores, plus a dense branch.
    - "two-convolutions": two hidden convolutions, and a third one to the scores.
    - "two-convolutions-dense": two hidden convolutions, and a dense layer to the scores.
    - "lines": a filter for each line situation, and a 1x1 convolution that makes of the answers
      at a point its score. The first hidden layer is the filters, the others are not there.
    """
    hidden: tuple[int, int, int] = (49, 128, 516)
    """Sizes of the three hidden layers: neurons of a dense layer, filters of a convolution."""
    branch: int = 128
    """Neurons of the hybrid net's dense branch; 0: no branch."""
    height: int | None = None
    """Number of rows of the board; None if it is square."""
    kernel_sizes: tuple[int, int, int] = (3, 3, 3)
    """Side of each convolution's kernel; the layout "conv-dense-dense" ignores it."""
    line_reach: int = 0
    """Cells that the filters of the layout "lines" see to each side of a point."""
    line_width: float = 0.0
    """Kernel width by which such a filter answers to near line situations, too; 0: it does not."""
    views: int = 1
    """Views of the board that one set of weights looks at; their scores are added.

    1: the board as it is. 2: its mirror image (left and right exchanged), too.
    """

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            ArchitectureError: the network cannot be built with them.
        """
        known = (*LAYOUTS, TWO_CONVOLUTIONS, DENSE_SCORES, LINES, NO_NETWORK)
        if self.layout not in known:
            raise ArchitectureError(
                f"layout: expected {one_of(known, self.layout)}; found {self.layout!r}"
            )
        if len(self.hidden) != 3 or any(units < 1 for units in self.hidden):
            raise ArchitectureError(
                f"hidden: expected three numbers of at least 1, found {self.hidden!r}"
            )
        if len(self.kernel_sizes) != 3 or any(
            side % 2 == 0 or not 1 <= side <= MOST_KERNEL for side in self.kernel_sizes
        ):
            raise ArchitectureError(
                f"kernel_sizes: expected three odd numbers up to {MOST_KERNEL}, "
                f"found {self.kernel_sizes!r}"
            )
        if self.views not in (1, 2):
            raise ArchitectureError(f"views: expected 1 or 2, found {self.views!r}")

    @property
    def rows(self) -> int:
        """Number of rows of the board; the number of columns is `size`."""
        return self.size if self.height is None else self.height

    @property
    def points(self) -> int:
        """Number of scores, A."""
        return self.rows * self.size

    @property
    def chains(self) -> tuple[tuple[NetworkLayer, ...], ...]:
        """The chains of layers; each receives the features, and their outputs are added."""
        if self.layout == NO_NETWORK:
            return ()
        first, second, third = self.hidden
        if self.layout == LINES:
            return ((NetworkLayer("lines", LINE, first, 1),),)
        seen = self.points * self.channels
        if self.layout == PAPER:
            return (
                (
                    NetworkLayer("hidden_1", CONVOLUTION, self.channels, first, 3),
                    NetworkLayer("hidden_2", DENSE, first * self.points, second),
                    NetworkLayer("hidden_3", DENSE, second, third),
                    NetworkLayer("output", DENSE, third, self.points),
                ),
            )
        convolutions = (
            NetworkLayer("hidden_1", CONVOLUTION, self.channels, first, self.kernel_sizes[0]),
            NetworkLayer("hidden_2", CONVOLUTION, first, second, self.kernel_sizes[1]),
            NetworkLayer("hidden_3", CONVOLUTION, second, third, self.kernel_sizes[2]),
        )
        if self.layout in (TWO_CONVOLUTIONS, DENSE_SCORES):
            scores = (
                NetworkLayer("policy", CONVOLUTION, second, 1, self.kernel_sizes[2])
                if self.layout == TWO_CONVOLUTIONS
                else NetworkLayer("policy", DENSE, second * self.points, self.points)
            )
            return ((*convolutions[:2], scores),)
        policy = (*convolutions, NetworkLayer("policy", CONVOLUTION, third, 1, 1))
        if not self.branch:
            return (policy,)
        return (
            policy,
            (
                NetworkLayer("branch_1", DENSE, seen, self.branch),
                NetworkLayer("branch_2", DENSE, self.branch, self.points),
            ),
        )

    @property
    def layers(self) -> tuple[NetworkLayer, ...]:
        """Every layer, chain by chain."""
        return tuple(layer for chain in self.chains for layer in chain)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every weight array: "<layer>.kernel" and "<layer>.bias"."""
        result: dict[str, tuple[int, ...]] = {}
        for layer in self.layers:
            result[f"{layer.name}.kernel"] = layer.kernel_shape
            result[f"{layer.name}.bias"] = (layer.outputs,)
        return result


def parse_hidden(text: str) -> tuple[int, int, int]:
    """Parse the neurons of the hidden layers.

    >>> parse_hidden('49,128,516')
    (49, 128, 516)

    Raises:
        ArchitectureError: there are not three positive numbers.
    """
    return _parse_three("hidden", text, "49,128,516")


def parse_kernel_sizes(text: str) -> tuple[int, int, int]:
    """Parse the kernel sizes of the convolutions.

    >>> parse_kernel_sizes('5,5,3')
    (5, 5, 3)

    Raises:
        ArchitectureError: there are not three positive numbers.
    """
    return _parse_three("kernel_sizes", text, "5,5,3")


def _parse_three(key: str, text: str, example: str) -> tuple[int, int, int]:
    """Parse three positive numbers separated by commas.

    Args:
        key: name of the setting, for the error message.
        text: text to parse.
        example: valid text, for the error message.

    Raises:
        ArchitectureError: there are not three positive numbers.
    """
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != 3 or any(number < 1 for number in numbers):
        raise ArchitectureError(
            f"{key}: expected three numbers such as '{example}', found {text!r}"
        )
    return (numbers[0], numbers[1], numbers[2])


WeightArrays: TypeAlias = dict[str, NDArray[np.float32]]
"""Weights by the names of `Architecture.shapes`."""

_STREAM: Final = 1
"""Part of the seed of initial weights, so that other draws from that seed are independent."""


class WeightsError(ValueError):
    """Weights do not fit their network."""


def draw_weights(architecture: Architecture, rng: np.random.Generator) -> WeightArrays:
    """Draw initial weights: he_uniform kernels (He et al. 2015), biases 0.

    The last layer of each chain is scaled by a tenth. So the scores of a new network are almost
    equal, and there is no strong initial preference to unlearn.
    """
    last = {chain[-1].name for chain in architecture.chains}
    weights: WeightArrays = {}
    for layer in architecture.layers:
        limit = np.sqrt(6.0 / layer.fan_in) * (0.1 if layer.name in last else 1.0)
        drawn = rng.uniform(-limit, limit, layer.kernel_shape)
        weights[f"{layer.name}.kernel"] = drawn.astype(np.float32)
        weights[f"{layer.name}.bias"] = np.zeros(layer.outputs, np.float32)
    return weights


def initial_weights(architecture: Architecture, seed: int, network: int = 0) -> WeightArrays:
    """Return random weights for a new network of a run; equal arguments give equal weights.

    Args:
        architecture: the network.
        seed: random seed of the run.
        network: number of the network within the run, from 0; each has other weights.
    """
    return draw_weights(architecture, np.random.default_rng([seed, _STREAM, network]))


def check_weights(
    architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]
) -> WeightArrays:
    """Return the network's arrays from `weights`, after checking them; other arrays are left out.

    Args:
        architecture: the network.
        weights: arrays by name.

    Raises:
        WeightsError: an array is missing, has another shape or is not finite.
    """
    result: WeightArrays = {}
    for name, shape in architecture.shapes.items():
        if name not in weights:
            raise WeightsError(f"{name}: expected an array of shape {shape}, found none")
        array = np.ascontiguousarray(weights[name], np.float32)
        if array.shape != shape:
            raise WeightsError(f"{name}: expected the shape {shape}, found {array.shape}")
        if not np.isfinite(array).all():
            raise WeightsError(f"{name}: expected finite numbers, found NaN or infinity")
        result[name] = array
    return result


class InferenceNetwork:
    """A network with its weights, for inference.

    Attributes:
        line_worths: `[K]` what each line situation adds to a logit; `[0]` but for the layout
            "lines".
    """

    def __init__(
        self, architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]
    ) -> None:
        """Check and store the weights.

        Raises:
            WeightsError: the weights do not fit the architecture.
        """
        self.architecture = architecture
        self.weights: WeightArrays = check_weights(architecture, weights)
        self._live = _without_dead(architecture, self.weights)
        self.line_worths = self._line_worths()

    def _line_worths(self) -> NDArray[np.float32]:
        """Return `[K]` what each line situation adds to a logit; `[0]` for other layouts."""
        if self.architecture.layout != LINES:
            return np.zeros(0, np.float32)
        responses = line_responses(self.architecture.line_reach, self.architecture.line_width)
        worths: NDArray[np.float32] = responses @ self.weights["lines.kernel"][:, 0]
        return worths

    def logits(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return `[B, A]` scores before the softmax, for features `[B, A, C]`."""
        scores = self._scores(features)
        if self.architecture.views == 2:
            scores = scores + self._mirrored(self._scores(self._mirrored(features)))
        return scores

    def _mirrored(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Exchange left and right of values of the board's points, `[B, A]` or `[B, A, C]`."""
        rows, size = self.architecture.rows, self.architecture.size
        board = values.reshape(len(values), rows, size, -1)
        return np.ascontiguousarray(board[:, :, ::-1]).reshape(values.shape)

    def _scores(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return `[B, A]` scores of one view, for features `[B, A, C]`."""
        total: NDArray[np.float32] | None = None
        for chain in self.architecture.chains:
            value = features
            for layer in chain[:-1]:
                value = np.maximum(self._apply(layer, value), 0.0)
            answer = self._apply(chain[-1], value).reshape(len(features), -1)
            total = answer if total is None else total + answer
        if total is None:
            raise ValueError("expected a network with at least one chain of layers, found none")
        return total

    def estimate(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return probabilities `[B, A]`, each row's sum 1, for features `[B, A, C]`."""
        return softmax(self.logits(features))

    def _apply(self, layer: NetworkLayer, value: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the output of one layer.

        Args:
            layer: the layer.
            value: its input: `[B, A, C]` for a convolution, `[B, K]` for a dense layer of K inputs,
                `[B, A, D]` numbers of line situations for a layer of lines.
        """
        kernel, bias = self._live[f"{layer.name}.kernel"], self._live[f"{layer.name}.bias"]
        count, outputs = len(value), len(bias)
        if layer.kind == LINE:
            rated: NDArray[np.float32] = self.line_worths[value.astype(np.intp)].sum(axis=-1) + bias
            return rated
        if layer.kind != CONVOLUTION:
            return value.reshape(count, -1) @ kernel + bias
        if layer.kernel > 1:
            images = value.reshape(count, self.architecture.rows, self.architecture.size, -1)
            value = windows(padded(images, layer.kernel // 2), layer.kernel, layer.kernel)
        columns = value.reshape(count * self.architecture.points, -1)  # [B*A, K*K*C]
        result = columns @ kernel.reshape(-1, outputs) + bias
        return result.reshape(count, self.architecture.points, outputs)


def _without_dead(architecture: Architecture, weights: WeightArrays) -> WeightArrays:
    """Return the weights without the hidden neurons that are 0 whatever the input is.

    Their weights are all 0. A network that is written from nodes (`ai.nets.built`) has many of
    them, a trained one none. Nothing is computed for them.

    Args:
        architecture: the network.
        weights: its weights; not changed.
    """
    result = dict(weights)
    for chain in architecture.chains:
        for layer, following in pairwise(chain):
            kernel, bias = result[f"{layer.name}.kernel"], result[f"{layer.name}.bias"]
            live = kernel.any(axis=tuple(range(kernel.ndim - 1))) | (bias != 0.0)
            live[0] |= not live.any()  # a layer keeps one neuron
            if live.all():
                continue
            result[f"{layer.name}.kernel"] = np.ascontiguousarray(kernel[..., live])
            result[f"{layer.name}.bias"] = bias[live]
            name = f"{following.name}.kernel"
            shape = (
                -1,
                layer.outputs,
                following.outputs,
            )  # the inputs of one neuron: places, units
            kept = result[name].reshape(shape)[:, live]
            if following.kind == CONVOLUTION:
                kept = kept.reshape(*result[name].shape[:2], -1, following.outputs)
            else:
                kept = kept.reshape(-1, following.outputs)
            result[name] = np.ascontiguousarray(kept)
    return result
