"""The panel of keyboard shortcuts: lists every action with its key; a click changes the key."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple

from imgui_bundle import imgui

from base.language.catalogs import Catalog
from base.language.wording import tr, translated
from sim.core.input.key_map import KeyAction, KeyMap, KeyMapError, shown
from sim.core.reporting.python_text import assigned, called
from sim.ui.theme.theme import Theme, begin_flat_child, icons
from sim.ui.widgets.context import PanelUi

POINTER = (
    (tr("Right button"), tr("turn the view")),
    (tr("Middle button"), tr("move the view")),
    (tr("Shift+right"), tr("move the view")),
    (tr("Wheel"), "zoom"),
    (tr("Right+WASD"), tr("fly in the Studio layout, with Q and E down and up")),
)
PRESET_TIP = tr(
    "In the Studio layout. While the scene plays and has the keys, its own W, E, R come first."
)
SCENE = tr("Keys of this scene")
LENT_TIP = tr("""The scene has this key while it plays: {}
In the Studio layout, click into the view to give it the keys.
Pause the scene, or click a panel there, to use the key here.""")
TABLE = imgui.TableFlags_.row_bg


class KeyRow(NamedTuple):
    """A row of the shortcut table: a heading, an action or a use of the mouse.

    Attributes:
        label: text of the row.
        key: the key as shown; empty for headings.
        action: name of the action; empty for headings and uses of the mouse.
        taken_by: label of the other action that currently has this key; empty if there is none.
        lent_to: what the scene uses this key for; empty if it does not.
        text: the label, and what the scene has the key for.
        button: label of the button with the key.
    """

    label: str
    key: str = ""
    action: str = ""
    taken_by: str = ""
    lent_to: str = ""
    text: str = ""
    button: str = ""


def key_row(
    label: str, key: str = "", action: str = "", taken_by: str = "", lent_to: str = ""
) -> KeyRow:
    """Return a row with the texts that are drawn in each frame; see `KeyRow`."""
    lent = tr("{label} (lent: {lent_to})").format(label=label, lent_to=lent_to)
    text = lent if lent_to else label
    return KeyRow(label, key, action, taken_by, lent_to, text, key + f"##{action}")


class ShownRows(NamedTuple):
    """The texts of all rows in the language in use.

    Attributes:
        rows: the rows.
        language: the language.
        keys: their keys.
        labels: their labels.
        is_any_lent: whether the scene has one of the keys.
    """

    rows: list[KeyRow]
    language: str
    keys: tuple[str, ...]
    labels: tuple[str, ...]
    is_any_lent: bool


class KeyPreset(NamedTuple):
    """An on/off option: while on, the keys W, E and R select the tools move, rotate and scale.

    Attributes:
        is_on: returns whether the option is on.
        switch: called with True or False to switch it on or off.
    """

    is_on: Callable[[], bool]
    switch: Callable[[bool], object]


class KeyLending(NamedTuple):
    """What the scene's scripts use keys for.

    Attributes:
        used: returns the keys and chords of each action of the scene, by the action's name.
        lent_to: returns what the scene uses the key of a window's action for, by the action's name;
            empty if it does not.
        revision: returns a number that grows with each change.
    """

    used: Callable[[], Mapping[str, tuple[str, ...]]] = dict
    lent_to: Callable[[str], str] = lambda action: ""
    revision: Callable[[], int] = int


class KeysPanel:
    """Lists all actions by group with their keys; a click on a key waits for a new one.

    The scene's own actions come first. A key that the scene uses is marked as lent.

    Args:
        keys: the key map.
        on_change: called after each change, to save the key map.
        say: called with the Python code that is equivalent to the user's action.
        lending: what the scene's scripts use keys for.

    Attributes:
        waiting: name of the action that waits for a new key; empty if there is none.
        preset: the option for the keys W, E and R; None if it is not offered.
    """

    def __init__(
        self,
        keys: KeyMap,
        on_change: Callable[[], None],
        say: Callable[[str], object] = str,
        lending: KeyLending | None = None,
    ) -> None:
        self.keys = keys
        self._lending = lending or KeyLending()
        self.waiting = ""
        self.message = ""
        self.search = ""
        self.preset: KeyPreset | None = None
        self._on_change = on_change
        self._say = say
        self._rows: list[KeyRow] = []
        self._seen: tuple[object, ...] = ()
        self._last_shown: ShownRows | None = None

    def capture(self, chord: str) -> bool:
        """Give the pressed key combination to the action that waits for one.

        Escape cancels; Delete leaves the action without a key. An error is shown in the panel.

        Args:
            chord: name of the key combination, "ctrl+s" for example.

        Returns:
            Whether an action was waiting.
        """
        if not self.waiting or not chord:
            return False
        name, self.waiting = self.waiting, ""
        if chord == "escape":
            self.message = ""
            return True
        chord = "" if chord == "delete" else chord
        try:
            self.bind(name, chord)
        except KeyMapError as error:
            self.message = str(error)
        else:
            self.message = ""
            self._say(called("shell.key_list.bind", name, chord))
        return True

    def bind(self, name: str, chord: str) -> None:
        """Give an action a key combination and save the key map.

        Args:
            name: name of the action.
            chord: the key combination, "ctrl+s" for example; "" for none.

        Raises:
            KeyMapError: the combination is invalid or another action has it; nothing was changed.
        """
        self.keys.bind(name, chord)
        self._on_change()

    def reset(self) -> None:
        """Restore the default key of every action, and save."""
        self.keys.reset()
        self.message = ""
        self._on_change()

    def draw(self, ui: PanelUi) -> None:
        """Draw the search field and the table of actions and keys."""
        theme = ui.theme
        usual = icons.ICON_FA_ROTATE_LEFT + " " + tr("Reset all")
        style = imgui.get_style()
        beside = imgui.calc_text_size(usual).x + 2 * style.frame_padding.x + style.item_spacing.x
        imgui.set_next_item_width(-beside)
        _, self.search = imgui.input_text_with_hint("##search", tr("search"), self.search)
        if imgui.is_item_deactivated_after_edit():
            self._say(assigned("shell.key_list.search", self.search))
        imgui.same_line()
        if imgui.button(usual):
            self._say("shell.key_list.reset()")
            self.reset()
        self._draw_preset(theme)
        color, text = "muted", tr("Click a key to change it. An amber one is lent to the scene.")
        if not self._shown_rows().is_any_lent:
            text = tr("Click a key to change it.")
        if self.waiting:
            color, text = "amber", self._question()
        elif self.message:
            color, text = "red", self.message
        theme.wrapped(text, color)
        if begin_flat_child("keys") and imgui.begin_table("keys", 2, int(TABLE)):
            widest = _widest_of(self._shown_rows().keys, imgui.get_font_size())
            widest += 2 * style.frame_padding.x
            imgui.table_setup_column(tr("what"), int(imgui.TableColumnFlags_.width_stretch))
            imgui.table_setup_column(tr("key"), int(imgui.TableColumnFlags_.width_fixed), widest)
            room = imgui.get_content_region_avail().x - widest - 2 * style.cell_padding.x
            self._draw_rows(theme, room)
            imgui.end_table()
        imgui.end_child()

    def _draw_preset(self, theme: Theme) -> None:
        if self.preset is None:
            return
        changed, is_on = imgui.checkbox("##wer keys", self.preset.is_on())
        imgui.same_line()
        theme.wrapped(tr("W E R: move, rotate, scale. F: focus"), "text")
        if imgui.is_item_clicked():
            changed, is_on = True, not is_on
        if changed:
            self._say(called("shell.set_wer_keys", is_on))
            self.preset.switch(is_on)
        theme.wrapped(PRESET_TIP, "muted")

    def _question(self) -> str:
        action = self.keys.actions.get(self.waiting)
        label = action.label if action else self.waiting
        return tr("{label}: press a key (Escape cancels, Delete removes it)").format(label=label)

    def rows(self) -> list[KeyRow]:
        """Return the rows that match the search, headings included."""
        seen = (self.keys.revision, self.search, self._lending.revision())
        if seen == self._seen:
            return self._rows
        self._seen, self._rows = seen, []
        wanted = self.search.strip().lower()
        used = self._lending.used()
        groups = {
            SCENE: [
                key_row(name, shown(key)) for name, keys in used.items() for key in keys or [""]
            ]
        }
        for group, actions in self.keys.groups().items():
            groups.setdefault(group, []).extend(self._row(item) for item in actions)
        for group, rows in groups.items():
            found = [row for row in rows if wanted in f"{group} {row.label} {row.key}".lower()]
            if found:
                self._rows += [key_row(group), *found]
        if not wanted:
            self._rows += [
                key_row(tr("Pointer")),
                *(key_row(meaning, key) for key, meaning in POINTER),
            ]
        return self._rows

    def _shown_rows(self) -> ShownRows:
        """Return the texts of the rows, made anew only if these or the language have changed."""
        rows, language = self.rows(), Catalog.current.language
        last = self._last_shown
        if last is None or last.rows is not rows or last.language != language:
            keys = tuple([translated(row.key) for row in rows])
            labels = tuple([translated(row.text) for row in rows])
            is_lent = any(row.lent_to for row in rows)
            last = self._last_shown = ShownRows(rows, language, keys, labels, is_lent)
        return last

    def _row(self, action: KeyAction) -> KeyRow:
        name = action.name
        lent_to = self._lending.lent_to(name)
        return key_row(action.label, shown(self.keys.chord(name)), name, self._taken(name), lent_to)

    def _taken(self, name: str) -> str:
        other = self.keys.taken_by(name)
        return other.label if other is not None else ""

    def _draw_rows(self, theme: Theme, room: float) -> None:
        """Draw the visible rows of the table.

        Args:
            theme: colours and fonts.
            room: available width of a label in pixels; longer labels are wrapped.
        """
        rows = self.rows()
        if not rows:
            _cell(imgui.text_colored, theme.vector("muted"), tr("No match."))
        labels = self._shown_rows().labels
        if _widest_of(labels, imgui.get_font_size()) > room:
            self._draw_wrapped(theme, _heights_of(labels, room, imgui.get_font_size()))
            return
        clipper = imgui.ListClipper()
        clipper.begin(len(rows), imgui.get_frame_height() - 2 * imgui.get_style().frame_padding.y
                      + 2 * imgui.get_style().cell_padding.y)  # fmt: skip
        while clipper.step():
            for index in range(clipper.display_start, clipper.display_end):
                self._draw_row(theme, rows[index])
        clipper.end()

    def _draw_wrapped(self, theme: Theme, heights: tuple[float, ...]) -> None:
        """Draw the visible rows of a list in which some take several lines."""
        upper, gap = imgui.get_scroll_y(), 2 * imgui.get_style().cell_padding.y
        lower, top = upper + imgui.get_window_height(), 0.0
        for row, height in zip(self.rows(), heights, strict=True):
            bottom = top + height + gap
            if bottom >= upper and top <= lower:
                self._draw_row(theme, row)
            else:
                imgui.table_next_row(0, bottom - top)
            top = bottom

    def _draw_row(self, theme: Theme, row: KeyRow) -> None:
        if not row.key:
            imgui.push_font(theme.bold, 0.0)
            _cell(imgui.text, row.label)
            imgui.pop_font()
            return
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.text_wrapped(row.text)
        imgui.table_next_column()
        if not row.action:
            imgui.text_colored(theme.vector("muted"), row.key)
            return
        is_lent = bool(row.taken_by or row.lent_to)
        if is_lent:
            imgui.push_style_color(imgui.Col_.text, theme.vector("amber"))
        if imgui.small_button(row.button):
            self.waiting, self.message = row.action, ""
        if is_lent:
            imgui.pop_style_color()
            if imgui.is_item_hovered():
                taken = tr("This key now does: {taken_by}").format(taken_by=row.taken_by)
                imgui.set_tooltip(taken if row.taken_by else LENT_TIP.format(row.lent_to))


@functools.lru_cache(maxsize=8)
def _widest_of(texts: tuple[str, ...], size: float) -> float:
    """Return the width of the widest text in pixels; the result is cached.

    Args:
        texts: the texts.
        size: present font size, pixels; it only tells cached results of different sizes apart.
    """
    return max((float(imgui.calc_text_size(text).x) for text in texts), default=0.0)


@functools.lru_cache(maxsize=8)
def _heights_of(texts: tuple[str, ...], room: float, size: float) -> tuple[float, ...]:
    """Return the heights of wrapped texts in pixels; the result is cached.

    Args:
        texts: the texts.
        room: width at which they are wrapped, pixels.
        size: present font size, pixels; it only tells cached results of different sizes apart.
    """
    return tuple(float(imgui.calc_text_size(text, False, room).y) for text in texts)


def _cell(draw: Callable[..., object], *arguments: object) -> None:
    """Begin a table row and draw a text in its first cell.

    Args:
        draw: the ImGui function that draws the text.
        *arguments: its arguments.
    """
    imgui.table_next_row()
    imgui.table_next_column()
    draw(*arguments)
