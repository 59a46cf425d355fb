"""The look of panels: palettes, fonts, icons, and texts cut to their width."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from pathlib import Path

import imgui_bundle
from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui, implot

from base.language.wording import refusal, translated
from base.spelling import one_of
from sim.core.script.ui import Color

FONTS = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
TEXT_SIZE = 15.0
ICON_WIDTH = 15.0
OPEN, CLOSED = int(imgui.TreeNodeFlags_.default_open), int(imgui.TreeNodeFlags_.none)
MAIN_SCALE = "_main_scale"  # by which ImGui scales marks and rounded lines
NO_BUTTON = "window_menu_button_position"  # of docks, whose tabs need none
REACHED = int(imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.enable_nav)
FLAT = int(imgui.ChildFlags_.nav_flattened)
TEXT_COLOR, HEADER = int(imgui.Col_.text), int(imgui.Col_.header)  # an enumeration is slow


@dataclass(frozen=True)
class Palette:
    """The colours of a theme: RGBA from 0 to 1."""

    text: Color
    muted: Color
    amber: Color
    """Colour of the selection and of action buttons."""
    green: Color
    red: Color
    blue: Color
    panel: Color
    raised: Color
    """Background of fields and buttons."""
    hovered: Color
    pressed: Color
    line: Color
    popup: Color
    chosen: Color
    """Background of a selected row."""
    plot: Color
    """Background of a chart."""
    bar: Color
    """Background of title bars and inactive tabs."""
    knob: Color
    """Colour of sliders' knobs, on which the number is written."""
    section: Color
    """Background of the headers of foldable sections."""
    focus: Color
    """Colour of the ring that shows where the keyboard is."""


DARK = Palette(
    text=(0.91, 0.89, 0.86, 1.0),
    muted=(0.635, 0.615, 0.59, 1.0),
    amber=(0.972, 0.654, 0.131, 1.0),
    green=(0.597, 0.789, 0.587, 1.0),
    red=(0.953, 0.396, 0.24, 1.0),
    blue=(0.42, 0.64, 0.901, 1.0),
    panel=(0.105, 0.10, 0.095, 1.0),
    raised=(0.165, 0.155, 0.145, 1.0),
    hovered=(0.175, 0.165, 0.152, 1.0),
    pressed=(0.42, 0.31, 0.16, 1.0),
    line=(0.235, 0.22, 0.205, 1.0),
    popup=(0.13, 0.125, 0.12, 0.98),
    chosen=(0.205, 0.163, 0.105, 1.0),
    plot=(0.07, 0.066, 0.062, 1.0),
    bar=(0.08, 0.076, 0.072, 1.0),
    knob=(0.49, 0.36, 0.18, 1.0),
    section=(0.15, 0.143, 0.135, 1.0),
    focus=(0.98, 0.74, 0.34, 1.0),
)
LIGHT = Palette(
    text=(0.13, 0.12, 0.11, 1.0),
    muted=(0.385, 0.376, 0.356, 1.0),
    amber=(0.561, 0.322, 0.017, 1.0),
    green=(0.058, 0.297, 0.248, 1.0),
    red=(0.534, 0.044, 0.021, 1.0),
    blue=(0.084, 0.37, 0.711, 1.0),
    panel=(0.955, 0.945, 0.93, 1.0),
    raised=(0.885, 0.87, 0.845, 1.0),
    hovered=(0.875, 0.86, 0.83, 1.0),
    pressed=(0.93, 0.78, 0.54, 1.0),
    line=(0.79, 0.77, 0.735, 1.0),
    popup=(0.975, 0.97, 0.96, 0.99),
    chosen=(0.96, 0.89, 0.76, 1.0),
    plot=(0.99, 0.985, 0.975, 1.0),
    bar=(0.905, 0.89, 0.87, 1.0),
    knob=(0.80, 0.64, 0.40, 1.0),
    section=(0.905, 0.893, 0.873, 1.0),
    focus=(0.561, 0.322, 0.017, 1.0),
)
HIGH_CONTRAST = Palette(
    text=(1.0, 1.0, 1.0, 1.0),
    muted=(0.68, 0.68, 0.68, 1.0),
    amber=(1.0, 0.79, 0.042, 1.0),
    green=(0.566, 0.982, 0.659, 1.0),
    red=(0.957, 0.579, 0.329, 1.0),
    blue=(0.499, 0.717, 1.0, 1.0),
    panel=(0.0, 0.0, 0.0, 1.0),
    raised=(0.0, 0.0, 0.0, 1.0),
    hovered=(0.12, 0.12, 0.12, 1.0),
    pressed=(0.19, 0.13, 0.0, 1.0),
    line=(0.72, 0.72, 0.72, 1.0),
    popup=(0.0, 0.0, 0.0, 1.0),
    chosen=(0.02, 0.09, 0.24, 1.0),
    plot=(0.0, 0.0, 0.0, 1.0),
    bar=(0.0, 0.0, 0.0, 1.0),
    knob=(0.349, 0.349, 0.349, 1.0),
    section=(0.07, 0.07, 0.07, 1.0),
    focus=(1.0, 1.0, 0.0, 1.0),
)
PALETTES = {"dark": DARK, "light": LIGHT, "high-contrast": HIGH_CONTRAST}
"""The themes. In each, colours that mean different things differ for the colour-blind, too."""
LEVEL_COLORS = {"error": "red", "warning": "amber", "info": "text", "debug": "muted"}


