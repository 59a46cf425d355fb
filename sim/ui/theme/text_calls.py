"""Where texts pass on their way to ImGui: its functions that draw text, wrapped once.

ImGui has no hook for text. So its functions are replaced in their modules, and every text passes,
those of scripts too. Here a `Wording` becomes the text in the user's language. What ImGui knows a
widget by stays English: "Neu###New" is to ImGui what "New" is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from imgui_bundle import imgui, implot

from base.language.catalogs import Catalog
from base.language.wording import ID, Wording, translated
from sim.ui.theme.panel_text import PanelText

SHOWN = {
    imgui: (
        "text", "text_colored", "text_disabled", "text_unformatted", "bullet_text", "label_text",
        "button", "small_button", "checkbox", "checkbox_flags", "radio_button", "selectable",
        "menu_item", "menu_item_simple", "begin_menu", "tree_node", "tree_node_ex",
        "collapsing_header", "set_tooltip", "set_item_tooltip", "calc_text_size", "separator_text",
        "text_link", "text_link_open_url", "table_setup_column", "table_header", "begin_tab_item",
        "tab_item_button", "begin", "begin_popup_modal", "begin_combo", "combo", "list_box",
        "progress_bar", "slider_float", "slider_int", "slider_angle", "drag_float", "drag_int",
        "input_int", "input_float", "color_edit3", "color_edit4", "color_button",
    ),
    implot: (
        "begin_plot", "setup_axes", "setup_axis", "setup_axis_ticks", "annotation", "plot_line",
        "plot_bars", "plot_scatter", "plot_shaded", "plot_stairs", "plot_histogram", "plot_text",
        "tag_x", "tag_y",
    ),
    imgui.ImDrawList: ("add_text",),
}  # fmt: skip
"""Functions all of whose texts are seen."""
NAMED = frozenset(
    {
        "button", "small_button", "checkbox", "checkbox_flags", "radio_button", "selectable",
        "menu_item", "menu_item_simple", "begin_menu", "tree_node", "tree_node_ex",
        "collapsing_header", "text_link", "text_link_open_url", "table_setup_column",
        "table_header", "begin_tab_item", "tab_item_button", "begin", "begin_popup_modal",
        "begin_combo", "combo", "list_box", "slider_float", "slider_int", "slider_angle",
        "drag_float", "drag_int", "input_int", "input_float", "color_edit3", "color_edit4",
        "color_button", "begin_plot", "plot_line", "plot_bars", "plot_scatter", "plot_shaded",
        "plot_stairs", "plot_histogram",
    }
)  # fmt: skip
"""Functions that know a widget by their first text."""
EDITED = {"input_text": 1, "input_text_with_hint": 2, "input_text_multiline": 1}
"""Functions whose text can be edited, and which argument it is."""
ASCII = frozenset(map(chr, range(128)))
_add_text: list[Callable[..., Any]] = []
"""ImGui's own function that draws a text, once texts pass here."""


def install() -> None:
    """Let all texts pass through here on their way to ImGui; more calls do nothing."""
    if _add_text:
        return
    _add_text.append(imgui.ImDrawList.add_text)
    for home, names in SHOWN.items():
        for name in names:
            setattr(home, name, _shows(getattr(home, name), is_named=name in NAMED))
    for name, place in EDITED.items():
        setattr(imgui, name, _edits(getattr(imgui, name), place))
    imgui.text_wrapped = _wraps(imgui.text_wrapped)


def _shows(draw: Callable[..., Any], *, is_named: bool) -> Callable[..., Any]:
    """Return a function that draws all its texts as they are read; ASCII alone passes at once.

    Args:
        draw: the function of ImGui.
        is_named: whether it knows a widget by its first text.
    """

    @functools.wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        for value in args:  # written out: every text of every frame passes here
            kind = type(value)
            if kind is Wording:
                if Catalog.current.is_english and value.isascii():
                    continue
            elif kind is str:
                if value.isascii():
                    continue
            elif kind is not list:
                continue
            if is_named and type(args[0]) is Wording:
                args = (labelled(args[0]), *args[1:])
            args = _shown_all(args)
            break
        if options:
            options = {name: _shown(value) for name, value in options.items()}
            return draw(*args, **options)
        return draw(*args)

    return drawn


