"""Stage 1 of 6, "state vector generation": the inputs of the network and of the memory.

The self-teaching paper (section 3.1) turns a position into a state vector by a function f1. It is a
convolution with a kernel that the paper does not give. Here the kernel is the setting `kernel`. By
default its weights fall from the centre in rings.

Perspective, everywhere in learning: `stones` are from the learner's perspective, +1 for the
opponent's stones, -1 for its own, 0 empty. For a learner that plays White that is the plain board
(Black +1, White -1); for Black the signs are swapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Color, Game, Position
from ai.memory.lines import LineReader, NoLinesError, line_count
from ai.nets.architecture import (
    LINES as LINE_LAYOUT,
)
from ai.nets.architecture import (
    NO_NETWORK,
    PAPER,
    Architecture,
    ArchitectureError,
    parse_hidden,
    parse_kernel_sizes,
)
from base.schema import OptionError, OptionValue
from base.spelling import one_of

DEFAULT_KERNEL: Final = "1,1,1,1,1;1,2,3,2,1;1,3,4,3,1;1,2,3,2,1;1,1,1,1,1"
"""The default kernel as text: numbers separated by commas, rows by semicolons."""

STATE_VECTOR: Final = "state-vector"
PLANES: Final = "planes"
THREE_PLANES: Final = "three-planes"
LINES: Final = "lines"
_CHANNELS: Final = {STATE_VECTOR: 1, PLANES: 2, THREE_PLANES: 3}


class KernelError(ValueError):
    """A convolution kernel's text is not an odd square of numbers."""


def parse_kernel(text: str) -> NDArray[np.float32]:
    """Parse a kernel such as `'0,1,0;1,2,1;0,1,0'`.

    Raises:
        KernelError: it is not a square with an odd side, or a number cannot be read.
    """
    try:
        rows = [[float(number) for number in row.split(",")] for row in text.split(";")]
    except ValueError:
        raise KernelError(
            f"kernel: expected rows such as '0,1,0;1,2,1;0,1,0', found {text!r}"
        ) from None
    if len(rows) % 2 == 0 or any(len(row) != len(rows) for row in rows):
        raise KernelError(f"kernel: expected a square with an odd side, found {text!r}")
    kernel = np.array(rows, np.float32)
    if not np.isfinite(kernel).all() or not kernel.any():
        raise KernelError(f"kernel: expected finite numbers, not all 0, found {text!r}")
    return kernel


def learner_stones(board: Position, learner_color: Color) -> NDArray[np.int8]:
    """Return the board's stones `[A]` from the learner's perspective (opponent +1, own -1)."""
    return board.rules.encode(np.array(board.stones, np.int8), learner_color)


