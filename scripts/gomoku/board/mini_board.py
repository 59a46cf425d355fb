"""A small board diagram in a panel: stones, shares as colours, numbers, a ring around a point."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scripts.gomoku.board.overlay_picture import STOPS, Rgb, ink_on, scale_color
from sim import Ui

WOOD = (0.79, 0.62, 0.40)
LINES = (0.36, 0.26, 0.15)
BLACK_STONE, WHITE_STONE = (0.09, 0.09, 0.10), (0.95, 0.94, 0.91)
RING = (0.93, 0.36, 0.16)
LEAST = 0.008  # of the greatest share: less is not coloured


@dataclass(frozen=True, eq=False)
class Diagram:
    """What a small board diagram shows.

    Drawing is faster when the same object is reused from frame to frame.

    Attributes:
        size: number of columns of the board.
        line_color: colour of the first stone of `line`.
        ringed: point with a ring around it; None for none.
        labels: texts to write on points, by point.
    """

    size: int
    stones: Sequence[int]
    """`[A]` color of each point, row by row; a board may have more or fewer rows than columns."""
    shares: Sequence[float] = ()
    """`[A]` share of each point, coloured relative to the greatest share; empty for none."""
    line: Sequence[int] = ()
    """Points of a sequence of moves: numbered stones of alternating colours are drawn there."""
    line_color: int = 1
    ringed: int | None = None
    labels: Mapping[int, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows of the board."""
        return max(1, len(self.stones) // self.size)


def draw_board(ui: Ui, diagram: Diagram, width: float) -> None:
    """Draw a board diagram at the cursor and move the cursor below it.

    Args:
        ui: user interface of the panel.
        diagram: what to draw.
        width: width, pixels; the height follows from the number of rows.
    """
    imgui = ui.imgui
    extent = imgui.ImVec2(width, width * diagram.rows / diagram.size)
    if not imgui.is_rect_visible(extent):
        imgui.dummy(extent)
        return
    corner = imgui.get_cursor_screen_pos()
    drawing = imgui.get_window_draw_list()
    font = (ui.theme.bold, imgui.get_font_size())
    pens: dict[str, Any] = {}  # a method is looked up once, not for each stroke
    for name, arguments in _strokes(imgui, diagram, (corner.x, corner.y), width, *font):
        pen = pens.get(name)
        if pen is None:
            pen = pens[name] = getattr(drawing, name)
        pen(*arguments)
    imgui.dummy(extent)


def draw_legend(ui: Ui, most: str, width: float) -> None:
    """Draw the colour scale of the shares as a bar, with a label at each end.

    Args:
        ui: user interface of the panel.
        most: label of the upper end; the lower end is labelled 0.
        width: width of the bar and its labels, pixels.
    """
    imgui = ui.imgui
    if not imgui.is_rect_visible(imgui.ImVec2(width, imgui.get_text_line_height())):
        imgui.dummy(imgui.ImVec2(width, imgui.get_text_line_height()))
        return
    ui.text("0", "muted")
    imgui.same_line(0, 5)
    room = max(20.0, width - imgui.calc_text_size(f"0{most}").x - 10)
    corner, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    drawing = imgui.get_window_draw_list()
    for stroke in _bar(imgui, (corner.x, corner.y), room, height):
        drawing.add_rect_filled_multi_color(*stroke)
    imgui.dummy(imgui.ImVec2(room, height))
    imgui.same_line(0, 5)
    ui.text(most, "muted")


@functools.lru_cache(maxsize=16)
def _bar(
    imgui: Any, corner: tuple[float, float], room: float, height: float
) -> tuple[tuple[Any, ...], ...]:
    """Return the rectangles that form the colour scale of shares.

    The result is cached.

    Args:
        imgui: the imgui module.
        corner: left and top of the scale on the screen, pixels.
        room: width of the scale, pixels.
        height: height of a line of text, pixels.

    Returns:
        For each rectangle two opposite corners, and the colours at all four corners. These are the
        arguments of imgui's function that draws a rectangle in several colours.
    """
    (start, top), parts = corner, len(STOPS) - 1
    strokes = []
    for part in range(parts):
        left, right = (start + room * end / parts for end in (part, part + 1))
        low, high = imgui.ImVec2(left, top + 3), imgui.ImVec2(right, top + height - 3)
        begin, end = (_packed(scale_color(at / parts)) for at in (part, part + 1))
        strokes.append((low, high, begin, end, end, begin))
    return tuple(strokes)


Stroke = tuple[str, tuple[Any, ...]]


@functools.lru_cache(maxsize=16)
def _strokes(
    imgui: Any, diagram: Diagram, corner: tuple[float, float], width: float, bold: Any, size: float
) -> tuple[Stroke, ...]:
    """Return the calls that draw a diagram.

    The result is cached for equal arguments.

    Args:
        imgui: the imgui module.
        diagram: what to draw.
        corner: left and top on the screen, pixels.
        width: width and height, pixels.
        bold: font of the numbers and labels.
        size: font size, pixels; used only to tell cached results apart.

    Returns:
        For each call the name of a method of imgui's draw list, and its arguments.
    """
    board = _MiniBoard(imgui, diagram, corner, width, bold)
    board.draw()
    return tuple(board.list.strokes)


class _Strokes:
    """Records drawing calls, so that they can be repeated in later frames.

    It takes the place of an imgui draw list, which would draw at once.

    Attributes:
        strokes: the calls in order, each as the name of a method and its arguments.
    """

    def __init__(self) -> None:
        self.strokes: list[Stroke] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.strokes.append((name, arguments))


class _MiniBoard:
    """Draws one diagram."""

    def __init__(
        self, imgui: Any, diagram: Diagram, corner: tuple[float, float], width: float, bold: Any
    ) -> None:
        self.imgui = imgui
        self.bold = bold
        self.list = _Strokes()
        self.diagram = diagram
        self.corner = corner
        self.width = width
        self.step = width / diagram.size

    def draw(self) -> None:
        left, top = self.corner
        height = self.step * self.diagram.rows
        high = self.imgui.ImVec2(left + self.width, top + height)
        self.list.add_rect_filled(self.imgui.ImVec2(left, top), high, self._ink(WOOD), 3.0)
        self._draw_lines()
        self._draw_shares()
        for point, color in enumerate(self.diagram.stones):
            if color:
                self._draw_stone(point, color)
        self._draw_line_of_stones()
        for point, text in self.diagram.labels.items():
            self._write(point, text, self._color_below(point))
        if self.diagram.ringed is not None:
            center = self._place(self.diagram.ringed)
            self.list.add_circle(center, self.step * 0.44, self._ink(RING), 0, 2.0)

    def _draw_lines(self) -> None:
        size, count = self.diagram.size, self.diagram.rows
        rows = [[row * size, row * size + size - 1] for row in range(count)]
        columns = [[col, (count - 1) * size + col] for col in range(size)]
        for lines in (rows, columns):  # one stroke to and fro: its turns lie on the edge's lines
            turns = [line[:: -1 if index % 2 else 1] for index, line in enumerate(lines)]
            places = [self._place(point) for line in turns for point in line]
            self.list.add_polyline(places, self._ink(LINES), 1.0, 0)

    def _draw_shares(self) -> None:
        most = max(self.diagram.shares, default=0.0)
        for point, share in enumerate(self.diagram.shares):
            if most > 0.0 and share > LEAST * most:
                place = self._place(point)
                half = self.step * (0.27 + 0.21 * (share / most) ** 0.5)
                low = self.imgui.ImVec2(place.x - half, place.y - half)
                high = self.imgui.ImVec2(place.x + half, place.y + half)
                self.list.add_rect_filled(low, high, self._ink(scale_color(share / most)), 2.0)

    def _draw_stone(self, point: int, color: int, size: float = 0.40) -> None:
        fill = BLACK_STONE if color > 0 else WHITE_STONE
        center = self._place(point)
        self.list.add_circle_filled(center, self.step * size, self._ink(fill))
        if color < 0:  # the edge of a black one shows by itself
            self.list.add_circle(center, self.step * size, self._ink(LINES), 0, 1.0)

    def _draw_line_of_stones(self) -> None:
        for index, point in enumerate(self.diagram.line):
            color = self.diagram.line_color * (-1) ** index
            self._draw_stone(point, color, 0.45)
            self.list.add_circle(self._place(point), self.step * 0.45, self._ink(RING), 0, 1.2)
            ink = WHITE_STONE if color > 0 else BLACK_STONE
            self._write_in(point, str(index + 1), ink)

    def _write(self, point: int, text: str, below: Rgb) -> None:
        self._write_in(point, text, ink_on(below))

    def _write_in(self, point: int, text: str, ink: Rgb) -> None:
        if self.step < 11.0:  # too small to be read
            return
        size = min(self.step * 0.62, 15.0)
        scale = size / self.imgui.get_font_size()
        extent = self.imgui.calc_text_size(text)
        place = self._place(point)
        corner = self.imgui.ImVec2(place.x - extent.x * scale / 2, place.y - extent.y * scale / 2)
        self.list.add_text(self.bold, size, corner, self._ink(ink), text)

    def _color_below(self, point: int) -> Rgb:
        color = self.diagram.stones[point]
        if color:
            return BLACK_STONE if color > 0 else WHITE_STONE
        most = max(self.diagram.shares, default=0.0)
        return scale_color(self.diagram.shares[point] / most) if most > 0.0 else WOOD

    def _place(self, point: int) -> Any:
        row, col = divmod(point, self.diagram.size)
        left, top = self.corner
        return self.imgui.ImVec2(left + (col + 0.5) * self.step, top + (row + 0.5) * self.step)

    def _ink(self, color: Rgb, opacity: float = 1.0) -> int:
        return _packed(color, opacity)


@functools.lru_cache(maxsize=4096)
def _packed(color: Rgb, opacity: float = 1.0) -> int:
    """Return a colour as one integer, as imgui takes it for drawing.

    Args:
        color: red, green and blue, 0 to 1.
        opacity: 0 transparent to 1 opaque.

    Returns:
        Four bytes from the highest to the lowest: opacity, blue, green, red.
    """
    red, green, blue, alpha = (round(255.0 * value) for value in (*color, opacity))
    return alpha << 24 | blue << 16 | green << 8 | red
