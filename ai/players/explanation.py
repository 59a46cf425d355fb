"""Explanations of chosen moves: one immutable class for each kind of player.

A class has a text for spectators (`caption`), drawings and values for panels and boards (`view`),
and a plain form of dictionaries, lists and numbers (`to_plain`, `from_plain`), which the run
database stores. An explanation is also a mapping of that form. A mapping returned by a project's
own player is converted to the class whose keys it has. A player may define its own class.

`MemoryReading` is what a learner's memory of positions knows about a position; explanations may
include one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from ai.game import Move
from ai.players.view import (
    BoardView,
    ChartView,
    ExplainedMove,
    ExplanationView,
    best_points,
    compact_number,
    joined,
    ordinal,
    percent,
    read_fields,
    scores_view,
    shares_view,
    short_number,
    spaced,
    write_fields,
)
from base.language.wording import tr, tr_many

SAME_SITUATION = 1e-6
LIKE_SITUATION = 1.5
"""Largest distance of two state vectors at which spectators read that the positions are alike."""
MARKED_LEAST = 0.02
"""Lowest share of the memory's answer with which a point is marked on the board."""


@dataclass(frozen=True, slots=True)
class RecalledNode:
    """A remembered position (a node of the memory) and its weight for the present position."""

    node: int = 0
    """Index of the node in the memory, from 0."""
    distance: float | None = None
    """Distance from the present position, measured between state vectors."""
    count: int | None = None
    """Number of training records that were merged into this node."""
    labels: tuple[float, ...] = ()
    """Answer remembered for each point, `[points]`, sum 1; empty if unknown."""
    stones: tuple[int, ...] = ()
    """Colors of the first position stored in this node, `[points]`; empty if unknown."""
    weight: float = 0.0
    """Its weight in the memory's answer; all weights sum to 1."""

    def to_plain(self) -> dict[str, object]:
        """Return dictionaries, lists and numbers; unknown values are left out."""
        return write_fields(self)

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> RecalledNode:
        """Create the object from its plain form; invalid values count as unknown."""
        return RecalledNode(**read_fields(RecalledNode, plain))

    def board(self, at: ExplainedMove, most: int = 2) -> BoardView:
        """Return a picture of the remembered stones and answers, with the weight as title.

        Args:
            at: the explained move.
            most: maximum number of points to name below the picture.
        """
        points = best_points(self.labels, len(self.labels))
        named = ", ".join(at.text(point) for point in points[:most])
        more = " …" if len(points) > most else ""
        return BoardView(
            tr("node {node}: {percent}").format(node=self.node, percent=percent(self.weight)),
            self.stones or (0,) * at.rules.points,
            self.labels,
            greatest=percent(max(self.labels)),
            note=tr("at {short_number}: {named}{more}").format(
                short_number=short_number(self.distance or 0.0), named=named, more=more
            ),
        )


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """What a memory knows about a position: its size and the nearest remembered positions."""

    nodes: int
    """Number of remembered positions (nodes)."""
    alpha: float | None
    """Distance below which positions are merged; None if nothing is merged."""
    nearest: RecalledNode | None = None
    """The nearest remembered position; None if the memory is empty."""
    width: float | None = None
    """Width of the kernel that weights remembered positions by distance."""
    recalled: tuple[RecalledNode, ...] = ()
    """The remembered positions with the largest weights, the nearest first."""

    def to_plain(self) -> dict[str, object]:
        """Return the plain form; the values of the nearest position are not nested in it.

        They are at the top level, beside the memory's own values.
        """
        found = {"alpha": None} | write_fields(self)
        nearest = {} if self.nearest is None else self.nearest.to_plain()
        return {key: found[key] for key in found if key != "nearest"} | {
            key: nearest[key] for key in nearest if key != "weight"
        }

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> MemoryReading:
        """Create the object from its plain form; invalid values count as unknown."""
        known: dict[str, Any] = {"nodes": 0, "alpha": None} | read_fields(MemoryReading, plain)
        if "distance" in plain:
            known["nearest"] = RecalledNode.from_plain({**plain, "weight": 0.0})
        return MemoryReading(**known)

    @property
    def has_recalled(self) -> bool:
        """Whether the memory knows this position.

        It does if the nearest remembered position is so close that the two would be merged.
        """
        distance = None if self.nearest is None else self.nearest.distance
        if distance is None:
            return False
        return distance < self.alpha if self.alpha else distance < SAME_SITUATION

    def caption(self) -> str:
        """Return a text for spectators if the player remembers the position; else ""."""
        distance = None if self.nearest is None else self.nearest.distance
        if distance is None or distance > LIKE_SITUATION:
            return ""
        what = (
            tr("this very position")
            if distance <= SAME_SITUATION
            else tr("a position much like this")
        )
        return tr("; it remembers {what}").format(what=what)

    def sentence(self, at: ExplainedMove) -> str:
        """Return a sentence on what the memory knows about the position of a move."""
        if not self.nodes:
            return tr("Its memory is still empty.")
        nearest = self.nearest or RecalledNode()
        node, distance = nearest.node, short_number(nearest.distance or 0.0)
        if not self.has_recalled:
            return tr(
                "This position is new to it: the nearest it remembers, node {node}, is "
                "at distance {distance}."
            ).format(node=node, distance=distance)
        answers = joined(map(at.text, best_points(self._labels_of(nearest, at), 3)))
        tail = tr(", answer {answers}").format(answers=answers) if answers else ""
        known = (
            tr("has seen this position") if distance == "0" else tr("remembers one much like this")
        )
        records = tr_many(
            "{count} record",
            "{count} records",
            nearest.count or 1,
            count=spaced(nearest.count or 1),
        )
        return tr("It {known}: node {node}, distance {distance}, {records}{tail}.").format(
            known=known, node=node, distance=distance, records=records, tail=tail
        )

    def values(self, at: ExplainedMove) -> tuple[tuple[str, str], ...]:
        """Return names and values of the nearest remembered position, to show in a table.

        Args:
            at: the explained move.
        """
        if not self.nodes:
            return ((tr("Memory"), tr("empty: {side} has not lost yet").format(side=at.side)),)
        nearest = self.nearest or RecalledNode()
        merged = (
            tr("merges below {short_number}").format(short_number=short_number(self.alpha))
            if self.alpha
            else tr("never merges")
        )
        return (
            (
                tr("Nearest position"),
                tr("{node} of {nodes}").format(node=nearest.node, nodes=self.nodes),
            ),
            (tr("Distance"), short_number(nearest.distance or 0.0) + "  (" + merged + ")"),
            (tr("Records combined"), str(nearest.count or 1)),
        )

    def nearest_board(self, at: ExplainedMove) -> tuple[BoardView, ...]:
        """Return a picture of the nearest remembered position; () if none has this board size.

        Args:
            at: the explained move.
        """
        nearest = self.nearest
        if nearest is None or not self._labels_of(nearest, at):
            return ()
        if len(nearest.stones) != at.rules.points:
            return ()
        verb = tr("remembers") if self.has_recalled else tr("(nearest)")
        title, labels = (
            tr("Node {node} {verb}").format(node=nearest.node, verb=verb),
            nearest.labels,
        )
        return (BoardView(title, nearest.stones, labels, greatest=percent(max(labels))),)

    def recalled_on(self, at: ExplainedMove) -> tuple[RecalledNode, ...]:
        """Return the remembered positions that have this board size, largest weight first.

        Args:
            at: the explained move.
        """
        kept = [node for node in self.recalled if len(node.labels) == at.rules.points]
        return tuple(sorted(kept, key=lambda node: -node.weight))

    def answer(self, at: ExplainedMove) -> tuple[float, ...]:
        """Return the memory's answer for each point, `[points]`; () if it has none.

        It is the weighted mean over the remembered positions in `recalled`.

        Args:
            at: the explained move.
        """
        recalled = self.recalled_on(at)
        if not recalled:
            return self._labels_of(self.nearest, at)
        parts = [[node.weight * share for share in node.labels] for node in recalled]
        return tuple(map(sum, zip(*parts, strict=True)))

    def marked(self, at: ExplainedMove, *, is_alone: bool) -> tuple[int, ...]:
        """Return the points to mark on the board as remembered answers.

        Args:
            at: the explained move.
            is_alone: whether the memory decides without a network. True marks the whole answer of
                the memory. False marks the answers of the nearest position, if it is close enough.
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


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A line through the chosen point, what it is worth, and where the player learnt it."""

    text: str = ""
    """The line situation, with `?` at the point; see `ai.memory.lines.line_text`."""
    worth: float = 0.0
    """What the line adds to the score of the point."""
    hits: int = 0
    """How often a missed point was on the nearest remembered line."""
    misses: int = 0
    """How often another free point was."""
    distance: float | None = None
    """Distance from the nearest remembered line; None if nothing is remembered."""
    first: tuple[int, ...] = ()
    """Game and number of the stone from which it was first learnt; () if never hit."""
    last: tuple[int, ...] = ()
    """Game and number of the stone from which it was learnt last; () if never hit."""

    def to_plain(self) -> dict[str, object]:
        """Return dictionaries, lists and numbers; unknown values are left out."""
        return write_fields(self)

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> SpokenLine:
        """Create the object from its plain form; invalid values count as unknown."""
        return SpokenLine(**read_fields(SpokenLine, plain))

    @property
    def origin(self) -> str:
        """Where the line was learnt: "missed in game 3, stone 18", or from lines near it."""
        if len(self.first) != 2:
            return tr("known from lines near it")
        found = tr("missed in game {first}, stone {first2}").format(
            first=self.first[0], first2=self.first[1]
        )
        if len(self.last) == 2 and self.last != self.first:
            found += tr(", last in game {last}").format(last=self.last[0])
        return found

    def row(self) -> tuple[str, str]:
        """Return the line as a row of a table: its picture, its worth, and where it was missed."""
        if self.distance:
            return (self.text, tr("{worth:+.1f}  ·  not met").format(worth=self.worth))
        counts = tr("{hits} of {hits2}").format(hits=self.hits, hits2=self.hits + self.misses)
        first = tr("game {}, stone {}").format(*self.first) if len(self.first) == 2 else tr("never")
        return (self.text, f"{self.worth:+.1f}  ·  " + counts + "  ·  " + first)


