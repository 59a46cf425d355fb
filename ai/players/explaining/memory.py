"""What a situation memory says about a position: as values, words and boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ai.players.explaining.plain import read_fields, write_fields
from ai.players.explaining.view import BoardView, ExplainedMove, best_points
from ai.players.explaining.words import counted, joined, percent, short_number

SAME_SITUATION = 1e-6
LIKE_SITUATION = 1.5
"""Distances of state vectors, for an audience."""
MARKED_LEAST = 0.02
"""Of the recalled nodes' answer: less is not marked."""


@dataclass(frozen=True, slots=True)
class RecalledNode:
    """A situation node of a memory, with its weight for a position."""

    node: int = 0
    """Index of the node in the memory, from 0."""
    distance: float | None = None
    """Distance between its state vector and the position's."""
    count: int | None = None
    """Number of records that it combines."""
    labels: tuple[float, ...] = ()
    """`[A]` its combined vector, sum 1; empty if unknown."""
    stones: tuple[int, ...] = ()
    """`[A]` colors of the situation that created it; empty if unknown."""
    weight: float = 0.0
    """Its weight in the memory's answer; all weights sum to 1."""

    def to_plain(self) -> dict[str, object]:
        """Return dictionaries, lists and numbers; unknown values are left out."""
        return write_fields(self)

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> RecalledNode:
        """Read a plain form; invalid values count as unknown."""
        return RecalledNode(**read_fields(RecalledNode, plain))

    def board(self, at: ExplainedMove, most: int = 2) -> BoardView:
        """Return the node's stones and labels as a board, titled by its weight.

        Args:
            at: the move that it is recalled for.
            most: maximum number of points to name below.
        """
        points = best_points(self.labels, len(self.labels))
        named = ", ".join(at.text(point) for point in points[:most])
        more = " …" if len(points) > most else ""
        return BoardView(
            f"node {self.node}: {percent(self.weight)}",
            self.stones or (0,) * at.rules.points,
            self.labels,
            greatest=percent(max(self.labels)),
            note=f"at {short_number(self.distance or 0.0)}: {named}{more}",
        )


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """A situation memory's reading of a position."""

    nodes: int
    """Number of nodes in the memory."""
    alpha: float | None
    """Merge distance; None if nothing is merged."""
    nearest: RecalledNode | None = None
    """The node at the smallest distance; None if the memory is empty."""
    width: float | None = None
    """Width of the kernel regression."""
    recalled: tuple[RecalledNode, ...] = ()
    """The nodes with the largest weights in its answer, the nearest first."""

    def to_plain(self) -> dict[str, object]:
        """Return dictionaries, lists and numbers; the nearest node's are beside `nodes`."""
        found = {"alpha": None} | write_fields(self)
        nearest = {} if self.nearest is None else self.nearest.to_plain()
        return {key: found[key] for key in found if key != "nearest"} | {
            key: nearest[key] for key in nearest if key != "weight"
        }

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> MemoryReading:
        """Read a plain form; invalid values count as unknown."""
        known: dict[str, Any] = {"nodes": 0, "alpha": None} | read_fields(MemoryReading, plain)
        if "distance" in plain:
            known["nearest"] = RecalledNode.from_plain({**plain, "weight": 0.0})
        return MemoryReading(**known)

    @property
    def has_recalled(self) -> bool:
        """Whether it knows this situation: its nearest node is within merge distance."""
        distance = None if self.nearest is None else self.nearest.distance
        if distance is None:
            return False
        return distance < self.alpha if self.alpha else distance < SAME_SITUATION

    def caption(self) -> str:
        """Return for an audience whether it remembers the situation; "" where it does not."""
        distance = None if self.nearest is None else self.nearest.distance
        if distance is None or distance > LIKE_SITUATION:
            return ""
        what = "this very situation" if distance <= SAME_SITUATION else "a situation much like this"
        return f"; it remembers {what}"

    def sentence(self, at: ExplainedMove) -> str:
        """Return what it knows about the position of a move."""
        if not self.nodes:
            return "Its memory is still empty."
        nearest = self.nearest or RecalledNode()
        node, distance = nearest.node, short_number(nearest.distance or 0.0)
        if not self.has_recalled:
            return (
                f"This situation is new to it: the nearest it remembers, node {node}, "
                f"is at distance {distance}."
            )
        answers = joined(map(at.text, best_points(self._labels_of(nearest, at), 3)))
        tail = f", answer {answers}" if answers else ""
        known = "has seen this situation" if distance == "0" else "remembers one much like this"
        records = counted(nearest.count or 1, "record")
        return f"It {known}: node {node}, distance {distance}, {records}{tail}."

    def values(self, at: ExplainedMove) -> tuple[tuple[str, str], ...]:
        """Return names and values of the nearest node."""
        if not self.nodes:
            return (("Memory", f"empty: {at.side} has not lost yet"),)
        nearest = self.nearest or RecalledNode()
        merged = f"merges below {short_number(self.alpha)}" if self.alpha else "never merges"
        return (
            ("Nearest node", f"{nearest.node} of {self.nodes}"),
            ("Distance", f"{short_number(nearest.distance or 0.0)}  ({merged})"),
            ("Records combined", str(nearest.count or 1)),
        )

    def nearest_board(self, at: ExplainedMove) -> tuple[BoardView, ...]:
        """Return the nearest node as a board; nothing where it has none on this board."""
        nearest = self.nearest
        if nearest is None or not self._labels_of(nearest, at):
            return ()
        if len(nearest.stones) != at.rules.points:
            return ()
        verb = "remembers" if self.has_recalled else "(nearest)"
        title, labels = f"Node {nearest.node} {verb}", nearest.labels
        return (BoardView(title, nearest.stones, labels, greatest=percent(max(labels))),)

    def recalled_on(self, at: ExplainedMove) -> tuple[RecalledNode, ...]:
        """Return the recalled nodes of this board size, the largest weight first."""
        kept = [node for node in self.recalled if len(node.labels) == at.rules.points]
        return tuple(sorted(kept, key=lambda node: -node.weight))

    def answer(self, at: ExplainedMove) -> tuple[float, ...]:
        """Return `[A]` weighted mean of the recalled nodes' labels; () without any."""
        recalled = self.recalled_on(at)
        if not recalled:
            return self._labels_of(self.nearest, at)
        parts = [[node.weight * share for share in node.labels] for node in recalled]
        return tuple(map(sum, zip(*parts, strict=True)))

    def marked(self, at: ExplainedMove, *, is_alone: bool) -> tuple[int, ...]:
        """Return the points to mark as remembered answers.

        Args:
            at: the move.
            is_alone: whether the memory decided without a network: all of its answer is marked,
                else that of the nearest node where it holds this situation.
        """
        if is_alone:
            shares, least = self.answer(at), MARKED_LEAST
        else:
            shares, least = self._labels_of(self.nearest, at) if self.has_recalled else (), 0.0
        return tuple(point for point, share in enumerate(shares) if share > least)

    @staticmethod
    def _labels_of(node: RecalledNode | None, at: ExplainedMove) -> tuple[float, ...]:
        labels = () if node is None else node.labels
        return labels if len(labels) == at.rules.points else ()
