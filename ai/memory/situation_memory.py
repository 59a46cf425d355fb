"""Stage 5 of 6, "ANN-based one-hot-encoding vector combination": the situation memory.

A node is a remembered position. It holds a state vector and the sum of labels (one-hot vectors). A
new position joins the nearest node if it is nearer than alpha: its label is added to the sum. Else
it becomes a new node.

`Recall` predicts moves from the memory alone, by kernel regression over its nodes (Nadaraya 1964,
Watson 1964). The prediction for a position is the mean of the nodes' labels, each node weighted by
exp(-d^2 / (2 h^2)). Here d is the distance between the state vectors and h the kernel width. It
serves two purposes. The player `ann` plays by it. And networks are compared with it, as a network
should "completely resemble" the labels that it was taught (the self-teaching paper, section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.memory.growing_array import GrowingArray
from ai.memory.index import IndexHistory, NearestIndex
from ai.memory.index_kinds import AUTO, create_index


class MemoryFileError(ValueError):
    """Stored arrays are no valid situation memory."""


class Combination(NamedTuple):
    """Result of adding a state vector and its label to the memory.

    Attributes:
        node: number of the node that was changed or created.
    """

    node: int
    distance: float
    """Distance to the nearest node that existed before.

    It is infinity if there was none, or if alpha is None.
    """
    has_merged: bool
    """Whether the label was merged into an existing node; else a node was created."""


_ARRAYS: Final = ("vectors", "stones", "labels", "counts", "hits")
_HISTORY: Final = ("index_nodes", "index_replaced")


class SituationMemory:
    """Memory of positions ("nodes") with labels; a position near a node is merged into it.

    Nodes are numbered in order of creation. What a position costs when it is added does not grow
    with the number of nodes, apart from the search for the nearest one.

    With an approximate index (see `ai.memory.hnsw_index`) the search may miss the nearest node. A
    position within alpha of a missed node then becomes a node of its own. It is never merged into
    a node that is alpha or more away, as the distance of the node that is found is exact. The same
    positions in the same order give the same nodes, also where a stored memory is gone on with.
    """

    def __init__(
        self,
        points: int,
        *,
        alpha: float | None,
        index: str = AUTO,
        capacity: int | None = None,
    ) -> None:
        """Start without nodes.

        Args:
            points: number of points of the board, A.
            alpha: Euclidean distance between state vectors below which positions are merged; None:
                never merge.
            index: kind of nearest-neighbour index, "auto", "exact" or "hnsw"; see
                `ai.memory.index_kinds`.
            capacity: maximum number of nodes; a new one then replaces the oldest. None: no limit.
        """
        self.points = points
        self.alpha = alpha
        self.capacity = capacity
        self._index_kind = index
        self._index: NearestIndex = create_index(index, points)
        self._stones = GrowingArray((points,), np.int8)
        self._labels = GrowingArray((points,), np.float32)
        self._counts = GrowingArray((), np.int64)
        self._hits = GrowingArray((), np.float64)
        self._oldest = 0
        self.added = 0
        """Number of positions added since the beginning, merged ones included."""
        self.merged = 0
        """Number of positions that were merged into an existing node."""

    def __len__(self) -> int:
        return len(self._labels)

    def combine(
        self,
        vector: NDArray[np.float32],
        label: NDArray[np.float32],
        stones: NDArray[np.int8],
    ) -> Combination:
        """Add a position: merge its label into the nearest node within alpha, or create a node.

        Args:
            vector: `[A]` state vector f1(s) of the position.
            label: `[A]` one-hot vector, or equal shares with the sum 1 at several points.
            stones: `[A]` the position, stored with a new node.

        Returns:
            Which node was changed or created, and its distance; see `Combination`.
        """
        self.added += 1
        near = self._index.nearest(vector) if self.alpha is not None else None
        distance = near.distance if near is not None else float("inf")
        if near is not None and self.alpha is not None and near.distance < self.alpha:
            self._labels.rows[near.node] += label
            self._counts.rows[near.node] += 1
            self._hits.rows[near.node] = near.distance
            self.merged += 1
            return Combination(near.node, distance, has_merged=True)
        return Combination(
            self._insert(vector, label, stones, distance), distance, has_merged=False
        )

    def nearest(self, vector: NDArray[np.float32]) -> tuple[int, float] | None:
        """Return number and distance of the node nearest to `vector`; None if there is none.

        An approximate index may miss the nearest one, and returns another near one then.
        """
        return self._index.nearest(vector)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """`[N, A]` state vectors; read only."""
        return self._index.vectors

    @property
    def stones(self) -> NDArray[np.int8]:
        """`[N, A]` position that created each node; a copy."""
        return self._stones.rows.copy()

    @property
    def labels(self) -> NDArray[np.float32]:
        """`[N, A]` sum of the labels merged into each node; a copy."""
        return self._labels.rows.copy()

    @property
    def counts(self) -> NDArray[np.int64]:
        """`[N]` number of labels merged into each node; a copy."""
        return self._counts.rows.copy()

    @property
    def hits(self) -> NDArray[np.float64]:
        """`[N]` distance at which the last position joined each node; a copy.

        For a node that no position has joined yet, it is the distance to its nearest node when it
        was created.
        """
        return self._hits.rows.copy()

    @property
    def ages(self) -> NDArray[np.int64]:
        """`[N]` number of nodes that were created after each node; 0 for the newest."""
        return (self._oldest - 1 - np.arange(len(self), dtype=np.int64)) % max(len(self), 1)

    def clear(self) -> None:
        """Delete all nodes."""
        self._index = create_index(self._index_kind, self.points)
        for values in (self._stones, self._labels, self._counts, self._hits):
            values.clear()
        self.added = self.merged = self._oldest = 0

    def reconfigure(
        self, *, alpha: float | None, index: str = AUTO, capacity: int | None = None
    ) -> None:
        """Change merge distance, index or capacity; existing nodes stay as they are.

        The new distance applies to positions added from now on. Nodes are neither merged nor split:
        a node stores only the sum of its labels, so that a merge could not be undone. A smaller
        capacity drops the oldest nodes.

        Args:
            alpha: as in the constructor.
            index: as in the constructor.
            capacity: as in the constructor.
        """
        count, oldest = len(self), self._oldest
        order = np.concatenate([np.arange(oldest, count), np.arange(oldest)])  # the oldest first
        if capacity is not None:
            order = order[max(count - capacity, 0) :]
        vectors = self.vectors[order]
        self.alpha, self.capacity, self._index_kind = alpha, capacity, index
        self._oldest = 0
        self._index = create_index(index, self.points)
        self._index.fill(vectors)
        for values in (self._stones, self._labels, self._counts, self._hits):
            values.replace_all(values.rows[order])

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the complete state as arrays, for a file; the inverse of `restore`.

        The arrays of an approximate index in which nodes were replaced include its history.
        """
        history = self._index.history
        found: dict[str, NDArray[np.generic]] = {
            "vectors": self.vectors.copy(),
            "stones": self.stones,
            "labels": self.labels,
            "counts": self.counts,
            "hits": self.hits,
            "totals": np.array([self.added, self.merged], np.int64),
            "oldest": np.array([self._oldest], np.int64),
        }
        return found if history is None else found | dict(zip(_HISTORY, history, strict=True))

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the state by that which `arrays` returned.

        Raises:
            MemoryFileError: an array is missing or of the wrong shape; nothing is changed.
        """
        count = _check(arrays, self.points)
        self.clear()
        self._index.fill(np.asarray(arrays["vectors"], np.float32), _history_in(arrays))
        self._stones.replace_all(arrays["stones"])
        self._labels.replace_all(arrays["labels"])
        self._counts.replace_all(arrays["counts"])
        self._hits.replace_all(arrays["hits"])
        self.added, self.merged = (int(value) for value in arrays["totals"])
        self._oldest = self._oldest_in(arrays)
        if self.capacity is not None and count > self.capacity:
            self.reconfigure(alpha=self.alpha, index=self._index_kind, capacity=self.capacity)

    def _oldest_in(self, arrays: Mapping[str, NDArray[np.generic]]) -> int:
        """Return the number of the oldest node in stored arrays.

        Older files do not hold it; then it is computed from the counts.

        Args:
            arrays: the stored arrays by name.
        """
        if "oldest" in arrays:
            return int(arrays["oldest"][0]) if len(self) else 0
        is_full = self.capacity is not None and len(self) == self.capacity
        return (self.added - self.merged) % len(self) if is_full and len(self) else 0

    def _insert(
        self,
        vector: NDArray[np.float32],
        label: NDArray[np.float32],
        stones: NDArray[np.int8],
        distance: float,
    ) -> int:
        """Create a node, or replace the oldest one if the memory is full; return its number.

        Args:
            vector: `[A]` state vector.
            label: `[A]` label.
            stones: `[A]` position.
            distance: distance to the nearest existing node.
        """
        if self.capacity is not None and len(self) >= self.capacity:
            node, self._oldest = self._oldest, (self._oldest + 1) % self.capacity
            self._index.replace(node, vector)
            self._stones.rows[node], self._labels.rows[node] = stones, label
            self._counts.rows[node], self._hits.rows[node] = 1, distance
            return node
        node = self._index.add(vector)
        self._stones.append(stones)
        self._labels.append(label)
        self._counts.append(1)
        self._hits.append(distance)
        return node


def _history_in(arrays: Mapping[str, NDArray[np.generic]]) -> IndexHistory | None:
    """Return the history of the index in stored arrays; None if there is none.

    Args:
        arrays: the stored arrays by name.
    """
    if not all(name in arrays for name in _HISTORY):
        return None
    nodes, replaced = (arrays[name] for name in _HISTORY)
    return IndexHistory(np.asarray(nodes, np.int64), np.asarray(replaced, np.float32))


def _check(arrays: Mapping[str, NDArray[np.generic]], points: int) -> int:
    """Return the number of nodes in stored arrays after checking them.

    Raises:
        MemoryFileError: an array is missing or of the wrong shape, or a number is invalid.
    """
    missing = [name for name in (*_ARRAYS, "totals") if name not in arrays]
    if missing:
        raise MemoryFileError(f"memory: expected the arrays {', '.join(missing)}, found none")
    count = len(arrays["counts"])
    shapes: dict[str, tuple[int, ...]] = {"counts": (count,), "hits": (count,), "totals": (2,)}
    shapes |= dict.fromkeys(("vectors", "stones", "labels"), (count, points))
    if "oldest" in arrays:
        shapes["oldest"] = (1,)
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise MemoryFileError(
                f"memory: expected {name} of shape {shape}, found {arrays[name].shape}"
            )
    if "oldest" in arrays and not 0 <= int(arrays["oldest"][0]) < max(count, 1):
        raise MemoryFileError(f"memory: expected oldest below {count}, found {arrays['oldest']}")
    _check_history(_history_in(arrays), count, points)
    for name in ("vectors", "labels"):
        if not np.isfinite(arrays[name]).all():
            raise MemoryFileError(f"memory: expected finite {name}, found NaN or infinity")
    return count


def _check_history(history: IndexHistory | None, count: int, points: int) -> None:
    """Check that the history of an index belongs to a memory.

    Args:
        history: the history; None for no history.
        count: number of nodes.
        points: number of points of the board, A.

    Raises:
        MemoryFileError: it does not name each node once, or its vectors do not fit.
    """
    if history is None:
        return
    is_live = history.nodes >= 0
    named = np.sort(history.nodes[is_live])
    expected = (np.count_nonzero(~is_live), points)
    if history.nodes.ndim != 1 or not np.array_equal(named, np.arange(count)):
        raise MemoryFileError(f"memory: expected {_HISTORY[0]} with each of {count} nodes once")
    if history.replaced.shape != expected or not np.isfinite(history.replaced).all():
        raise MemoryFileError(
            f"memory: expected finite {_HISTORY[1]} of shape {expected}, "
            f"found {history.replaced.shape}"
        )


DEFAULT_WIDTH: Final = 1.0
"""Default kernel width h, a distance between state vectors.