LARGE: Final = 9
"""Largest board side for which an explanation has two diagrams side by side.

On larger boards one diagram shows the content of both.
"""
SEEN_END: Final = 900_000
"""Score from which on a search has found a certain win; all other scores are far lower."""
SHOWN_MOVES: Final = 5
"""Number of moves that are listed of a search."""

_kinds: Final[dict[str, type[Explanation]]] = {}
"""Explanation classes that have `plain_keys`, by "module.class", in the order of definition."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation(Mapping[str, object]):
    """Why a move was chosen; the base class itself can hold values by any keys, or none.

    A class for a further kind of explanation is a frozen dataclass that derives from it. It defines
    `caption`, `view` and `plain_keys`; no other class may have the same keys.
    """

    plain_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that identify the class: a mapping with any of them is converted to this class."""

    extra: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    """Further values by key."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Register the class for `from_plain`; a reloaded class replaces the old one."""
        if cls.plain_keys:
            _kinds[f"{cls.__module__}.{cls.__qualname__}"] = cls

    # -- what is shown of it ---------------------------------------------------------------------

    def caption(self, explains: str = "") -> str:
        """Return for spectators why the move was chosen, without a full stop; "" if unknown.

        Args:
            explains: kind of the player's explanations, `PlayerInfo.explains`.
        """
        return ""

    def view(self, at: ExplainedMove) -> ExplanationView:
        """Return what to draw and write about the move: at least its policy, if it has one."""
        return shares_view(at, at.policy)

    def measures(self) -> Mapping[str, float]:
        """Return numbers to plot from move to move, by name of the metric."""
        return {}

    @property
    def basis(self) -> Explanation:
        """The explanation that decided the move: this one, or another one that it contains."""
        return self

    @property
    def is_shipped(self) -> bool:
        """Whether the class is defined in this module, so that every process can load it."""
        return type(self).__module__ == __name__

    # -- the plain form --------------------------------------------------------------------------

    def to_plain(self) -> dict[str, object]:
        """Return dictionaries, lists and numbers; unknown values are left out."""
        found = write_fields(self)
        found.pop("extra", None)
        return found | dict(self.extra)

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> Explanation:
        """Create an explanation from its plain form.

        Its class is the one that has a key of the mapping among its `plain_keys`; without one, it
        is the base class. All values that are not fields of the class go to `extra`.
        """
        for kind in _kinds.values():
            if not plain.keys().isdisjoint(kind.plain_keys):
                return kind._read(plain)
        return Explanation(extra=dict(plain))

    @classmethod
    def _read(cls, plain: Mapping[str, object]) -> Explanation:
        known = read_fields(cls, plain)
        return cls(**known, extra={key: plain[key] for key in plain if key not in known})

    def __getitem__(self, key: str) -> object:
        return self.to_plain()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_plain())

    def __len__(self) -> int:
        return len(self.to_plain())