class Theme:
    """Fonts and colours of the user interface, applied to the current ImGui context.

    Args:
        name: "dark", "light" or "high-contrast".
        scale: scale of text and widgets, 1 for the usual size.

    Attributes:
        text: font of text.
        bold: bold font.
        mono: monospaced font.
    """

    def __init__(self, name: str = "dark", scale: float = 1.0) -> None:
        fonts = imgui.get_io().fonts
        self.text = self._font(fonts, "Roboto/Roboto-Regular.ttf", TEXT_SIZE)
        self.bold = self._font(fonts, "Roboto/Roboto-Bold.ttf", TEXT_SIZE)
        self.mono = self._font(fonts, "Inconsolata-Medium.ttf", TEXT_SIZE)
        self._vectors: dict[str, imgui.ImVec4] = {}
        self.name = name
        self.scale = scale
        self.apply(name, scale)

    @property
    def palette(self) -> Palette:
        """The colours in use."""
        return PALETTES[self.name]

    def color(self, name: str) -> Color:
        """Return a colour of the palette by name."""
        result: Color = getattr(self.palette, name)
        return result

    def vector(self, name: str) -> imgui.ImVec4:
        """Return a colour of the palette as a shared ImGui vector, which must not be changed.

        Args:
            name: name of a field of `Palette`, "amber" for example.

        Raises:
            ValueError: there is no colour with this name.
        """
        try:
            return self._vectors[name]
        except KeyError:
            known = one_of(sorted(self._vectors), name)
            raise ValueError(f"expected a colour, {known}, found {name!r}") from None

    def level(self, level: str) -> imgui.ImVec4:
        """Return the colour of a console level."""
        return self.vector(LEVEL_COLORS[level])

    def packed(self, name: str, opacity: float = 1.0) -> int:
        """Return a colour of the palette, packed into 32 bits for ImGui's draw lists.

        Args:
            name: name of a field of `Palette`, "amber" for example.
            opacity: factor on the colour's opacity, 0 to 1.
        """
        return _packed(self.color(name), opacity)

    def section(self, label: str, *, is_open: bool = True) -> bool:
        """Draw the header of a foldable section; return whether it is open.

        Args:
            label: text of the header.
            is_open: initial state.
        """
        imgui.push_style_color(HEADER, self._vectors["section"])
        found = bool(imgui.collapsing_header(label, OPEN if is_open else CLOSED))
        imgui.pop_style_color()
        return found

    def wrapped(self, text: str, color: str) -> None:
        """Draw a text, wrapped at the right edge of the panel.

        Args:
            text: the text.
            color: name of a colour of the palette.
        """
        imgui.push_style_color(TEXT_COLOR, self.vector(color))
        imgui.text_wrapped(refusal(text) if color == "red" else text)
        imgui.pop_style_color()

    def next_step(self, text: str, label: str) -> bool:
        """Draw what an empty panel is for, and a button; return whether it is pressed.

        Args:
            text: a sentence.
            label: text of the button.
        """
        self.wrapped(text, "muted")
        return bool(imgui.button(label))

    def px(self, value: float) -> float:
        """Convert a length from unscaled pixels to pixels on the screen."""
        return value * self.scale

    def apply(self, name: str, scale: float) -> None:
        """Set palette and scale.

        Args:
            name: "dark", "light" or "high-contrast".
            scale: scale of text and widgets, 1 for the usual size.
        """
        self.name, self.scale = name, scale
        names = [each.name for each in fields(Palette)]
        self._vectors = {each: imgui.ImVec4(*self.color(each)) for each in names}
        style = imgui.get_style()
        for size, value in _sizes(scale).items():
            setattr(style, size, value)
        style.font_size_base = TEXT_SIZE
        style.font_scale_main = scale
        _set_colors(style, self.palette)
        _set_plot(self.palette, scale)

    def _font(self, fonts: imgui.ImFontAtlas, file: str, size: float) -> imgui.ImFont:
        font = fonts.add_font_from_file_ttf(str(FONTS / file), size)
        config = imgui.ImFontConfig()
        config.merge_mode = True
        config.glyph_offset = imgui.ImVec2(0.0, 1.0)
        config.glyph_min_advance_x = ICON_WIDTH  # what stands beside icons is in line
        fonts.add_font_from_file_ttf(
            str(FONTS / "Font_Awesome_6_Free-Solid-900.otf"), size - 2.5, config
        )
        return font


