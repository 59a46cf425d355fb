"""How an explained move is drawn and told: plain values, which any window can show.

An explanation (`ai.players.explanation`) is given the `ExplainedMove` and returns an
`ExplanationView`. Whoever shows it needs to know no class of explanations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ai.game import BLACK, Color, Game, Move, to_text
from ai.players.explaining.words import compact_number, ordinal, percent

LEAST_SEEN = 0.02
"""Of the colour scale: a scored point is always coloured."""
SHOWN_SCORES = 5


@dataclass(frozen=True, slots=True)
class ExplainedMove:
    """The move that an explanation is about."""

    rules: Game
    stones: tuple[int, ...]
    """`[A]` color of each point before the move."""
    move: Move
    """The move that was played."""
    color: Color
    """The side that played it."""
    policy: tuple[float, ...] = ()
    """`[A]` policy of the choice, sum 1; empty without one."""
    explains: str = "choice"
    """What the player's explanations show; see `PlayerInfo`."""
    description: str = ""
    """What the player is, in a sentence."""

    @property
    def side(self) -> str:
        """The side that moved, "Black" or "White"."""
        return "Black" if self.color == BLACK else "White"

    def text(self, *points: Move) -> str:
        """Return points as text: "d4 e5"."""
        return " ".join(to_text(point, self.rules.size, self.rules.rows) for point in points)

    def holds(self, points: Iterable[Move]) -> bool:
        """Return whether all points are on this board."""
        return all(0 <= point < self.rules.points for point in points)


@dataclass(frozen=True, slots=True)
class BoardView:
    """A small board that is drawn beside the words."""

    title: str
    stones: tuple[int, ...]
    """`[A]` color of each point."""
    shares: tuple[float, ...] = ()
    """`[A]` values from 0 that colour the points, relative to the greatest; may be empty."""
    line: tuple[Move, ...] = ()
    """Moves of both sides in turn, the explained side's first, as numbered stones."""
    ringed: Move | None = None
    """A point with a ring around it."""
    greatest: str = ""
    """What the greatest share is, for a colour scale; empty for no scale."""
    note: str = ""
    """A line below the board."""


@dataclass(frozen=True, slots=True)
class ChartView:
    """Curves over counted steps from 0."""

    title: str
    curves: tuple[tuple[str, tuple[float, ...]], ...]
    """Each curve's name and values."""
    x_name: str = ""
    y_name: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """What is shown of an explained move; all that is left out is not shown."""

    reason: str = ""
    """What follows "White took e4": ": the network's first choice (41 %)"."""
    afterword: str = ""
    """A sentence that follows that of the move and its effect."""
    shares: tuple[float, ...] = ()
    """`[A]` share of each point: the overlays' colours and columns."""
    is_any_point_rated: bool = False
    """Whether the shares also rate occupied points, and moves that were not chosen."""
    ranking: tuple[Move, ...] = ()
    """Points from the best down: the overlay's numbers."""
    scores: Mapping[Move, float] = field(default_factory=dict)
    """Score of each point that has one; written on the board instead of the shares."""
    score_parts: Mapping[Move, float] = field(default_factory=dict)
    """How strongly the scored points are coloured, 0 to 1."""
    first_moves: Mapping[Move, float] = field(default_factory=dict)
    """Share of the player's plans that begin with a point: transparent stones."""
    line: tuple[Move, ...] = ()
    """The best plan, moves of this side and the other in turn: numbered stones."""
    marked: tuple[Move, ...] = ()
    """Points to mark with a diamond, such as remembered answers."""
    boards: tuple[BoardView, ...] = ()
    """The first two are drawn beside each other, further ones below."""
    intro: str = ""
    """What is said above the boards."""
    values: tuple[tuple[str, str], ...] = ()
    """Names and values, in order; a name without value is a line of its own."""
    charts: tuple[ChartView, ...] = ()

    def rank(self, move: Move) -> int | None:
        """Return a move's rank in the ranking, from 1; None where it has none."""
        return self.ranking.index(move) + 1 if move in self.ranking else None

    def occupied_before(self, move: Move, stones: Sequence[int]) -> tuple[Move, ...]:
        """Return the occupied points of better rank than a move.

        Args:
            move: whose rank counts.
            stones: `[A]` color of each point before the move.
        """
        better = self.ranking[: (self.rank(move) or 1) - 1]
        return tuple(point for point in better if stones[point])


def shares_view(
    at: ExplainedMove,
    shares: tuple[float, ...],
    *,
    whose: str = "its",
    title: str = "Shares",
    is_any_point_rated: bool = False,
) -> ExplanationView:
    """Return the view of a share for each point: colours, ranks, a board.

    Args:
        at: the move.
        shares: `[A]` shares; empty for none.
        whose: whose choice it was, for the reason: "the network's".
        title: of the board.
        is_any_point_rated: whether they also rate occupied points.
    """
    if not shares:
        return ExplanationView()
    ranked = [point for point, share in enumerate(shares) if is_any_point_rated or share > 0.0]
    view = ExplanationView(
        shares=shares,
        is_any_point_rated=is_any_point_rated,
        ranking=tuple(sorted(ranked, key=lambda point: (-shares[point], point))),
        boards=(
            BoardView(title, at.stones, shares, ringed=at.move, greatest=percent(max(shares))),
        ),
    )
    rank = view.rank(at.move)
    if rank is None:
        return view
    occupied = len(view.occupied_before(at.move, at.stones))
    among = " of the free points" if occupied else ""
    place = f"{ordinal(rank - occupied)} choice{among}"
    return replace(view, reason=f": {whose} {place} ({percent(shares[at.move])})")


def scores_view(
    at: ExplainedMove,
    view: ExplanationView,
    scores: Mapping[Move, float],
    *,
    name: str,
    from_best: bool,
) -> ExplanationView:
    """Return a view with scores of points: colours on a logarithmic scale, a board, the best ones.

    Args:
        at: the move.
        view: what is shown besides.
        scores: by point, at least one.
        name: what a score is called.
        from_best: whether the colour tells what a score lacks to the best, instead of how far it
            is above the least.
    """
    low, high = min(scores.values()), max(scores.values())
    whole = math.log1p(high - low) or 1.0
    parts = {
        point: 1.0 - math.log1p(high - score) / whole if from_best
        else math.log1p(score - low) / whole
        for point, score in scores.items()
    }  # fmt: skip
    colors = [0.0] * at.rules.points
    for point, part in parts.items():
        colors[point] = LEAST_SEEN + (1.0 - LEAST_SEEN) * part
    title = f"{name}, {compact_number(low)} to {compact_number(high)}"
    own = [(name, compact_number(scores[at.move]))] if at.move in scores else []
    best = sorted(scores, key=lambda point: -scores[point])[:SHOWN_SCORES]
    said = "  ".join(f"{at.text(point)} {compact_number(scores[point])}" for point in best)
    return replace(
        view,
        scores=scores,
        score_parts=parts,
        boards=(BoardView(title, at.stones, tuple(colors), ringed=at.move),),
        values=(*own, ("Best points", said)),
    )


def best_points(shares: Sequence[float], most: int) -> list[Move]:
    """Return the points with a share, the greatest first.

    Args:
        shares: `[A]` shares.
        most: maximum number of points.
    """
    points = [point for point, share in enumerate(shares) if share > 0]
    return sorted(points, key=lambda point: -shares[point])[:most]