@dataclass(frozen=True, slots=True, eq=False)
class SentExplanation(Explanation):
    """A copy of an explanation, for a process that cannot load the explanation's class.

    It holds the plain form, the view and the caption.
    """

    shown: ExplanationView = field(default_factory=ExplanationView)
    said: str = ""

    @staticmethod
    def of(said: Explanation, at: ExplainedMove) -> SentExplanation:
        """Convert an explanation for sending to another process.

        Args:
            said: the explanation.
            at: the explained move.
        """
        view, caption = said.view(at), said.caption(at.explains)
        return SentExplanation(shown=view, said=caption, extra=said.to_plain())

    def caption(self, explains: str = "") -> str:
        return self.said

    def view(self, at: ExplainedMove) -> ExplanationView:
        return self.shown

    def to_plain(self) -> dict[str, object]:
        return dict(self.extra)


@dataclass(frozen=True, slots=True, eq=False)
class WithAnother(Explanation):
    """An explanation that holds another player's or search's one.

    Both are stored side by side, under the keys of each.
    """

    instead: Explanation = field(default_factory=Explanation, kw_only=True)
    """The other explanation."""

    def to_plain(self) -> dict[str, object]:
        found = Explanation.to_plain(self)
        del found["instead"]
        return found | self.instead.to_plain()

    @classmethod
    def _read(cls, plain: Mapping[str, object]) -> Explanation:
        known = read_fields(cls, plain)
        rest = {key: plain[key] for key in plain if key not in known}
        return cls(**known, instead=Explanation.from_plain(rest))


