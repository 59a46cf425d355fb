"""Nearest-neighbour search by Euclidean distance, exact or approximate.

The exact index compares a query with every vector in one matrix product. For a thousand vectors of
49 numbers that takes 0.1 ms, and it is fast enough for tens of thousands. The projection index
sorts vectors into buckets and compares a query only with those in its own buckets. It stays fast
with more vectors. It may miss a neighbour, but seldom a close one.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

EXACT: Final = "exact"
PROJECTION: Final = "projection"

_FIRST_CAPACITY: Final = 256


class Neighbour(NamedTuple):
    """Result of a nearest-neighbour query: which vector is nearest, and how far away."""

    node: int
    """Number of the vector found, in the order of `add`, from 0."""
    distance: float


class NearestIndex(Protocol):
    """Protocol of an index: stores vectors and finds the one nearest to a query."""

    def __len__(self) -> int:
        """Return the number of vectors."""

    def add(self, vector: NDArray[np.float32]) -> int:
        """Add a vector (`[D]`) and return its number."""

    def replace(self, node: int, vector: NDArray[np.float32]) -> None:
        """Replace the vector of `node`."""

    def nearest(self, vector: NDArray[np.float32]) -> Neighbour | None:
        """Return the nearest vector that the search finds; None if it finds none.

        Of several at the same distance it is the one that was added first.
        """

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`[N, D]` the vectors by number; read only."""


class ExactIndex:
    """Compares a query with every vector; the array of vectors grows by doubling."""

    def __init__(self, dimension: int) -> None:
        self._rows = np.zeros((_FIRST_CAPACITY, dimension), np.float32)
        self._squares = np.zeros(_FIRST_CAPACITY, np.float64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, vector: NDArray[np.float32]) -> int:
        """Add a vector (`[D]`) and return its number."""
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._squares = np.concatenate([self._squares, np.zeros_like(self._squares)])
        self._count += 1
        self._set(self._count - 1, vector)
        return self._count - 1

    def replace(self, node: int, vector: NDArray[np.float32]) -> None:
        """Replace the vector of `node`."""
        self._set(node, vector)

    def nearest(self, vector: NDArray[np.float32]) -> Neighbour | None:
        """Return the nearest vector, the oldest among equals; None if empty."""
        return self._nearest_among(vector, None)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`[N, D]` the vectors by number; read only."""
        return self._rows[: self._count]

    def _set(self, node: int, vector: NDArray[np.float32]) -> None:
        self._rows[node] = vector
        self._squares[node] = float(vector.astype(np.float64) @ vector)

    def _nearest_among(
        self, vector: NDArray[np.float32], among: NDArray[np.intp] | None
    ) -> Neighbour | None:
        """Return the nearest of some vectors; None if there are none.

        Args:
            vector: `[D]` the query.
            among: numbers of the vectors to compare with; None for all.
        """
        rows = self.vectors if among is None else self._rows[among]
        if not len(rows):
            return None
        squares = self._squares[: self._count] if among is None else self._squares[among]
        # |v|^2 drops out of the comparison; the distance itself is taken from the difference.
        place = int(np.argmin(squares - 2.0 * (rows @ vector)))
        node = place if among is None else int(among[place])
        difference = self._rows[node].astype(np.float64) - vector
        return Neighbour(node, float(np.sqrt(difference @ difference)))


class ProjectionIndex(ExactIndex):
    """Index that uses locality-sensitive hashing by random projections (Datar et al. 2004).

    Each of several hash tables has a few random directions, along which space is cut into slices of
    equal width. Vectors that are in the same slice in every direction of a table share a bucket of
    it. Vectors near each other most likely share a bucket in at least one table.
    """

    def __init__(
        self,
        dimension: int,
        *,
        width: float,
        tables: int = 12,
        directions: int = 4,
        seed: int = 0,
    ) -> None:
        """Draw the random directions.

        Args:
            dimension: length of the vectors, D.
            width: width of a slice; it should be several times the distance that counts as near.
            tables: number of hash tables; with more, more neighbours are found and queries are
                slower.
            directions: number of random directions for each table; more make smaller buckets.
            seed: random seed of the directions.
        """
        super().__init__(dimension)
        rng = np.random.default_rng(seed)
        self._directions = rng.normal(size=(dimension, tables * directions)).astype(np.float32)
        self._offsets = rng.uniform(0.0, width, tables * directions).astype(np.float32)
        self._width = width
        self._tables: list[dict[bytes, list[int]]] = [{} for _ in range(tables)]

    def add(self, vector: NDArray[np.float32]) -> int:
        """Add a vector (`[D]`) and return its number."""
        node = super().add(vector)
        for table, key in zip(self._tables, self._keys(vector), strict=True):
            table.setdefault(key, []).append(node)
        return node

    def replace(self, node: int, vector: NDArray[np.float32]) -> None:
        """Replace the vector of `node`."""
        for table, key in zip(self._tables, self._keys(self._rows[node]), strict=True):
            table[key].remove(node)
            if not table[key]:
                del table[key]
        self._set(node, vector)
        for table, key in zip(self._tables, self._keys(vector), strict=True):
            table.setdefault(key, []).append(node)

    def nearest(self, vector: NDArray[np.float32]) -> Neighbour | None:
        """Return the nearest of the vectors that share a bucket with `vector`; None if none do."""
        found: set[int] = set()
        for table, key in zip(self._tables, self._keys(vector), strict=True):
            found.update(table.get(key, ()))
        if not found:
            return None
        return self._nearest_among(vector, np.array(sorted(found), np.intp))

    def _keys(self, vector: NDArray[np.float32]) -> list[bytes]:
        """Return the key of the vector's bucket in each hash table."""
        slices = np.floor((vector @ self._directions + self._offsets) / self._width)
        return [row.tobytes() for row in slices.astype(np.int32).reshape(len(self._tables), -1)]


def create_index(kind: str, dimension: int, *, near: float) -> NearestIndex:
    """Create an empty index.

    Args:
        kind: "exact" or "projection".
        dimension: length of the vectors, D.
        near: distance below which a neighbour should be found; sets the width of the projection
            index.

    Raises:
        ValueError: `kind` is unknown.
    """
    if kind == EXACT:
        return ExactIndex(dimension)
    if kind == PROJECTION:
        return ProjectionIndex(dimension, width=4.0 * max(near, 1.0))
    raise ValueError(f"index: expected {EXACT!r} or {PROJECTION!r}, found {kind!r}")
