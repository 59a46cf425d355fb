"""The policy-value network of `alphagomoku`: a residual tower with a policy and a value head.

After Z. Xie et al., "AlphaGomoku: An AlphaGo-based Gomoku Artificial Intelligence using Curriculum
Learning", tables 1-3. The input is `[size, size, 3]`: own stones, the opponent's, and the
opponent's last move, each 0 or 1.

    tower   conv 3x3 - norm - relu, then blocks of
            conv 3x3 - norm - relu - conv 3x3 - norm - add the block's input - relu
    policy  conv 1x1 of 2 filters - norm - relu - dense to a logit for each point
    value   conv 1x1 of 1 filter - norm - relu - dense - relu - dense to 1 - tanh

The softmax of table 2 belongs to the loss and to inference: the network gives logits. The document
does not give the width of the value head's dense layer: here it is `VALUE_WIDTH`.

In a *pooled* network no dense layer sees single points, so that one set of weights plays on boards
of every size. Each head takes the mean and the maximum of its planes over the board instead:

    policy  conv 1x1 - norm, plus a dense layer of the tower's pools - relu - conv 1x1 to a logit
    value   conv 1x1 - norm - relu - pools - dense - relu - dense to 1 - tanh

Keras is imported only to build a model; everything else works on arrays named `LAYER.ARRAY`.

A pair of networks, Black's and White's, is stored as a card file (`base/storage/card_file.py`) with
the arrays `black.NAME` and `white.NAME`; White's are left out if both sides share one network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, Color
from ai.nets.architecture import WeightArrays, WeightsError
from base.files import atomic_write
from base.storage.card_file import Arrays, CardFile, require_float32
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.nets.backend import keras


PLANES: Final = 3
"""Number of input planes: own stones, the opponent's stones, the opponent's last move."""
FILTERS: Final = 32
BLOCKS: Final = 2
POLICY_FILTERS: Final = 2
VALUE_WIDTH: Final = 64
VALUE_HEAD: Final = "value_"
"""Prefix of the names of the value head's layers."""
EPSILON: Final = 1e-3
"""Added to variances by batch normalisation."""
NORM_ARRAYS: Final = ("gamma", "beta", "mean", "variance")
"""Names of the arrays of a batch normalisation, in Keras' order."""
NORM: Final = "_norm"
"""Added to a layer's name to name the batch normalisation that follows it in a Keras model."""

_STREAM: Final = 16
"""Part of the random seed that separates initial weights from other draws with the same seed."""


class PolicyValueLayer(NamedTuple):
    """A layer of a policy-value network: its name and the shape of its weights."""

    name: str
    kernel: tuple[int, ...]
    """Shape of the kernel: `[side, side, inputs, outputs]`, or `[inputs, outputs]` if dense.

    A dense layer is one that is no convolution.
    """
    is_normalised: bool
    """Whether batch normalisation follows; the layer then has no bias."""

    @property
    def outputs(self) -> int:
        """Number of filters of a convolution, or of neurons of a dense layer."""
        return self.kernel[-1]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each of the layer's arrays, by its full name `LAYER.ARRAY`."""
        others = NORM_ARRAYS if self.is_normalised else ("bias",)
        return {
            f"{self.name}.kernel": self.kernel,
            **{f"{self.name}.{name}": (self.outputs,) for name in others},
        }