@dataclass(frozen=True, slots=True, eq=False)
class Proof(WithAnother):
    """The move is proven to win; or the proof failed and another player chose the move."""

    plain_keys = ("is_proven",)

    result: str | None = None
    """Proven winner: "black", "white" or "unknown"."""
    nodes: int | None = None
    """Number of positions visited by the solver."""
    is_proven: bool | None = None
    """Whether the move is proven to win; if not, the other player explains it."""

    def caption(self, explains: str = "") -> str:
        return tr("a proven win") if self.is_proven else self.instead.caption(explains)

    def view(self, at: ExplainedMove) -> ExplanationView:
        if not self.is_proven:
            return self.instead.view(at)
        found = tr_many(
            "{count} position", "{count} positions", self.nodes or 0, count=spaced(self.nodes or 0)
        )
        return replace(
            Explanation.view(self, at),
            reason=tr(": a proven win, found in {found}").format(found=found),
        )

    def measures(self) -> Mapping[str, float]:
        return {} if self.is_proven else self.instead.measures()

    @property
    def basis(self) -> Explanation:
        """The proof; if there is none, the other player's explanation."""
        return self if self.is_proven else self.instead


@dataclass(frozen=True, slots=True, eq=False)
class LevelChoice(WithAnother):
    """The move was drawn among those that a level of strength allows.

    The search that compared the moves explains the rest; without one, the move was needed.
    """

    plain_keys = ("played_level",)

    played_level: int = 0
    """Number of the level, from 1."""
    drawn_from: int = 1
    """Number of moves among which the move was drawn; 1: there was no other."""
    margin: float = 0.0
    """How much less than the best of them a move may be worth, in values from -1 to 1."""

    def caption(self, explains: str = "") -> str:
        return tr("level {played_level}: {how}").format(
            played_level=self.played_level, how=self._how()
        )

    def view(self, at: ExplainedMove) -> ExplanationView:
        reason = tr(" at level {played_level}: {how}").format(
            played_level=self.played_level, how=self._how()
        )
        return replace(self.instead.view(at), reason=reason)

    def measures(self) -> Mapping[str, float]:
        return self.instead.measures()

    def _how(self) -> str:
        """Return in words how the move was chosen."""
        if self.drawn_from > 1:
            return tr("drawn from {drawn_from} moves that are about as good").format(
                drawn_from=self.drawn_from
            )
        return tr("the best move that it found") if len(self.instead) else tr("it had to be played")