def pressed_area(name: str, width: float, height: float) -> bool:
    """Draw an invisible button, which keys reach, too; return whether it was pressed.

    Args:
        name: its name for ImGui.
        width: its width, pixels.
        height: its height, pixels.
    """
    return bool(imgui.invisible_button(name, imgui.ImVec2(width, height), REACHED))


def is_opened() -> bool:
    """Return whether what was just chosen is to be opened: by a double click, or by Enter."""
    by_key = imgui.is_key_pressed(imgui.Key.enter, False)
    return bool(imgui.is_mouse_double_clicked(0) or by_key)


def begin_flat_child(name: str, size: imgui.ImVec2 | None = None, flags: int = 0) -> bool:
    """Begin a child window that keys cross as if it were no window; return whether it is seen.

    Args:
        name: its name for ImGui.
        size: its size in pixels; None for the available space.
        flags: flags of the window.
    """
    place = imgui.ImVec2(0.0, 0.0) if size is None else size
    return bool(imgui.begin_child(name, place, FLAT, flags))


def begin_flat_table(name: str, columns: int, flags: int, height: float) -> bool:
    """Begin a table that scrolls, and that keys cross as if it were no window of its own.

    Args:
        name: its name for ImGui.
        columns: number of columns.
        flags: flags of the table.
        height: its height, pixels.
    """
    following = imgui.get_current_context().next_window_data
    following.has_flags |= int(imgui.internal.NextWindowDataFlags_.has_child_flags)
    following.child_flags_set = FLAT
    return bool(imgui.begin_table(name, columns, flags, imgui.ImVec2(0.0, height)))


def _sizes(scale: float) -> dict[str, float | imgui.ImVec2 | imgui.Dir]:
    """Return the style's sizes at a scale by name, with ImGui's own record of that scale.

    They are made from a new style each time: one that is scaled again and again grows.
    """
    style = imgui.Style()
    _set_sizes(style)
    style.scale_all_sizes(scale)
    values = ((name, getattr(style, name)) for name in dir(style) if not name.startswith("_"))
    sizes = {name: value for name, value in values if isinstance(value, float | imgui.ImVec2)}
    return {**sizes, MAIN_SCALE: getattr(style, MAIN_SCALE), NO_BUTTON: imgui.Dir.none}


def _set_sizes(style: imgui.Style) -> None:
    style.window_min_size = imgui.ImVec2(16, 16)  # less than the status bar
    style.window_rounding = 0.0
    style.child_rounding = 4.0
    style.frame_rounding = 4.0
    style.popup_rounding = 5.0
    style.scrollbar_rounding = 6.0
    style.scrollbar_size = 11.0
    style.grab_rounding = 4.0
    style.grab_min_size = 12.0
    style.tab_rounding = 4.0
    style.tab_bar_border_size = 1.0
    style.tab_min_width_shrink = 56.0
    style.window_border_size = 1.0
    style.frame_border_size = 1.0
    style.indent_spacing = 16.0
    style.docking_separator_size = 3.0
    style.window_padding = imgui.ImVec2(10, 8)
    style.frame_padding = imgui.ImVec2(8, 4)
    style.item_spacing = imgui.ImVec2(7, 5)
    style.item_inner_spacing = imgui.ImVec2(5, 4)
    style.cell_padding = imgui.ImVec2(5, 2)


