"""Explanations of chosen moves: one frozen class for each kind of player, and their plain form.

The plain form (`to_plain`, `from_plain`) is what the run database keeps: dictionaries, lists and
numbers. An explanation also reads as that mapping, and a mapping from a project's own player is
taken for the kind whose keys it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final, TypeVar

from ai.game import Move

T = TypeVar("T")

_READ: Final = "read"
"""Of a field's metadata: the function that takes a plain value, or says None where it is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation(Mapping[str, object]):
    """Why a move was chosen; this base class itself holds free keys, or nothing."""

    extra: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    """Further values by key."""

    def to_plain(self) -> dict[str, object]:
        """Return dictionaries, lists and numbers; unknown values are left out."""
        found: dict[str, object] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Explanation):
                found |= value.to_plain()
            elif item.name != "extra" and value is not None and value != ():
                found[item.name] = _to_plain(value)
        return found | dict(self.extra)

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> Explanation:
        """Return the kind of explanation that has a mapping's keys; other keys go to `extra`."""
        kind = next((kind for keys, kind in _KINDS if not plain.keys().isdisjoint(keys)), None)
        if kind is None:
            return Explanation(extra=dict(plain))
        known: dict[str, object] = {}
        extra = dict(plain)
        for item in fields(kind):
            read: Callable[[object], object] | None = item.metadata.get(_READ)
            value = read(plain[item.name]) if read and item.name in plain else None
            if value is not None:
                known[item.name] = value
                del extra[item.name]
        if kind is Proof:
            known["instead"], extra = Explanation.from_plain(extra), {}
        return kind(**known, extra=extra)

    @property
    def basis(self) -> Explanation:
        """The explanation that decided the move, if there are several."""
        return self

    def __getitem__(self, key: str) -> object:
        return self.to_plain()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_plain())

    def __len__(self) -> int:
        return len(self.to_plain())


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
        values = ((item.name, getattr(self, item.name)) for item in fields(self))
        return {key: _to_plain(value) for key, value in values if value is not None and value != ()}

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> RecalledNode:
        """Read a plain form; invalid values count as unknown."""
        return RecalledNode(
            _whole(plain.get("node")) or 0,
            _number(plain.get("distance")),
            _whole(plain.get("count")),
            _numbers(plain.get("labels")) or (),
            _moves(plain.get("stones")) or (),
            _number(plain.get("weight")) or 0.0,
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
        found: dict[str, object] = {"nodes": self.nodes, "alpha": self.alpha}
        if self.nearest is not None:
            found |= self.nearest.to_plain()
            del found["weight"]
        if self.width is not None:
            found["width"] = self.width
        if self.recalled:
            found["recalled"] = [node.to_plain() for node in self.recalled]
        return found

    @staticmethod
    def from_plain(plain: object) -> MemoryReading | None:
        """Read a plain form; None if it is not one."""
        if not isinstance(plain, Mapping):
            return None
        recalled = plain.get("recalled", ())
        nodes = recalled if isinstance(recalled, Sequence) else ()
        return MemoryReading(
            _whole(plain.get("nodes")) or 0,
            _number(plain.get("alpha")),
            RecalledNode.from_plain({**plain, "weight": 0.0}) if "distance" in plain else None,
            _number(plain.get("width")),
            tuple(RecalledNode.from_plain(node) for node in nodes if isinstance(node, Mapping)),
        )


def _to_plain(value: object) -> object:
    """Convert tuples to lists, and objects with a plain form to it."""
    if isinstance(value, tuple):
        return [_to_plain(item) for item in value]
    return value.to_plain() if isinstance(value, MemoryReading) else value


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: object) -> bool | None:
    return bool(value) if isinstance(value, int) else None