@dataclass(frozen=True, slots=True, eq=False)
class NetworkAnswer(Explanation):
    """The move was chosen by a network's or a memory's rating of every point."""

    plain_keys = ("rank", "probabilities")

    probabilities: tuple[float, ...] = ()
    """Probability of each point, `[points]`, sum 1; occupied points are included."""
    rank: int | None = None
    """Rank of the played point, from 1, occupied points included."""
    masked: int | None = None
    """Number of occupied points that rank before the played one."""
    network_id: int | None = None
    """Id of the network; if the memory answered, number of the training."""
    memory: MemoryReading | None = None
    """What the memory knows about the position; None if no memory was loaded."""
    lines: tuple[SpokenLine, ...] = ()
    """The lines through the chosen point, greatest worth first; () if it does not read lines."""

    def caption(self, explains: str = "") -> str:
        if self.rank is None:
            return ""
        is_memory, memory = explains == "memory", self.memory
        if is_memory and not (memory and memory.nodes):
            return tr("its memory is still empty")
        whose = tr("memory") if is_memory else tr("network")
        free_rank = self.rank - (self.masked or 0)
        text = tr("the {whose}'s {ordinal} choice").format(
            whose=whose, ordinal=ordinal(max(free_rank, 1))
        )
        if 0 < self.rank <= len(self.probabilities):
            share = sorted(self.probabilities, reverse=True)[self.rank - 1]
            text += f" ({percent(share)})"
        if self.lines and self.lines[0].worth > 0.0:
            return text + "; " + self.lines[0].origin
        return text + (memory.caption() if memory else "")

    def view(self, at: ExplainedMove) -> ExplanationView:
        if len(self.probabilities) != at.rules.points:
            return self._with_memory(at, Explanation.view(self, at))
        if at.explains == "memory" and not self.lines:
            return self._memory_view(at)
        whose, title = (
            (tr("memory"), tr("The memory's answer"))
            if at.explains == "memory"
            else (tr("network"), tr("Probabilities"))
        )
        view = self._rated(at, tr("the {whose}'s").format(whose=whose), title)
        if self.lines:
            return self._with_lines(at, view)
        return self._with_memory(at, replace(view, values=self._values(at, view)))

    def _rated(self, at: ExplainedMove, whose: str, title: str) -> ExplanationView:
        """Return the view of the answer, occupied points included.

        Args:
            at: the explained move.
            whose: who answered, such as "the network's"; used in the sentence on the move.
            title: title of the board.
        """
        shares = self.probabilities
        return shares_view(at, shares, whose=whose, title=title, is_any_point_rated=True)

    def with_lines(self, lines: tuple[SpokenLine, ...]) -> NetworkAnswer:
        """Return a copy that says what the lines through the chosen point are worth."""
        return replace(self, lines=lines)

    def _with_lines(self, at: ExplainedMove, view: ExplanationView) -> ExplanationView:
        """Return the view of the answer with the lines that spoke for the point.

        Args:
            at: the explained move.
            view: view of the answer.
        """
        best = self.lines[0]
        known = self.memory.nodes if self.memory is not None else 0
        spoke = tr("The line {text} spoke for it most ({worth:+.1f}): {origin}.").format(
            text=best.text, worth=best.worth, origin=best.origin
        )
        if not known:
            spoke = tr("Its memory is still empty.")
        elif best.worth <= 0.0:
            spoke = tr("No line that it knows spoke for it.")
        return replace(
            view,
            afterword=spoke,
            values=(
                *self._values(at, view),
                (tr("Lines remembered"), str(known)),
                (tr("Line"), tr("worth  ·  missed of met  ·  first missed")),
                *(line.row() for line in self.lines),
            ),
        )

    def _with_memory(self, at: ExplainedMove, view: ExplanationView) -> ExplanationView:
        """Return the network's view with the memory's knowledge added.

        Args:
            at: the explained move.
            view: view of the network's answer.
        """
        memory = self.memory
        if memory is None:
            return view
        return replace(
            view,
            afterword=memory.sentence(at),
            boards=(*view.boards, *memory.nearest_board(at))[:2],
            values=(*view.values, *memory.values(at)),
            marked=memory.marked(at, is_alone=False),
        )

    def _memory_view(self, at: ExplainedMove) -> ExplanationView:
        """Return the view of a memory that decides without a network."""
        view = self._rated(at, tr("the memory's"), tr("The memory's answer"))
        memory = self.memory or MemoryReading(0, None)
        view = replace(view, intro=at.description, values=self._values(at, view))
        values = () if self.memory is None else memory.values(at)
        if not memory.nodes:
            reason = tr(", the first free point: it remembers nothing to play by")
            return replace(view, reason=reason, values=(*view.values, *values))
        nodes = [node.board(at) for node in memory.recalled_on(at)]
        boards = [
            replace(board, greatest="") if place else replace(board, note="")
            for place, board in enumerate(nodes)
        ]
        return replace(
            view,
            afterword=memory.sentence(at),
            boards=(*view.boards, *boards),
            values=(*view.values, *values),
            marked=memory.marked(at, is_alone=True),
        )

    def _values(self, at: ExplainedMove, view: ExplanationView) -> tuple[tuple[str, str], ...]:
        """Return the move's rank among the free points and its probability, for a table.

        Args:
            at: the explained move.
            view: view of the answer, with the ranking of the points.

        Returns:
            Pairs of name and value.
        """
        rank = view.rank(at.move)
        hidden = len(view.occupied_before(at.move, at.stones))
        among = tr(" of the free points") if hidden else ""
        said = [(tr("Rank"), f"{rank - hidden}" + among)] if rank else []
        return (*said, (tr("Probability"), percent(self.probabilities[at.move])))


