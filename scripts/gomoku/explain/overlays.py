"""Overlays on the board: explanations of each side's last move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from ai import ExplanationView, Threat, ThreatKind, compact_number, percent
from scripts.gomoku.board.mark_layers import (
    STONE_COLORS,
    Ghost,
    MarkLayers,
    ShareColumn,
    draw_number,
)
from scripts.gomoku.board.overlay_picture import OverlayPicture, Rgb, ink_on, scale_color
from scripts.gomoku.explain.choice_reading import ChoiceReading, latest, read_choices
from scripts.gomoku.game.match import Match
from sim import Script, field, on, tr

LEAST = 0.008  # of the greatest share: less is not drawn
COLUMN_LEAST = 0.02
ROOM_FOR_SCORE = 0.38  # metres: half of the least plate with a score
MOST_SCORES = 60  # written on the board, the best first
TALLEST = 1.7  # metres, the column of the greatest share
SIDE_COLORS: dict[int, Rgb] = {1: (0.80, 0.28, 0.02), -1: (0.02, 0.33, 0.72)}
MEMORY_COLOR: Rgb = (0.56, 0.13, 0.50)
BADGE: Rgb = (0.10, 0.10, 0.12)
TAKEN: Rgb = (0.98, 0.76, 0.25)
CROSS: Rgb = (0.88, 0.20, 0.16)
CORNER = 0.29  # metres from a point's middle to where small marks stand


@dataclass(frozen=True)
class Shown:
    """Which overlays are on."""

    heat_map: bool = False
    columns: bool = False
    ranks: bool = False
    population: bool = False
    threats: bool = False

    @property
    def count(self) -> int:
        """Number of overlays that are on."""
        return sum(vars(self).values())


class Marks:
    """Paints the overlays that are on, background first, as content for `MarkLayers`.

    When several overlays are on, each kind of small mark has its own corner of a point.

    Attributes:
        ground: picture below the stones.
        top: picture above the stones.
        ghosts: transparent stones.
        columns: columns of the shares.
    """

    def __init__(
        self,
        shown: Shown,
        stones: Sequence[int],
        *,
        size: int | None = None,
        choice: ChoiceReading | None,
        lines: ChoiceReading | None,
        threats: Iterable[Threat] = (),
    ) -> None:
        """Paint the overlays that are on.

        Args:
            shown: which overlays are on.
            stones: `[A]` present color of each point.
            size: number of columns of the board; None for a square one.
            choice: the move whose shares and ranks are shown; None for none.
            lines: a move of the genetic algorithm, whose population is shown; None for none.
            threats: threats of both sides.
        """
        self.shown = shown
        self.stones = stones
        self.size = size = size or round(len(stones) ** 0.5)
        self.zoom = 1.0 if self.size <= 9 else 1.3  # of letters, on boards with small points
        rows = len(stones) // size
        self.ground, self.top = OverlayPicture(size, rows), OverlayPicture(size, rows)
        self.ghosts: list[Ghost] = []
        self.columns: list[ShareColumn] = []
        self.line = lines.view.line if lines is not None and shown.population else ()
        self.threats = tuple(threats) if shown.threats else ()
        if choice is not None:
            self._add_shares(choice.view)
        if shown.threats:
            self._add_threats()
            for point in () if choice is None else choice.view.marked:
                self._add_diamond(point)
        if lines is not None and shown.population:
            self._add_population(lines)
        if choice is not None and shown.ranks:
            self._add_ranks(choice)

    def _add_shares(self, view: ExplanationView) -> None:
        most = max(view.shares, default=0.0)
        if view.scores and self.shown.heat_map:
            self._add_scores(view)
        for point, share in enumerate(view.shares):
            if most <= 0.0 or share <= LEAST * most:
                continue
            color = scale_color(share / most)
            if self.shown.heat_map and not view.scores:
                self._add_heat(point, share, share / most, color)
            if self.shown.columns and share > COLUMN_LEAST * most:
                self._add_column(point, share / most, color)

    def _add_heat(self, point: int, share: float, part: float, color: Rgb) -> None:
        """Draw a square whose size grows with a point's share, and write the share on it.

        Args:
            point: index of the point.
            share: the point's share.
            part: the share as a fraction of the greatest share, 0 to 1.
            color: color of the square.
        """
        self.ground.plate(point, 0.27 + 0.21 * part**0.5, color, 0.95)
        if share < 0.005:
            return
        text = percent(share)
        height = 0.17 * self.zoom
        if not self.stones[point]:
            if point not in self.line:
                self.ground.letters(point, text, height, ink_on(color), at=(0.0, 0.04))
        elif self.shown.count == 1:
            ink = ink_on(STONE_COLORS[self.stones[point]])
            self.top.letters(point, text, height, ink, at=(0.0, 0.0))

    def _add_scores(self, view: ExplanationView) -> None:
        """Draw a square on each point with a score, and write the best scores on their squares."""
        parts = view.score_parts
        for place, point in enumerate(sorted(parts, key=lambda point: -parts[point])):
            color = scale_color(parts[point])
            is_said = place < MOST_SCORES and not self.stones[point] and point not in self.line
            half = max(0.27 + 0.21 * parts[point] ** 0.5, ROOM_FOR_SCORE if is_said else 0.0)
            self.ground.plate(point, half, color, 0.95)
            if is_said:
                text = compact_number(view.scores[point])
                self.ground.letters(point, text, 0.15 * self.zoom, ink_on(color), at=(0.0, 0.04))

    def _add_column(self, point: int, part: float, color: Rgb) -> None:
        is_aside = self.shown.population or self.shown.ranks or self.shown.threats
        self.columns.append(
            ShareColumn(
                point,
                offset=(CORNER, -CORNER) if is_aside else (0.0, 0.0),
                base=0.3 if self.stones[point] and not is_aside else 0.0,
                height=max(0.05, TALLEST * part),
                color=color,
                radius=0.11 if is_aside else 0.19,
            )
        )

    def _add_ranks(self, choice: ChoiceReading) -> None:
        """Write ranks on the five best points, or on all down to the move played.

        Further points with a tiny share get no rank. Points that were occupied before the move are
        crossed out.

        Args:
            choice: the move played, with its explanation.
        """
        is_alone, view = self.shown.count == 1, choice.view
        rank_taken = view.rank(choice.move)
        masked = view.occupied_before(choice.move, choice.before)
        last = max(rank_taken or 1, 5)
        place = (0.0, 0.0) if is_alone else (-CORNER, -CORNER)
        radius = (0.26 if is_alone else 0.17) * self.zoom
        for rank, point in enumerate(view.ranking[:last], start=1):
            is_tiny = view.shares[point] <= LEAST * max(view.shares)
            if is_tiny and rank > (rank_taken or 0):
                break
            is_taken = point == choice.move
            canvas = self.top if self.stones[point] else self.ground
            if point in masked:
                self._cross(point)
            color = TAKEN if is_taken else BADGE
            edge = BADGE if is_taken else (0.9, 0.9, 0.88)
            where = (-0.2, -0.2) if self.stones[point] and not is_taken else place
            if is_taken and not is_alone:
                where = (-0.2, -0.2)
            canvas.badge(point, str(rank), radius, color, at=where, edge=edge)

    def _cross(self, point: int) -> None:
        reach = 0.27
        for color, width in ((STONE_COLORS[-1], 0.13), (CROSS, 0.085)):
            for sign in (1, -1):
                self.top.stroke(
                    (point, -reach, -reach * sign), (point, reach, reach * sign), width, color
                )

    def _add_population(self, lines: ChoiceReading) -> None:
        """Draw the population of move sequences from which the genetic algorithm chose a move.

        Transparent stones show the first moves of the sequences. Numbers show the moves of the
        fittest sequence.

        Args:
            lines: the chosen move, with its explanation.
        """
        line = lines.view.line
        for point, share in lines.view.first_moves.items():
            if point not in line and not self.stones[point]:
                self.ghosts.append(Ghost(point, lines.color, 0.18 + 0.6 * share))
        for index, point in enumerate(line):
            color = lines.color * (-1) ** index
            on_stone = self.stones[point]
            if not on_stone:
                self.ghosts.append(Ghost(point, color, 0.62))
            draw_number(self.top, point, index + 1, color, 0.23 * self.zoom)

    def _add_threats(self) -> None:
        rings: dict[int, int] = {}
        for threat in self.threats:
            color, is_five = SIDE_COLORS[threat.color], threat.kind is ThreatKind.FIVE
            self._add_line(threat, color, is_dashed=not is_five)
            earlier = rings.get(threat.point, 0)
            rings[threat.point] = earlier + 1
            dashes = 0 if is_five else 8
            self.ground.ring(threat.point, 0.43 - 0.09 * earlier, 0.06, color, dashes=dashes)
            letter = "5" if is_five else "4"
            place = (CORNER + 0.03, -CORNER - 0.03 + 0.27 * earlier)  # far side: near stones hide
            self.ground.badge(
                threat.point, letter, 0.13 * self.zoom, color, at=place, edge=(1.0, 1.0, 1.0)
            )

    def _add_line(self, threat: Threat, color: Rgb, *, is_dashed: bool) -> None:
        """Draw a band over each stone of a threat, along its line; empty points get none.

        Args:
            threat: the threat.
            color: color of the bands.
            is_dashed: whether the bands are short, so that there are gaps between the stones.
        """
        reach = 0.28 if is_dashed else 0.5
        for ink, width in ((STONE_COLORS[-1], 0.15), (color, 0.09)):
            for stone, (down, across) in _directions(threat, self.size):
                start = (stone, -reach * across, -reach * down)
                self.top.stroke(start, (stone, reach * across, reach * down), width, ink)

    def _add_diamond(self, point: int) -> None:
        canvas = self.top if self.stones[point] else self.ground
        for color, width in (((1.0, 1.0, 1.0), 0.11), (MEMORY_COLOR, 0.06)):
            canvas.diamond(point, 0.38, width, color)


def _directions(threat: Threat, size: int) -> list[tuple[int, tuple[int, int]]]:
    """Return the stones of a threat, each with the direction of its line.

    Args:
        threat: the threat.
        size: number of columns of the board.

    Returns:
        A list of (point of the stone, (row step, column step)), the steps -1, 0 or 1.
    """
    row, col = divmod(threat.point, size)
    found = []
    for stone in threat.stones:
        down, across = stone // size - row, stone % size - col
        reach = max(abs(down), abs(across))
        found.append((stone, (down // reach, across // reach)))
    return found


KINDS: Final = (
    ("heat_map", tr("Heat map")),
    ("columns", tr("Columns")),
    ("ranks", tr("Ranks")),
    ("population", tr("Evolution")),
    ("threats", tr("Threats")),
)
"""Field name and button label of each overlay, in the order of their keys 1 to 5."""


class Overlays(Script):
    """Shows explanations of the last moves on the board. Costs nothing while all are off."""

    match: Match = field(None)
    heat_map: bool = field(False, help=tr("1: how much the player prefers each point, as colours"))
    columns: bool = field(False, help=tr("2: the same, as columns"))
    ranks: bool = field(
        False, help=tr("3: the best points by number; occupied ones are crossed out")
    )
    population: bool = field(
        False, help=tr("4: the first moves that evolution tries, and its best line")
    )
    threats: bool = field(
        False, help=tr("5: fives and open fours of both sides, remembered answers")
    )

    def awake(self) -> None:
        self.drawings = 0
        self._layers: MarkLayers | None = None
        self._seen: object = None

    def start(self) -> None:
        for number, (name, label) in enumerate(KINDS, start=1):
            self.command(
                f"overlay_{name}",
                label,
                partial(self.toggle, name),
                key=str(number),
                checked=partial(getattr, self, name),
            )
        self.show()

    @property
    def shown(self) -> Shown:
        """Which overlays are on."""
        return Shown(**{name: getattr(self, name) for name, _ in KINDS})

    def toggle(self, name: str) -> None:
        """Switch the overlay with this name, one of `KINDS`, on or off."""
        setattr(self, name, not getattr(self, name))
        self.show()

    def validate(self) -> None:
        self.show()

    @on("match.stone_placed")
    def follow(self, move: int, color: int) -> None:
        """Update to the new position, if any overlay is on."""
        if self.shown.count:
            self.show()

    @on("match.game_started")
    def begin(self, game: int) -> None:
        """Remove all overlays at the start of a game, unless another position is shown."""
        if not self.match.is_other_shown:
            self.hide()

    @on("match.held")
    def rest(self, is_held: bool) -> None:
        """Hide the overlays; draw them again if the live game is back on the board.

        Args:
            is_held: whether the board is used for something other than the live game.
        """
        self.hide()
        if not is_held:
            self.show()

    @on("match.shown_changed")
    def look_again(self) -> None:
        """Update the overlays when a position of a past game or of a side game is shown."""
        self.show()

    def show(self) -> None:
        """Redraw the overlays that are on, if anything has changed."""
        shown, match = self.shown, self.match
        if match is None or not shown.count:
            self.hide()
            return
        is_live_seen = match.is_shown and not match.is_paused
        position = match.shown if match.is_other_shown or is_live_seen else None
        board = position.board if position is not None else None
        if position is None or board is None or not board.ply:
            self.hide()
            return
        position.ask()
        seen = (position.key, board.ply, board.size, shown)
        if seen == self._seen:
            return
        self._seen = seen
        readings = latest(read_choices(board, position.choices, position.players))
        self._draw(
            Marks(
                shown,
                board.stones,
                size=board.size,
                choice=choice_with_shares(readings),
                lines=next((item for item in readings if item.view.first_moves), None),
                threats=readings[0].threats_after if shown.threats and readings else (),
            )
        )

    def hide(self) -> None:
        """Remove all overlays from the board."""
        self._seen = None
        if self._layers is not None:
            self._layers.hide()

    def destroy(self) -> None:
        if self._layers is not None:
            self._layers.destroy()

    def _draw(self, marks: Marks) -> None:
        self.drawings += 1
        if self._layers is None:
            self._layers = MarkLayers(self.match.board, tr("Overlay"))
        self._layers.show(
            ground=marks.ground, top=marks.top, ghosts=marks.ghosts, columns=marks.columns
        )


def choice_with_shares(readings: list[ChoiceReading]) -> ChoiceReading | None:
    """Return the move whose shares the overlays show; None if no move has any.

    Of several moves, the first one whose explanation rates every point is chosen. If there is none,
    it is the first one with any shares or scores.

    Args:
        readings: the last moves with their explanations, the latest first.
    """
    nets = [item for item in readings if item.view.is_any_point_rated]
    rated = [item for item in readings if item.view.shares or item.view.scores]
    return next(iter(nets or rated), None)
