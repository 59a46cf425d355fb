"""Explanations of chosen moves: one frozen class for each kind of player.

A class gives `caption` for an audience, `view` for panels and boards, and the plain form
(`to_plain`, `from_plain`) that the run database stores: dictionaries, lists and numbers. An
explanation is also a mapping of that form. A mapping returned by a project's own player is
converted to the class whose keys it has. A player may define its own class.

`MemoryReading` is what a situation memory knows about a position; explanations may include one.
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
    counted,
    joined,
    ordinal,
    percent,
    read_fields,
    scores_view,
    shares_view,
    short_number,
    write_fields,
)

SAME_SITUATION = 1e-6
LIKE_SITUATION = 1.5
"""Distance of state vectors up to which an audience is told that situations are alike."""
MARKED_LEAST = 0.02
"""Least share of the recalled nodes' answer that is marked on the board."""


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
        """Return dictionaries, lists and numbers, the nearest node's values at the top level."""
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
        """Whether the memory knows this situation: its nearest node is within merge distance."""
        distance = None if self.nearest is None else self.nearest.distance
        if distance is None:
            return False
        return distance < self.alpha if self.alpha else distance < SAME_SITUATION

    def caption(self) -> str:
        """Return a text for an audience that it remembers the situation; "" if it does not."""
        distance = None if self.nearest is None else self.nearest.distance
        if distance is None or distance > LIKE_SITUATION:
            return ""
        what = "this very position" if distance <= SAME_SITUATION else "a position much like this"
        return f"; it remembers {what}"

    def sentence(self, at: ExplainedMove) -> str:
        """Return a sentence on what the memory knows about the position of a move."""
        if not self.nodes:
            return "Its memory is still empty."
        nearest = self.nearest or RecalledNode()
        node, distance = nearest.node, short_number(nearest.distance or 0.0)
        if not self.has_recalled:
            return (
                f"This position is new to it: the nearest it remembers, node {node}, "
                f"is at distance {distance}."
            )
        answers = joined(map(at.text, best_points(self._labels_of(nearest, at), 3)))
        tail = f", answer {answers}" if answers else ""
        known = "has seen this position" if distance == "0" else "remembers one much like this"
        records = counted(nearest.count or 1, "record")
        return f"It {known}: node {node}, distance {distance}, {records}{tail}."

    def values(self, at: ExplainedMove) -> tuple[tuple[str, str], ...]:
        """Return names and values of the nearest node."""
        if not self.nodes:
            return (("Memory", f"empty: {at.side} has not lost yet"),)
        nearest = self.nearest or RecalledNode()
        merged = f"merges below {short_number(self.alpha)}" if self.alpha else "never merges"
        return (
            ("Nearest position", f"{nearest.node} of {self.nodes}"),
            ("Distance", f"{short_number(nearest.distance or 0.0)}  ({merged})"),
            ("Records combined", str(nearest.count or 1)),
        )

    def nearest_board(self, at: ExplainedMove) -> tuple[BoardView, ...]:
        """Return the nearest node as a board; empty if there is none of this board size."""
        nearest = self.nearest
        if nearest is None or not self._labels_of(nearest, at):
            return ()
        if len(nearest.stones) != at.rules.points:
            return ()
        verb = "remembers" if self.has_recalled else "(nearest)"
        title, labels = f"Node {nearest.node} {verb}", nearest.labels
        return (BoardView(title, nearest.stones, labels, greatest=percent(max(labels))),)

    def recalled_on(self, at: ExplainedMove) -> tuple[RecalledNode, ...]:
        """Return the recalled nodes of this board size, largest weight first."""
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


LARGE: Final = 9
"""Largest board side for which diagrams stand side by side; larger ones are merged into one."""
SEEN_END: Final = 900_000
"""Score from which on a search has seen a win; evaluations stay far below."""
SHOWN_MOVES: Final = 5
"""Number of a search's moves in a list."""

