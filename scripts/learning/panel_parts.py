"""Parts of training panels: buttons, sliders, charts and tables; the caller passes their data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sim import Script, Ui, tr, wording

Marks = Sequence[tuple[float, str]]
Series = tuple[str, str, Any, Any]
"""A curve of a chart: its label, the name of its colour, its x values and its y values."""

TITLE_ROOM = 27.0  # of a chart's heading, pixels
LEAST_HEIGHT, MOST_HEIGHT = 92.0, 230.0  # of a chart, pixels
BAR_GAP, LEAST_BAR = 6.0, 12.0  # pixels between a text and its bar, and that a bar needs
LEAST_SLIDER = 60.0  # pixels
LEAST_COLUMNS = 2  # of a table, however narrow its panel is


# -- buttons and sliders --------------------------------------------------------------------------


TRAINING = tr("training", "is paused")


def add_pause_command(script: Any, name: str, what: str = TRAINING) -> None:
    """Add the command that pauses and resumes a training: a button of the toolbar, and the key P.

    Args:
        script: the training script, which has `toggle_pause` and `is_paused`.
        name: name of the command.
        what: what is paused, for the label.
    """
    script.command(
        name,
        tr("Pause {what}").format(what=what),
        script.toggle_pause,
        key="p",
        icon="pause",
        checked=lambda: script.is_paused,
    )


def draw_given_up(ui: Ui, script: Any) -> None:
    """If a worker of a script was given up, draw the reason and a button that starts it again.

    Args:
        ui: drawing tools of the panel.
        script: the script that owns the worker.
    """
    for link in script.workers.given_up(script.slot)[:1]:
        ui.imgui.push_text_wrap_pos(0.0)
        ui.text(link.failure, "red")
        ui.imgui.pop_text_wrap_pos()
        if ui.button(tr("Restart")):
            script.log.python("host.links.restart_given_up()")
            script.workers.restart_given_up()


def draw_pause(ui: Ui, script: Any, what: str = TRAINING) -> None:
    """Draw the button that pauses and resumes a training by the script's `toggle_pause`.

    If a worker of the script was given up, the button that starts it again is above.

    Args:
        ui: drawing tools of the panel.
        script: the script.
        what: what is paused, for the label.
    """
    draw_given_up(ui, script)
    if ui.button(
        tr("Resume {what}").format(what=what)
        if script.is_paused
        else tr("Pause {what}").format(what=what)
    ):
        script.by_hand("toggle_pause")


def draw_waiting(ui: Ui, text: str) -> None:
    """Draw what a scene waits for while its boards are empty; nothing for an empty text."""
    if text:
        ui.imgui.push_text_wrap_pos(0.0)
        ui.text((text + " …"), "amber")
        ui.imgui.pop_text_wrap_pos()


class Slider(NamedTuple):
    """Description of a slider that sets a field of a script.

    Attributes:
        key: name of the field.
        low: least value.
        high: greatest value.
    """

    key: str
    low: float
    high: float
    text: str = "%.4f"
    """How the value is written, for example "%.4f". A text without "%" is shown instead of it."""
    label: str = ""
    """Label beside the slider; empty for the field's name."""
    is_logarithmic: bool = False


class FieldSliders:
    """Sliders of a script's fields; a value is set when the slider is released."""

    def __init__(self) -> None:
        self._moved: dict[str, float] = {}

    def draw(self, ui: Ui, script: Script, sliders: Sequence[Slider]) -> None:
        """Draw sliders one below the other; a slider whose limits are integers has integer values.

        Args:
            ui: drawing tools of the panel.
            script: script whose fields the sliders set.
            sliders: descriptions of the sliders.
        """
        imgui = ui.imgui
        labels = [slider.label or slider.key for slider in sliders]
        widest = max(imgui.calc_text_size(label).x for label in labels)
        for slider, label in zip(sliders, labels, strict=True):
            imgui.set_next_item_width(
                max(ui.theme.px(LEAST_SLIDER), ui.room - widest - ui.theme.px(8))
            )
            key, value = slider.key, self._moved.get(slider.key, getattr(script, slider.key))
            if isinstance(slider.low, int):
                low, high = int(slider.low), int(slider.high)
                is_new, value = imgui.slider_int(label, int(value), low, high, slider.text)
            else:
                flags = int(imgui.SliderFlags_.logarithmic) if slider.is_logarithmic else 0
                ends = slider.low, slider.high
                is_new, value = imgui.slider_float(label, float(value), *ends, slider.text, flags)
            if is_new:
                self._moved[key] = value
            if imgui.is_item_deactivated_after_edit():
                value = self._moved.pop(key, value)
                set_by_hand(script, key, value if isinstance(value, int) else float(f"{value:.3g}"))