One stone more or less changes a state vector by about 9.
"""

_MOST_PAIRS: Final = 2**25
"""Pairs of a position and a node that `Recall` compares at once; it bounds the memory it takes."""

NOTHING: Final = -1e30
"""Score of a point on which no node has a label; a finite number, so that points can be ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoryNodes:
    """The nodes of a situation memory, as a player gets them; missing arrays are None."""

    vectors: NDArray[np.float32]
    """`[N, A]` state vectors."""
    labels: NDArray[np.float32] | None = None
    """`[N, A]` sum of the labels merged into each node."""
    stones: NDArray[np.float32] | None = None
    """`[N, A]` situations from the learner's perspective: opponent 1, own -1."""
    counts: NDArray[np.float32] | None = None
    """`[N]` number of labels merged into each node."""
    origins: NDArray[np.float32] | None = None
    """`[N, 2]` number of the game and index of the stone that each node comes from."""

    def __post_init__(self) -> None:
        """Check that all arrays have the same number of nodes.

        Raises:
            ValueError: the arrays differ in length.
        """
        known = (self.vectors, self.labels, self.stones, self.counts, self.origins)
        lengths = {len(array) for array in known if array is not None}
        if len(lengths) > 1:
            raise ValueError(f"expected arrays of one length N, found {sorted(lengths)}")


