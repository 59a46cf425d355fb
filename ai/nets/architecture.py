"""Network architectures as plain values, shared by NumPy, Keras and the files.

A network is one or more chains of layers; each chain sees the features, a ReLU
follows every layer but a chain's last, and the chains' outputs are added to the
`[A]` logits. The paper's networks are one chain; the hybrid net has two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CONVOLUTION: Final = "convolution"
DENSE: Final = "dense"

PAPER: Final = "conv-dense-dense"
HYBRID: Final = "hybrid"
LAYOUTS: Final = (PAPER, HYBRID)
TWO_CONVOLUTIONS: Final = "two-convolutions"
"""Of `move-net`: two hidden convolutions, and a third one that gives each point its score."""
NO_NETWORK: Final = "no-network"
"""Of a player whose memory answers by itself: no layers, no weights."""

MOST_KERNEL: Final = 15
"""The largest side of a convolution's kernel."""


class ArchitectureError(ValueError):
    """The description of a network is invalid."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer with weights."""

    name: str
    kind: str
    """CONVOLUTION (zero-padded, output as large as the input) or DENSE."""
    inputs: int
    outputs: int
    kernel: int = 1
    """Side of a convolution's kernel."""

    @property
    def kernel_shape(self) -> tuple[int, ...]:
        """Shape of its weights in Keras' order."""
        if self.kind == CONVOLUTION:
            return (self.kernel, self.kernel, self.inputs, self.outputs)
        return (self.inputs, self.outputs)

    @property
    def fan_in(self) -> int:
        """Number of inputs of one output neuron."""
        return self.inputs * self.kernel * self.kernel if self.kind == CONVOLUTION else self.inputs


@dataclass(frozen=True, slots=True)
class Architecture:
    """A network from features `[rows, size, channels]` to one score for each point."""

    size: int
    channels: int
    layout: str = PAPER
    """
    "conv-dense-dense": the paper's 3x3 convolution and two dense layers;
    "hybrid": three convolutions and a 1x1 policy head, plus a dense branch;
    "two-convolutions": the first two of `hidden`, and a convolution to the scores.
    """
    hidden: tuple[int, int, int] = (49, 128, 516)
    """Neurons of the three hidden layers (filters, where a layer is a convolution)."""
    branch: int = 128
    """Neurons of the hybrid net's dense branch; 0: no branch."""
    height: int | None = None
    """Number of rows if the board is not square."""
    kernel_sizes: tuple[int, int, int] = (3, 3, 3)
    """Kernel sizes when all three hidden layers are convolutions."""

    def __post_init__(self) -> None:
        """Check that the network can be built."""
        known = (*LAYOUTS, TWO_CONVOLUTIONS, NO_NETWORK)
        if self.layout not in known:
            raise ArchitectureError(
                f"layout: expected one of {', '.join(known)}; found {self.layout!r}"
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

    @property
    def rows(self) -> int:
        """Number of rows; `size` is the number of columns."""
        return self.size if self.height is None else self.height

    @property
    def points(self) -> int:
        """Number of scores, A."""
        return self.rows * self.size

    @property
    def chains(self) -> tuple[tuple[Layer, ...], ...]:
        """The chains of layers whose outputs are added."""
        if self.layout == NO_NETWORK:
            return ()
        first, second, third = self.hidden
        seen = self.points * self.channels
        if self.layout == PAPER:
            return (
                (
                    Layer("hidden_1", CONVOLUTION, self.channels, first, 3),
                    Layer("hidden_2", DENSE, first * self.points, second),
                    Layer("hidden_3", DENSE, second, third),
                    Layer("output", DENSE, third, self.points),
                ),
            )
        convolutions = (
            Layer("hidden_1", CONVOLUTION, self.channels, first, self.kernel_sizes[0]),
            Layer("hidden_2", CONVOLUTION, first, second, self.kernel_sizes[1]),
            Layer("hidden_3", CONVOLUTION, second, third, self.kernel_sizes[2]),
        )
        if self.layout == TWO_CONVOLUTIONS:
            return (
                (*convolutions[:2], Layer("policy", CONVOLUTION, second, 1, self.kernel_sizes[2])),
            )
        policy = (*convolutions, Layer("policy", CONVOLUTION, third, 1, 1))
        if not self.branch:
            return (policy,)
        return (
            policy,
            (
                Layer("branch_1", DENSE, seen, self.branch),
                Layer("branch_2", DENSE, self.branch, self.points),
            ),
        )

    @property
    def layers(self) -> tuple[Layer, ...]:
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
    """Read three positive numbers."""
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != 3 or any(number < 1 for number in numbers):
        raise ArchitectureError(
            f"{key}: expected three numbers such as '{example}', found {text!r}"
        )
    return (numbers[0], numbers[1], numbers[2])