def labelled(label: str) -> str:
    """Return what ImGui gets of a widget's label: it is seen translated, and known by its English.

    Args:
        label: the label; "##" begins a name that is not seen.
    """
    if type(label) is not Wording or Catalog.current.is_english:
        return label
    seen = label.shown().partition(ID)[0]
    before, mark, name = str(label).partition("###")
    return f"{seen}###{name if mark else before}"


def _shown_all(args: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(args) > 3 and isinstance(args[1], imgui.ImFont):  # of a list of drawings
        return (*args[:3], *(_shown(value, args[1], args[2]) for value in args[3:]))
    return tuple(map(_shown, args))


def _shown(value: Any, font: imgui.ImFont | None = None, size: float = 0.0) -> Any:
    kind = type(value)
    if kind is Wording:
        value = value.shown()
    elif kind is list:
        is_text = value and isinstance(value[0], str)
        return [_shown(item) for item in value] if is_text else value
    elif kind is not str:
        return value
    owner = PanelText.current
    return value if owner is None or value.isascii() else owner.shown(value, font, size)


def _edits(draw: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Return a function that draws an input field; its labels and hints are shown as others are.

    Args:
        draw: the function of ImGui.
        place: which of its arguments is the text.
    """

    @functools.wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        owner = PanelText.current
        if owner is None or len(args) <= place:
            return draw(*args, **options)
        text = args[place]
        args = (_shown(labelled(args[0])), *map(_shown, args[1:place]), *args[place:])
        if text.isascii():
            return draw(*args, **options)
        owner.add_letters(text)
        number, shown = imgui.get_id(args[0]), owner.shown(text)
        if shown == text or "\n" in text or owner.edited == number:
            found = draw(*args, **options)
        else:
            found = _at_rest(draw, shown, args, options)
        if imgui.is_item_active():
            owner.edited = number
        elif owner.edited == number:
            owner.edited = 0
        return found

    return drawn


def _at_rest(
    draw: Callable[..., Any], shown: str, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Draw an input field that is not edited, with its text as it is read.

    Args:
        draw: the function of ImGui that draws the field.
        shown: the text as ImGui has to draw it.
        args: arguments of the function.
        options: its named arguments.
    """
    style, room = imgui.get_style(), imgui.calc_item_width()
    color = imgui.get_color_u32(imgui.Col_.text.value)
    imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
    found = draw(*args, **options)
    imgui.pop_style_color()
    if not imgui.is_item_active():
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        drawing = imgui.get_window_draw_list()
        pad = style.frame_padding
        drawing.push_clip_rect(low, imgui.ImVec2(low.x + room - pad.x, high.y), True)
        place = imgui.ImVec2(low.x + pad.x, low.y + pad.y)
        _add_text[0](drawing, place, color, shown)  # it is prepared already
        drawing.pop_clip_rect()
    return found


def _wraps(draw: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(draw)
    def drawn(text: str) -> Any:
        owner, text = PanelText.current, translated(text)
        return draw(text if owner is None or text.isascii() else owner.wrapped(text))

    return drawn


def strange_letters(text: str) -> str:
    """Return the letters beyond ASCII of a text, each once."""
    return "" if text.isascii() else "".join(sorted(set(text) - ASCII))


def add_letters(letters: str) -> None:
    """Make letters known to ImGui in the present font, for a widget that draws them itself.

    Args:
        letters: the letters; of those that the font has, nothing is done.
    """
    if letters and PanelText.current is not None:
        PanelText.current.add_letters(letters)
