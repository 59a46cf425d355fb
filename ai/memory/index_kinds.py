"""The kinds of index that a memory can have, by name, and the one that chooses by size."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.memory.hnsw_index import HnswIndex
from ai.memory.index import ExactIndex, IndexHistory, NearestIndex, Neighbour

EXACT: Final = "exact"
HNSW: Final = "hnsw"
AUTO: Final = "auto"
INDEX_KINDS: Final = (AUTO, EXACT, HNSW)

LARGEST_EXACT: Final = 1_500_000
"""Numbers (vectors times their length) up to which "auto" compares a query with every vector.

These are 30,612 vectors of 49 numbers, or 6,666 of 225: there both take about as long. The page
docs/studies/memory_size.md has the measurement.
"""


class AutoIndex:
    """Exact while there are few vectors; from a size on the graph of `HnswIndex`.

    The graph is built once, from the vectors in the order in which they came. An index that is
    filled with the same vectors is in the same state as one to which they were added singly.
    """

    def __init__(self, dimension: int, *, largest: int = LARGEST_EXACT) -> None:
        """Start without vectors.

        Args:
            dimension: length of the vectors, D.
            largest: numbers (vectors times their length) up to which it is exact.
        """
        self._dimension = dimension
        self._largest = largest
        self._index: NearestIndex = ExactIndex(dimension)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def is_exact(self) -> bool:
        """Whether a query is still compared with every vector."""
        return isinstance(self._index, ExactIndex)

    def add(self, vector: NDArray[np.float32]) -> int:
        """Add a vector (`[D]`) and return its number."""
        if self.is_exact and self._is_large(len(self) + 1):
            vectors = self.vectors
            self._index = HnswIndex(self._dimension)
            self._index.fill(vectors)
        return self._index.add(vector)

    def fill(self, vectors: NDArray[np.float32], history: IndexHistory | None = None) -> None:
        """Add many vectors (`[N, D]`) to an empty index, as if one after the other.

        Args:
            vectors: the vectors by number.
            history: the history of an index with these vectors; see `NearestIndex.fill`.
        """
        is_large = self._is_large(len(vectors))
        self._index = HnswIndex(self._dimension) if is_large else ExactIndex(self._dimension)
        self._index.fill(vectors, history)

    def replace(self, node: int, vector: NDArray[np.float32]) -> None:
        """Replace the vector of `node`."""
        self._index.replace(node, vector)

    def nearest(self, vector: NDArray[np.float32]) -> Neighbour | None:
        """Return the nearest vector that the search finds; None if the index is empty."""
        return self._index.nearest(vector)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`[N, D]` the vectors by number; read only."""
        return self._index.vectors

    @property
    def history(self) -> IndexHistory | None:
        """The history of the graph; None while the index is exact."""
        return self._index.history

    def _is_large(self, count: int) -> bool:
        return count * self._dimension > self._largest


def create_index(kind: str, dimension: int) -> NearestIndex:
    """Create an empty index.

    Args:
        kind: "exact", "hnsw" or "auto".
        dimension: length of the vectors, D.

    Raises:
        ValueError: `kind` is unknown.
    """
    if kind == EXACT:
        return ExactIndex(dimension)
    if kind == HNSW:
        return HnswIndex(dimension)
    if kind == AUTO:
        return AutoIndex(dimension)
    raise ValueError(f"index: expected one of {', '.join(INDEX_KINDS)}; found {kind!r}")
