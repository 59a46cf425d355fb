"""`Ui`, the argument of a panel's `draw(ui)`: themed widgets, charts, and ImGui itself."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
from imgui_bundle import imgui, implot

from base.language.wording import numeral, refusal, tr
from sim.core.script.ui import Numbers, Series
from sim.ui.theme.theme import Theme, begin_flat_table, cut, icon_of, pressed_area
from sim.ui.widgets.suggestions import draw_suggestions

STEPS = (1, 2, 5)
TILE_HEIGHT = 46.0  # unscaled pixels
TILE_ICON = 22.0  # size of a tile's icon, unscaled pixels


def is_whole(values: Sequence[Numbers]) -> bool:
    """Return whether all numbers of some arrays are whole; False for none at all."""
    arrays = [np.asarray(item, dtype=np.float64) for item in values]
    filled = [item for item in arrays if item.size]
    return bool(filled) and all(bool((item == np.rint(item)).all()) for item in filled)


def whole_ticks(low: float, high: float, most: int) -> list[float]:
    """Return whole numbers from `low` to `high`: every one, or every 2nd, 5th, 10th, ….

    Args:
        low: lower limit of the axis.
        high: upper limit.
        most: maximum number of ticks, at least 1.
    """
    step = 1
    power = 0
    while math.floor(high / step) - math.ceil(low / step) + 1 > max(1, most):
        power += 1
        step = STEPS[power % 3] * 10 ** (power // 3)
    first = math.ceil(low / step)
    return [float(index * step) for index in range(first, math.floor(high / step) + 1)]


@functools.lru_cache(maxsize=256)
def named_ticks(low: float, high: float, most: int) -> tuple[list[float], list[str]]:
    """Return the ticks of `whole_ticks` and their texts; the lists are cached: do not change them.

    Args:
        low: lower limit of the axis.
        high: upper limit.
        most: maximum number of ticks, at least 1.
    """
    ticks = whole_ticks(low, high, most)
    return ticks, [number(tick) for tick in ticks]


def limits_of(values: Sequence[Numbers]) -> tuple[float, float]:
    """Return the least and the greatest of all numbers."""
    filled = [np.asarray(item, dtype=np.float64) for item in values if len(item)]
    return min(float(item.min()) for item in filled), max(float(item.max()) for item in filled)


def values_at(series: Sequence[Series], place: float) -> tuple[float, list[tuple[str, str, float]]]:
    """Find the x value nearest to a position, and the points of all lines there.

    Args:
        series: label, colour, x values and y values of each line; at least one point each.
        place: position on the x axis.

    Returns:
        The nearest x value, and label, colour and y value of each line that has a point there.
    """
    nearest = [
        float(np.asarray(x)[np.abs(np.asarray(x, dtype=np.float64) - place).argmin()])
        for _, _, x, _ in series
    ]
    x_value = min(nearest, key=lambda value: abs(value - place))
    found = []
    for label, color, x, y in series:
        places = np.flatnonzero(np.asarray(x, dtype=np.float64) == x_value)
        if places.size:
            found.append((label.partition("##")[0], color, float(np.asarray(y)[places[-1]])))
    return x_value, found


def marked_points(count: int, line: int, lines: int, most: int) -> slice:
    """Return which points of a line have a mark, so that several lines can be told apart.

    They are evenly spaced, and other ones for each line: lines that coincide show all their marks.
    While a line grows, its marks stay where they are; at times every second one goes.

    Args:
        count: number of points of the line.
        line: which one of the lines it is, from 0.
        lines: number of lines.
        most: maximum number of marks, at least 1.
    """
    step = 1
    while -(-count // step) > most:
        step *= 2
    return slice(min(line * step // lines, max(0, count - 1)), None, step)


def number(value: float) -> str:
    """Return a number as short text: a whole number in full, others with three digits."""
    if value == round(value) and abs(value) < 1e9:
        return numeral(f"{value:,.0f}")
    return numeral(f"{value:.3g}")


SHAPES = (
    implot.Marker_.circle, implot.Marker_.square, implot.Marker_.up, implot.Marker_.diamond,
    implot.Marker_.down, implot.Marker_.right,
)  # fmt: skip
"""Marks on the lines of a chart, in their order: a line is known without its colour."""
CORNERS: dict[implot.Marker_, tuple[tuple[float, float], ...]] = {
    implot.Marker_.square: ((-0.7, -0.7), (0.7, -0.7), (0.7, 0.7), (-0.7, 0.7)),
    implot.Marker_.up: ((0.0, -1.0), (0.9, 0.5), (-0.9, 0.5)),
    implot.Marker_.diamond: ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)),
    implot.Marker_.down: ((-0.9, -0.5), (0.9, -0.5), (0.0, 1.0)),
    implot.Marker_.right: ((-0.5, -0.9), (1.0, 0.0), (-0.5, 0.9)),
}
"""Corners of the marks in the legend, as shares of their size, in the order of the clock."""
MARK_SIZE = 4.0  # unscaled pixels from a mark's middle to its edge
MARK_STEP = 45.0  # unscaled pixels between marks on a line, at least
MARK_ROWS = 3  # of labels on a chart, at most
MARK_PADDING = 4.0
LINE, THIN = 1.8, 1.0  # weights of lines, pixels
NAME_GROUND = 0.85  # opacity of what lies under an axis name that stands on the lines
CHART = int(
    implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_mouse_text
    | implot.Flags_.no_legend
)  # flags are joined once: an enumeration is slow at it
FOR_TOOLTIP = int(imgui.HoveredFlags_.for_tooltip)
WIDTH_OF_TIP = 32.0  # heights of a line
X_AXIS, Y_AXIS = int(implot.ImAxis_.x1), int(implot.ImAxis_.y1)
ALWAYS = int(imgui.Cond_.always)
FIT = int(implot.AxisFlags_.auto_fit)


@contextmanager
def floating(ui: PanelUi, room: float) -> Iterator[None]:
    """Draw panels in the `with` block as floating over the view, with a limited width.

    Args:
        ui: widgets that the panels are drawn with.
        room: available width, pixels.
    """
    ui.floating_room = room
    try:
        yield
    finally:
        ui.floating_room = None


class PanelUi:
    """The argument of a panel's `draw(ui)`: themed widgets and charts.

    Its attributes `imgui` and `implot` give access to the libraries for everything else.

    Args:
        theme: colours and fonts.
    """

    imgui: ModuleType = imgui
    implot: ModuleType = implot

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.floating_room: float | None = None
        """Available width of a panel over the view, pixels; None for docked panels."""

    @property
    def room(self) -> float:
        if self.floating_room is not None:
            return self.floating_room
        return float(imgui.get_content_region_avail().x)

    def button_width(self, label: str, *, icon: str = "") -> float:
        padding = imgui.get_style().frame_padding.x
        text = _labelled(label, icon).partition("##")[0]
        return float(imgui.calc_text_size(text).x) + 2.0 * padding

    def beside(self, width: float) -> None:
        end = imgui.get_item_rect_max().x + imgui.get_style().item_spacing.x + width
        if end <= imgui.get_cursor_screen_pos().x + self.room + 0.5:
            imgui.same_line()

    def heading(self, text: str, *, wraps: bool = False) -> None:
        imgui.push_font(self.theme.bold, 0.0)
        (imgui.text_wrapped if wraps else imgui.text)(text)
        imgui.pop_font()

    def section(self, text: str, *, is_open: bool = True) -> bool:
        return self.theme.section(text, is_open=is_open)

    def text(self, text: str, color: str = "text") -> None:
        imgui.text_colored(self.theme.vector(color), refusal(text) if color == "red" else text)

    def muted_text(self, text: str) -> None:
        self.theme.wrapped(text, "muted")

    def same_line(self, offset: float = 0.0) -> None:
        if offset:  # a text that is longer than its column is not drawn over
            end = imgui.get_item_rect_max().x + imgui.get_style().item_inner_spacing.x
            window = imgui.get_window_pos().x - imgui.get_scroll_x()
            offset = max(offset, end - window)
        imgui.same_line(offset)

    def key_value(self, key: str, value: str) -> None:
        left, room = imgui.get_cursor_pos_x(), imgui.get_content_region_avail().x
        imgui.text_colored(self.theme.vector("muted"), key)
        width = imgui.calc_text_size(value).x
        taken = imgui.get_item_rect_size().x + imgui.get_style().item_spacing.x
        if width > room:
            imgui.text_wrapped(value)
            return
        if taken + width <= room:
            imgui.same_line()
        end = left + max(0.0, room - width)  # on a line of its own where there is no room
        imgui.set_cursor_pos_x(max(imgui.get_cursor_pos_x(), end))
        imgui.text(value)

    def button(self, label: str, *, icon: str = "", tip: str = "") -> bool:
        pressed = bool(imgui.button(_labelled(label, icon)))
        if tip:
            self.tip(tip)
        return pressed

    def begin_list(self, name: str, columns: int, flags: int, height: float) -> bool:
        return begin_flat_table(name, columns, flags, height)

    def tile(
        self,
        label: str,
        icon: str,
        *,
        color: str = "text",
        width: float = 0.0,
        note: str = "",
        is_on: bool = False,
        tip: str = "",
    ) -> bool:
        theme = self.theme
        side = theme.px(TILE_HEIGHT)
        size = imgui.ImVec2(width or self.room, side)
        start = imgui.get_cursor_screen_pos()
        pressed = pressed_area(f"tile {label}", size.x, size.y)
        is_hovered = imgui.is_item_hovered()
        if tip:
            self.tip(tip)
        end = imgui.ImVec2(start.x + size.x, start.y + side)
        drawing = imgui.get_window_draw_list()
        back = "hovered" if is_hovered else "chosen" if is_on else "raised"
        drawing.add_rect_filled(start, end, theme.packed(back), theme.px(5))
        edge = theme.packed("amber" if is_on or is_hovered else "line")
        drawing.add_rect(start, end, edge, theme.px(5))
        self._draw_portrait(icon, color, start, side)
        left, padding = start.x + side, theme.px(6)
        room = end.x - left - padding
        line = imgui.get_text_line_height()
        top = start.y + (side - line * (2 if note else 1)) / 2
        name = label.partition("##")[0]
        imgui.push_font(theme.bold, 0.0)
        drawing.add_text(imgui.ImVec2(left, top), theme.packed("text"), cut(name, room))
        imgui.pop_font()
        if note:
            place = imgui.ImVec2(left, top + line)
            drawing.add_text(place, theme.packed("muted"), cut(note, room))
        return pressed

    def _draw_portrait(self, icon: str, color: str, start: Any, side: float) -> None:
        """Draw an icon in the middle of a square.

        Args:
            icon: Font Awesome name.
            color: name of its colour.
            start: upper left corner of the square, an `ImVec2`.
            side: length of its sides, pixels.
        """
        imgui.push_font(None, TILE_ICON)
        text = icon_of(icon)
        size = imgui.calc_text_size(text)
        place = imgui.ImVec2(start.x + (side - size.x) / 2, start.y + (side - size.y) / 2)
        imgui.get_window_draw_list().add_text(place, self.theme.packed(color), text)
        imgui.pop_font()

    def suggestions(self, refusal: str) -> str:
        return draw_suggestions(refusal)

    def tip(self, text: str) -> None:
        if imgui.is_item_hovered(FOR_TOOLTIP) and imgui.begin_tooltip():
            imgui.push_text_wrap_pos(WIDTH_OF_TIP * imgui.get_font_size())
            imgui.text_unformatted(text)
            imgui.pop_text_wrap_pos()
            imgui.end_tooltip()

    def blocks(self, shares: Sequence[float | None], *, width: float = 13.0) -> None:
        width = self.theme.px(width)
        start = imgui.get_cursor_screen_pos()
        drawing = imgui.get_window_draw_list()
        height = imgui.get_text_line_height()
        for index, share in enumerate(shares):
            left = start.x + index * (width + 3)
            low = imgui.ImVec2(left, start.y)
            high = imgui.ImVec2(left + width, start.y + height)
            drawing.add_rect_filled(low, high, self.theme.packed("text", 0.12), 2.0)
            if share is not None:  # nothing is a line, so that it is told from what is to come
                top = imgui.ImVec2(left, start.y + min(height * (1.0 - share), height - 2.0))
                drawing.add_rect_filled(top, high, self.theme.packed("amber"), 2.0)
        imgui.dummy(imgui.ImVec2(len(shares) * (width + 3), height))

    def chart(
        self,
        title: str,
        series: Sequence[Series],
        *,
        height: float = 120.0,
        kind: str = "line",
        y_limits: tuple[float, float] | None = None,
        x_limits: tuple[float, float] | None = None,
        empty: str = tr("No data yet"),
        marks: Sequence[tuple[float, str]] = (),
        band: tuple[Numbers, Numbers, Numbers] | None = None,
        levels: Sequence[float] = (),
        thin: Collection[str] = (),
        beside: tuple[str, str] = ("", "text"),
        x_name: str = "",
        y_name: str = "",
        whole: str = "x",
    ) -> float | None:
        self.heading(title, wraps=True)
        filled = [item for item in series if len(item[2])]
        if not filled:
            self.muted_text(empty)
            return None
        if len(series) > 1:
            self._legend(series)
        if beside[0]:
            self.text(*beside)
        clicked: float | None = None
        if implot.begin_plot(f"##{title}", imgui.ImVec2(-1, self.theme.px(height)), CHART):
            self._set_axes(filled, whole, height, x_limits, y_limits)
            if band is not None and len(band[0]):
                self._plot_band(filled[-1][1], *band)
            self._draw_levels(levels)
            for label, color, x, y in filled:
                weight = THIN if label in thin else LINE
                is_point = len(x) == 1 and len(series) == 1  # a line would not be seen
                self._plot(
                    label, color, x, y, is_bar=kind == "bar", is_point=is_point, weight=weight
                )
            self._mark_lines(series)
            self._draw_marks(marks)
            self._name_axes(x_name, y_name)
            self._show_values(filled, x_name)
            if implot.is_plot_hovered() and imgui.is_mouse_clicked(0):
                clicked = float(implot.get_plot_mouse_pos().x)
            implot.end_plot()
        return clicked

    def _set_axes(
        self,
        series: Sequence[Series],
        whole: str,
        height: float,
        x_limits: tuple[float, float] | None,
        y_limits: tuple[float, float] | None,
    ) -> None:
        """Set the limits of a chart's axes, and whole-numbered ticks where all values are whole.

        Args:
            series: label, colour, x values and y values of each line; none is empty.
            whole: names of the axes that may get whole ticks: "", "x", "y" or "xy".
            height: height of the chart, unscaled pixels.
            x_limits: lower and upper limit; None to fit the data.
            y_limits: lower and upper limit; None to fit the data.
        """
        if y_limits is None and all(len(item[2]) == 1 for item in series):
            y_limits = _around([float(item[3][0]) for item in series])
        implot.setup_axes("", "", 0 if x_limits else FIT, 0 if y_limits else FIT)
        for axis, limits in ((X_AXIS, x_limits), (Y_AXIS, y_limits)):
            if limits:
                implot.setup_axis_limits(axis, *limits, ALWAYS)
        line = imgui.get_text_line_height()
        sizes = {
            "x": imgui.get_content_region_avail().x / (3.0 * line),
            "y": self.theme.px(height) / (2.2 * line),
        }
        axes = {"x": (X_AXIS, x_limits), "y": (Y_AXIS, y_limits)}
        for name in whole:
            axis, limits = axes[name]
            values = [item[2] if name == "x" else item[3] for item in series]
            if is_whole(values):
                low, high = limits or limits_of(values)
                implot.setup_axis_ticks(axis, *named_ticks(low, high, max(2, int(sizes[name]))))

    def _show_values(self, series: Sequence[Series], x_name: str) -> None:
        """Draw a tooltip with the lines' values at the pointer, if the pointer is over the chart.

        Args:
            series: label, colour, x values and y values of each line.
            x_name: name of the x axis.
        """
        if not (implot.is_plot_hovered() and self._is_pointed_at()):
            return
        place, found = values_at(series, float(implot.get_plot_mouse_pos().x))
        self._draw_line(place)
        if imgui.begin_tooltip():
            self.text((x_name + " " + number(place)).strip(), "muted")
            for label, color, value in found:
                self.text((label + " " + number(value)), color)
            imgui.end_tooltip()

    @staticmethod
    def _is_pointed_at() -> bool:
        """Return whether the pointer is over the chart, which arrow keys reach, too."""
        low, size = implot.get_plot_pos(), implot.get_plot_size()
        high = imgui.ImVec2(low.x + size.x, low.y + size.y)
        return bool(imgui.is_mouse_hovering_rect(low, high))

    def _legend(self, series: Sequence[Series]) -> None:
        """Draw the legend at the right of the title, or below the title if it does not fit there.

        Args:
            series: label, colour, x values and y values of each line.
        """
        height = imgui.get_text_line_height()
        gap = 0.3 * height
        labels = [item[0].partition("##")[0] for item in series]
        widths = [imgui.calc_text_size(label).x + 4.0 * gap for label in labels]
        start = imgui.get_cursor_screen_pos()
        edge = start.x + imgui.get_content_region_avail().x
        is_below = imgui.get_item_rect_max().x + 2.0 * gap + sum(widths) > edge
        left, top = edge - sum(widths), imgui.get_item_rect_min().y
        if is_below:
            left, top = start.x - gap, start.y
        for index, (label, width) in enumerate(zip(labels, widths, strict=True)):
            if is_below and left > start.x and left + width > edge:
                left, top = start.x - gap, top + height
            self._draw_name(label, series[index][1], index, left + gap, top)
            left += width
        if is_below:
            imgui.dummy(imgui.ImVec2(0.0, top + height - start.y))

    def _draw_name(self, label: str, color: str, index: int, left: float, top: float) -> None:
        """Draw an entry of the legend: a line's colour and mark, and its name.

        Args:
            label: name of the line.
            color: name of its colour in the palette.
            index: which line of the chart it is, from 0.
            left: left edge, screen pixels.
            top: top edge, screen pixels.
        """
        height, drawing = imgui.get_text_line_height(), imgui.get_window_draw_list()
        middle, size = (left + 0.3 * height, top + 0.55 * height), 0.36 * height
        ink, corners = self.theme.packed(color), CORNERS.get(SHAPES[index % len(SHAPES)])
        if corners is None:
            drawing.add_circle_filled(imgui.ImVec2(*middle), 0.85 * size, ink)
        else:
            drawing.add_convex_poly_filled(
                [imgui.ImVec2(middle[0] + size * x, middle[1] + size * y) for x, y in corners], ink
            )
        place = imgui.ImVec2(left + 0.9 * height, top)
        drawing.add_text(place, self.theme.packed("muted"), label)

    def _name_axes(self, x_name: str, y_name: str) -> None:
        """Draw the names of the axes inside the chart, at the ends of the axes; "" for no name."""
        low, size = implot.get_plot_pos(), implot.get_plot_size()
        gap = 0.25 * imgui.get_text_line_height()
        x_size = imgui.calc_text_size(x_name)
        right, below = low.x + size.x - x_size.x - gap, low.y + size.y - x_size.y
        for name, left, top in ((y_name, low.x + gap, low.y), (x_name, right, below)):
            if name:
                self._write_over(name, left, top)

    def _write_over(self, text: str, left: float, top: float) -> None:
        """Draw a text inside the chart on top of its lines, on a ground that dims them.

        Args:
            text: the text.
            left: left edge, screen pixels.
            top: top edge, screen pixels.
        """
        place, drawing = imgui.ImVec2(left, top), implot.get_plot_draw_list()
        drawing.add_rect_filled(
            place, place + imgui.calc_text_size(text), self.theme.packed("plot", NAME_GROUND)
        )
        drawing.add_text(place, self.theme.packed("muted"), text)

    def _plot_band(self, color: str, x: Numbers, low: Numbers, high: Numbers) -> None:
        spec = implot.Spec()
        spec.fill_color = imgui.ImVec4(*self.theme.color(color)[:3], 0.16)
        across, under, over = (
            np.ascontiguousarray(item, dtype=np.float64) for item in (x, low, high)
        )
        implot.plot_shaded("##band", across, under, over, spec)

    def _draw_marks(self, marks: Sequence[tuple[float, str]]) -> None:
        """Draw vertical marks with labels; overlapping labels go to lower rows.

        A label is left out if all rows are occupied.

        Args:
            marks: x value and label of each mark.
        """
        ends: list[float] = []  # pixels where the labels of each row end
        edge = implot.get_plot_pos().x + implot.get_plot_size().x
        step = imgui.get_text_line_height() + MARK_PADDING
        for place, label in marks:
            self._draw_line(place)
            width = imgui.calc_text_size(label).x + 2 * MARK_PADDING
            left = min(implot.plot_to_pixels(place, 0.0).x + MARK_PADDING, edge - width)
            row = next((index for index, end in enumerate(ends) if end <= left), len(ends))
            if not label or row == MARK_ROWS:
                continue
            ends[row : row + 1] = [left + width]
            self._draw_label(place, label, MARK_PADDING + row * step)

    def _draw_levels(self, levels: Sequence[float]) -> None:
        for level in levels:
            spec = implot.Spec()
            spec.line_color = imgui.ImVec4(*self.theme.color("amber")[:3], 0.7)
            spec.flags = int(implot.InfLinesFlags_.horizontal)
            implot.plot_inf_lines("##level", np.array([level]), spec)

    def _draw_line(self, place: float) -> None:
        spec = implot.Spec()
        spec.line_color = self.theme.vector("blue")
        implot.plot_inf_lines("##mark", np.array([place]), spec)

    def _draw_label(self, place: float, label: str, down: float) -> None:
        top = implot.get_plot_limits().y.max
        color = imgui.ImVec4(*self.theme.color("blue")[:3], 0.75)
        implot.annotation(place, top, color, imgui.ImVec2(MARK_PADDING, down), True, label)

    def _plot(
        self,
        label: str,
        color: str,
        x: Numbers,
        y: Numbers,
        *,
        is_bar: bool,
        is_point: bool,
        weight: float = LINE,
    ) -> None:
        across = np.ascontiguousarray(x, dtype=np.float64)
        up = np.ascontiguousarray(y, dtype=np.float64)
        spec = implot.Spec()
        spec.line_color = self.theme.vector(color)
        spec.fill_color = self.theme.vector(color)
        spec.line_weight = weight
        if is_bar:
            implot.plot_bars(label, across, up, 0.75, spec)
        else:
            if is_point:
                spec.marker = implot.Marker_.circle.value
            implot.plot_line(label, across, up, spec)

    def _mark_lines(self, series: Sequence[Series]) -> None:
        """Draw marks on the lines of a chart, of another shape for each line, if there are several.

        Args:
            series: label, colour, x values and y values of each line; some may be empty.
        """
        if len(series) < 2:
            return
        most = max(1, int(implot.get_plot_size().x / self.theme.px(MARK_STEP)))
        for index, (label, color, x, y) in enumerate(series):
            if not len(x):
                continue
            points = marked_points(len(x), index, len(series), most)
            spec = implot.Spec()
            spec.marker = SHAPES[index % len(SHAPES)].value
            spec.marker_size = self.theme.px(MARK_SIZE)
            spec.flags = int(implot.ScatterFlags_.no_clip)
            spec.marker_fill_color = spec.marker_line_color = self.theme.vector(color)
            across = np.ascontiguousarray(np.asarray(x, dtype=np.float64)[points])
            up = np.ascontiguousarray(np.asarray(y, dtype=np.float64)[points])
            implot.plot_scatter(label + "##marks", across, up, spec)


def _labelled(label: str, icon: str) -> str:
    """Return the text of a button: its icon and its label.

    A label that begins with "##" is not shown, so that only the icon is.

    Args:
        label: the label.
        icon: Font Awesome name of the icon; empty for none.
    """
    if label.startswith("##"):
        return icon_of(icon) + label
    return (icon_of(icon) + " " + label).strip() if icon else label


def _around(values: Sequence[float]) -> tuple[float, float]:
    """Return lower and upper limits for an axis, with a margin around the values."""
    low, high = min(values), max(values)
    room = 0.2 * (high - low) or max(abs(low), 1.0) * 0.2
    return low - room, high + room
