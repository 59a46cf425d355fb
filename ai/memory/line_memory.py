"""A memory of line situations: how often the opponent's stone was missed there, and how often not.

The memory of the self-teaching paper compares whole boards (`ai.memory.situation_memory`). Two
games seldom come to equal boards, so it learns little against an opponent that does not repeat
itself. This memory applies the paper's idea to lines (`ai.memory.lines`), which do repeat.

A record of a lost game is a position and its label: the point where the learner should have placed
its stone. Each line situation of that point gets a hit, and those of all other free points get a
miss. So a node has a number of hits h and of misses m. As in the paper, line situations nearer to a
node than alpha are combined with it.

The worth of a line situation is how much likelier it is to be hit than any, as a logarithm. Hits
and misses are those of all nodes, weighted by exp(-d^2 / (2 w^2)), where d is the distance and w
the kernel width (Nadaraya 1964, Watson 1964):

    worth = log((h + k p) / (m + k (1 - p))) - log(p / (1 - p))

Here p is the share of hits in the whole memory, and k the prior: the number of imagined
observations. So an unknown line is worth 0. The score of a point is the sum over its lines
(naive Bayes).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.memory.lines import LineReader, line_distances, line_kernel

DEFAULT_LINE_WIDTH: Final = 1.0
"""Default kernel width; the distance of two lines that differ in one cell is 1 or 2."""
DEFAULT_PRIOR: Final = 4.0
NO_RECORD: Final = -1


class LineNode(NamedTuple):
    """A remembered line situation."""

    cells: NDArray[np.int8]
    """`[2, R]` cells from the point outwards on both sides; see `LineReader.cells`."""
    hits: float
    """How often the label of a record was on this line."""
    misses: float
    """How often another free point of a record was on this line."""
    first_record: int
    """Index of the record that brought its first hit, in the order of `add`; -1 without hits."""
    last_record: int
    """Index of the record that brought its latest hit; -1 without hits."""


class LineMemory:
    """Memory of line situations ("nodes") with hits and misses.

    Nodes are numbered in order of creation.
    """

    def __init__(
        self,
        reader: LineReader,
        *,
        alpha: float | None = None,
        width: float = DEFAULT_LINE_WIDTH,
        prior: float = DEFAULT_PRIOR,
    ) -> None:
        """Start without nodes.

        Args:
            reader: reads the line situations of positions.
            alpha: distance below which a new line situation is combined with the nearest node;
                None: only equal ones are.
            width: kernel width w; 0: a node counts for its own line situations alone.
            prior: number k of imagined observations, above 0.

        Raises:
            ValueError: the width is below 0 or the prior is not above 0.
        """
        if width < 0.0 or not prior > 0.0:
            raise ValueError(f"expected width >= 0 and prior > 0, found {width!r} and {prior!r}")
        self.reader = reader
        self.alpha = alpha
        self.width = width
        self.prior = prior
        self.records = 0
        """Number of records added."""
        self._nodes = np.full(len(reader), NO_RECORD, np.int32)  # node of each code
        self._codes = np.zeros(0, np.intp)  # [N] code that created each node
        self._cells = np.zeros((0, 2, reader.reach), np.int8)
        self._hits = np.zeros(0)
        self._misses = np.zeros(0)
        self._first = np.zeros(0, np.int32)
        self._last = np.zeros(0, np.int32)
        self._worths = np.full(len(reader), np.nan)  # worth of each code, once asked for

    def __len__(self) -> int:
        return len(self._codes)

    def add(
        self, stones: NDArray[np.int8], label: NDArray[np.float32], free: NDArray[np.bool_]
    ) -> None:
        """Add a record.

        Args:
            stones: `[A]` the position, from the learner's perspective: opponent 1, own -1.
            label: `[A]` one-hot vector of the missed point, or a sum of several.
            free: `[A]` points where a stone can be placed.
        """
        codes = self.reader.codes(stones[None])[0]  # [A, D]
        hits = np.where(free, label, np.float32(0.0)).astype(np.float64)
        total = float(hits.sum())
        if total == 0.0:
            return
        for order in (hits > 0.0, free & (hits <= 0.0)):
            self._place(np.unique(codes[order]))
        nodes = self._nodes[codes]  # [A, D]
        np.add.at(self._hits, nodes[free], hits[free, None])
        np.add.at(self._misses, nodes[free], (total - hits)[free, None])
        hit = np.unique(nodes[hits > 0.0])
        self._first[hit] = np.where(self._first[hit] == NO_RECORD, self.records, self._first[hit])
        self._last[hit] = self.records
        self.records += 1
        self._worths.fill(np.nan)

    def worths(self, codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the worth of line situations, given by their numbers; the shape stays."""
        known = self._worths[codes]
        missing = np.unique(codes[np.isnan(known)])
        if len(missing):
            self._worths[missing] = self._computed(missing)
            known = self._worths[codes]
        return known

    def scores(self, stones: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return `[B, A]` the score of every point: the sum of the worths of its lines.

        Args:
            stones: `[B, A]` positions from the learner's perspective.
        """
        scores: NDArray[np.float64] = self.worths(self.reader.codes(stones)).sum(axis=-1)
        return scores

    def nearest(self, code: int) -> tuple[LineNode, float] | None:
        """Return the node nearest to a line situation and its distance; None if there is none.

        Of several at the same distance it is the oldest.

        Args:
            code: number of the line situation.
        """
        if not len(self):
            return None
        distances = self._distances(np.array([code], np.intp))[0]
        known = int(self._nodes[code])
        node = known if known != NO_RECORD else int(distances.argmin())
        return self.node(node), float(distances[node])

    def node(self, number: int) -> LineNode:
        """Return a node by its number."""
        return LineNode(
            self._cells[number],
            float(self._hits[number]),
            float(self._misses[number]),
            int(self._first[number]),
            int(self._last[number]),
        )

    def _place(self, codes: NDArray[np.intp]) -> None:
        """Find the node of each line situation, or create it.

        Args:
            codes: `[K]` numbers of line situations, each once.
        """
        for code in codes[self._nodes[codes] == NO_RECORD]:
            near = None
            if self.alpha is not None and len(self):
                distances = self._distances(np.array([code], np.intp))[0]
                near = int(distances.argmin()) if distances.min() < self.alpha else None
            self._nodes[code] = len(self) if near is None else near
            if near is None:
                self._create(int(code))

    def _create(self, code: int) -> None:
        self._codes = np.append(self._codes, code)
        self._cells = np.concatenate([self._cells, self.reader.decode(self._codes[-1:])])
        self._hits = np.append(self._hits, 0.0)
        self._misses = np.append(self._misses, 0.0)
        self._first = np.append(self._first, np.int32(NO_RECORD))
        self._last = np.append(self._last, np.int32(NO_RECORD))

    def _distances(self, codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return `[K, N]` distances of line situations, by their numbers, from the nodes."""
        return line_distances(self.reader.decode(codes), self._cells)

    def _computed(self, codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return `[K]` the worths of line situations; see the top of this module.

        Args:
            codes: `[K]` their numbers, each once.
        """
        all_hits, all_misses = float(self._hits.sum()), float(self._misses.sum())
        if not all_hits or not all_misses:
            return np.zeros(len(codes))
        share = all_hits / (all_hits + all_misses)
        nodes = self._nodes[codes]
        if self.width > 0.0:
            weights = line_kernel(self._distances(codes), self.width)
            hits, misses = weights @ self._hits, weights @ self._misses
        else:
            is_known = nodes != NO_RECORD
            hits = np.where(is_known, self._hits[nodes], 0.0)
            misses = np.where(is_known, self._misses[nodes], 0.0)
        odds = np.log((hits + self.prior * share) / (misses + self.prior * (1.0 - share)))
        worths: NDArray[np.float64] = odds - np.log(share / (1.0 - share))
        return worths
