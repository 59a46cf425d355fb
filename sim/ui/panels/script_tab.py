"""One open script: its text, its errors, and its state on disk."""

from __future__ import annotations

import time

from imgui_bundle import imgui
from imgui_bundle.imgui_color_text_edit import TextEditor

from sim.core.editing.source_file import DiskState, Fault, SourceFile, SourceFileError, fault_of
from sim.core.reporting.console import Console
from sim.ui.theme.theme import DARK, LIGHT, Palette, Theme

CHECK_SECONDS = 0.4  # after the last key
DISK_SECONDS = 0.5
SYNTAX = 1  # kind of squiggle
TIP_LENGTH = 600


class ScriptTab:
    """A text editor on one file."""

    def __init__(self, file: SourceFile, console: Console) -> None:
        self.file = file
        self.console = console
        self.editor = TextEditor()
        self._palette: Palette = DARK
        self.editor.set_palette(TextEditor.get_dark_palette())
        if file.path.suffix == ".py":
            self.editor.set_language(TextEditor.Language.python())
        self.editor.set_tab_size(4)
        self.editor.set_insert_spaces_on_tabs(True)
        self.editor.set_show_whitespaces_enabled(False)
        self.disk = DiskState.SAME
        self.is_closing = False  # asks what to do with unsaved changes
        self.message = ""
        self.fault: Fault | None = None
        self.errors: dict[int, str] = {}  # what scripts raised, by line
        self.is_unsaved = False
        self._baseline = ""
        self._undo_index = 0
        self._edited_at: float | None = None
        self._looked_at = 0.0
        self._console_revision = -1
        self._show(file.text)

    def ask_to_close(self) -> None:
        """Ask what to do with unsaved changes."""
        self.is_closing = True

    def use(self, theme: Theme) -> None:
        """Set the colours of a theme."""
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
    def text(self) -> str:
        """The text with unsaved edits."""
        return str(self.editor.get_text())

    @property
    def line(self) -> int:
        """The line of the cursor, from 1."""
        return int(self.editor.get_main_cursor_position().line) + 1

    def go_to(self, line: int) -> None:
        """Put the cursor on a line and scroll there."""
        number = max(0, min(line, self.editor.get_line_count()) - 1)
        self.editor.set_cursor(TextEditor.DocPos(number, 0))
        self.editor.scroll_to_line(number, TextEditor.Scroll.align_middle)

    def edited(self) -> None:
        """Handle a change of the text."""
        self._undo_index = self.editor.get_undo_index()
        self.is_unsaved = self.text != self._baseline
        self._edited_at = time.monotonic()

    def poll(self, now: float) -> bool:
        """Check for changes of text, disk and console; return whether a redraw is needed."""
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
        """Save the text; if the disk's version has changed, ask first unless `anyway`."""
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
        """Keep the text here; the next save replaces the disk's version."""
        self.file.keep_mine()
        self.disk = DiskState.SAME
        self.is_unsaved = True

    def take_theirs(self) -> None:
        """Load the disk's version and drop the text here."""
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
        """Take the script errors of this version of the file from the console."""
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
        """Return when the scene took this file over last, seconds; 0 if it did not.

        A file that is put back may be older than the faults of the one that it replaces.
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
