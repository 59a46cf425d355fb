"""Approximate nearest-neighbour search in a graph, by the library USearch.

The method is HNSW, hierarchical navigable small worlds (Malkov and Yashunin 2020, IEEE Transactions
on Pattern Analysis and Machine Intelligence 42(4)). Each vector is linked to some near ones. A
query walks along the links to ever nearer vectors. So its time hardly grows with the number of
vectors. Now and then it misses the nearest one; `benchmarks/memory_index.py` measures how often.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.memory.growing_array import GrowingArray
from ai.memory.index import IndexHistory, Neighbour, distances_to

_LIBRARY: Final = "usearch.index"
"""Module of the library; by its name, an exported script does not take the library along."""


class GraphSize(NamedTuple):
    """How many links and candidates a graph has; more of them miss less and take longer."""

    connectivity: int
    """Links of a vector, M of the paper; twice as many in the lowest layer."""
    expansion_add: int
    """Candidates that are kept while the links of a new vector are searched, efConstruction."""
    expansion_search: int
    """Candidates that are kept during a query, ef."""


SHORT: Final = GraphSize(16, 128, 96)
"""For vectors of up to 128 numbers, as those of 7x7."""
LONG: Final = GraphSize(32, 200, 256)
"""For longer vectors, as those of 15x15, which are farther apart."""
_LONGEST_SHORT: Final = 128

_COMPARED: Final = 4
"""Vectors of a query's result that are compared by their exact distances."""
_REPLACED_SHARE: Final = 4
"""The graph is built anew once more than 1 / 4 as many vectors were replaced as it holds."""
_LEAST_REPLACED: Final = 256
_REPLACED: Final = -1
_LARGEST: Final = 60_000.0
"""The largest number in a graph whose numbers have 16 bits."""
_LARGEST_BYTE: Final = 127.0
"""The largest number in a graph whose numbers have 8 bits."""


