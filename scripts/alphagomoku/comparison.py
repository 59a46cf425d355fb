"""Two pairs on one position, side by side: shares before and after the search, and values."""

from __future__ import annotations

from typing import NamedTuple

from ai import BLACK, Board, to_text
from ai.messages import SearchGrown
from scripts.alphagomoku.front import FrontSearch
from scripts.gomoku.board.mini_board import Diagram, draw_board
from scripts.learning.panel_parts import Row, draw_table
from sim import Ui

BEST = 3  # points of each pair in the table
GAP = 8.0  # between two boards, pixels
SMALLEST = 60.0  # board, pixels


class ComparedPoint(NamedTuple):
    """A point in both searches: the first pair's share and the second's."""

    point: str
    before: tuple[float, float]
    after: tuple[float, float]


class Comparison:
    """What both pairs found, as diagrams and numbers; worked out once for a pair of searches."""

    def __init__(self, board: Board, searches: tuple[SearchGrown, SearchGrown]) -> None:
        self.searches = searches
        self.rows = rows_of(searches)
        side = board.to_move * BLACK  # values are told for the side to move
        self.values = [(found.network_value * side, found.value * side) for found in searches]
        stones = tuple(int(color) for color in board.stones)
        size = board.rules.size
        self.before = [
            Diagram(size, stones, tuple(map(float, found.prior)), ringed=int(found.prior.argmax()))
            for found in searches
        ]
        self.after = [
            Diagram(size, stones, shares_of(found), ringed=int(found.visits.argmax()))
            for found in searches
        ]

    def draw(self, ui: Ui, names: tuple[str, str]) -> None:
        """Draw the boards, the points and the values."""
        ui.heading("The same position twice")
        for title, diagrams in (("shares before", self.before), ("visits after", self.after)):
            self._draw_boards(ui, names, title, diagrams)
        rows = []
        for row in self.rows:
            pairs = zip(row.before, row.after, strict=True)
            rows.append(Row((row.point, *(f"{one:.0%} → {other:.0%}" for one, other in pairs))))
        values = (f"{one:+.2f} → {end:+.2f}" for one, end in self.values)
        rows.append(Row(("value for Black", *values)))
        draw_table(ui, "compared", ("before → after", *names), rows)

    @staticmethod
    def _draw_boards(ui: Ui, names: tuple[str, str], title: str, diagrams: list[Diagram]) -> None:
        """Draw a board of each pair, side by side."""
        imgui = ui.imgui
        gap = ui.theme.px(GAP)
        width = max(ui.theme.px(SMALLEST), (ui.room - gap) / 2.0)
        for index, (name, diagram) in enumerate(zip(names, diagrams, strict=True)):
            if index:
                imgui.same_line(0, gap)
            imgui.begin_group()
            ui.text(name)
            ui.text(title, "muted")
            draw_board(ui, diagram, width)
            imgui.end_group()


class ComparedView:
    """Keeps the comparison that is shown until another one is there."""

    def __init__(self) -> None:
        self._shown: Comparison | None = None

    def draw(self, ui: Ui, front: FrontSearch) -> None:
        """Draw what both pairs found in the position on the large board."""
        searches = front.comparison
        if searches is None:
            return
        if self._shown is None or self._shown.searches[1] is not searches[1]:
            board = Board.from_moves(searches[0].moves, front.training.rules)
            self._shown = Comparison(board, searches)
        self._shown.draw(ui, (front.pair_name, front.compared_name))


def shares_of(found: SearchGrown) -> tuple[float, ...]:
    """Return each point's share of the visits."""
    total = max(int(found.visits.sum()), 1)
    return tuple(int(visits) / total for visits in found.visits)


def rows_of(searches: tuple[SearchGrown, SearchGrown]) -> list[ComparedPoint]:
    """Return the points that either pair visited most, those first that both did."""
    shares = [shares_of(found) for found in searches]
    size = round(len(shares[0]) ** 0.5)
    wanted: set[int] = set()
    for one in shares:
        best = sorted(range(len(one)), key=lambda point: -one[point])[:BEST]
        wanted |= {point for point in best if one[point]}
    first, second = searches
    return [
        ComparedPoint(
            to_text(point, size),
            (float(first.prior[point]), float(second.prior[point])),
            (shares[0][point], shares[1][point]),
        )
        for point in sorted(wanted, key=lambda point: (-shares[0][point] - shares[1][point], point))
    ]