@dataclass(frozen=True, slots=True, eq=False)
class Evolution(Explanation):
    """The move is the first move of the fittest genome in a genetic algorithm.

    A genome is a sequence of moves of both sides in turn, a plan.
    """

    plain_keys = ("population",)

    population: tuple[tuple[Move, ...], ...] = ()
    """The genomes of the last generation, the fittest first."""
    fitness: tuple[float, ...] = ()
    """Fitness of each genome."""
    best: tuple[float, ...] = ()
    """Highest fitness in each generation, beginning with the first population."""
    mean: tuple[float, ...] = ()
    """Mean fitness in each generation, beginning with the first population."""
    generations: int | None = None
    """Number of generations after the first population."""
    has_stabilised: bool | None = None
    """Whether the algorithm ended early because the best fitness no longer changed."""
    box: tuple[int, ...] = ()
    """First row, first column, last row and last column of the rectangle that was searched."""
    randomness: str | None = None
    """The setting: "fresh" or "board-seeded"."""

    def caption(self, explains: str = "") -> str:
        bred = (
            tr(" after {counted}").format(
                counted=tr_many(
                    "{count} generation",
                    "{count} generations",
                    self.generations,
                    count=spaced(self.generations),
                )
            )
            if self.generations
            else ""
        )
        return tr("the fittest of {population} plans{bred}").format(
            population=len(self.population), bred=bred
        )

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        plans = tuple(filter(None, self.population))
        if not plans or not at.holds(point for plan in plans for point in plan):
            return view
        number = tr_many("{count} plan", "{count} plans", len(plans), count=spaced(len(plans)))
        generations = tr_many(
            "{count} generation",
            "{count} generations",
            self.generations or 0,
            count=spaced(self.generations or 0),
        )
        fitness = short_number((*self.fitness, 0.0)[0])
        begun = Counter(plan[0] for plan in plans)
        first_moves = {point: count / len(plans) for point, count in begun.items()}
        return replace(
            view,
            reason=tr(": the best of {number} after {generations} (fitness {fitness})").format(
                number=number, generations=generations, fitness=fitness
            ),
            first_moves=first_moves,
            line=plans[0],
            boards=_plan_boards(at, first_moves, plans[0]),
            values=(
                (tr("Best plan"), at.text(*plans[0])),
                (tr("Population"), number),
                (
                    tr("Generations"),
                    f"{self.generations or 0}" + (tr(", stable") if self.has_stabilised else ""),
                ),
            ),
            charts=(
                ChartView(
                    tr("Fitness by generation"),
                    ((tr("best", "fitness"), self.best), (tr("mean"), self.mean)),
                    x_name=tr("generation"),
                    y_name=tr("fitness"),
                ),
            ),
        )

    def measures(self) -> Mapping[str, float]:
        if not (self.best and self.mean):
            return {}
        return {"ga_best": self.best[-1], "ga_mean": self.mean[-1]}