def _all(read: Callable[[object], T | None], value: object) -> tuple[T, ...] | None:
    """Return a sequence of which each item is read; None where one does not fit."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    found = [item for item in map(read, value) if item is not None]
    return tuple(found) if len(found) == len(value) else None


def _numbers(value: object) -> tuple[float, ...] | None:
    return _all(_number, value)


def _moves(value: object) -> tuple[Move, ...] | None:
    return _all(_whole, value)


def _lines(value: object) -> tuple[tuple[Move, ...], ...] | None:
    return _all(_moves, value)


def _scored(value: object) -> tuple[tuple[Move, int], ...] | None:
    lines = _lines(value)
    if lines is None or any(len(line) != 2 for line in lines):
        return None
    return tuple((line[0], line[1]) for line in lines)


def _weighed(value: object) -> tuple[tuple[Move, float], ...] | None:
    """Return pairs of a move and a number; None where one does not fit."""
    pairs = _all(_numbers, value)
    if pairs is None or any(len(pair) != 2 for pair in pairs):
        return None
    return tuple((int(pair[0]), pair[1]) for pair in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Opening(Explanation):
    """The first stone, drawn among the centre points."""

    opening: bool = field(default=True, metadata={_READ: _flag})
    """Always true: the plain form's only key."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkAnswer(Explanation):
    """The move was decided by a network's, or a memory's, answer for every point."""

    probabilities: tuple[float, ...] = field(default=(), metadata={_READ: _numbers})
    """`[A]` the answer as shares of 1, occupied points included."""
    rank: int | None = field(default=None, metadata={_READ: _whole})
    """Rank of the played point, from 1, occupied points included."""
    masked: int | None = field(default=None, metadata={_READ: _whole})
    """Number of occupied points with a better rank."""
    network_id: int | None = field(default=None, metadata={_READ: _whole})
    """Id of the network, or number of the training if the memory answered."""
    memory: MemoryReading | None = field(default=None, metadata={_READ: MemoryReading.from_plain})
    """The memory's reading of the position; None if it was not loaded."""


@dataclass(frozen=True, slots=True, eq=False)
class Evolution(Explanation):
    """The move is the first one of a genetic algorithm's fittest genome."""

    population: tuple[tuple[Move, ...], ...] = field(default=(), metadata={_READ: _lines})
    """Genomes, the fittest first: moves of both sides in turn."""
    fitness: tuple[float, ...] = field(default=(), metadata={_READ: _numbers})
    """Fitness of each genome."""
    best: tuple[float, ...] = field(default=(), metadata={_READ: _numbers})
    """Highest fitness by generation, the first population included."""
    mean: tuple[float, ...] = field(default=(), metadata={_READ: _numbers})
    """Mean fitness by generation."""
    generations: int | None = field(default=None, metadata={_READ: _whole})
    """Generations bred."""
    has_stabilised: bool | None = field(default=None, metadata={_READ: _flag})
    """Whether it ended early because the best fitness did not change."""
    box: tuple[int, ...] = field(default=(), metadata={_READ: _moves})
    """First row, first column, last row, last column of the searched box."""
    randomness: str | None = field(default=None, metadata={_READ: _text})
    """The setting: "fresh" or "board-seeded"."""


@dataclass(frozen=True, slots=True, eq=False)
class Proof(Explanation):
    """The move was proven to win, or chosen by another player after a proof was tried."""

    result: str | None = field(default=None, metadata={_READ: _text})
    """Proven winner: "black", "white" or "unknown"."""
    nodes: int | None = field(default=None, metadata={_READ: _whole})
    """Positions visited."""
    is_proven: bool | None = field(default=None, metadata={_READ: _flag})
    """Whether the move is proven to win."""
    instead: Explanation = field(default_factory=Explanation)
    """Explanation of the move if it is not proven."""

    @property
    def basis(self) -> Explanation:
        """The proof, or the other player's explanation if there is none."""
        return self if self.is_proven else self.instead


