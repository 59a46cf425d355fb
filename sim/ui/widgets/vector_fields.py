"""Rows of numbers of a vector, each with the coloured letter of its axis, by which it is pulled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from imgui_bundle import imgui

from base.language.wording import tr
from sim.ui.theme.theme import Theme

LEAST_SHOWN: Final = 0.0005  # of numbers with three places
LETTER_PADDING: Final = 3.0  # pixels on either side of a letter
SHADE: Final = 0.22  # opacity behind a letter
COARSE, FINE = 10.0, 0.1  # with Shift, with Alt, as ImGui's own numbers have it
PLACES: Final = 4
FORMATS: Final = ("%.3f", "%.2f", "%.1f", "%.0f")
LEAST_ROOM: Final = "X-0.00"  # what at least each number shows
FREE: Final = int(imgui.SliderFlags_.no_round_to_format)


class Axis(NamedTuple):
    """One number of a vector.

    Attributes:
        letter: text of its label.
        color: name of a colour of the theme.
        tip: tooltip of the label.
    """

    letter: str
    color: str
    tip: str


XYZ: Final = (
    Axis("X", "red", tr("Pull sideways to change X")),
    Axis("Y", "green", tr("Pull sideways to change Y")),
    Axis("Z", "blue", tr("Pull sideways to change Z")),
    Axis("W", "muted", tr("Pull sideways to change W")),
)
"""The numbers of a vector."""
ANGLES: Final = (
    Axis("H", "blue", tr("Heading: turns around the axis Z, degrees")),
    Axis("P", "red", tr("Pitch: turns around the axis X, degrees")),
    Axis("R", "green", tr("Roll: turns around the axis Y, degrees")),
)
"""The numbers of a rotation: heading, pitch and roll."""


def drag_numbers(
    theme: Theme,
    values: list[float],
    speed: float = 0.02,
    shown: str = FORMATS[0],
    axes: Sequence[Axis] = XYZ,
) -> tuple[bool, list[float]]:
    """Draw a row of numbers that are changed by pulling them or their letters.

    Args:
        theme: colours and sizes.
        values: two to four numbers; any other count is drawn as text.
        speed: change per pixel that the mouse is pulled.
        shown: format of a number, in the style of `printf`; the usual one has fewer places where
            there is too little room.
        axes: the labels.

    Returns:
        Whether the user changed a number, and the numbers.
    """
    if not 2 <= len(values) <= len(axes):
        imgui.text(", ".join(f"{value:g}" for value in values))
        return False, values
    gap = imgui.get_style().item_inner_spacing.x
    begin_row(theme, len(values))
    width = (imgui.get_content_region_avail().x - (len(values) - 1) * gap) / len(values)
    found, has_changed = list(values), False
    imgui.begin_group()  # so that the row is one item for what asks about the last one
    for number, value in enumerate(values):
        if number:
            imgui.same_line(0, gap)
        changed, new = drag_axis(theme, axes[number], value, speed, width, shown)
        if changed:
            found[number], has_changed = new, True
    imgui.end_group()
    return has_changed, found


def begin_row(theme: Theme, count: int) -> None:
    """Go to a line of its own if the rest of this one is too narrow for a row of numbers.

    Args:
        theme: sizes.
        count: how many numbers the row has.
    """
    padding = 2.0 * (theme.px(LETTER_PADDING) + imgui.get_style().frame_padding.x)
    least = imgui.calc_text_size(LEAST_ROOM).x + padding
    if imgui.get_content_region_avail().x < count * least:
        imgui.new_line()


def drag_axis(
    theme: Theme, axis: Axis, value: float, speed: float, width: float, shown: str = FORMATS[0]
) -> tuple[bool, float]:
    """Draw one number of a vector with its letter.

    Args:
        theme: colours and sizes.
        axis: its label.
        value: the number.
        speed: change per pixel that the mouse is pulled.
        width: room for both, pixels.
        shown: format of the number; see `drag_numbers`.

    Returns:
        Whether the user changed the number, and the number.
    """
    imgui.push_id(axis.letter)
    imgui.begin_group()
    pull = _draw_letter(theme, axis)
    imgui.same_line(0, 0)
    room = max(8.0, width - imgui.get_item_rect_size().x)
    imgui.set_next_item_width(room)
    seen = 0.0 if abs(value) < LEAST_SHOWN else value  # no "-0.000"
    form = _fitting(seen, room) if shown == FORMATS[0] else shown
    if "%" in form and float(form % seen) == 0.0:  # no "-0.0" where there is little room
        seen = 0.0
    flags = 0 if form == FORMATS[0] else FREE
    changed, new = imgui.drag_float("##value", seen, speed, 0.0, 0.0, form, flags)
    imgui.end_group()
    imgui.pop_id()
    if pull:
        return True, round(value + pull * speed, PLACES)
    return (True, float(f"{new:.7g}")) if changed and new != seen else (False, value)


def _draw_letter(theme: Theme, axis: Axis) -> float:
    """Draw the label of an axis; return how far it is pulled to the right in this frame, pixels."""
    text = imgui.calc_text_size(axis.letter)
    size = imgui.ImVec2(text.x + 2.0 * theme.px(LETTER_PADDING), imgui.get_frame_height())
    place = imgui.get_cursor_screen_pos()
    imgui.invisible_button("##letter", size)
    is_active, io = imgui.is_item_active(), imgui.get_io()
    if is_active or imgui.is_item_hovered():
        imgui.set_mouse_cursor(imgui.MouseCursor_.resize_ew)
    if imgui.is_item_hovered(int(imgui.HoveredFlags_.for_tooltip)) and not is_active:
        imgui.set_tooltip(axis.tip)
    canvas = imgui.get_window_draw_list()
    end = imgui.ImVec2(place.x + size.x, place.y + size.y)
    canvas.add_rect_filled(
        place, end, theme.packed(axis.color, 2.0 * SHADE if is_active else SHADE)
    )
    middle = imgui.ImVec2(place.x + (size.x - text.x) / 2.0, place.y + (size.y - text.y) / 2.0)
    canvas.add_text(middle, theme.packed(axis.color), axis.letter)
    factor = COARSE if io.key_shift else FINE if io.key_alt else 1.0
    return float(io.mouse_delta.x) * factor if is_active else 0.0


def _fitting(value: float, room: float) -> str:
    """Return the usual format with as many places as the room has."""
    inner = room - 2.0 * imgui.get_style().frame_padding.x
    for form in FORMATS:
        if imgui.calc_text_size(form % value).x <= inner:
            return form
    return FORMATS[-1]
