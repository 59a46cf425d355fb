"""The script editor: tabs of the project's files, hot-reloaded when saved."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui

from sim.core.editing.external_editor import ExternalEditors
from sim.core.editing.source_file import DiskState, SourceFile, SourceFileError, inside
from sim.core.host.script_host import ScriptHost
from sim.core.reporting.python_text import called
from sim.ui.panels.script_tab import ScriptTab
from sim.ui.theme.texts import cut
from sim.ui.theme.theme import Theme, icons
from sim.ui.widgets.context import PanelUi

LOW = 190.0  # unscaled pixels: a panel less high has no line of its own for the message
FOOT_GAP = 4.0  # unscaled pixels above that line


class ScriptEditorPanel:
    """Opens, edits and saves the project's scripts.

    Saving writes the file; the reloader, which watches the folder, does the rest.

    Args:
        host: the script host, for the project's folder and the console.
        editors: the external editors of this machine.
    """

    def __init__(self, host: ScriptHost, *, editors: ExternalEditors | None = None) -> None:
        self.host = host
        self.editors = editors or ExternalEditors(host.console)
        self.tabs: list[ScriptTab] = []
        self.current: ScriptTab | None = None
        self.has_focus = False
        self._wanted: ScriptTab | None = None  # to be brought to the front

    @property
    def project(self) -> Path:
        """The folder whose files may be opened."""
        return self.host.loader.project.root

    @property
    def has_unsaved(self) -> bool:
        """Whether any file has unsaved changes."""
        return any(tab.is_unsaved for tab in self.tabs)

    def open(self, path: str | Path, line: int = 0) -> bool:
        """Open a file at a line, or bring it to the front; errors are console lines."""
        try:
            place = inside(Path(path), self.project)
            tab = next((item for item in self.tabs if item.file.path == place), None)
            if tab is None:
                tab = ScriptTab(SourceFile(place, self.project), self.host.console)
                self.tabs.append(tab)
        except SourceFileError as error:
            self.host.console.warning(f"script editor: {error}")
            return False
        self.current = self._wanted = tab
        if line:
            tab.go_to(line)
        tab.editor.set_focus()
        self._is_seen_anew()
        return True

    def open_outside(self, name: str) -> bool:
        """Open the cursor's line in an external editor, by the name on its button.

        Raises:
            LookupError: there is no editor of that name, or no file is open.
        """
        found = next((item for item in self.editors.editors if item.name == name), None)
        if found is None or self.current is None:
            names = [item.name for item in self.editors.editors]
            raise LookupError(f"expected an open file and one of {names}, found {name!r}")
        return self.editors.open(found, self.current.file.path, self.current.line)

    def _by_hand(self, method: str, *arguments: object) -> None:
        """Call a method of this panel as a button does."""
        self._say(called(f"shell.script.{method}", *arguments))
        getattr(self, method)(*arguments)

    def _answer(self, method: str, **options: object) -> None:
        """Call a method of the open file as an answer does."""
        self._say(called(f"shell.script.current.{method}", **options))
        getattr(self.current, method)(**options)

    def _say(self, line: str) -> None:
        self.host.console.python(line)

    def save(self) -> bool:
        """Save the front file; return whether that succeeded."""
        return self.current is not None and self.current.save()

    def save_all(self) -> bool:
        """Save every changed file; return whether all were saved."""
        saved = [tab.save() for tab in self.tabs if tab.is_unsaved]
        return all(saved)

    def close(self, tab: ScriptTab | None = None) -> None:
        """Close a file (None: the front one), after asking about unsaved changes."""
        tab = tab or self.current
        if tab is None:
            return
        if tab.is_unsaved and not tab.is_closing:
            tab.ask_to_close()
            self.current = self._wanted = tab
            return
        place = self.tabs.index(tab)
        self.tabs.remove(tab)
        self.current = self.tabs[min(place, len(self.tabs) - 1)] if self.tabs else None

    def poll(self) -> None:
        """Check for changes, in a frame in which nothing may be drawn."""
        now = time.monotonic()
        changed = [tab.poll(now) for tab in self.tabs]
        if any(changed):
            self._is_seen_anew()
        self.editors.poll()

    def _is_seen_anew(self) -> None:
        self.host.panels.revision += 1  # the shell lays its panels out again

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: PanelUi) -> None:
        """Draw the tabs and the front file."""
        theme = ui.theme
        self.poll()
        for item in self.tabs:
            item.use(theme)
        self.has_focus = bool(imgui.is_window_focused(int(imgui.FocusedFlags_.child_windows)))
        if not self.tabs:
            imgui.text_colored(
                theme.vector("muted"),
                "No script open. Right-click a component and choose Open script.",
            )
            return
        is_low = imgui.get_content_region_avail().y < theme.px(LOW)
        self._draw_bar()
        if is_low and self.current is not None:  # the editor has the line at the lower edge, too
            imgui.same_line(0, theme.px(12))
            self._draw_foot(theme, self.current)
        self._draw_tabs()
        tab = self.current
        if tab is None:
            return
        self._draw_questions(theme, tab)
        below = 0.0 if is_low else imgui.get_text_line_height_with_spacing() + theme.px(FOOT_GAP)
        imgui.push_font(theme.mono, 0.0)
        size = imgui.ImVec2(0, -below)
        imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(7, 3))
        if tab.editor.render(f"##{tab.file.path}", size):
            tab.edited()
        imgui.pop_style_var()
        imgui.pop_font()
        if not is_low:
            self._draw_foot(theme, tab)
        if self.has_focus and imgui.get_io().key_ctrl and imgui.is_key_pressed(imgui.Key.s, False):
            self._by_hand("save")

    def _draw_bar(self) -> None:
        tab = self.current
        if tab is None:
            return
        imgui.begin_disabled(not tab.is_unsaved)
        if imgui.small_button(f"{icons.ICON_FA_FLOPPY_DISK}  Save"):
            self._by_hand("save")
        imgui.end_disabled()
        _tip("Save; the running scene takes the script over (Ctrl+S)")
        imgui.same_line(0, 4)
        if imgui.small_button(f"{icons.ICON_FA_MAGNIFYING_GLASS}  Find"):
            self._say("shell.script.current.editor.open_find_replace_window()")
            tab.editor.open_find_replace_window()
        _tip("Find and replace (Ctrl+F)")
        for editor in self.editors.editors:
            imgui.same_line(0, 4)
            name = f"{icons.ICON_FA_ARROW_UP_RIGHT_FROM_SQUARE}  {editor.name}"
            if imgui.small_button(name):
                self._by_hand("open_outside", editor.name)
            _tip(f"Open this line in {editor.name}")

    def _draw_tabs(self) -> None:
        kinds = imgui.TabBarFlags_
        flags = kinds.reorderable | kinds.fitting_policy_scroll | kinds.auto_select_new_tabs
        if not imgui.begin_tab_bar("scripts", int(flags)):
            return
        closed: list[ScriptTab] = []
        wanted, self._wanted = self._wanted, None
        for tab in self.tabs:
            marks = imgui.TabItemFlags_.unsaved_document if tab.is_unsaved else 0
            if tab is wanted:
                marks |= imgui.TabItemFlags_.set_selected
            is_shown, is_open = imgui.begin_tab_item(f"{tab.name}###{tab.file.path}", True, marks)
            if imgui.is_item_hovered():  # a path costs too much for each frame
                imgui.set_tooltip(self.host.console.short_path(str(tab.file.path)))
            if is_shown:
                if wanted is None or tab is wanted:
                    self._show(tab)
                imgui.end_tab_item()
            if not is_open:
                closed.append(tab)
        imgui.end_tab_bar()
        for tab in closed:
            self._show(tab)
            self._by_hand("close")

    def _show(self, tab: ScriptTab) -> None:
        """Set the front tab as the current one."""
        if tab is not self.current:
            short = self.host.console.short_path(str(tab.file.path))
            self._say(called("shell.open_at", short))
        self.current = tab

    def _draw_questions(self, theme: Theme, tab: ScriptTab) -> None:
        if tab.is_closing:
            self._draw_question(
                theme,
                f"{tab.name} has unsaved changes.",
                ("Save", lambda: self._by_hand("save_and_close")),
                ("Discard", lambda: self._by_hand("close")),
                ("Cancel", lambda: self._answer("stay_open")),
            )
        elif tab.disk is DiskState.CHANGED:
            self._draw_question(
                theme,
                f"{tab.name} has changed on the disk.",
                ("Keep mine", lambda: self._answer("keep_mine")),
                ("Take theirs", lambda: self._answer("take_theirs")),
            )
        elif tab.disk is DiskState.GONE:
            self._draw_question(
                theme,
                f"{tab.name} is gone from the disk; saving creates it again.",
                ("Save", lambda: self._answer("save", anyway=True)),
            )
        elif tab.editor.is_read_only_enabled():
            self._draw_question(theme, f"{tab.name} is read-only.")
        elif tab.message:
            self._draw_question(theme, tab.message, ("OK", lambda: self._answer("forget_message")))

    def _draw_question(
        self, theme: Theme, text: str, *answers: tuple[str, Callable[[], object]]
    ) -> None:
        right = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
        style = imgui.get_style()
        imgui.align_text_to_frame_padding()
        imgui.push_style_color(imgui.Col_.text, theme.vector("amber"))
        imgui.text_wrapped(f"{icons.ICON_FA_CIRCLE_EXCLAMATION}  {text}")
        imgui.pop_style_color()
        for label, callback in answers:
            width = imgui.calc_text_size(label).x + 2.0 * style.frame_padding.x
            if imgui.get_item_rect_max().x + style.item_spacing.x + width <= right:
                imgui.same_line()
            if imgui.button(f"{label}##answer"):
                callback()

    def save_and_close(self) -> None:
        """Save the front file and close it if that succeeded."""
        tab = self.current
        if tab is None:
            return
        tab.is_closing = False
        if tab.save():
            self.close(tab)

    def _draw_foot(self, theme: Theme, tab: ScriptTab) -> None:
        if tab.fault is not None:
            text, color = f"line {tab.fault.line}: {tab.fault.text}", "red"
        elif tab.errors:
            line, details = next(iter(tab.errors.items()))
            text, color = f"line {line}: {details.partition(chr(10))[0]}", "red"
        else:
            position = tab.editor.get_main_cursor_position()
            text, color = f"line {position.line + 1}, column {position.index + 1}", "muted"
        room = imgui.get_content_region_avail().x
        imgui.text_colored(theme.vector(color), cut(text, room))
        if imgui.calc_text_size(text).x > room:
            _tip(text)


def _tip(text: str) -> None:
    if imgui.is_item_hovered():
        imgui.set_tooltip(text)
