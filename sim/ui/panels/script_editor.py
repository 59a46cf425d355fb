"""The script editor: tabs with the project's files; scripts are hot-reloaded when saved."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui
from imgui_bundle.imgui_color_text_edit import TextEditor

from base.files import is_in_package
from base.language.wording import tr
from sim.core.editing.external_editor import ExternalEditors
from sim.core.editing.source_file import (
    DiskState,
    SourceFile,
    SourceFileError,
    SyntaxFault,
    fault_of,
    inside,
)
from sim.core.reporting.console import Console
from sim.core.reporting.python_text import called
from sim.ui.theme.text_calls import add_letters, strange_letters
from sim.ui.theme.theme import DARK, LIGHT, Palette, Theme, cut, icons
from sim.ui.widgets.context import PanelUi

CHECK_SECONDS = 0.4  # after the last key
DISK_SECONDS = 0.5
SYNTAX = 1  # kind of squiggle
TIP_LENGTH = 600
ENTER = (imgui.Key.enter, imgui.Key.keypad_enter)
INDENT = "    "  # of a block


class ScriptTab:
    """A tab of the script editor: one file's text, its errors and its state on disk.

    Args:
        file: the file.
        console: the console, which holds the errors that scripts raised.

    Attributes:
        editor: the ImGui text editor.
        disk: how the file on disk differs from the loaded one.
        is_closing: whether the tab asks what to do with unsaved changes.
        message: error message of the last save; empty if there is none.
        fault: the syntax error in the text; None if there is none.
        errors: errors that scripts raised, by line.
        is_unsaved: whether the text has unsaved changes.
    """

    def __init__(self, file: SourceFile, console: Console) -> None:
        self.file = file
        self.console = console
        self.editor = TextEditor()
        self._letters = ""
        self._palette: Palette = DARK
        self.editor.set_palette(TextEditor.get_dark_palette())
        if file.path.suffix == ".py":
            self.editor.set_language(TextEditor.Language.python())
        self.editor.set_tab_size(4)
        self.editor.set_insert_spaces_on_tabs(True)
        self.editor.set_show_whitespaces_enabled(False)
        self.editor.set_complete_paired_glyphs(False)  # typed brackets would stand twice
        self.disk = DiskState.SAME
        self.is_closing = False  # asks what to do with unsaved changes
        self.message = ""
        self.fault: SyntaxFault | None = None
        self.errors: dict[int, str] = {}  # what scripts raised, by line
        self.is_unsaved = False
        self._baseline = ""
        self._undo_index = 0
        self._edited_at: float | None = None
        self._looked_at = 0.0
        self._console_revision = -1
        self._show(file.text)

    def ask_to_close(self) -> None:
        """Show the question what to do with unsaved changes, before the tab is closed."""
        self.is_closing = True

    def use(self, theme: Theme) -> None:
        """Use the colours of a theme in the text editor."""
        if self._palette is not theme.palette:
            self._palette = theme.palette
            is_light = theme.palette is LIGHT
            palettes = (TextEditor.get_dark_palette, TextEditor.get_light_palette)
            self.editor.set_palette(palettes[is_light]())
            self._mark()

    @property
    def name(self) -> str:
        """The file's name."""
        return self.file.path.name

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.file.path

    @property
    def text(self) -> str:
        """The text with unsaved edits."""
        return str(self.editor.get_text())

    @property
    def line(self) -> int:
        """The line of the cursor, from 1."""
        return int(self.editor.get_main_cursor_position().line) + 1

    def go_to(self, line: int) -> None:
        """Move the cursor to a line, counted from 1, and scroll there."""
        number = max(0, min(line, self.editor.get_line_count()) - 1)
        self.editor.set_cursor(TextEditor.DocPos(number, 0))
        self.editor.scroll_to_line(number, TextEditor.Scroll.align_middle)

    def bring_back(self, text: str) -> None:
        """Show a text that was not saved, as an unsaved edit of the file."""
        self.editor.set_text(text)
        self.edited()

    def edited(self) -> None:
        """Update the unsaved state after the text has changed."""
        self._undo_index = self.editor.get_undo_index()
        text = self.text
        self.is_unsaved = text != self._baseline
        self._letters = strange_letters(text)
        self._edited_at = time.monotonic()

    def render(self, size: imgui.ImVec2) -> bool:
        """Draw the editor, and return whether the text has changed."""
        before, count = self.editor.get_main_cursor_position(), self.editor.get_line_count()
        line, index = int(before.line), int(before.index)
        had_selection = self.editor.any_cursor_has_selection()
        is_changed = bool(self.editor.render(f"##{self.file.path}", size))
        if not is_changed or self.editor.get_number_of_cursors() != 1:
            return is_changed
        at = self.editor.get_main_cursor_position()
        if any(map(imgui.is_key_pressed, ENTER)):
            if self.editor.get_line_count() == count + 1 and at.line == line + 1:
                self._indent(line)
        elif imgui.is_key_pressed(imgui.Key.backspace) and not had_selection:
            self._outdent(at if (at.line, at.index) == (line, index - 1) else None)
        return is_changed

    def _outdent(self, at: TextEditor.DocPos | None) -> None:
        """Take the rest of a step of indentation away, of which Backspace took one space.

        Args:
            at: where the cursor is now; None if Backspace did something else.
        """
        rest = 0 if at is None else int(at.index) % len(INDENT)
        if at is None or not rest:
            return
        if not self.editor.get_line_text(at.line)[: at.index].strip(" "):
            start = TextEditor.DocPos(at.line, at.index - rest)
            self.editor.select_region(start, at)
            self.editor.replace_text_in_current_cursor("")

    def _indent(self, line: int) -> None:
        """Indent the line after this one, which Enter has begun, if this one opens a block."""
        at = self.editor.get_main_cursor_position()
        is_empty = not self.editor.get_line_text(at.line)[: at.index].strip()
        is_python = self.file.path.suffix == ".py"
        code = self.editor.get_line_text(line).partition("#")[0].rstrip()
        if is_python and is_empty and code.endswith(":"):
            self.editor.replace_text_in_current_cursor(INDENT)

    def prepare_letters(self) -> None:
        """Make the letters of the text known to ImGui, which draws them."""
        add_letters(self._letters)

    def poll(self, now: float) -> bool:
        """Check for changes of the text, the file on disk and the console.

        Args:
            now: time of `time.monotonic`, seconds.

        Returns:
            Whether the tab must be redrawn.
        """
        if self.editor.get_undo_index() != self._undo_index:
            self.edited()
        is_new = False
        if self._edited_at is not None and now - self._edited_at >= CHECK_SECONDS:
            self._edited_at = None
            is_new = self._check()
        if now - self._looked_at >= DISK_SECONDS:
            self._looked_at = now
            is_new |= self._look_at_disk()
            is_new |= self._collect_errors()
        return is_new

    # -- the disk -----------------------------------------------------------------------------

    def save(self, *, anyway: bool = False) -> bool:
        """Save the text, unless the file on disk has been changed by another program.

        Args:
            anyway: whether to overwrite such a change.

        Returns:
            Whether the text was saved; an error is shown in the tab and the console.
        """
        self._look_at_disk()
        if self.disk is DiskState.CHANGED and not anyway:
            return False
        try:
            self.file.save(self.text)
        except SourceFileError as error:
            self.message = str(error)
            self.console.error(self.message)
            return False
        self._baseline = self.text
        self.is_unsaved = False
        self.disk = DiskState.SAME
        self.message = ""
        self._check()
        self._collect_errors(is_forced=True)
        return True

    def stay_open(self) -> None:
        """Dismiss the question about unsaved changes."""
        self.is_closing = False

    def forget_message(self) -> None:
        """Dismiss the error message."""
        self.message = ""

    def keep_mine(self) -> None:
        """Keep the text of the editor; the next save overwrites the changed file on disk."""
        self.file.keep_mine()
        self.disk = DiskState.SAME
        self.is_unsaved = True

    def take_theirs(self) -> None:
        """Load the changed file from disk and discard the text of the editor."""
        try:
            text = self.file.read()
        except SourceFileError as error:
            self.message = str(error)
            return
        line = self.line
        self._show(text)
        self.go_to(line)

    def _show(self, text: str) -> None:
        self.editor.set_text(text)
        self.editor.set_read_only_enabled(not self.file.is_writable)
        self._baseline = self.text
        self._letters = strange_letters(self._baseline)
        self._undo_index = self.editor.get_undo_index()
        self.is_unsaved = False
        self.disk = DiskState.SAME
        self.message = ""
        self._check()
        self._collect_errors(is_forced=True)

    def _look_at_disk(self) -> bool:
        before = (self.disk, self.editor.is_read_only_enabled())
        self.disk = self.file.disk_state()
        if self.disk is DiskState.CHANGED and not self.is_unsaved:
            self.take_theirs()
            return True
        self.editor.set_read_only_enabled(not self.file.is_writable)
        return before != (self.disk, self.editor.is_read_only_enabled())

    # -- what is wrong ------------------------------------------------------------------------

    def _check(self) -> bool:
        fault = fault_of(self.text, self.name) if self.file.path.suffix == ".py" else None
        if fault == self.fault:
            return False
        self.fault = fault
        self._mark()
        return True

    def _collect_errors(self, *, is_forced: bool = False) -> bool:
        """Collect the errors that this version of the file raised from the console's records.

        Args:
            is_forced: whether to search even if the console has no new records.

        Returns:
            Whether the errors have changed.
        """
        if self._console_revision == self.console.revision and not is_forced:
            return False
        self._console_revision = self.console.revision
        found: dict[int, str] = {}
        begun = max(self.file.changed_at, self._reloaded_at())
        for record in self.console.records:
            if record.level != "error" or not record.file or record.time < begun:
                continue
            if record.file.endswith(self.name) and self._is_mine(record.file):
                found[record.line] = record.details or record.text
        if found == self.errors:
            return False
        self.errors = found
        self._mark()
        return True

    def _reloaded_at(self) -> float:
        """Return the time when the scene last reloaded this file, seconds; 0 if it never did.

        The date of the file is not used. A file restored from a backup may be older than the errors
        of the version that it replaces.
        """
        begins = f"reloaded {self.console.short_path(str(self.file.path))}:"
        times = (item.time for item in self.console.records if item.text.startswith(begins))
        return max(times, default=0.0)

    def _is_mine(self, file: str) -> bool:
        return (self.console.project / file).resolve() == self.file.path

    def _mark(self) -> None:
        """Mark the errors in the text."""
        self.editor.clear_markers()
        self.editor.clear_squiggles()
        lines = int(self.editor.get_line_count())
        for line, text in self.errors.items():
            if 1 <= line <= lines:
                tip = text[:TIP_LENGTH]
                back = _packed(self._palette.red, 0.16)
                self.editor.add_marker(line - 1, _packed(self._palette.red, 0.55), back, tip, tip)
        fault = self.fault
        if fault is None:
            return
        number = min(fault.line, lines) - 1
        self.editor.add_marker(number, _packed(self._palette.amber, 0.5), 0, fault.text, fault.text)
        start = TextEditor.DocPos(number, fault.column - 1)
        end = TextEditor.DocPos(number, fault.end_column - 1)
        self.editor.add_squiggle(start, end, SYNTAX, _packed(self._palette.red), fault.text)


