"""3x3 convolutions with a quarter of the multiplications (Lavin, Gray 2016, F(4x4, 3x3)).

The output is divided into tiles of 4x4 points. The 6x6 input points of a tile are transformed by
the paper's matrix B (`spread`). Each of the 36 results, called places, is multiplied with the
transformed kernel, a matrix product by BLAS. The products are transformed back to 4x4 points by the
paper's matrix A (`join`).

An image is `[W, W, C]` with C channels and W = 4 T + 2, where T is the number of tiles along a
side. It has a border of zeros, the board in the upper left, and zeros where the last tiles exceed
the board. Loops are written so that LLVM vectorises them: plain sums of offsets, and no offset of
an image in a batch.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.kernels.jit import INT, ArrayType, Record, kernel

TILE: Final = 4
"""Points along a side of a tile."""
SEEN: Final = TILE + 2
PLACES: Final = SEEN * SEEN
FLOATS: Final = ArrayType("float32")

ZERO: Final = np.float32(0.0)
TWO: Final = np.float32(2.0)
FOUR: Final = np.float32(4.0)
FIVE: Final = np.float32(5.0)
EIGHT: Final = np.float32(8.0)

_KERNEL_SIDE: Final = np.array(
    [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ]
)
"""Matrix G of the paper, which transforms a convolution's kernel."""


def tiles_along(size: int) -> int:
    """Return T, the number of 4x4 tiles that cover a side of the board.

    Args:
        size: points along a side of the board.
    """
    return -(-size // TILE)


def transform_kernel(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the transformed kernel of a convolution (matrix G of the paper).

    Args:
        weights: kernel `[3, 3, C, F]` from C input channels to F output channels.

    Returns:
        `[36, C, F]` the transformed kernel.
    """
    side = _KERNEL_SIDE
    turned = np.einsum("ia,jb,abcf->ijcf", side, side, weights.astype(np.float64))
    places: NDArray[np.float32] = turned.reshape(PLACES, *weights.shape[2:]).astype(np.float32)
    return places


@kernel(FLOATS, FLOATS, FLOATS, INT, INT)
def spread(image: Record, rows: Record, places: Record, tiles: int, channels: int) -> None:
    """Transform the input points of each tile.

    Args:
        image: `[W, W, C]`.
        rows: `[6, W, C]` memory for intermediate results.
        places: `[36, T * T, C]` that receives the result.
        tiles: tiles along a side, T.
        channels: number of channels, C.
    """
    wide = (4 * tiles + 2) * channels
    step = tiles * tiles * channels
    for down in range(tiles):
        source = 4 * down * wide
        for x in range(wide):
            d0 = image[source + x]
            d1 = image[source + wide + x]
            d2 = image[source + 2 * wide + x]
            d3 = image[source + 3 * wide + x]
            d4 = image[source + 4 * wide + x]
            d5 = image[source + 5 * wide + x]
            rows[x] = FOUR * d0 - FIVE * d2 + d4
            rows[wide + x] = d4 + d3 - FOUR * (d1 + d2)
            rows[2 * wide + x] = d4 - d3 + FOUR * (d1 - d2)
            rows[3 * wide + x] = d4 - d2 + TWO * (d3 - d1)
            rows[4 * wide + x] = d4 - d2 - TWO * (d3 - d1)
            rows[5 * wide + x] = FOUR * d1 - FIVE * d3 + d5
        for row in range(6):
            for across in range(tiles):
                start = row * wide + 4 * across * channels
                place = (row * 6 * tiles * tiles + down * tiles + across) * channels
                for x in range(channels):
                    d0 = rows[start + x]
                    d1 = rows[start + channels + x]
                    d2 = rows[start + 2 * channels + x]
                    d3 = rows[start + 3 * channels + x]
                    d4 = rows[start + 4 * channels + x]
                    d5 = rows[start + 5 * channels + x]
                    places[place + x] = FOUR * d0 - FIVE * d2 + d4
                    places[place + step + x] = d4 + d3 - FOUR * (d1 + d2)
                    places[place + 2 * step + x] = d4 - d3 + FOUR * (d1 - d2)
                    places[place + 3 * step + x] = d4 - d2 + TWO * (d3 - d1)
                    places[place + 4 * step + x] = d4 - d2 - TWO * (d3 - d1)
                    places[place + 5 * step + x] = FOUR * d1 - FIVE * d3 + d5


@kernel(FLOATS, FLOATS, INT)
def transform_back(places: Record, room: Record, step: int) -> None:
    """Transform the 6x6 products of each tile to its 4x4 points, in place.

    Args:
        places: `[36, step]` products. Afterwards the point of row r and column c of each tile is at
            place 6 r + c.
        room: `[24, step]` memory for intermediate results.
        step: how many numbers each of the 36 places has.
    """
    for col in range(6):
        for x in range(step):
            m0 = places[col * step + x]
            m1 = places[(6 + col) * step + x]
            m2 = places[(12 + col) * step + x]
            m3 = places[(18 + col) * step + x]
            m4 = places[(24 + col) * step + x]
            m5 = places[(30 + col) * step + x]
            one, two, three, four = m1 + m2, m1 - m2, m3 + m4, m3 - m4
            room[col * step + x] = m0 + one + three
            room[(6 + col) * step + x] = two + TWO * four
            room[(12 + col) * step + x] = one + FOUR * three
            room[(18 + col) * step + x] = two + EIGHT * four + m5
    for row in range(4):
        start = row * 6 * step
        for x in range(step):
            m0 = room[start + x]
            m1 = room[start + step + x]
            m2 = room[start + 2 * step + x]
            m3 = room[start + 3 * step + x]
            m4 = room[start + 4 * step + x]
            m5 = room[start + 5 * step + x]
            one, two, three, four = m1 + m2, m1 - m2, m3 + m4, m3 - m4
            places[start + x] = m0 + one + three
            places[start + step + x] = two + TWO * four
            places[start + 2 * step + x] = one + FOUR * three
            places[start + 3 * step + x] = two + EIGHT * four + m5


@kernel(FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, INT, INT)
def join(
    places: Record,
    room: Record,
    bias: Record,
    shortcut: Record,
    image: Record,
    size: int,
    channels: int,
) -> None:
    """Transform products back to an image, add bias and shortcut, and apply ReLU.

    Args:
        places: `[36, T * T, C]` products; overwritten.
        room: `[24, T * T, C]` memory for intermediate results.
        bias: `[C]`.
        shortcut: image that is added; an array of one number for none. It may be `image`.
        image: `[W, W, C]`; the board's points are written.
        size: points along a side of the board.
        channels: number of channels, C.
    """
    tiles = (size + 3) // 4
    step = tiles * tiles * channels
    transform_back(places, room, step)
    wide = 4 * tiles + 2
    has_shortcut = len(shortcut) > 1
    for row in range(size):
        for col in range(size):
            place = ((row & 3) * 6 + (col & 3)) * step
            place += ((row >> 2) * tiles + (col >> 2)) * channels
            point = ((row + 1) * wide + col + 1) * channels
            if has_shortcut:
                for x in range(channels):
                    places[place + x] += shortcut[point + x]
            for x in range(channels):
                image[point + x] = max(places[place + x] + bias[x], ZERO)