class HnswIndex:
    """Finds a near vector by walking through a graph of all vectors.

    What it promises, and what not:

    - A query may miss the nearest vector. The distance of the vector that it returns is exact.
    - Of several vectors at the same distance it returns the lowest number among those that it
      found. It may not find all of them.
    - The same calls in the same order give the same answers, also in another process. The graph
      is built by one thread. Its random numbers start alike each time. On another operating system
      they are other numbers, so that the graph may differ there.
    - Whole numbers up to 127 take one byte each in the graph, and are exact there. With the first
      vector that has others, the graph is built anew with 16 bits for a number.
    - A replaced vector is never returned. It stays in the graph as a place to walk through. Once a
      quarter as many were replaced as there are, the graph is built anew without them. Until then
      `history` holds them, so that a stored memory gets the same graph again.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._entries = GrowingArray((dimension,), np.float32)
        """`[E, D]` every vector of the graph, in the order in which they came."""
        self._nodes = GrowingArray((), np.int64)
        """`[E]` the number of each of them; -1 for a replaced one."""
        self._places = GrowingArray((), np.int64)
        """`[N]` where each number's vector is among them."""
        self._is_in_order = True
        """Whether each vector's place is its number, as nothing was replaced."""
        self._is_bytes = True
        """Whether the graph's numbers have 8 bits, as each is whole and small enough."""
        self._graph = self._new_graph()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, vector: NDArray[np.float32]) -> int:
        """Add a vector (`[D]`) and return its number."""
        node = len(self)
        self._places.append(self._enter(node, vector))
        return node

    def fill(self, vectors: NDArray[np.float32], history: IndexHistory | None = None) -> None:
        """Add many vectors (`[N, D]`) to an empty index, as if one after the other.

        Args:
            vectors: the vectors by number.
            history: the history of an index with these vectors; see `NearestIndex.fill`.
        """
        self._is_in_order = history is None
        if history is None:
            history = IndexHistory(np.arange(len(vectors)), vectors[:0])
        is_live = history.nodes != _REPLACED
        entries = np.zeros((len(history.nodes), self._dimension), np.float32)
        entries[is_live] = vectors[history.nodes[is_live]]
        entries[~is_live] = history.replaced
        places = np.zeros(len(vectors), np.int64)
        places[history.nodes[is_live]] = np.flatnonzero(is_live)
        self._entries.replace_all(entries)
        self._nodes.replace_all(history.nodes)
        self._places.replace_all(places)
        self._build()

    def replace(self, node: int, vector: NDArray[np.float32]) -> None:
        """Replace the vector of `node`."""
        self._is_in_order = False
        self._nodes.rows[self._places.rows[node]] = _REPLACED
        self._places.rows[node] = self._enter(node, vector)
        replaced = len(self._entries) - len(self)
        if replaced > max(_LEAST_REPLACED, len(self) // _REPLACED_SHARE):
            kept = self._nodes.rows[self._nodes.rows != _REPLACED]
            self.fill(self.vectors, IndexHistory(kept, self._entries.rows[:0]))

    def nearest(self, vector: NDArray[np.float32]) -> Neighbour | None:
        """Return the nearest vector that the walk finds; None if the index is empty."""
        if not len(self):
            return None
        entries = self._found(vector)
        nodes = self._nodes.rows[entries]
        distances = distances_to(vector, self._entries.rows[entries])
        best = np.lexsort((nodes, distances))[0]
        return Neighbour(int(nodes[best]), float(distances[best]))

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`[N, D]` the vectors by number; read only."""
        if self._is_in_order:
            return self._entries.rows
        return self._entries.rows[self._places.rows]

    @property
    def history(self) -> IndexHistory | None:
        """The replaced vectors and the order of all; None if nothing was ever replaced."""
        if self._is_in_order:
            return None
        is_replaced = self._nodes.rows == _REPLACED
        return IndexHistory(self._nodes.rows.copy(), self._entries.rows[is_replaced])

    def _enter(self, node: int, vector: NDArray[np.float32]) -> int:
        """Add a vector to the graph and return its place.

        Args:
            node: number of the vector.
            vector: `[D]` the vector.
        """
        self._nodes.append(node)
        place = self._entries.append(vector)
        if self._is_bytes and not _fit_bytes(vector):
            self._build()
        else:
            self._graph.add(place, self._in_graph(vector), threads=1)
        return place

    def _build(self) -> None:
        """Build the graph from all vectors, with as few bits for a number as hold them exactly."""
        entries = self._entries.rows
        self._is_bytes = _fit_bytes(entries)
        self._graph = self._new_graph()
        if len(entries):
            self._graph.add(np.arange(len(entries)), self._in_graph(entries), threads=1)

    def _in_graph(self, vectors: NDArray[np.float32]) -> NDArray[np.float32] | NDArray[np.int8]:
        """Return vectors (`[..., D]`) as the graph takes them."""
        if self._is_bytes:
            return np.clip(np.rint(vectors), -_LARGEST_BYTE, _LARGEST_BYTE).astype(np.int8)
        return np.clip(vectors, -_LARGEST, _LARGEST)

    def _found(self, vector: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return the places of some near vectors, at least one, that were not replaced.

        Args:
            vector: `[D]` the query.
        """
        wanted, query = _COMPARED, self._in_graph(vector)
        while True:
            matches = self._graph.search(query, min(wanted, len(self._entries)), threads=1)
            places = np.asarray(matches.keys).astype(np.intp)
            live: NDArray[np.intp] = places[self._nodes.rows[places] != _REPLACED]
            if len(live):
                return live
            if wanted >= len(self._entries):
                return self._places.rows.astype(np.intp)
            wanted *= 4

    def _new_graph(self) -> Any:
        """Return an empty graph of the library."""
        create = import_module(_LIBRARY).Index  # here: few processes have so many vectors
        size = SHORT if self._dimension <= _LONGEST_SHORT else LONG
        return create(
            ndim=self._dimension,
            metric="l2sq",
            dtype="i8" if self._is_bytes else "f16",  # what is found is compared by 32 bits
            connectivity=size.connectivity,
            expansion_add=size.expansion_add,
            expansion_search=size.expansion_search,
            enable_key_lookups=False,
        )


def _fit_bytes(vectors: NDArray[np.float32]) -> bool:
    """Return whether all numbers are whole and at most 127."""
    return bool(((np.abs(vectors) <= _LARGEST_BYTE) & (np.rint(vectors) == vectors)).all())