@dataclass(frozen=True, slots=True, eq=False)
class SearchedMoves(Explanation):
    """The move was chosen by a tree search."""

    scores: tuple[tuple[Move, int], ...] = field(default=(), metadata={_READ: _scored})
    """Each legal move with its score, the best first."""
    nodes: int | None = field(default=None, metadata={_READ: _whole})
    """Number of positions searched."""
    depth: int | None = field(default=None, metadata={_READ: _whole})
    """Fully searched depth, plies."""
    principal_variation: tuple[Move, ...] = field(default=(), metadata={_READ: _moves})
    """Principal variation."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeVisits(Explanation):
    """The move is the one that a Monte Carlo tree search visited most."""

    visits: tuple[tuple[Move, int], ...] = field(default=(), metadata={_READ: _scored})
    """Each visited move with its visits, the most visited first."""
    means: tuple[float, ...] = field(default=(), metadata={_READ: _numbers})
    """Mean result of each of them for the side to move, in [-1, 1]."""
    lines: tuple[tuple[Move, ...], ...] = field(default=(), metadata={_READ: _lines})
    """Principal variations of the first of them."""
    iterations: int | None = field(default=None, metadata={_READ: _whole})
    """Iterations of this move."""
    kept: int | None = field(default=None, metadata={_READ: _whole})
    """Visits taken over from the tree of an earlier move."""
    depth: int | None = field(default=None, metadata={_READ: _whole})
    """Greatest depth of the tree, plies."""
    priors: tuple[float, ...] = field(default=(), metadata={_READ: _numbers})
    """Share that a network gave each visited move before the search; empty without a network."""


@dataclass(frozen=True, slots=True, eq=False)
class PatternScores(Explanation):
    """The move was chosen by the pattern scores of all points."""

    best: tuple[tuple[Move, int], ...] = field(default=(), metadata={_READ: _scored})
    """The highest scores, as pairs of move and score."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueField(Explanation):
    """The move is the point with the highest value of a field over the board."""

    field_values: tuple[float, ...] = field(default=(), metadata={_READ: _numbers})
    """`[A]` value of each point; occupied ones have 0."""


@dataclass(frozen=True, slots=True, eq=False)
class RootScores(Explanation):
    """The move has the highest score of the points that a search looked below."""

    root_scores: tuple[tuple[Move, float], ...] = field(default=(), metadata={_READ: _weighed})
    """Each point with its score, the best first."""
    first_scores: tuple[tuple[Move, float], ...] = field(default=(), metadata={_READ: _weighed})
    """The same points with their scores before the search, in the same order."""
    nodes: int | None = field(default=None, metadata={_READ: _whole})
    """Number of positions scored."""
    finished: int | None = field(default=None, metadata={_READ: _whole})
    """Number of points below which the search came to its depth."""


@dataclass(frozen=True, slots=True, eq=False)
class ForcedMove(Explanation):
    """A default policy made the move without a search: to win, or to stop the other side."""

    forced_by: str | None = field(default=None, metadata={_READ: _text})
    """"five", "open four", "five of the other side" or "open four of the other side"."""
    forced_points: tuple[Move, ...] = field(default=(), metadata={_READ: _moves})
    """The moves that it chose among."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMove(Explanation):
    """The move was drawn among equal ones."""

    reason: str | None = field(default=None, metadata={_READ: _text})
    """"win", "stop" or "any"."""
    points: tuple[Move, ...] = field(default=(), metadata={_READ: _moves})
    """The moves it was drawn from."""


_KINDS: Final[tuple[tuple[frozenset[str], type[Explanation]], ...]] = (
    (frozenset({"is_proven"}), Proof),
    (frozenset({"rank", "probabilities"}), NetworkAnswer),
    (frozenset({"population"}), Evolution),
    (frozenset({"opening"}), Opening),
    (frozenset({"scores"}), SearchedMoves),
    (frozenset({"visits"}), TreeVisits),
    (frozenset({"best"}), PatternScores),
    (frozenset({"points"}), DrawnMove),
    (frozenset({"field_values"}), ValueField),
    (frozenset({"root_scores"}), RootScores),
    (frozenset({"forced_by"}), ForcedMove),
)
"""The keys of which one is enough for a kind; the first that fits."""