def _plan_boards(
    at: ExplainedMove, first_moves: Mapping[Move, float], line: tuple[Move, ...]
) -> tuple[BoardView, ...]:
    """Return boards that show the plans' first moves and the best plan.

    These are two boards, or one with both if the board is large.

    Args:
        at: the explained move.
        first_moves: share of the plans that begin with each point.
        line: moves of the best plan.
    """
    shares = tuple(first_moves.get(point, 0.0) for point in range(at.rules.points))
    most = percent(max(shares))
    if at.rules.size > LARGE:
        return (BoardView(tr("Best line"), at.stones, shares, line=line, greatest=most),)
    return (
        BoardView(tr("First stones"), at.stones, shares, ringed=at.move, greatest=most),
        BoardView(tr("Best line"), at.stones, line=line),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Opening(Explanation):
    """The move is the first stone, chosen at random among the centre points."""

    plain_keys = ("opening",)

    opening: bool = True
    """Always True; it is the only key of the plain form."""

    def caption(self, explains: str = "") -> str:
        return tr("the first stone is a random point near the centre")

    def view(self, at: ExplainedMove) -> ExplanationView:
        return replace(Explanation.view(self, at), reason=tr(", drawn among the centre points"))


@dataclass(frozen=True, slots=True, eq=False)
class SearchedMoves(Explanation):
    """The move was chosen by a tree search."""

    plain_keys = ("scores",)

    scores: tuple[tuple[Move, int], ...] = ()
    """Each legal move with its score, the best first."""
    nodes: int | None = None
    """Number of positions searched."""
    depth: int | None = None
    """Depth that was searched completely, in plies."""
    principal_variation: tuple[Move, ...] = ()
    """The sequence of moves that the search expects, beginning with the chosen one."""

    def caption(self, explains: str = "") -> str:
        return (
            tr("the best move, {counted} ahead").format(
                counted=tr_many(
                    "{count} move", "{count} moves", self.depth or 0, count=spaced(self.depth or 0)
                )
            )
            if self.scores
            else ""
        )

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        scored = [move for move, _ in self.scores]
        if not scored or not at.holds((*scored, *self.principal_variation)):
            return view
        depth = tr_many(
            "{count} move", "{count} moves", self.depth or 0, count=spaced(self.depth or 0)
        )
        best = ((at.text(move) + " " + _ahead(score)) for move, score in self.scores[:SHOWN_MOVES])
        return replace(
            view,
            reason=tr(": the best move {depth} ahead, in {counted}").format(
                depth=depth,
                counted=tr_many(
                    "{count} position",
                    "{count} positions",
                    self.nodes or 0,
                    count=spaced(self.nodes or 0),
                ),
            ),
            values=(
                (tr("Depth"), depth),
                (tr("Positions"), short_number(self.nodes or 0)),
                (tr("Expects"), at.text(*self.principal_variation[: 2 * SHOWN_MOVES])),
                (tr("Best moves"), "  ".join(best)),
            ),
        )


def _ahead(score: int) -> str:
    """Return the score of a search as text; "won" or "lost" if the search saw the end."""
    if abs(score) < SEEN_END:
        return compact_number(score)
    return "won" if score > 0 else "lost"


@dataclass(frozen=True, slots=True, eq=False)
class TreeVisits(Explanation):
    """The move was visited most by a Monte Carlo tree search."""

    plain_keys = ("visits",)

    visits: tuple[tuple[Move, int], ...] = ()
    """Each visited move with its visits, the most visited first."""
    means: tuple[float, ...] = ()
    """Mean result of each visited move for the side to move, in [-1, 1], in the same order."""
    lines: tuple[tuple[Move, ...], ...] = ()
    """Expected sequences of moves that begin with the most visited moves, the best first."""
    iterations: int | None = None
    """Number of iterations of the search for this move."""
    kept: int | None = None
    """Number of visits that the tree kept from the search for an earlier move."""
    depth: int | None = None
    """Greatest depth reached by this search, in plies."""
    priors: tuple[float, ...] = ()
    """Probability of each visited move by a network, before the search; empty without a network."""

    def caption(self, explains: str = "") -> str:
        return tr("the point it tried most in {games}").format(games=self._games(explains))

    def view(self, at: ExplainedMove) -> ExplanationView:
        visited = {move for move, _ in self.visits}
        if not visited or not at.holds(visited.union(*self.lines)):
            return Explanation.view(self, at)
        view = shares_view(at, at.policy, title=tr("Visits"))
        if view.rank(at.move) == 1:
            share, games = percent(at.policy[at.move]), self._games(at.explains)
            view = replace(
                view,
                reason=tr(": the move it tried most ({share} of {games})").format(
                    share=share, games=games
                ),
            )
        expected = (BoardView(tr("Expected line"), at.stones, line=line) for line in self.lines[:1])
        kept = (
            tr("  ({short_number} visits kept)").format(short_number=short_number(self.kept))
            if self.kept
            else ""
        )
        return replace(
            view,
            boards=(*view.boards, *expected),
            values=(
                (tr("Iterations"), short_number(self.iterations or 0) + kept),
                (
                    tr("Depth"),
                    tr_many(
                        "{count} move",
                        "{count} moves",
                        self.depth or 0,
                        count=spaced(self.depth or 0),
                    ),
                ),
                (tr("Most visited: visits, mean result, expected reply"), ""),
                *self.most_visited(at),
            ),
        )

    def most_visited(self, at: ExplainedMove) -> tuple[tuple[str, str], ...]:
        """Return the most visited moves with visits, mean result, probability and expected replies.

        Args:
            at: the explained move.

        Returns:
            Pairs of the move and its values as text, to show in a table.
        """
        lines = {line[0]: line[1:] for line in self.lines if line}
        said = []
        for number, (move, visits) in enumerate(self.visits[:SHOWN_MOVES]):
            mean = f" {self.means[number]:+.2f}" if number < len(self.means) else ""
            if number < len(self.priors):
                mean += tr(" (net {percent})").format(percent=percent(self.priors[number]))
            after = at.text(*lines.get(move, ())[:2])
            said.append(
                (
                    at.text(move),
                    short_number(visits) + mean + (tr("  then ") + after if after else ""),
                )
            )
        return tuple(said)

    def _games(self, explains: str) -> str:
        played = sum(visits for _, visits in self.visits)
        count = spaced(played)
        if explains == "guided search":
            return tr_many("{count} game", "{count} games", played, count=count)
        return tr_many("{count} random game", "{count} random games", played, count=count)


@dataclass(frozen=True, slots=True, eq=False)
class PatternScores(Explanation):
    """The move has the highest score by the patterns of stones around each point."""

    plain_keys = ("best",)

    best: tuple[tuple[Move, int], ...] = ()
    """The highest scores, as pairs of move and score."""

    def caption(self, explains: str = "") -> str:
        return tr("the point with the strongest pattern")

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        if not self.best:
            return view
        score = short_number(self.best[0][1])
        return replace(
            view, reason=tr(": the best patterns of all points, score {score}").format(score=score)
        )


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMove(Explanation):
    """The move was chosen at random among equally good moves."""

    plain_keys = ("points",)

    reason: str | None = None
    """What the moves have in common: "win", "stop" or "any".

    With "stop" they stop a win of the opponent; with "any" they neither win nor stop a win.
    """
    points: tuple[Move, ...] = ()
    """The moves among which it was chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueField(Explanation):
    """The move is the point with the highest value; the player gives every point a value."""

    plain_keys = ("field_values",)

    field_values: tuple[float, ...] = ()
    """Value of each point, `[points]`; 0 for occupied ones."""

    def caption(self, explains: str = "") -> str:
        return tr("the point with the highest value of its field")

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        if len(self.field_values) != at.rules.points:
            return view
        values = enumerate(self.field_values)
        scores = {point: value for point, value in values if not at.stones[point]}
        view = scores_view(at, view, scores, name=tr("Field value"), from_best=False)
        score = compact_number(scores.get(at.move, 0.0))
        return replace(
            view, reason=tr(": the highest value of its field, {score}").format(score=score)
        )


@dataclass(frozen=True, slots=True, eq=False)
class RootScores(Explanation):
    """The move has the highest score of a search among the points considered in the position."""

    plain_keys = ("root_scores",)

    root_scores: tuple[tuple[Move, float], ...] = ()
    """Each point considered with its score after the search, the best first."""
    first_scores: tuple[tuple[Move, float], ...] = ()
    """The same points with their scores before the search, in the same order."""
    nodes: int | None = None
    """Number of positions scored."""
    finished: int | None = None
    """Number of points searched to full depth."""

    def caption(self, explains: str = "") -> str:
        return tr("the best of {counted} that it searched below").format(
            counted=tr_many(
                "{count} point",
                "{count} points",
                len(self.root_scores),
                count=spaced(len(self.root_scores)),
            )
        )

    def view(self, at: ExplainedMove) -> ExplanationView:
        view, scores = Explanation.view(self, at), dict(self.root_scores)
        if not scores or not at.holds(scores):
            return view
        view = scores_view(at, view, scores, name=tr("Root score"), from_best=True)
        first = dict(self.first_scores)
        before = (
            [(tr("Before the search"), compact_number(first[at.move]))] if at.move in first else []
        )
        score = compact_number(scores.get(at.move, 0.0))
        positions = tr_many(
            "{count} position", "{count} positions", self.nodes or 0, count=spaced(self.nodes or 0)
        )
        return replace(
            view,
            reason=tr(": the best of {counted}, score {score}, in {positions}").format(
                counted=tr_many(
                    "{count} point", "{count} points", len(scores), count=spaced(len(scores))
                ),
                score=score,
                positions=positions,
            ),
            values=(
                *view.values,
                *before,
                (
                    tr("Points searched below"),
                    tr("{finished} of {first}").format(finished=self.finished, first=len(first)),
                ),
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ForcedMove(Explanation):
    """Fixed rules chose the move without a search: to win, or to stop the opponent's win.

    These rules are called the default policy.
    """

    plain_keys = ("forced_by",)

    forced_by: str | None = None
    """Which rule: "five", "open four", or one of these followed by "of the other side"."""
    forced_points: tuple[Move, ...] = ()
    """The moves that the rule allowed."""

    def caption(self, explains: str = "") -> str:
        return tr("forced: {rule}").format(rule=self.forced_by)

    def view(self, at: ExplainedMove) -> ExplanationView:
        reason = tr(" by its default policy, without a search")
        return replace(Explanation.view(self, at), reason=reason)