def _packed(color: tuple[float, float, float, float], opacity: float = 1.0) -> int:
    vector = imgui.ImVec4(*color[:3], opacity)
    return int(imgui.color_convert_float4_to_u32(vector))


LOW = 190.0  # unscaled pixels: a panel less high has no line of its own for the message
FOOT_GAP = 4.0  # unscaled pixels above that line


class ScriptEditorPanel:
    """Opens, edits and saves the project's scripts.

    Saving only writes the file. A watcher of the folder then reloads the script in the scene.

    Args:
        project: the folder whose files may be opened.
        console: prints errors, and the Python code that is equivalent to the user's actions.
        on_change: called when the panel must be redrawn.
        editors: the external editors of this machine.
    """

    def __init__(
        self,
        project: Path,
        console: Console,
        on_change: Callable[[], object],
        *,
        editors: ExternalEditors | None = None,
    ) -> None:
        self.project = project
        self.editors = editors or ExternalEditors(console)
        self._console = console
        self._on_change = on_change
        self.tabs: list[ScriptTab] = []
        self.current: ScriptTab | None = None
        self.has_focus = False
        self.on_new: Callable[[], object] = bool
        self._wanted: ScriptTab | None = None  # to be brought to the front

    @property
    def has_unsaved(self) -> bool:
        """Whether any file has unsaved changes."""
        return any(tab.is_unsaved for tab in self.tabs)

    def open(self, path: str | Path, line: int = 0) -> bool:
        """Open a file in a tab, or bring its tab to the front; errors are printed to the console.

        Args:
            path: path of the file, absolute or relative to the project.
            line: line for the cursor, counted from 1; 0 to leave the cursor.

        Returns:
            Whether the file is open.
        """
        try:
            place = inside(Path(path), self.project)
            tab = next((item for item in self.tabs if item.file.path == place), None)
            if tab is None:
                tab = ScriptTab(SourceFile(place, self.project), self._console)
                self.tabs.append(tab)
        except SourceFileError as error:
            self._console.warning(f"script editor: {error}")
            return False
        self.current = self._wanted = tab
        if line:
            tab.go_to(line)
        tab.editor.set_focus()
        self._on_change()
        return True

    def open_outside(self, name: str) -> bool:
        """Open the current file at the cursor's line in an external editor.

        Args:
            name: name of the editor, as on its button.

        Returns:
            Whether the editor was started.

        Raises:
            LookupError: there is no editor of that name, or no file is open.
        """
        found = next((item for item in self.editors.editors if item.name == name), None)
        if found is None or self.current is None:
            names = [item.name for item in self.editors.editors]
            raise LookupError(f"expected an open file and one of {names}, found {name!r}")
        return self.editors.open(found, self.current.file.path, self.current.line)

    def _by_hand(self, method: str, *arguments: object) -> None:
        """Call a method of this panel for a button and print the equivalent Python code.

        Args:
            method: name of the method.
            *arguments: its arguments.
        """
        self._say(called(f"shell.script.{method}", *arguments))
        getattr(self, method)(*arguments)

    def _answer(self, method: str, **options: object) -> None:
        """Call a method of the current tab for a button and print the equivalent Python code.

        Args:
            method: name of the method of `ScriptTab`.
            **options: its arguments by name.
        """
        self._say(called(f"shell.script.current.{method}", **options))
        getattr(self.current, method)(**options)

    def _say(self, line: str) -> None:
        self._console.python(line)

    def save(self) -> bool:
        """Save the file of the current tab; return whether that succeeded."""
        return self.current is not None and self.current.save()

    def save_all(self) -> bool:
        """Save every changed file; return whether all were saved."""
        saved = [tab.save() for tab in self.tabs if tab.is_unsaved]
        return all(saved)

    def close(self, tab: ScriptTab | None = None) -> None:
        """Close a tab; with unsaved changes, the first call shows a question instead.

        A second call closes the tab and discards the changes.

        Args:
            tab: the tab; None for the current one.
        """
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
        """Check the files and editors for changes; for frames in which nothing is drawn."""
        now = time.monotonic()
        changed = [tab.poll(now) for tab in self.tabs]
        if any(changed):
            self._on_change()
        self.editors.poll()

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: PanelUi) -> None:
        """Draw the buttons, the tabs and the current file."""
        theme = ui.theme
        self.poll()
        for item in self.tabs:
            item.use(theme)
        self.has_focus = bool(imgui.is_window_focused(int(imgui.FocusedFlags_.child_windows)))
        if not self.tabs:
            text = tr("No script open. Right-click a component and choose Open script.")
            if theme.next_step(text, (icons.ICON_FA_PLUS + "  " + tr("New script"))):
                self.on_new()
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
        tab.prepare_letters()
        if tab.render(size):
            tab.edited()
        imgui.pop_style_var()
        imgui.pop_font()
        if not is_low:
            self._draw_foot(theme, tab)
        if self.has_focus and imgui.get_io().key_ctrl and imgui.is_key_pressed(imgui.Key.s, False):
            self._by_hand("save")
        if self.has_focus and imgui.get_io().key_ctrl and imgui.is_key_pressed(imgui.Key.w, False):
            self._by_hand("close")

    def _draw_bar(self) -> None:
        tab = self.current
        if tab is None:
            return
        imgui.begin_disabled(not tab.is_unsaved)
        if imgui.small_button(icons.ICON_FA_FLOPPY_DISK + "  " + tr("Save")):
            self._by_hand("save")
        imgui.end_disabled()
        _tip(tr("Save, and reload it in the running scene (Ctrl+S)"))
        imgui.same_line(0, 4)
        if imgui.small_button(icons.ICON_FA_MAGNIFYING_GLASS + "  " + tr("Find")):
            self._say("shell.script.current.editor.open_find_replace_window()")
            tab.editor.open_find_replace_window()
        _tip(tr("Find and replace (Ctrl+F)"))
        for editor in self.editors.editors:
            imgui.same_line(0, 4)
            name = f"{icons.ICON_FA_ARROW_UP_RIGHT_FROM_SQUARE}  {editor.name}"
            if imgui.small_button(name):
                self._by_hand("open_outside", editor.name)
            _tip(tr("Open this line in {name}").format(name=editor.name))

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
                imgui.set_tooltip(self._console.short_path(str(tab.file.path)))
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
        """Make this tab the current one; a change is printed to the console as Python code."""
        if tab is not self.current:
            short = self._console.short_path(str(tab.file.path))
            self._say(called("shell.open_at", short))
        self.current = tab

    def _draw_questions(self, theme: Theme, tab: ScriptTab) -> None:
        if tab.is_closing:
            self._draw_question(
                theme,
                tr("{name} has unsaved changes.").format(name=tab.name),
                (tr("Save"), lambda: self._by_hand("save_and_close")),
                (tr("Discard"), lambda: self._by_hand("close")),
                (tr("Cancel"), lambda: self._answer("stay_open")),
            )
        elif tab.disk is DiskState.CHANGED:
            self._draw_question(
                theme,
                tr("{name} has changed on the disk.").format(name=tab.name),
                (tr("Keep mine"), lambda: self._answer("keep_mine")),
                (tr("Load from disk"), lambda: self._answer("take_theirs")),
            )
        elif tab.disk is DiskState.GONE:
            self._draw_question(
                theme,
                tr("{name} is gone from the disk; saving creates it again.").format(name=tab.name),
                (tr("Save"), lambda: self._answer("save", anyway=True)),
            )
        elif tab.editor.is_read_only_enabled():
            whose = tr(": it belongs to Goishi") if is_in_package(tab.path) else ""
            self._draw_question(
                theme, tr("{name} is read-only{whose}.").format(name=tab.name, whose=whose)
            )
        elif tab.message:
            self._draw_question(theme, tab.message, ("OK", lambda: self._answer("forget_message")))

    def _draw_question(
        self, theme: Theme, text: str, *answers: tuple[str, Callable[[], object]]
    ) -> None:
        right = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
        style = imgui.get_style()
        imgui.align_text_to_frame_padding()
        imgui.push_style_color(imgui.Col_.text, theme.vector("amber"))
        imgui.text_wrapped(icons.ICON_FA_CIRCLE_EXCLAMATION + "  " + text)
        imgui.pop_style_color()
        for label, callback in answers:
            width = imgui.calc_text_size(label).x + 2.0 * style.frame_padding.x
            if imgui.get_item_rect_max().x + style.item_spacing.x + width <= right:
                imgui.same_line()
            if imgui.button(label + "##answer"):
                callback()

    def save_and_close(self) -> None:
        """Save the file of the current tab; close the tab if that succeeded."""
        tab = self.current
        if tab is None:
            return
        tab.is_closing = False
        if tab.save():
            self.close(tab)

    def _draw_foot(self, theme: Theme, tab: ScriptTab) -> None:
        if tab.fault is not None:
            text, color = (
                tr("line {line}: {text}").format(line=tab.fault.line, text=tab.fault.text),
                "red",
            )
        elif tab.errors:
            line, details = next(iter(tab.errors.items()))
            text, color = (
                tr("line {line}: {details}").format(
                    line=line, details=details.partition(chr(10))[0]
                ),
                "red",
            )
        else:
            position = tab.editor.get_main_cursor_position()
            text, color = (
                tr("line {line}, column {index}").format(
                    line=position.line + 1, index=position.index + 1
                ),
                "muted",
            )
        room = imgui.get_content_region_avail().x
        imgui.text_colored(theme.vector(color), cut(text, room))
        if imgui.calc_text_size(text).x > room:
            _tip(text)


def _tip(text: str) -> None:
    if imgui.is_item_hovered():
        imgui.set_tooltip(text)