class StateEncoder:
    """Converts stones to state vectors (for the memory) and features (for the network)."""

    def __init__(
        self,
        size: int,
        *,
        rows: int | None = None,
        kernel: str = DEFAULT_KERNEL,
        encoding: str = STATE_VECTOR,
        lines: NDArray[np.intp] | None = None,
    ) -> None:
        """Prepare the convolution for one board size.

        Args:
            size: points along one side (columns).
            rows: points along the other side if the board is not square; else None.
            kernel: text of the kernel, see `parse_kernel`.
            encoding: input of the network. "state-vector": f1(s), as in the memory. "planes": the
                opponent's stones and own stones as two planes. "three-planes": the empty points as
                a third plane, so that they differ from the padding outside the board. "lines":
                for each point the numbers of its line situations, see `LineReader.codes`.
            lines: the lines of the game, see `Game.lines`; only the encoding "lines" needs them.

        Raises:
            ValueError: `encoding` is unknown, or "lines" without the lines of a game.
            KernelError: `kernel` is invalid.
        """
        known = (*_CHANNELS, LINES)
        if encoding not in known:
            raise ValueError(f"encoding: expected {one_of(known, encoding)}; found {encoding!r}")
        self.size = size
        self.encoding = encoding
        self._reader: LineReader | None = None
        if encoding == LINES:
            if lines is None:
                raise NoLinesError("expected a game that names its lines")
            self._reader = LineReader(lines)
        weights = parse_kernel(kernel)
        self._matrix = _convolution_matrix(size if rows is None else rows, size, weights)
        # Divided by the kernel's norm, f1 of a random board has a spread of about 1,
        # as the initial weights expect; alpha is measured on the undivided vectors.
        self._scale = np.float32(1.0 / np.linalg.norm(weights))

    @property
    def points(self) -> int:
        """Number of points of the board, A."""
        return len(self._matrix)

    @property
    def channels(self) -> int:
        """Number of input planes, C."""
        if self._reader is not None:
            return self._reader.lines
        return _CHANNELS[self.encoding]

    def vectors(self, stones: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the state vectors of positions: the function f1 of the paper.

        Args:
            stones: `[B, A]` positions from the learner's perspective.

        Returns:
            `[B, A]` the state vectors.
        """
        return stones.astype(np.float32) @ self._matrix

    def features(self, stones: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return `[B, A, C]` the network's input for `stones` (`[B, A]`)."""
        if self._reader is not None:
            return self._reader.codes(stones).astype(np.float32)
        if self.encoding == STATE_VECTOR:
            return (self.vectors(stones) * self._scale)[..., None]
        planes = (stones == 1, stones == -1, stones == 0)
        return np.stack(planes[: self.channels], axis=-1).astype(np.float32)


def _convolution_matrix(
    rows: int, columns: int, kernel: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the matrix that computes the convolution: `stones @ matrix` is its result.

    Points outside the board count as 0. As in a convolution layer the kernel is not flipped (the
    default is symmetric).

    Args:
        rows: number of rows of the board.
        columns: number of columns of the board.
        kernel: `[side, side]` the kernel.

    Returns:
        `[A, A]` the matrix.
    """
    down, is_in_row = _steps(rows, len(kernel))
    across, is_in_column = _steps(columns, len(kernel))
    full = kernel[down[:, None, :, None], across[None, :, None, :]]
    full = full * (is_in_row[:, None, :, None] & is_in_column[None, :, None, :])
    return np.ascontiguousarray(full.reshape(rows * columns, rows * columns), np.float32)


def _steps(points: int, side: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return, for one axis of the board, which entry of the kernel connects each two points.

    Args:
        points: number of points along the axis.
        side: side of the kernel.

    Returns:
        Two arrays `[points, points]`: the index along the kernel's side, and whether the points are
        near enough to have one. The first axis is the point that the convolution reads, the second
        the point that it writes.
    """
    places = np.arange(points)
    step = places[:, None] - places[None, :] + side // 2
    return step.clip(0, side - 1), (step >= 0) & (step < side)


def build_encoder(rules: Game, settings: Mapping[str, OptionValue]) -> StateEncoder:
    """Create the state encoder (stage 1) for a board from the settings `kernel` and `input`.

    Raises:
        OptionError: the text of the kernel is invalid, or the game has no lines for "lines".
    """
    try:
        return StateEncoder(
            rules.size,
            rows=rules.rows,
            kernel=cast("str", settings.get("kernel", DEFAULT_KERNEL)),
            encoding=cast("str", settings.get("input", STATE_VECTOR)),
            lines=rules.lines(),
        )
    except (KernelError, NoLinesError) as error:
        raise OptionError(str(error)) from error


def has_network(settings: Mapping[str, OptionValue]) -> bool:
    """Return whether a player with these settings has a network, not a memory alone."""
    return "hidden" in settings or settings.get("layout") == LINE_LAYOUT


def played_images(rules: Game, settings: Mapping[str, OptionValue]) -> NDArray[np.intp]:
    """Return `[S, A]` the symmetries of the board that a player uses for one move.

    It averages the network's answers over them. With the setting `play_symmetries` these are all,
    else the identity alone.

    Args:
        rules: rules of the game.
        settings: the player's settings.
    """
    images = rules.symmetries()
    return images if settings.get("play_symmetries") else images[:1]


def build_architecture(
    rules: Game, settings: Mapping[str, OptionValue], *, channels: int
) -> Architecture:
    """Create the network's architecture for a board from a player's settings.

    The settings are `hidden`, `layout`, `branch` and `kernel_sizes`; the paper's player has only
    `hidden`. A player without `hidden` has no network, unless its layout is "lines".

    Args:
        rules: rules of the game, for the size of the board.
        settings: the player's settings.
        channels: number of input planes.

    Raises:
        OptionError: the text of the hidden layers or of the kernel sizes is invalid.
    """
    if settings.get("layout") == LINE_LAYOUT:
        try:
            reach = LineReader.of(rules).reach
        except NoLinesError as error:
            raise OptionError(f"layout: {error}") from error
        hidden = (line_count(reach), 1, 1)
        return Architecture(
            rules.size,
            channels,
            LINE_LAYOUT,
            hidden,
            height=rules.height,
            line_reach=reach,
            line_width=cast("float", settings["width"]),
        )
    if "hidden" not in settings:
        return Architecture(rules.size, channels, NO_NETWORK, height=rules.height)
    try:
        return Architecture(
            size=rules.size,
            height=rules.height,
            channels=channels,
            layout=cast("str", settings.get("layout", PAPER)),
            hidden=parse_hidden(cast("str", settings["hidden"])),
            branch=cast("int", settings.get("branch", 0)),
            kernel_sizes=parse_kernel_sizes(cast("str", settings.get("kernel_sizes", "3,3,3"))),
        )
    except ArchitectureError as error:
        raise OptionError(str(error)) from error