def set_by_hand(script: Script, key: str, value: object) -> None:
    """Set a field on behalf of the user: the console shows the Python line."""
    script.slot.host.set_field(script.slot, key, value)
    script.log.python(
        f'host.set_field({script.expression}.slot, "{key}", {getattr(script, key)!r})'
    )


# -- charts ---------------------------------------------------------------------------------------


class Chart:
    """Description of a chart: its title, its curves, and further arguments of `Ui.chart`."""

    def __init__(
        self,
        title: str,
        series: Sequence[Series],
        *,
        least: int = 0,
        has_marks: bool = True,
        **options: Any,
    ) -> None:
        """Describe a chart.

        Args:
            title: text above it.
            series: its curves.
            least: minimum number of points of each curve; with fewer, nothing is drawn.
            has_marks: whether the vertical lines of `draw_charts` are drawn in this chart, and a
                click in it counts.
            options: further arguments of `Ui.chart`; they override those of all charts.
        """
        self.title, self.series, self.options = title, series, options
        self.least, self.has_marks = least, has_marks


def draw_charts(
    ui: Ui, charts: Sequence[Chart], *, height: float = 0.0, marks: Marks = (), **shared: Any
) -> float | None:
    """Draw charts one below the other; return the x value that was clicked, None without a click.

    Args:
        ui: drawing tools of the panel.
        charts: descriptions of the charts.
        height: height of each chart in pixels; 0 to fill the available height.
        marks: (x, label) of vertical lines, drawn in charts that have curves.
        shared: arguments of `Ui.chart` for all charts.
    """
    size, clicked = height or filling_height(ui, len(charts)), None
    for chart in charts:
        counts = [len(x) for _, _, x, _ in chart.series]
        drawn = chart.series if all(count >= chart.least for count in counts) else ()
        lines = marks if chart.has_marks and drawn and any(counts) else ()
        options = {**shared, **chart.options}
        place = ui.chart(chart.title, drawn, height=size, marks=lines, **options)
        clicked = place if chart.has_marks and clicked is None else clicked
    return clicked


def filling_height(ui: Ui, count: int) -> float:
    """Return the height in pixels at which `count` charts fill the available height.

    It stays between LEAST_HEIGHT and MOST_HEIGHT.
    """
    room: float = ui.imgui.get_content_region_avail().y / ui.theme.scale / count - TITLE_ROOM
    return min(max(room, LEAST_HEIGHT), MOST_HEIGHT)


# -- tables ---------------------------------------------------------------------------------------


class TableColumn(NamedTuple):
    """Description of a table's column.

    Attributes:
        title: its heading.
        weight: its share of the available width, relative to other columns.
        fits: if not empty, the column is as wide as this text, and `weight` has no effect.
    """

    title: str
    weight: float = 1.0
    fits: str = ""


class TableCell(NamedTuple):
    """A cell of a table: its text, the name of its colour, a tooltip, and a bar beside it."""

    text: str
    color: str = "text"
    tip: str = ""
    bar: float | None = None
    """Length of the bar, 0 to 1; None for no bar."""
    bar_after: str = ""
    """The longest text of this column; all bars of the column begin to the right of it."""


class TableRow(NamedTuple):
    """A row of a table; it can be clicked if it has a key.

    Attributes:
        cells: its texts or cells.
        key: number that a click returns; None if the row cannot be clicked.
        is_chosen: whether the row is highlighted.
    """

    cells: Sequence[TableCell | str]
    key: int | None = None
    is_chosen: bool = False


