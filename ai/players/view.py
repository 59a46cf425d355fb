"""What windows show of an explained move, as plain values: texts, boards, charts, colours.

An explanation (`ai.players.explanation`) gets the `ExplainedMove` and returns an `ExplanationView`.
Code that shows it does not need to know the class of the explanation. The module also has functions
for numbers in words and for the plain forms of dataclasses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Final, get_args, get_type_hints

from ai.game import BLACK, Color, Game, Move, move_name
from base.language.wording import numeral, tr

_FIRST_ORDINALS: Final = (tr("first"), tr("second"), tr("third"))
_ORDINALS: Final = {1: tr("{rank}st"), 2: tr("{rank}nd"), 3: tr("{rank}rd")}
_ORDINAL: Final = tr("{rank}th")


def ordinal(rank: int) -> str:
    """Return "first", "second", "third", "4th" and so on."""
    if rank <= len(_FIRST_ORDINALS):
        return _FIRST_ORDINALS[rank - 1]
    is_teen = rank % 100 in (11, 12, 13)
    text = _ORDINAL if is_teen else _ORDINALS.get(rank % 10, _ORDINAL)
    return text.format(rank=rank)


def percent(share: float) -> str:
    """Return a share of 1 as "41 %", with one decimal below ten."""
    value = share * 100.0
    if value >= 9.95 or value == 0.0:
        return numeral(f"{value:.0f} %")
    return numeral(f"{value:.1f} %" if value >= 0.05 else "< 0.1 %")


def short_number(value: float) -> str:
    """Return a number with at most three digits: 0.43, 12, 350, 12,000, 1.2e6."""
    size = abs(float(f"{value:.3g}"))
    if size >= 1_000_000:
        mantissa, exponent = f"{value:.1e}".split("e")
        return numeral(f"{mantissa.removesuffix('.0')}e{int(exponent)}")
    if size >= 100:
        return numeral(f"{float(f'{value:.3g}'):,.0f}")
    return numeral(f"{value:.2g}" if size >= 0.005 else "0")


def compact_number(value: float) -> str:
    """Return a number in at most five characters: 14, 0.9, 690, 6.5k, -80k, 1.2M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * unit:
            part = value / unit
            return numeral(f"{part:.0f}{letter}" if abs(part) >= 9.95 else f"{part:.1f}{letter}")
    return numeral(f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}".removesuffix(".0"))


def counted(number: int, what: str) -> str:
    """Return a number with its noun: "1 record", "3 records", "2 400 positions"."""
    return f"{spaced(number)} {what}{'' if number == 1 else 's'}"


def spaced(number: int) -> str:
    """Return a whole number with its thousands apart: "2 400"."""
    return f"{number:,}".replace(",", " ")


def joined(items: Iterable[str]) -> str:
    """Return a list in words: "a", "a and b", "a, b and c"."""
    *most, last = list(items) or [""]
    return tr(" and ").join([", ".join(most), last]) if most else last


LEAST_SEEN = 0.02
"""Strength of the weakest colour of a scored point, from 0 to 1.

It is above 0, so that the point is always visible.
"""
SHOWN_SCORES = 5


@dataclass(frozen=True, slots=True)
class ExplainedMove:
    """A move to explain: the position, the move and the player."""

    rules: Game
    stones: tuple[int, ...]
    """Color of each point before the move, `[points]`."""
    move: Move
    """The move that was played."""
    color: Color
    """The side that played it."""
    policy: tuple[float, ...] = ()
    """Probabilities by which the player chose, `[points]`, sum 1; empty if it has none."""
    explains: str = "choice"
    """Kind of the player's explanations, see `PlayerInfo.explains`."""
    description: str = ""
    """What the player is, in a sentence."""

    @property
    def side(self) -> str:
        """The side that moved, "Black" or "White"."""
        return tr("Black") if self.color == BLACK else tr("White")

    def text(self, *points: Move) -> str:
        """Return points as text: "d4 e5"."""
        return " ".join(move_name(point, self.rules) for point in points)

    def holds(self, points: Iterable[Move]) -> bool:
        """Return whether all points are on this board."""
        return all(0 <= point < self.rules.points for point in points)


@dataclass(frozen=True, slots=True)
class BoardView:
    """A small board that is drawn beside the text."""

    title: str
    stones: tuple[int, ...]
    """Color of each point, `[points]`."""
    shares: tuple[float, ...] = ()
    """Values of the points, `[points]`, each 0 or more; the highest gets the full colour.

    Empty if there are none.
    """
    line: tuple[Move, ...] = ()
    """Moves of both sides in turn, drawn as numbered stones.

    The first is one of the side whose move is explained.
    """
    ringed: Move | None = None
    """A point with a ring around it."""
    greatest: str = ""
    """Label of the highest value on the colour scale; if empty, no scale is drawn."""
    note: str = ""
    """A line below the board."""