_kinds: Final[dict[str, type[Explanation]]] = {}
"""Explanation classes that have keys, by module and name, in order of definition."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation(Mapping[str, object]):
    """Why a move was chosen; the base class itself holds arbitrary keys, or nothing.

    A class of your own is a frozen dataclass that derives from it and defines `plain_keys`, which
    no other class may have, `caption` and `view`.
    """

    plain_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that identify the class: a plain form with one of them is read as this class."""

    extra: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    """Further values by key."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Register the class for `from_plain`; a reloaded class replaces the old one."""
        if cls.plain_keys:
            _kinds[f"{cls.__module__}.{cls.__qualname__}"] = cls

    # -- what is shown of it ---------------------------------------------------------------------

    def caption(self, explains: str = "") -> str:
        """Return why the move was chosen, for an audience, without a full stop; "" if unknown.

        Args:
            explains: what the player's explanations show, see `PlayerInfo`.
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
        """The explanation that decided the move, if there are several."""
        return self

    @property
    def is_shipped(self) -> bool:
        """Whether every process knows its class."""
        return type(self).__module__ == __name__

    # -- the plain form --------------------------------------------------------------------------

    def to_plain(self) -> dict[str, object]:
        """Return dictionaries, lists and numbers; unknown values are left out."""
        found = write_fields(self)
        found.pop("extra", None)
        return found | dict(self.extra)

    @staticmethod
    def from_plain(plain: Mapping[str, object]) -> Explanation:
        """Return the explanation whose class has a mapping's keys; other keys go to `extra`."""
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
    """An explanation whose class the receiving process lacks: its plain form and its view."""

    shown: ExplanationView = field(default_factory=ExplanationView)
    said: str = ""

    @staticmethod
    def of(said: Explanation, at: ExplainedMove) -> SentExplanation:
        """Convert an explanation of a move for sending."""
        view, caption = said.view(at), said.caption(at.explains)
        return SentExplanation(shown=view, said=caption, extra=said.to_plain())

    def caption(self, explains: str = "") -> str:
        return self.said

    def view(self, at: ExplainedMove) -> ExplanationView:
        return self.shown

    def to_plain(self) -> dict[str, object]:
        return dict(self.extra)


@dataclass(frozen=True, slots=True, eq=False)
class Proof(Explanation):
    """The move was proven to win, or chosen by another player after a proof was tried."""

    plain_keys = ("is_proven",)

    result: str | None = None
    """Proven winner: "black", "white" or "unknown"."""
    nodes: int | None = None
    """Positions visited."""
    is_proven: bool | None = None
    """Whether the move is proven to win."""
    instead: Explanation = field(default_factory=Explanation)
    """Explanation of the move if it is not proven."""

    def caption(self, explains: str = "") -> str:
        return "a proven win" if self.is_proven else self.instead.caption(explains)

    def view(self, at: ExplainedMove) -> ExplanationView:
        if not self.is_proven:
            return self.instead.view(at)
        found = counted(self.nodes or 0, "position")
        return replace(Explanation.view(self, at), reason=f": a proven win, found in {found}")

    def measures(self) -> Mapping[str, float]:
        return {} if self.is_proven else self.instead.measures()

    @property
    def basis(self) -> Explanation:
        """The proof, or the other player's explanation if there is none."""
        return self if self.is_proven else self.instead

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
class NetworkAnswer(Explanation):
    """The move was decided by a network's, or a memory's, answer for every point."""

    plain_keys = ("rank", "probabilities")

    probabilities: tuple[float, ...] = ()
    """`[A]` the answer as shares of 1, occupied points included."""
    rank: int | None = None
    """Rank of the played point, from 1, occupied points included."""
    masked: int | None = None
    """Number of occupied points with a better rank."""
    network_id: int | None = None
    """Id of the network, or number of the training if the memory answered."""
    memory: MemoryReading | None = None
    """The memory's reading of the position; None if it was not loaded."""

    def caption(self, explains: str = "") -> str:
        if self.rank is None:
            return ""
        is_memory, memory = explains == "memory", self.memory
        if is_memory and not (memory and memory.nodes):
            return "its memory is still empty"
        whose, free_rank = "memory" if is_memory else "network", self.rank - (self.masked or 0)
        text = f"the {whose}'s {ordinal(max(free_rank, 1))} choice"
        if 0 < self.rank <= len(self.probabilities):
            share = sorted(self.probabilities, reverse=True)[self.rank - 1]
            text += f" ({percent(share)})"
        return text + (memory.caption() if memory else "")

    def view(self, at: ExplainedMove) -> ExplanationView:
        if len(self.probabilities) != at.rules.points:
            return self._with_memory(at, Explanation.view(self, at))
        if at.explains == "memory":
            return self._memory_view(at)
        view = self._rated(at, "the network's", "Probabilities")
        return self._with_memory(at, replace(view, values=self._values(at, view)))

    def _rated(self, at: ExplainedMove, whose: str, title: str) -> ExplanationView:
        """Return the view of the answer, occupied points included."""
        shares = self.probabilities
        return shares_view(at, shares, whose=whose, title=title, is_any_point_rated=True)

    def _with_memory(self, at: ExplainedMove, view: ExplanationView) -> ExplanationView:
        """Return a view with the memory's reading added to the network's."""
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
        view = self._rated(at, "the memory's", "The memory's answer")
        memory = self.memory or MemoryReading(0, None)
        view = replace(view, intro=at.description, values=self._values(at, view))
        values = () if self.memory is None else memory.values(at)
        if not memory.nodes:
            reason = ", the first free point: it remembers nothing to play by"
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
        """Return the move's rank among the free points, and its probability."""
        rank = view.rank(at.move)
        hidden = len(view.occupied_before(at.move, at.stones))
        among = " of the free points" if hidden else ""
        said = [("Rank", f"{rank - hidden}{among}")] if rank else []
        return (*said, ("Probability", percent(self.probabilities[at.move])))


