"""What the double networks learn from: positions, each with a policy and a value.

All arrays are from the view of the side to move, so that a sample fits either network; `color`
says whose it is. Planes as in the document: own stones, the opponent's, the opponent's last move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NO_MOVE = -1
"""In `last`: nothing was played before."""


@dataclass(frozen=True, slots=True)
class Samples:
    """`N` positions of a square board with `A` points."""

    stones: NDArray[np.int8]
    """`[N, A]` own stones 1, the opponent's -1."""
    last: NDArray[np.int16]
    """`[N]` the opponent's last move, `NO_MOVE` for none."""
    policy: NDArray[np.float16]
    """`[N, A]` share of each move, sum 1."""
    value: NDArray[np.float32]
    """`[N]` result for the side to move, in [-1, 1]."""
    color: NDArray[np.int8]
    """`[N]` side to move: BLACK or WHITE."""

    def __len__(self) -> int:
        return len(self.stones)

    def of(self, color: int) -> Samples:
        """Return the samples of one side."""
        return self.take(np.flatnonzero(self.color == color))

    def take(self, rows: NDArray[np.intp] | slice) -> Samples:
        """Return some of the samples, in the order of `rows`."""
        return Samples(
            self.stones[rows], self.last[rows], self.policy[rows], self.value[rows],
            self.color[rows],
        )  # fmt: skip

    def turned(self, images: NDArray[np.intp]) -> Samples:
        """Return each sample turned or mirrored.

        Args:
            images: `[N, A]` for each sample a row of `ai.game.lines.symmetries`.
        """
        back = np.argsort(images, axis=1)  # [N, A] where each point comes to lie
        last = back[np.arange(len(self)), np.maximum(self.last, 0)].astype(np.int16)
        return Samples(
            np.take_along_axis(self.stones, images, axis=1),
            np.where(self.last == NO_MOVE, np.int16(NO_MOVE), last),
            np.take_along_axis(self.policy, images, axis=1),
            self.value,
            self.color,
        )

    def planes(self, size: int) -> NDArray[np.float32]:
        """Return the networks' input, `[N, size, size, 3]`."""
        planes = np.zeros((*self.stones.shape, 3), np.float32)
        planes[..., 0] = self.stones == 1
        planes[..., 1] = self.stones == -1
        rows = np.flatnonzero(self.last != NO_MOVE)
        planes[rows, self.last[rows], 2] = 1.0
        return planes.reshape(len(self), size, size, 3)


def join(parts: Sequence[Samples]) -> Samples:
    """Return all samples in one, in their order.

    Args:
        parts: at least one, all of one board.
    """
    return Samples(
        np.concatenate([part.stones for part in parts]),
        np.concatenate([part.last for part in parts]),
        np.concatenate([part.policy for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.color for part in parts]),
    )


def without_known(samples: Samples, known: Samples, images: NDArray[np.intp]) -> Samples:
    """Return the samples whose stones lie in none of `known`, not turned or mirrored either.

    Args:
        samples: those to keep from.
        known: positions that must not come again.
        images: `[S, A]` the symmetries.
    """
    seen = set(_keys(known, images).tolist())
    keys = _keys(samples, images).tolist()
    kept = [row for row, key in enumerate(keys) if key not in seen]
    return samples.take(np.array(kept, np.intp))


def _keys(samples: Samples, images: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return `[N]` a number for each position, the same for all of its symmetries."""
    rng = np.random.default_rng(0x6B6579)
    numbers = rng.integers(-(1 << 62), 1 << 62, images.shape[1], np.int64)
    stones = samples.stones
    keys = np.full(len(stones), np.iinfo(np.int64).max)
    with np.errstate(over="ignore"):
        for image in images:
            turned = np.empty_like(numbers)
            turned[image] = numbers  # the sum over a turned board is that of turned numbers
            keys = np.minimum(keys, stones.astype(np.int64) @ turned)
    return keys


__all__ = ["NO_MOVE", "Samples", "join", "without_known"]
