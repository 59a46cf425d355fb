"""A game's tree of variations, drawn as small stones: a click on a stone shows its position."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ai import GameTree
from scripts.gomoku.board.names import SIDES
from sim import Ui, tr, wording

STEP = 21.0  # pixels from stone to stone, at scale 1
RADIUS = 7.5
ROWS = 3.5  # of stones, that are seen without scrolling
KIND_COLORS = {"blunder": "red", "mistake": "amber", "inaccuracy": "muted"}
MOST_WORDS = 160  # characters of a comment in a tooltip


@dataclass
class TreeLayout:
    """Where the positions of a tree are drawn.

    Attributes:
        cells: column and row of each position, by its index.
        rows: number of rows.
        columns: number of columns.
        at: position in each cell, by column and row.
    """

    cells: dict[int, tuple[int, int]] = field(default_factory=dict)
    rows: int = 1
    columns: int = 1
    at: dict[tuple[int, int], int] = field(default_factory=dict)


def lay_out(tree: GameTree) -> TreeLayout:
    """Return where the positions of a tree are drawn.

    The game is the first row. Each variation has the next row below its branch that is free along
    its whole length. The column is the number of moves before the position.

    Args:
        tree: the tree.
    """
    found = TreeLayout()
    free: list[int] = []  # the first free row in each column
    left = [(0, -1)]  # beginnings of lines, with the row that each leaves
    while left:
        begin, above = left.pop()
        line = [begin]
        while tree.nodes[line[-1]].children:
            line.append(tree.nodes[line[-1]].children[0])
        first = max(0, tree.nodes[begin].ply - 1)
        last = tree.nodes[line[-1]].ply
        free.extend([0] * (last + 1 - len(free)))
        row = max(above + 1, *free[first : last + 1])
        free[first : last + 1] = [row + 1] * (last + 1 - first)
        for index in line:
            found.cells[index] = (tree.nodes[index].ply, row)
            left += [(child, row) for child in reversed(tree.nodes[index].children[1:])]
        found.rows = max(found.rows, row + 1)
    found.columns = len(free)
    found.at = {cell: index for index, cell in found.cells.items()}
    return found


class TreeView:
    """Draws a tree of positions in a panel, scrolled to the position on the board."""

    def __init__(self) -> None:
        """Create the view; the tree comes with each drawing."""
        self._layout = TreeLayout()
        self._seen: object = None
        self._shown = -1

    def draw(
        self,
        ui: Ui,
        tree: GameTree,
        current: int,
        kinds: Mapping[int, str],
        words: Callable[[int], str],
    ) -> int | None:
        """Draw the tree and return the position that was clicked, else None.

        Args:
            ui: user interface of the panel.
            tree: the tree.
            current: index of the position on the board.
            kinds: kind of mistake of each move that is one, by the position after it.
            words: returns more about a position for its tooltip; "" for nothing.
        """
        seen = (id(tree), len(tree.nodes))
        if seen != self._seen:
            self._seen, self._shown, self._layout = seen, -1, lay_out(tree)
        imgui, step = ui.imgui, ui.theme.px(STEP)
        style = imgui.get_style()
        height = ROWS * step + style.scrollbar_size + 2.0 * style.window_padding.y
        flags = int(imgui.WindowFlags_.horizontal_scrollbar)
        size = imgui.ImVec2(0.0, height)
        frames = imgui.ChildFlags_
        kinds_of_child = int(frames.borders | frames.nav_flattened)
        clicked = None
        if imgui.begin_child("tree", size, kinds_of_child, flags):
            self._follow(ui, current, step)
            clicked = self._draw_area(ui, tree, current, kinds, words)
        imgui.end_child()
        return clicked

    def _follow(self, ui: Ui, current: int, step: float) -> None:
        """Scroll to the position on the board, if it is another one than before."""
        if current == self._shown or current not in self._layout.cells:
            return
        self._shown = current
        column, row = self._layout.cells[current]
        imgui = ui.imgui
        room = imgui.get_content_region_avail()
        imgui.set_scroll_x(max(0.0, (column + 0.5) * step - room.x / 2.0))
        imgui.set_scroll_y(max(0.0, (row + 0.5) * step - room.y / 2.0))

    def _draw_area(
        self,
        ui: Ui,
        tree: GameTree,
        current: int,
        kinds: Mapping[int, str],
        words: Callable[[int], str],
    ) -> int | None:
        imgui, step = ui.imgui, ui.theme.px(STEP)
        start = imgui.get_cursor_screen_pos()
        layout = self._layout
        low, room = imgui.get_window_pos(), imgui.get_window_size()
        first = max(0, int((low.x - start.x) / step) - 1)
        last = int((low.x + room.x - start.x) / step) + 1
        top = max(0, int((low.y - start.y) / step) - 1)
        bottom = int((low.y + room.y - start.y) / step) + 1
        places = {
            index: (start.x + (column + 0.5) * step, start.y + (row + 0.5) * step)
            for index, (column, row) in layout.cells.items()
            if first <= column <= last
        }
        self._draw_edges(ui, tree, places)
        chosen, flags = None, imgui.ButtonFlags_
        reached = int(flags.mouse_button_left | flags.enable_nav)
        cells = product(range(first, last + 1), range(top, bottom + 1))
        for index in [layout.at[cell] for cell in cells if cell in layout.at]:
            x, y = places[index]
            self._draw_stone(ui, tree, index, (x, y), kinds, is_here=index == current)
            imgui.set_cursor_screen_pos(imgui.ImVec2(x - step / 2.0, y - step / 2.0))
            if imgui.invisible_button(f"stone {index}", imgui.ImVec2(step, step), reached):
                chosen = index
            if imgui.is_item_hovered():
                imgui.set_tooltip("\n".join(filter(None, (words_of(tree, index), words(index)))))
        imgui.set_cursor_screen_pos(start)
        imgui.dummy(imgui.ImVec2(layout.columns * step, layout.rows * step))
        return chosen

    def _draw_edges(
        self, ui: Ui, tree: GameTree, places: Mapping[int, tuple[float, float]]
    ) -> None:
        """Draw a line from each position to the one after it: down, then to the right."""
        drawing, imgui = ui.imgui.get_window_draw_list(), ui.imgui
        ink, width = ui.theme.packed("muted", 0.7), max(1.0, ui.theme.px(1.2))
        for index, (x, y) in places.items():
            before = places.get(tree.nodes[index].parent)
            if before is None:
                continue
            corner = imgui.ImVec2(before[0], y)
            if before[1] != y:
                drawing.add_line(imgui.ImVec2(*before), corner, ink, width)
            drawing.add_line(corner, imgui.ImVec2(x, y), ink, width)

    def _draw_stone(
        self,
        ui: Ui,
        tree: GameTree,
        index: int,
        place: tuple[float, float],
        kinds: Mapping[int, str],
        *,
        is_here: bool,
    ) -> None:
        """Draw a position as the stone that was played last, with marks around it.

        Args:
            ui: user interface of the panel.
            tree: the tree.
            index: the position.
            place: middle of the stone, screen pixels.
            kinds: kind of mistake of each move that is one, by the position after it.
            is_here: whether the board shows the position.
        """
        imgui, theme = ui.imgui, ui.theme
        drawing, middle = imgui.get_window_draw_list(), imgui.ImVec2(*place)
        node, radius = tree.nodes[index], theme.px(RADIUS)
        if is_here:
            drawing.add_circle_filled(middle, radius + theme.px(2.8), theme.packed("amber"))
        if not node.ply:
            drawing.add_circle(middle, radius * 0.6, theme.packed("muted"), 0, theme.px(1.5))
        else:
            drawing.add_circle_filled(middle, radius, theme.packed("muted"))
            shade = (0.09, 0.09, 0.1, 1.0) if node.color == 1 else (0.95, 0.95, 0.93, 1.0)
            self._fill(ui, drawing, middle, radius - max(1.0, theme.px(1.0)), shade)
        corner = theme.px(5.6)
        if index in kinds:
            dot = imgui.ImVec2(place[0] + corner, place[1] + corner)
            drawing.add_circle_filled(dot, theme.px(4.2), theme.packed("text"))
            drawing.add_circle_filled(dot, theme.px(3.4), theme.packed(KIND_COLORS[kinds[index]]))
        if node.comment:
            dot = imgui.ImVec2(place[0] + corner, place[1] - corner)
            drawing.add_circle_filled(dot, theme.px(3.4), theme.packed("blue"))

    @staticmethod
    def _fill(ui: Ui, drawing: Any, middle: Any, radius: float, shade: tuple[float, ...]) -> None:
        packed = ui.imgui.color_convert_float4_to_u32(ui.imgui.ImVec4(*shade))
        drawing.add_circle_filled(middle, radius, packed)


def words_of(tree: GameTree, index: int) -> str:
    """Return a position in words: its last move, its name and its comment."""
    node, rules = tree.nodes[index], tree.record.rules
    if not node.ply:
        played = tr("The first position")
    else:
        point = tr("passes") if node.move < 0 else rules.to_text(node.move)
        played = wording("{ply}. {side} {point}").format(
            ply=node.ply, side=SIDES[node.color], point=point
        )
    comment = node.comment
    if len(comment) > MOST_WORDS:
        comment = f"{comment[:MOST_WORDS]} …"
    return wording("\n").join(filter(None, (played, node.name, comment)))
