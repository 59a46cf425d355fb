"""Nearest-neighbour search by Euclidean distance: what an index is, and the exact index.

The exact index compares a query with every vector in one matrix product. Its time grows with the
number of vectors and with their length. The module `ai.memory.hnsw_index` holds the approximate
index, and `ai.memory.index_kinds` chooses between the two. How the two compare is measured by
`benchmarks/memory_index.py`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ai.memory.growing_array import GrowingArray


class Neighbour(NamedTuple):
    """Result of a nearest-neighbour query: which vector is nearest, and how far away."""

    node: int
    """Number of the vector found, in the order of `add`, from 0."""
    distance: float


class IndexHistory(NamedTuple):
    """What an index holds beside its vectors: the vectors that were replaced, and the order.

    An approximate index depends on it. From the vectors and this history the same index is built
    again, with the same answers.
    """

    nodes: NDArray[np.int64]
    """`[E]` number of each vector in the order in which they came; -1 for a replaced one."""
    replaced: NDArray[np.float32]
    """`[R, D]` the replaced vectors, in the order in which they came."""


class NearestIndex(Protocol):
    """Protocol of an index: stores vectors and finds the one nearest to a query.

    The same calls in the same order give the same answers, in every process.
    """

    def __len__(self) -> int:
        """Return the number of vectors."""

    def add(self, vector: NDArray[np.float32]) -> int:
        """Add a vector (`[D]`) and return its number."""

    def fill(self, vectors: NDArray[np.float32], history: IndexHistory | None = None) -> None:
        """Add many vectors (`[N, D]`) to an empty index, as if one after the other.

        Args:
            vectors: the vectors by number.
            history: the history of an index with these vectors, to build the same index again;
                None: the vectors come in their own order, and none was replaced.
        """

    def replace(self, node: int, vector: NDArray[np.float32]) -> None:
        """Replace the vector of `node`."""

    def nearest(self, vector: NDArray[np.float32]) -> Neighbour | None:
        """Return the nearest vector that the search finds; None if the index is empty."""

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`[N, D]` the vectors by number; read only."""

    @property
    def history(self) -> IndexHistory | None:
        """What `fill` needs besides the vectors to build the same index; None for nothing."""


class ExactIndex:
    """Compares a query with every vector."""

    history: IndexHistory | None = None
    """None: the answers depend on nothing but the vectors."""

    def __init__(self, dimension: int) -> None:
        self._rows = GrowingArray((dimension,), np.float32)
        self._squares = GrowingArray((), np.float64)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, vector: NDArray[np.float32]) -> int:
        """Add a vector (`[D]`) and return its number."""
        self._squares.append(_square(vector))
        return self._rows.append(vector)

    def fill(self, vectors: NDArray[np.float32], history: IndexHistory | None = None) -> None:
        """Add many vectors (`[N, D]`) to an empty index; the history has no influence."""
        for vector in vectors:
            self.add(vector)

    def replace(self, node: int, vector: NDArray[np.float32]) -> None:
        """Replace the vector of `node`."""
        self._rows.rows[node] = vector
        self._squares.rows[node] = _square(vector)

    def nearest(self, vector: NDArray[np.float32]) -> Neighbour | None:
        """Return the nearest vector; of several at the same distance the lowest number.

        None if the index is empty.
        """
        if not len(self):
            return None
        # |v|^2 drops out of the comparison; the distance itself is taken from the difference.
        node = int(np.argmin(self._squares.rows - 2.0 * (self.vectors @ vector)))
        return Neighbour(node, float(distances_to(vector, self.vectors[node : node + 1])[0]))

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`[N, D]` the vectors by number; read only."""
        return self._rows.rows


def distances_to(vector: NDArray[np.float32], rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the Euclidean distances (`[K]`) from a vector (`[D]`) to some rows (`[K, D]`)."""
    differences = rows.astype(np.float64) - vector
    return np.array([np.sqrt(difference @ difference) for difference in differences])


def _square(vector: NDArray[np.float32]) -> float:
    return float(vector.astype(np.float64) @ vector)