@dataclass(frozen=True, slots=True)
class PolicyValueArchitecture:
    """Architecture of a policy-value network, described by its size."""

    size: int
    """Points along a side of the board; a pooled network can be used for any size."""
    filters: int = FILTERS
    blocks: int = BLOCKS
    is_pooled: bool = False

    def __post_init__(self) -> None:
        for name, least in (("size", 3), ("filters", 1), ("blocks", 0)):
            if getattr(self, name) < least:
                found = getattr(self, name)
                raise ValueError(f"{name}: expected at least {least}, found {found!r}")

    @property
    def points(self) -> int:
        """Number of points of the board, A."""
        return self.size * self.size

    @property
    def tower(self) -> tuple[PolicyValueLayer, ...]:
        """The layers of the tower: the first convolution, then two convolutions for each block."""
        names = [f"block_{block}_{part}" for block in range(1, self.blocks + 1) for part in "ab"]
        return (
            PolicyValueLayer("stem", (3, 3, PLANES, self.filters), True),
            *(PolicyValueLayer(name, (3, 3, self.filters, self.filters), True) for name in names),
        )

    @property
    def heads(self) -> tuple[PolicyValueLayer, ...]:
        """Layers of the policy head, then of the value head."""
        if self.is_pooled:
            wide = self.filters
            return (
                PolicyValueLayer("policy_conv", (1, 1, wide, wide), True),
                PolicyValueLayer("policy_pool", (2 * wide, wide), False),
                PolicyValueLayer("policy_out", (1, 1, wide, 1), False),
                PolicyValueLayer("value_conv", (1, 1, wide, wide), True),
                PolicyValueLayer("value_hidden", (2 * wide, VALUE_WIDTH), False),
                PolicyValueLayer("value_out", (VALUE_WIDTH, 1), False),
            )
        return (
            PolicyValueLayer("policy_conv", (1, 1, self.filters, POLICY_FILTERS), True),
            PolicyValueLayer("policy_out", (POLICY_FILTERS * self.points, self.points), False),
            PolicyValueLayer("value_conv", (1, 1, self.filters, 1), True),
            PolicyValueLayer("value_hidden", (self.points, VALUE_WIDTH), False),
            PolicyValueLayer("value_out", (VALUE_WIDTH, 1), False),
        )

    @property
    def layers(self) -> tuple[PolicyValueLayer, ...]:
        """All layers with weights."""
        return self.tower + self.heads

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each array, by name."""
        return {name: shape for layer in self.layers for name, shape in layer.shapes.items()}


# -- the model -----------------------------------------------------------------------------------


def policy_value_model(
    size: int, filters: int = FILTERS, blocks: int = BLOCKS, *, pooled: bool = False
) -> keras.Model:
    """Build the network in Keras: planes `[B, n, n, 3]` to logits `[B, A]` and values `[B]`.

    Args:
        size: points along a side, n. A pooled model accepts every other size as well.
        filters: number of filters of the tower.
        blocks: residual blocks.
        pooled: build the variant that plays on boards of every size.
    """
    from ai.nets.backend import keras

    architecture = PolicyValueArchitecture(size, filters, blocks, pooled)
    layers = keras.layers
    side = None if pooled else size
    planes = keras.Input((side, side, PLANES), name="planes")
    tower = layers.ReLU()(_convolve(planes, architecture.tower[0]))
    for first, second in zip(architecture.tower[1::2], architecture.tower[2::2], strict=True):
        inner = layers.ReLU()(_convolve(tower, first))
        tower = layers.ReLU()(layers.Add()([_convolve(inner, second), tower]))
    heads = {layer.name: layer for layer in architecture.heads}
    policy = _convolve(tower, heads["policy_conv"])
    value = layers.ReLU()(_convolve(tower, heads["value_conv"]))
    if pooled:
        shift = layers.Dense(filters, name="policy_pool")(_pools(tower))
        policy = layers.Add()([policy, layers.Reshape((1, 1, filters))(shift)])
        logits = layers.Conv2D(1, 1, name="policy_out")(layers.ReLU()(policy))
        logits = layers.Reshape((-1,), name="logits")(logits)
        value = _pools(value)
    else:
        policy = layers.Flatten()(layers.ReLU()(policy))
        logits = layers.Dense(architecture.points, name="policy_out")(policy)
        value = layers.Flatten()(value)
    hidden = layers.Dense(VALUE_WIDTH, activation="relu", name="value_hidden")(value)
    result = layers.Dense(1, activation="tanh", name="value_out")(hidden)
    result = layers.Reshape((), name="value")(result)
    return keras.Model(planes, [logits, result], name="policy_value")


def _convolve(value: keras.KerasTensor, layer: PolicyValueLayer) -> keras.KerasTensor:
    """Apply a convolution with its batch normalisation."""
    from ai.nets.backend import keras

    convolution = keras.layers.Conv2D(
        layer.outputs,
        layer.kernel[0],
        padding="same",
        use_bias=False,
        kernel_initializer="he_normal",
        name=layer.name,
    )
    norm = keras.layers.BatchNormalization(epsilon=EPSILON, name=layer.name + NORM)
    return norm(convolution(value))


def _pools(value: keras.KerasTensor) -> keras.KerasTensor:
    """Return `[B, 2 C]` the mean and the maximum of each plane of `[B, n, n, C]`."""
    from ai.nets.backend import keras

    layers = keras.layers
    pools = [layers.GlobalAveragePooling2D()(value), layers.GlobalMaxPooling2D()(value)]
    return layers.Concatenate()(pools)


def set_arrays(model: keras.Model, arrays: Mapping[str, NDArray[np.float32]]) -> None:
    """Set the weights of a model built by `policy_value_model`.

    Raises:
        WeightsError: the arrays do not fit the model; nothing is changed.
    """
    held = dict(_variables_of(model))
    for name, variable in held.items():
        found = arrays[name].shape if name in arrays else None
        if found != tuple(variable.shape):
            raise WeightsError(f"{name}: expected the shape {tuple(variable.shape)}, found {found}")
    for name, variable in held.items():
        variable.assign(arrays[name])


def arrays_of(model: keras.Model) -> WeightArrays:
    """Return the weights of a model built by `policy_value_model`, as arrays by name."""
    return {name: np.array(variable.numpy(), np.float32) for name, variable in _variables_of(model)}


def _variables_of(model: keras.Model) -> Iterator[tuple[str, keras.Variable]]:
    """Yield each variable with the name of its array."""
    for layer in model.layers:
        is_norm = layer.name.endswith(NORM)
        names = NORM_ARRAYS if is_norm else ("kernel", "bias")
        for name, variable in zip(names, layer.variables, strict=False):
            yield f"{layer.name.removesuffix(NORM)}.{name}", variable


# -- the arrays ----------------------------------------------------------------------------------


def with_new_value_head(
    arrays: WeightArrays, architecture: PolicyValueArchitecture, seed: int
) -> WeightArrays:
    """Return the arrays of a network with new initial weights in its value head.

    This repairs a value head that has stopped learning. The head sees the board through one filter
    with ReLU. After long training on one constant value that filter is negative on every board;
    then its gradient is 0 and it cannot recover.

    Args:
        arrays: arrays of the network; not changed.
        architecture: its architecture.
        seed: random seed of the new weights.
    """
    new = initial_arrays(architecture, seed)
    return {
        name: new[name] if name.startswith(VALUE_HEAD) else array for name, array in arrays.items()
    }


def initial_arrays(architecture: PolicyValueArchitecture, seed: int) -> WeightArrays:
    """Return random arrays of an untrained network (He et al. 2015), without TensorFlow.

    The output layers of both heads are scaled by a tenth, so that a new network prefers no move and
    no result.
    """
    rng = np.random.default_rng([seed, _STREAM])
    arrays: WeightArrays = {}
    for layer in architecture.layers:
        fan_in = int(np.prod(layer.kernel[:-1]))
        spread = np.sqrt(2.0 / fan_in) * (0.1 if layer.name.endswith("_out") else 1.0)
        for name, shape in layer.shapes.items():
            if name.endswith(".kernel"):
                arrays[name] = rng.normal(0.0, spread, shape).astype(np.float32)
            else:
                is_one = name.endswith((".gamma", ".variance"))
                arrays[name] = np.full(shape, 1.0 if is_one else 0.0, np.float32)
    return arrays


def architecture_of(
    arrays: Mapping[str, NDArray[np.float32]], size: int | None = None
) -> PolicyValueArchitecture:
    """Find out the architecture of a network from its arrays, and check each of them.

    Args:
        arrays: arrays by name.
        size: points along a side of the board to play on; None: the size for which the arrays were
            made, or 15 for a pooled network.

    Raises:
        WeightsError: an array is missing, unknown, of another shape or not finite, or the network
            is not for boards of this size.
    """
    for name, dimensions in (("stem.kernel", 4), ("policy_out.kernel", None)):
        if name not in arrays or dimensions not in (None, arrays[name].ndim):
            raise WeightsError(f"{name}: expected the array of a policy-value network, found none")
    is_pooled = arrays["policy_out.kernel"].ndim == 4
    own = 15 if is_pooled else int(np.sqrt(arrays["policy_out.kernel"].shape[-1]))
    if size is not None and not is_pooled and size != own:
        raise WeightsError(f"expected a network for boards of {size}x{size}, found {own}x{own}")
    blocks = sum(name.startswith("block_") and name.endswith("_a.kernel") for name in arrays)
    filters = int(arrays["stem.kernel"].shape[-1])
    try:
        found = PolicyValueArchitecture(size or own, filters, blocks, is_pooled)
    except ValueError as error:
        raise WeightsError(str(error)) from error
    check_arrays(found, arrays)
    return found


def check_arrays(
    architecture: PolicyValueArchitecture, arrays: Mapping[str, NDArray[np.float32]]
) -> None:
    """Check that the arrays are exactly those of a network with this architecture.

    Raises:
        WeightsError: an array is missing, unknown, of another shape or not finite, or a variance is
            negative.
    """
    shapes = architecture.shapes
    if extra := sorted(arrays.keys() - shapes.keys()):
        raise WeightsError(f"{extra[0]}: expected no such array in a policy-value network")
    for name, shape in shapes.items():
        if name not in arrays:
            raise WeightsError(f"{name}: expected an array of shape {shape}, found none")
        if arrays[name].shape != shape:
            raise WeightsError(f"{name}: expected the shape {shape}, found {arrays[name].shape}")
        if not np.isfinite(arrays[name]).all():
            raise WeightsError(f"{name}: expected finite numbers, found NaN or infinity")
        if name.endswith(".variance") and (arrays[name] < 0.0).any():
            raise WeightsError(f"{name}: expected variances of at least 0, found less")


def fold(
    architecture: PolicyValueArchitecture, arrays: Mapping[str, NDArray[np.float32]]
) -> WeightArrays:
    """Return arrays of the same network without batch normalisation: a kernel and a bias per layer.

    They give the same results, as the normalisation is computed into them.

    Args:
        architecture: architecture of the network.
        arrays: arrays by name; not changed.
    """
    folded: WeightArrays = {}
    for layer in architecture.layers:
        kernel = arrays[f"{layer.name}.kernel"]
        if not layer.is_normalised:
            bias = arrays[f"{layer.name}.bias"]
        else:
            gamma, beta, mean, variance = (
                arrays[f"{layer.name}.{name}"].astype(np.float64) for name in NORM_ARRAYS
            )
            scale = gamma / np.sqrt(variance + EPSILON)
            kernel = (kernel * scale).astype(np.float32)
            bias = (beta - mean * scale).astype(np.float32)
        folded[f"{layer.name}.kernel"] = np.ascontiguousarray(kernel, np.float32)
        folded[f"{layer.name}.bias"] = np.ascontiguousarray(bias, np.float32)
    return folded


FILE: Final = CardFile(
    "goishi.policy-value/1", "a pair of policy-value networks", most_bytes=128 << 20
)


@dataclass(frozen=True, slots=True)
class NetworkPair:
    """Black's network and White's, of the same architecture; both may be the same object."""

    black: WeightArrays
    white: WeightArrays
    card: JsonObject = field(default_factory=dict)
    """Metadata: training and measured results."""

    @property
    def architecture(self) -> PolicyValueArchitecture:
        """The architecture that both networks have."""
        return architecture_of(self.black)

    def of(self, color: Color) -> WeightArrays:
        """Return the network that plays a color."""
        return self.black if color == BLACK else self.white


def save_pair(path: Path, pair: NetworkPair) -> None:
    """Write a pair to a file, replacing an existing one atomically.

    Raises:
        WeightsError: the arrays are not two networks of one architecture.
        OSError: the file cannot be written.
    """
    atomic_write(path, pair_bytes(pair))


def pair_bytes(pair: NetworkPair) -> bytes:
    """Return the content of the file that `save_pair` writes; equal pairs give equal bytes.

    Raises:
        WeightsError: the arrays are not two networks of one architecture.
    """
    _check_pair(pair.black, pair.white)
    sides = (
        {"black": pair.black}
        if pair.white is pair.black
        else {"black": pair.black, "white": pair.white}
    )
    arrays = {
        f"{side}.{name}": np.ascontiguousarray(array, np.float32)
        for side, held in sides.items()
        for name, array in sorted(held.items())
    }
    return FILE.content(arrays, pair.card)


def load_pair(path: Path) -> NetworkPair:
    """Read the file of a pair.

    Raises:
        CardFileError: the file is of another kind, or damaged.
    """
    return FILE.load(path, _pair_of)


def _pair_of(arrays: Arrays, card: JsonObject) -> NetworkPair:
    """Build the pair from the arrays and the card of a file.

    Raises:
        ValueError: the arrays are not two networks of one architecture.
    """
    require_float32(arrays)
    sides: dict[str, WeightArrays] = {"black": {}, "white": {}}
    for name, array in arrays.items():
        side, _, rest = name.partition(".")
        sides[side][rest] = array
    black = sides["black"]
    white = sides["white"] or black
    _check_pair(black, white)
    return NetworkPair(black, white, card)


def _check_pair(
    black: Mapping[str, NDArray[np.float32]], white: Mapping[str, NDArray[np.float32]]
) -> None:
    """Raise WeightsError unless both are networks of one architecture."""
    first, second = architecture_of(black), architecture_of(white)
    if first != second:
        raise WeightsError(f"two networks of one architecture expected: {first!r} and {second!r}")