@dataclass(frozen=True, slots=True, eq=False)
class Evolution(Explanation):
    """The move is the first move of a genetic algorithm's fittest genome."""

    plain_keys = ("population",)

    population: tuple[tuple[Move, ...], ...] = ()
    """Genomes, the fittest first: moves of both sides in turn."""
    fitness: tuple[float, ...] = ()
    """Fitness of each genome."""
    best: tuple[float, ...] = ()
    """Highest fitness by generation, the first population included."""
    mean: tuple[float, ...] = ()
    """Mean fitness by generation."""
    generations: int | None = None
    """Generations bred."""
    has_stabilised: bool | None = None
    """Whether it ended early because the best fitness did not change."""
    box: tuple[int, ...] = ()
    """First row, first column, last row, last column of the searched box."""
    randomness: str | None = None
    """The setting: "fresh" or "board-seeded"."""

    def caption(self, explains: str = "") -> str:
        bred = f" after {counted(self.generations, 'generation')}" if self.generations else ""
        return f"the fittest of {len(self.population)} plans{bred}"

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        plans = tuple(filter(None, self.population))
        if not plans or not at.holds(point for plan in plans for point in plan):
            return view
        number = counted(len(plans), "plan")
        generations = counted(self.generations or 0, "generation")
        fitness = short_number((*self.fitness, 0.0)[0])
        begun = Counter(plan[0] for plan in plans)
        first_moves = {point: count / len(plans) for point, count in begun.items()}
        return replace(
            view,
            reason=f": the best of {number} after {generations} (fitness {fitness})",
            first_moves=first_moves,
            line=plans[0],
            boards=_plan_boards(at, first_moves, plans[0]),
            values=(
                ("Best plan", at.text(*plans[0])),
                ("Population", number),
                ("Generations", f"{self.generations or 0}{', stable' * bool(self.has_stabilised)}"),
            ),
            charts=(
                ChartView(
                    "Fitness by generation",
                    (("best", self.best), ("mean", self.mean)),
                    x_name="generation",
                    y_name="fitness",
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
    """Return boards with the first moves and the best plan: two, or one if the board is large."""
    shares = tuple(first_moves.get(point, 0.0) for point in range(at.rules.points))
    most = percent(max(shares))
    if at.rules.size > LARGE:
        return (BoardView("Best line", at.stones, shares, line=line, greatest=most),)
    return (
        BoardView("First stones", at.stones, shares, ringed=at.move, greatest=most),
        BoardView("Best line", at.stones, line=line),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Opening(Explanation):
    """The first stone, drawn among the centre points."""

    plain_keys = ("opening",)

    opening: bool = True
    """Always true: the plain form's only key."""

    def caption(self, explains: str = "") -> str:
        return "the first stone is a random point near the centre"

    def view(self, at: ExplainedMove) -> ExplanationView:
        return replace(Explanation.view(self, at), reason=", drawn among the centre points")


@dataclass(frozen=True, slots=True, eq=False)
class SearchedMoves(Explanation):
    """The move was chosen by a tree search."""

    plain_keys = ("scores",)

    scores: tuple[tuple[Move, int], ...] = ()
    """Each legal move with its score, the best first."""
    nodes: int | None = None
    """Number of positions searched."""
    depth: int | None = None
    """Fully searched depth, plies."""
    principal_variation: tuple[Move, ...] = ()
    """Principal variation."""

    def caption(self, explains: str = "") -> str:
        return f"the best move, {counted(self.depth or 0, 'move')} ahead" if self.scores else ""

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        scored = [move for move, _ in self.scores]
        if not scored or not at.holds((*scored, *self.principal_variation)):
            return view
        depth = counted(self.depth or 0, "move")
        best = (f"{at.text(move)} {_ahead(score)}" for move, score in self.scores[:SHOWN_MOVES])
        return replace(
            view,
            reason=f": the best move {depth} ahead, in {counted(self.nodes or 0, 'position')}",
            values=(
                ("Depth", depth),
                ("Positions", short_number(self.nodes or 0)),
                ("Expects", at.text(*self.principal_variation[: 2 * SHOWN_MOVES])),
                ("Best moves", "  ".join(best)),
            ),
        )


def _ahead(score: int) -> str:
    """Return the score of a search as text; "won" or "lost" if the search saw the end."""
    if abs(score) < SEEN_END:
        return compact_number(score)
    return "won" if score > 0 else "lost"


@dataclass(frozen=True, slots=True, eq=False)
class TreeVisits(Explanation):
    """The move is the one that a Monte Carlo tree search visited most."""

    plain_keys = ("visits",)

    visits: tuple[tuple[Move, int], ...] = ()
    """Each visited move with its visits, the most visited first."""
    means: tuple[float, ...] = ()
    """Mean result of each of them for the side to move, in [-1, 1]."""
    lines: tuple[tuple[Move, ...], ...] = ()
    """Principal variations of the first of them."""
    iterations: int | None = None
    """Iterations of this move."""
    kept: int | None = None
    """Visits taken over from the tree of an earlier move."""
    depth: int | None = None
    """Greatest depth of the tree, plies."""
    priors: tuple[float, ...] = ()
    """Share that a network gave each visited move before the search; empty without a network."""

    def caption(self, explains: str = "") -> str:
        return f"the point it tried most in {self._games(explains)}"

    def view(self, at: ExplainedMove) -> ExplanationView:
        visited = {move for move, _ in self.visits}
        if not visited or not at.holds(visited.union(*self.lines)):
            return Explanation.view(self, at)
        view = shares_view(at, at.policy, title="Visits")
        if view.rank(at.move) == 1:
            share, games = percent(at.policy[at.move]), self._games(at.explains)
            view = replace(view, reason=f": the move it tried most ({share} of {games})")
        expected = (BoardView("Expected line", at.stones, line=line) for line in self.lines[:1])
        kept = f"  ({short_number(self.kept)} visits kept)" if self.kept else ""
        return replace(
            view,
            boards=(*view.boards, *expected),
            values=(
                ("Iterations", f"{short_number(self.iterations or 0)}{kept}"),
                ("Depth", counted(self.depth or 0, "move")),
                ("Most visited: visits, mean result, expected reply", ""),
                *self.most_visited(at),
            ),
        )

    def most_visited(self, at: ExplainedMove) -> tuple[tuple[str, str], ...]:
        """Return the most visited moves, each with visits, mean result, prior, expected line."""
        lines = {line[0]: line[1:] for line in self.lines if line}
        said = []
        for number, (move, visits) in enumerate(self.visits[:SHOWN_MOVES]):
            mean = f" {self.means[number]:+.2f}" if number < len(self.means) else ""
            if number < len(self.priors):
                mean += f" (net {percent(self.priors[number])})"
            after = at.text(*lines.get(move, ())[:2])
            said.append(
                (at.text(move), f"{short_number(visits)}{mean}{'  then ' * bool(after)}{after}")
            )
        return tuple(said)

    def _games(self, explains: str) -> str:
        played = sum(visits for _, visits in self.visits)
        return counted(played, "game" if explains == "guided search" else "random game")


@dataclass(frozen=True, slots=True, eq=False)
class PatternScores(Explanation):
    """The move was chosen by the pattern scores of all points."""

    plain_keys = ("best",)

    best: tuple[tuple[Move, int], ...] = ()
    """The highest scores, as pairs of move and score."""

    def caption(self, explains: str = "") -> str:
        return "the point with the strongest pattern"

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        if not self.best:
            return view
        score = short_number(self.best[0][1])
        return replace(view, reason=f": the best patterns of all points, score {score}")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMove(Explanation):
    """The move was drawn among equal ones."""

    plain_keys = ("points",)

    reason: str | None = None
    """"win", "stop" or "any"."""
    points: tuple[Move, ...] = ()
    """The moves it was drawn from."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueField(Explanation):
    """The move is the point with the highest value of a field over the board."""

    plain_keys = ("field_values",)

    field_values: tuple[float, ...] = ()
    """`[A]` value of each point; occupied ones have 0."""

    def caption(self, explains: str = "") -> str:
        return "the point with the highest value of its field"

    def view(self, at: ExplainedMove) -> ExplanationView:
        view = Explanation.view(self, at)
        if len(self.field_values) != at.rules.points:
            return view
        values = enumerate(self.field_values)
        scores = {point: value for point, value in values if not at.stones[point]}
        view = scores_view(at, view, scores, name="Field value", from_best=False)
        score = compact_number(scores.get(at.move, 0.0))
        return replace(view, reason=f": the highest value of its field, {score}")


@dataclass(frozen=True, slots=True, eq=False)
class RootScores(Explanation):
    """The move has the highest score among the root points of a search."""

    plain_keys = ("root_scores",)

    root_scores: tuple[tuple[Move, float], ...] = ()
    """Each point with its score, the best first."""
    first_scores: tuple[tuple[Move, float], ...] = ()
    """The same points with their scores before the search, in the same order."""
    nodes: int | None = None
    """Number of positions scored."""
    finished: int | None = None
    """Number of points searched to full depth."""

    def caption(self, explains: str = "") -> str:
        return f"the best of {counted(len(self.root_scores), 'point')} that it searched below"

    def view(self, at: ExplainedMove) -> ExplanationView:
        view, scores = Explanation.view(self, at), dict(self.root_scores)
        if not scores or not at.holds(scores):
            return view
        view = scores_view(at, view, scores, name="Root score", from_best=True)
        first = dict(self.first_scores)
        before = [("Before the search", compact_number(first[at.move]))] if at.move in first else []
        score = compact_number(scores.get(at.move, 0.0))
        positions = counted(self.nodes or 0, "position")
        return replace(
            view,
            reason=f": the best of {counted(len(scores), 'point')}, score {score}, in {positions}",
            values=(
                *view.values,
                *before,
                ("Points searched below", f"{self.finished} of {len(first)}"),
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ForcedMove(Explanation):
    """A default policy forced the move without a search: to win, or to stop the opponent."""

    plain_keys = ("forced_by",)

    forced_by: str | None = None
    """"five", "open four", "five of the other side" or "open four of the other side"."""
    forced_points: tuple[Move, ...] = ()
    """The moves among which it chose."""

    def caption(self, explains: str = "") -> str:
        return f"forced: {self.forced_by}"

    def view(self, at: ExplainedMove) -> ExplanationView:
        reason = " by its default policy, without a search"
        return replace(Explanation.view(self, at), reason=reason)
