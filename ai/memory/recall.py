"""Recall: a situation memory's own answers, by kernel regression over its nodes.

Nadaraya (1964) and Watson (1964): the answer in a state is the mean of the nodes' labels, each
node weighted by exp(-d^2 / (2 h^2)) of the distance d between the state vectors. It is the
yardstick for a network that is to "completely resemble" the labels it was taught (the
self-teaching paper, section 3.2), and the player `ann`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

DEFAULT_WIDTH: Final = 1.0
"""Kernel width h, in units of the state vectors: one stone moves them by about 9."""

NOTHING: Final = -1e30
"""Score of a point that no node was ever labelled with; finite, so that ranks stay defined."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoryNodes:
    """The nodes of a situation memory, as passed to a player; None for unknown parts."""

    vectors: NDArray[np.float32]
    """`[N, A]` state vectors."""
    labels: NDArray[np.float32] | None = None
    """`[N, A]` combined one-hot vectors."""
    stones: NDArray[np.float32] | None = None
    """`[N, A]` the situations from the learner's perspective: the opponent's stones are 1."""
    counts: NDArray[np.float32] | None = None
    """`[N]` number of records that each node combines."""

    def __post_init__(self) -> None:
        """Check that all arrays have the same number of nodes.

        Raises:
            ValueError: the arrays differ in length.
        """
        known = (self.vectors, self.labels, self.stones, self.counts)
        lengths = {len(array) for array in known if array is not None}
        if len(lengths) > 1:
            raise ValueError(f"expected arrays of one length N, found {sorted(lengths)}")


class Recall:
    """Kernel regression over a copy of a memory's nodes."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        labels: NDArray[np.float32],
        *,
        width: float = DEFAULT_WIDTH,
    ) -> None:
        """Copy the nodes.

        Args:
            vectors: `[N, A]` state vectors.
            labels: `[N, A]` combined one-hot vectors; each node's are normalised to sum 1.
            width: kernel width h.

        Raises:
            ValueError: the width is not above 0, or the shapes differ.
        """
        if not width > 0.0:
            raise ValueError(f"width: expected a number above 0, found {width!r}")
        if vectors.shape != labels.shape or vectors.ndim != 2:
            raise ValueError(
                f"expected vectors and labels of one shape [N, A], "
                f"found {vectors.shape} and {labels.shape}"
            )
        self.width = width
        self._vectors = vectors.astype(np.float64)
        self._squares = np.square(self._vectors).sum(axis=1)  # [N]
        sums = labels.sum(axis=1, keepdims=True, dtype=np.float64)
        self._labels = labels / np.maximum(sums, 1e-9)

    def __len__(self) -> int:
        return len(self._vectors)

    def weights(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return `[B, N]` each node's weight in the answers to `vectors` (`[B, A]`), sum 1."""
        exponents = self._exponents(vectors)
        raised = np.exp(exponents - exponents.max(axis=1, keepdims=True, initial=NOTHING))
        result: NDArray[np.float64] = raised / np.maximum(raised.sum(axis=1, keepdims=True), 1e-300)
        return result

    def scores(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the logarithm `[B, A]` of the answer to each state vector (`[B, A]`).

        Up to a constant for each row. In logarithms a far node still decides between free points
        that no nearer node has a label on.
        """
        count, points = len(vectors), self._vectors.shape[1]
        result = np.full((count, points), NOTHING)
        if not len(self):
            return result
        exponents = self._exponents(vectors)  # [B, N]
        nearest = exponents.max(axis=1, keepdims=True)
        sums = np.exp(exponents - nearest) @ self._labels  # [B, A]
        is_plain = sums > 1e-200
        np.log(sums, out=result, where=is_plain)
        far = ~is_plain & (self._labels > 0).any(axis=0)  # [B, A] labelled, by far nodes only
        rows = np.flatnonzero(far.any(axis=1))
        if len(rows):
            self._add_far_nodes(result, exponents - nearest, rows, far)
        return result

    def _add_far_nodes(
        self,
        scores: NDArray[np.float64],
        exponents: NDArray[np.float64],
        rows: NDArray[np.intp],
        far: NDArray[np.bool_],
    ) -> None:
        """Fill in the points (`far`, `[B, A]`) whose nodes are too far for plain sums."""
        for point in np.flatnonzero(far.any(axis=0)):
            nodes = np.flatnonzero(self._labels[:, point] > 0)
            own = rows[far[rows, point]]
            terms = exponents[np.ix_(own, nodes)] + np.log(self._labels[nodes, point])
            highest = terms.max(axis=1)
            sums = np.exp(terms - highest[:, None]).sum(axis=1)
            scores[own, point] = highest + np.log(sums)

    def _exponents(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return `[B, N]` -d^2 / (2 h^2)."""
        seen = vectors.astype(np.float64)
        squares = (
            self._squares[None, :]
            + np.square(seen).sum(axis=1)[:, None]
            - 2.0 * (seen @ self._vectors.T)
        )
        result: NDArray[np.float64] = np.maximum(squares, 0.0) / (-2.0 * self.width**2)
        return result
