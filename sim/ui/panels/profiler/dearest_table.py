"""The scripts that take most of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import imgui

from sim.core.profiling.spans import Share
from sim.ui.theme.texts import cut
from sim.ui.theme.theme import Theme

TABLE: Final = int(imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_fixed_fit)
WIDE: Final = 300.0  # unscaled pixels, from which on there is a column of callbacks


def draw_dearest(theme: Theme, shares: Sequence[Share], frame_seconds: float) -> Share | None:
    """Draw a line each; return the one that is clicked.

    Args:
        theme: colours and scale.
        shares: the dearest first.
        frame_seconds: what a frame takes as a whole.
    """
    is_wide = imgui.get_content_region_avail().x >= theme.px(WIDE)
    if not imgui.begin_table("dearest", 3 if is_wide else 2, TABLE):
        return None
    imgui.table_setup_column("script", int(imgui.TableColumnFlags_.width_stretch))
    if is_wide:
        imgui.table_setup_column("callback", int(imgui.TableColumnFlags_.width_fixed))
    imgui.table_setup_column("ms", int(imgui.TableColumnFlags_.width_fixed))
    widest = max(imgui.calc_text_size(milliseconds(share.seconds)).x for share in shares)
    clicked = None
    for number, share in enumerate(shares):
        imgui.table_next_row()
        imgui.table_next_column()
        if _draw_name(theme, share, number, frame_seconds):
            clicked = share
        if is_wide:
            imgui.table_next_column()
            imgui.text_colored(theme.vector("muted"), next(iter(share.callbacks), ""))
        imgui.table_next_column()
        text = milliseconds(share.seconds)
        left = widest - imgui.calc_text_size(text).x
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(0.0, left))
        imgui.text(text)
    imgui.end_table()
    return clicked


def _draw_name(theme: Theme, share: Share, number: int, frame_seconds: float) -> bool:
    """Draw class and object, as far as there is room; return whether the row is clicked."""
    room = imgui.get_content_region_avail().x
    place = imgui.get_cursor_pos()
    flags = int(imgui.SelectableFlags_.span_all_columns)
    is_clicked = imgui.selectable(f"##{number}", False, flags)[0]
    if imgui.is_item_hovered():
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        imgui.set_tooltip(_told(share, frame_seconds))
    imgui.set_cursor_pos(place)
    title = cut(share.title, room)
    imgui.text(title)
    rest = room - imgui.calc_text_size(title).x - theme.px(8)
    if rest > theme.px(24):
        imgui.same_line(0, theme.px(8))
        imgui.text_colored(theme.vector("muted"), cut(share.object, rest))
    return bool(is_clicked)


def _told(share: Share, frame_seconds: float) -> str:
    part = share.seconds / frame_seconds if frame_seconds else 0.0
    lines = [
        f"{share.title}  ·  {share.object}",
        f"{milliseconds(share.seconds)} a frame, {part:.1%} of it, in {share.calls:,.1f} calls",
        *(f"{milliseconds(seconds):>10}  {name}" for name, seconds in share.callbacks.items()),
        "Click: open the script",
    ]
    return "\n".join(lines)


def milliseconds(seconds: float) -> str:
    """Return a time as a text.

    >>> milliseconds(0.01234), milliseconds(0.0000123)
    ('12.34 ms', '0.012 ms')
    """
    return f"{1000.0 * seconds:.2f} ms" if seconds >= 0.001 else f"{1000.0 * seconds:.3f} ms"