def _set_colors(style: imgui.Style, palette: Palette) -> None:
    clear = (0.0, 0.0, 0.0, 0.0)
    faint = (*palette.amber[:3], 0.35)
    colors = {
        "text": palette.text, "text_disabled": palette.muted, "text_link": palette.blue,
        "text_selected_bg": faint, "input_text_cursor": palette.text,
        "window_bg": palette.panel, "child_bg": clear, "popup_bg": palette.popup,
        "border": palette.line, "frame_bg": palette.raised, "frame_bg_hovered": palette.hovered,
        "frame_bg_active": palette.hovered, "title_bg": palette.bar,
        "title_bg_active": palette.bar, "title_bg_collapsed": palette.bar,
        "menu_bar_bg": palette.bar, "scrollbar_bg": clear, "scrollbar_grab": palette.line,
        "scrollbar_grab_hovered": palette.hovered, "scrollbar_grab_active": palette.amber,
        "check_mark": palette.amber, "checkbox_selected_bg": palette.raised,
        "slider_grab": palette.knob, "slider_grab_active": palette.pressed,
        "button": palette.raised, "button_hovered": palette.hovered,
        "button_active": palette.pressed, "header": palette.chosen,
        "header_hovered": palette.hovered, "header_active": palette.pressed,
        "separator": palette.line, "separator_hovered": palette.amber,
        "separator_active": palette.amber, "resize_grip": clear,
        "resize_grip_hovered": faint, "resize_grip_active": palette.amber,
        "tab": palette.bar, "tab_hovered": palette.hovered, "tab_selected": palette.chosen,
        "tab_selected_overline": palette.amber, "tab_dimmed": palette.bar,
        "tab_dimmed_selected": palette.raised, "tab_dimmed_selected_overline": palette.line,
        "docking_preview": faint, "docking_empty_bg": clear, "plot_lines": palette.amber,
        "plot_histogram": palette.amber, "table_header_bg": palette.raised,
        "table_border_strong": palette.line, "table_border_light": palette.line,
        "table_row_bg": clear, "table_row_bg_alt": (*palette.text[:3], 0.03),
        "tree_lines": palette.line, "drag_drop_target": palette.amber,
        "drag_drop_target_bg": faint, "nav_cursor": palette.focus,
        "modal_window_dim_bg": (0.0, 0.0, 0.0, 0.4), "unsaved_marker": palette.amber,
    }  # fmt: skip
    for name, color in colors.items():
        style.set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*color))


def _set_plot(palette: Palette, scale: float) -> None:
    plot = implot.get_style()
    plot.plot_padding = imgui.ImVec2(14 * scale, 4 * scale)  # half of a label over the right end
    plot.plot_border_size = 0.0
    plot.fit_padding = imgui.ImVec2(0.0, 0.06)  # a line along the frame is seen but in half
    colors = {
        "frame_bg": (0.0, 0.0, 0.0, 0.0), "plot_bg": palette.plot, "legend_bg": palette.popup,
        "legend_border": palette.line, "legend_text": palette.text, "axis_text": palette.text,
        "axis_grid": (*palette.text[:3], 0.16), "axis_tick": (*palette.text[:3], 0.3),
        "inlay_text": palette.text, "title_text": palette.text,
    }  # fmt: skip
    for name, color in colors.items():
        plot.set_color_(getattr(implot.Col_, name), imgui.ImVec4(*color))


@functools.lru_cache(maxsize=512)
def _packed(color: Color, opacity: float) -> int:
    red, green, blue, alpha = color
    vector = imgui.ImVec4(red, green, blue, alpha * opacity)
    return int(imgui.color_convert_float4_to_u32(vector))


@functools.lru_cache(maxsize=512)
def icon_of(name: str) -> str:
    """Return the icon with a Font Awesome name such as "chart-line"; "" when there is none."""
    return str(getattr(icons, f"ICON_FA_{name.upper().replace('-', '_')}", "")) if name else ""


__all__ = ["PALETTES", "Palette", "Theme", "icon_of", "icons"]


ELLIPSIS = "…"


def cut(text: str, room: float) -> str:
    """Shorten a text to a width; a shortened text ends with an ellipsis.

    Args:
        text: the text, drawn in the current font.
        room: available width, pixels.
    """
    text = translated(text)
    width = float(imgui.calc_text_size(text).x)
    return text if width <= room else _shortened(text, room, width)


@functools.lru_cache(maxsize=1024)
def _shortened(text: str, room: float, width: float) -> str:
    """Shorten a text to a width with an ellipsis, by binary search.

    Args:
        text: the text.
        room: available width, pixels.
        width: width of the whole text in pixels; part of the cache's key, as it depends on the
            font.
    """
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if imgui.calc_text_size(text[:middle] + ELLIPSIS).x <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + ELLIPSIS