@dataclass(frozen=True, slots=True)
class ChartView:
    """A chart of one or more curves; their values are at the steps 0, 1, 2 and so on."""

    title: str
    curves: tuple[tuple[str, tuple[float, ...]], ...]
    """Each curve's name and values."""
    x_name: str = ""
    y_name: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """What is shown of an explained move; empty fields are not shown."""

    reason: str = ""
    """End of the sentence that begins with "White took e4".

    For example ": the network's first choice (41 %)".
    """
    afterword: str = ""
    """Further sentence, shown after the sentences on the move and its effect."""
    shares: tuple[float, ...] = ()
    """Share of each point, `[points]`, shown as colours and columns over the board."""
    is_any_point_rated: bool = False
    """Whether the shares rate all points, including occupied ones and moves never considered."""
    ranking: tuple[Move, ...] = ()
    """Points, the best first; their ranks are shown over the board."""
    scores: Mapping[Move, float] = field(default_factory=dict)
    """Scores by point; the board shows them in place of the shares."""
    score_parts: Mapping[Move, float] = field(default_factory=dict)
    """How strong the colour of each scored point is, by point, from 0 to 1."""
    first_moves: Mapping[Move, float] = field(default_factory=dict)
    """Share of the player's plans that begin with each point; drawn as transparent stones."""
    line: tuple[Move, ...] = ()
    """The best plan, moves of both sides in turn; drawn as numbered stones."""
    marked: tuple[Move, ...] = ()
    """Points to mark with a diamond, such as remembered answers."""
    boards: tuple[BoardView, ...] = ()
    """Boards; the first two are drawn beside each other, further ones below."""
    intro: str = ""
    """Text above the boards."""
    values: tuple[tuple[str, str], ...] = ()
    """Rows of a table, as pairs of name and value; a name without a value takes a whole line."""
    charts: tuple[ChartView, ...] = ()

    def rank(self, move: Move) -> int | None:
        """Return a move's rank in `ranking`, from 1; None if it is not in the list."""
        return self.ranking.index(move) + 1 if move in self.ranking else None

    def occupied_before(self, move: Move, stones: Sequence[int]) -> tuple[Move, ...]:
        """Return the occupied points of better rank than a move.

        Args:
            move: the move to compare with.
            stones: `[A]` color of each point before the move.
        """
        better = self.ranking[: (self.rank(move) or 1) - 1]
        return tuple(point for point in better if stones[point])


def shares_view(
    at: ExplainedMove,
    shares: tuple[float, ...],
    *,
    whose: str = "",
    title: str = "Shares",
    is_any_point_rated: bool = False,
) -> ExplanationView:
    """Return what to show for one share per point: colours, ranks, a board and the reason.

    Args:
        at: the explained move.
        shares: share of each point, `[points]`; () for an empty view.
        whose: whose choice it was, for the text of the reason, such as "the network's"; "" for
            the player's own.
        title: title of the board.
        is_any_point_rated: whether the shares also rate occupied points.
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
    said = (
        tr(": {whose} {ordinal} choice{among} ({percent})")
        if whose
        else tr(": its {ordinal} choice{among} ({percent})")
    )
    reason = said.format(
        whose=whose,
        ordinal=ordinal(rank - occupied),
        among=tr(" of the free points") if occupied else "",
        percent=percent(shares[at.move]),
    )
    return replace(view, reason=reason)


def scores_view(
    at: ExplainedMove,
    view: ExplanationView,
    scores: Mapping[Move, float],
    *,
    name: str,
    from_best: bool,
) -> ExplanationView:
    """Return a view with scores of points added: colours, a board and the best points.

    The colours have a logarithmic scale.

    Args:
        at: the explained move.
        view: the view to start from; it is not changed.
        scores: scores by point, at least one.
        name: what the scores are called.
        from_best: where the scale begins. True measures each score from the best one, so that the
            best scores differ most in colour. False measures from the lowest one.
    """
    low, high = min(scores.values()), max(scores.values())
    whole = math.log1p(high - low) or 1.0
    parts = {
        point: 1.0 - math.log1p(high - score) / whole
        if from_best
        else math.log1p(score - low) / whole
        for point, score in scores.items()
    }
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
    """Return the points with a positive share, greatest first.

    Args:
        shares: `[A]` shares.
        most: maximum number of points.
    """
    points = [point for point, share in enumerate(shares) if share > 0]
    return sorted(points, key=lambda point: -shares[point])[:most]


def write_fields(value: Any) -> dict[str, object]:
    """Return the field values of a dataclass as plain values, by name.

    None and empty tuples are left out.
    """
    found = {item.name: getattr(value, item.name) for item in fields(value)}
    return {name: _plain(one) for name, one in found.items() if one is not None and one != ()}


def _plain(value: object) -> object:
    """Convert a value to plain form: tuples to lists, objects by their method `to_plain`."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.to_plain() if hasattr(value, "to_plain") else value


def read_fields(kind: type, plain: Mapping[str, object]) -> dict[str, Any]:
    """Return the field values of a dataclass that a plain form holds, by the field's name.

    Values that do not fit the type of their field are left out.

    Args:
        kind: the dataclass.
        plain: a result of `write_fields`, or a similar mapping.
    """
    hints = _hints(kind)
    names = [item.name for item in fields(kind) if item.name in plain]
    found = {name: _read(hints[name], plain[name]) for name in names}
    return {name: value for name, value in found.items() if value is not None}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, value: object) -> object:
    """Convert a plain value to a field's type; return None if it does not fit.

    Args:
        kind: type of the field.
        value: the plain value.
    """
    inner = get_args(kind)
    if type(None) in inner:
        return _read(inner[0], value)
    if isinstance(value, int | float) and kind in (bool, int, float):
        return kind(value) if kind is float or isinstance(value, int) else None
    if hasattr(kind, "from_plain"):
        return kind.from_plain(value) if isinstance(value, Mapping) else None
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value if kind is str and isinstance(value, str) else None
    kinds = [inner[0]] * len(value) if inner[-1:] == (...,) else inner
    if len(kinds) != len(value):
        return None
    found = [_read(one, item) for one, item in zip(kinds, value, strict=True)]
    return None if None in found else tuple(found)