def draw_table(
    ui: Ui, name: str, columns: Sequence[TableColumn | str], rows: Iterable[TableRow]
) -> int | None:
    """Draw a table; return the key of the clicked row, None without a click.

    In a narrow panel the last columns are left out. The tip of a row's first cell has them.

    Args:
        ui: drawing tools of the panel.
        name: identifier of the table in its panel.
        columns: descriptions of the columns, or only their titles.
        rows: the rows.
    """
    imgui, clicked = ui.imgui, None
    described = [TableColumn(item) if isinstance(item, str) else item for item in columns]
    filled = [(row, [_cell_of(item) for item in row.cells]) for row in rows]
    needs = _needs(ui, described, [cells for _, cells in filled])
    padding = float(imgui.get_style().cell_padding.x)  # a text may reach into the one behind it
    room = float(imgui.get_content_region_avail().x)
    count = _count_that_fits([need + padding for need in needs], room + padding)
    wanted = [
        max(column.weight * ui.theme.scale, need)
        for column, need in zip(described[:count], needs, strict=False)
    ]
    if sum(wanted) + 2.0 * padding * count > room:
        wanted = needs[:count]
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
    if not imgui.begin_table(name, count, int(flags)):
        return None
    for column, width in zip(described[:count], wanted, strict=True):
        fixed = int(imgui.TableColumnFlags_.width_fixed) if column.fits else 0
        width = imgui.calc_text_size(column.fits).x if column.fits else width
        imgui.table_setup_column(column.title, fixed, width)
    imgui.table_headers_row()
    for row, cells in filled:
        imgui.table_next_row()
        more = [
            wording("{title}: {text}").format(title=column.title, text=cell.text)
            for column, cell in zip(described[count:], cells[count:], strict=False)
        ]
        for place, cell in enumerate(cells[:count]):
            imgui.table_next_column()
            if not place and more:
                cell = cell._replace(tip=wording("\n").join(filter(None, (cell.tip, *more))))
            if place or row.key is None:
                _draw_cell(ui, cell)
                continue
            spans = int(imgui.SelectableFlags_.span_all_columns)
            if imgui.selectable(cell.text + f"##{row.key}", row.is_chosen, spans)[0]:
                clicked = row.key
            if cell.tip:
                ui.tip(cell.tip)
    imgui.end_table()
    return clicked


def _cell_of(item: TableCell | str) -> TableCell:
    return TableCell(item) if isinstance(item, str) else item


def _needs(
    ui: Ui, columns: Sequence[TableColumn], rows: Sequence[Sequence[TableCell]]
) -> list[float]:
    """Return the width of each column in pixels at which no title and no text is cut."""
    imgui = ui.imgui
    needs = []
    for place, column in enumerate(columns):
        texts = [cells[place].text for cells in rows if place < len(cells)]
        widths = [imgui.calc_text_size(text).x for text in (column.title, column.fits, *texts)]
        needs.append(max(widths))
    return needs


def _count_that_fits(needs: Sequence[float], room: float) -> int:
    """Return how many of the first columns fit beside each other, at least `LEAST_COLUMNS`.

    Args:
        needs: width of each column, pixels.
        room: available width, pixels.
    """
    count = len(needs)
    while count > LEAST_COLUMNS and sum(needs[:count]) > room:
        count -= 1
    return count


def _draw_cell(ui: Ui, cell: TableCell) -> None:
    imgui = ui.imgui
    left = imgui.get_cursor_pos_x() if cell.bar is not None else 0.0
    ui.text(cell.text, cell.color)
    if cell.tip:
        ui.tip(cell.tip)
    if cell.bar is None:
        return
    imgui.same_line()
    text = imgui.calc_text_size(cell.bar_after).x
    imgui.set_cursor_pos_x(left + text + ui.theme.px(BAR_GAP))
    if imgui.get_content_region_avail().x >= ui.theme.px(LEAST_BAR):
        imgui.progress_bar(cell.bar, imgui.ImVec2(-1.0, imgui.get_text_line_height()), "")