class Recall:
    """Predicts moves by kernel regression over copies of a memory's nodes.

    The module `ai.memory.situation_memory` explains it.
    """

    def __init__(
        self,
        vectors: NDArray[np.float32],
        labels: NDArray[np.float32],
        *,
        width: float = DEFAULT_WIDTH,
    ) -> None:
        """Copy the nodes.

        Args:
            vectors: `[N, A]` state vector of each node.
            labels: `[N, A]` label of each node; each is scaled to the sum 1.
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
        nodes, points = np.nonzero(self._labels > 0)
        self._labelled = np.bincount(points, minlength=labels.shape[1]) > 0  # [A]
        order = np.argsort(points, kind="stable")
        ends = np.cumsum(np.bincount(points, minlength=labels.shape[1]))
        self._nodes = np.split(nodes[order], ends[:-1])
        """Nodes with a label on a point, by point."""

    def __len__(self) -> int:
        return len(self._vectors)

    def weights(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return how much each node counts in the predictions for state vectors.

        Args:
            vectors: `[B, A]` state vectors of positions.

        Returns:
            `[B, N]` weights of the nodes; each row has the sum 1.
        """
        exponents = self._exponents(vectors)
        raised = np.exp(exponents - exponents.max(axis=1, keepdims=True, initial=NOTHING))
        result: NDArray[np.float64] = raised / np.maximum(raised.sum(axis=1, keepdims=True), 1e-300)
        return result

    def scores(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return scores of the points, the higher the better, for state vectors.

        A score is the logarithm of the prediction, plus a number that is the same for all points of
        a position. So even very distant nodes rank the points on which no nearer node has a label.
        Every node is compared, so the time grows with their number.

        Args:
            vectors: `[B, A]` state vectors of positions.

        Returns:
            `[B, A]` the scores.
        """
        at_once = max(_MOST_PAIRS // max(len(self), 1), 1)
        if len(vectors) <= at_once:
            return self._scores(vectors)
        parts = range(0, len(vectors), at_once)
        return np.concatenate([self._scores(vectors[first : first + at_once]) for first in parts])

    def _scores(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the scores `[B, A]` for state vectors (`[B, A]`), all at once."""
        count, points = len(vectors), self._vectors.shape[1]
        result = np.full((count, points), NOTHING)
        if not len(self):
            return result
        exponents = self._exponents(vectors)  # [B, N]
        nearest = exponents.max(axis=1, keepdims=True)
        sums = np.exp(exponents - nearest) @ self._labels  # [B, A]
        is_plain = sums > 1e-200
        np.log(sums, out=result, where=is_plain)
        far = ~is_plain & self._labelled  # [B, A] labelled, by far nodes only
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
        """Compute the scores of points whose predictions are too small for a float.

        Args:
            scores: `[B, A]` scores; those of such points are replaced.
            exponents: `[B, N]` logarithm of each node's weight, 0 for the nearest node.
            rows: indices of the positions that have such points.
            far: `[B, A]` whether each point is such a point.
        """
        for point in np.flatnonzero(far.any(axis=0)):
            nodes = self._nodes[point]
            own = rows[far[rows, point]]
            terms = exponents[np.ix_(own, nodes)] + np.log(self._labels[nodes, point])
            highest = terms.max(axis=1)
            sums = np.exp(terms - highest[:, None]).sum(axis=1)
            scores[own, point] = highest + np.log(sums)

    def _exponents(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return `[B, N]` the exponents -d^2 / (2 h^2), from which the nodes' weights are computed.

        Args:
            vectors: `[B, A]` state vectors of positions.
        """
        seen = vectors.astype(np.float64)
        squares = (
            self._squares[None, :]
            + np.square(seen).sum(axis=1)[:, None]
            - 2.0 * (seen @ self._vectors.T)
        )
        result: NDArray[np.float64] = np.maximum(squares, 0.0) / (-2.0 * self.width**2)
        return result
