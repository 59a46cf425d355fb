"""Registry of the panels, commands and status lines that scripts add; it draws nothing itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from base.closed import Closed
from base.values import printable
from sim.core.input.key_map import checked_chord
from sim.core.script.file_question import FileQuestion
from sim.core.script.runtime import Handler
from sim.core.script.ui import Ui

if TYPE_CHECKING:
    from sim.core.reporting.console import ConsoleRecord
    from sim.core.scene.scene import ComponentSlot

Dock = Literal["right", "left", "bottom", "center", "overlay-top", "overlay-bottom", "overlay-left"]
"""Where a panel is placed at first.

"right", "left", "bottom" and "center" dock it to the window. The names with "overlay" let it float
over the scene at that edge.
"""


Drawing = Callable[[Ui], object]


@dataclass
class Panel:
    """A panel of the engine or of a script; `draw(ui)` is called each frame while it is open."""

    title: str
    draw: Callable[..., object]
    dock: Dock = "right"
    order: int = 0
    is_open: bool = True
    icon: str = ""


@dataclass
class PanelEntry(Panel):
    """A panel that a script added.

    Attributes:
        slot: slot of the script's component.
        is_stale: whether the script was reloaded since.
        error: the console's record of the error for which its drawing is set aside; None for none.
    """

    slot: ComponentSlot = field(kw_only=True)
    is_stale: bool = field(default=False, kw_only=True)
    error: ConsoleRecord | None = field(default=None, kw_only=True)

    @property
    def hook(self) -> str:
        """What errors in its drawing call it."""
        return f"panel {self.title}"

    def attempt(self, draw: Callable[..., object], *arguments: object) -> None:
        """Call a drawing of it; after an error it is set aside.

        Args:
            draw: the drawing.
            *arguments: its arguments.
        """
        self.error = self.slot.draw(self.hook, draw, *arguments)


@dataclass
class DialogEntry(PanelEntry):
    """A dialog that a script shows in the middle of the window, over everything else.

    Attributes:
        width: its width in pixels at scale 1.
        draw_answers: draws the buttons below its content, which stay in view.
    """

    width: float = field(default=520.0, kw_only=True)
    draw_answers: Callable[..., object] | None = field(default=None, kw_only=True)

    @property
    def hook(self) -> str:
        """What errors in its drawing call it."""
        return f"dialog {self.title}"


@dataclass
class CommandEntry:
    """A command that a script added: shown as a button and in the help, run by a key."""

    slot: ComponentSlot
    name: str
    label: str
    callback: Callable[[], object]
    icon: str = ""
    key: str = ""
    checked: Callable[[], bool] | None = None
    menu: Drawing | None = None
    """Draws the small menu that the button opens; None for a button that runs the command."""
    error: ConsoleRecord | None = None
    """The console's record of the error for which the menu is set aside; None for none."""

    @property
    def title(self) -> str:
        """What the user calls it."""
        return self.label

    @property
    def hook(self) -> str:
        """What errors in the drawing of its menu call it."""
        return f"menu {self.label}"

    def attempt(self, draw: Callable[..., object], *arguments: object) -> None:
        """Call a drawing of it; after an error it is set aside.

        Args:
            draw: the drawing.
            *arguments: its arguments.
        """
        self.error = self.slot.draw(self.hook, draw, *arguments)

    @property
    def is_checked(self) -> bool:
        """Whether it looks switched on; False after an error."""
        checked, found = self.checked, list[bool]()
        if checked is not None and self.error is None:
            self.attempt(lambda: found.append(bool(checked())))
        return any(found)


class Legend(NamedTuple):
    """Introductory text of a component, shown in the first seconds of its scene.

    Attributes:
        slot: slot of the component.
        title: heading of the text.
        lines: lines of the text.
        choices: (name of a command of the component, label of its button); the welcome card of the
            application's very first start offers these buttons.
    """

    slot: ComponentSlot
    title: str
    lines: tuple[str, ...]
    choices: tuple[tuple[str, str], ...] = ()


class FileOpener(NamedTuple):
    """A component's offer to open files that the user chooses or drops onto the window.

    Attributes:
        slot: slot of the component.
        suffixes: file suffixes in lower case, with the dot, such as ".sgf".
        label: text for the user, such as "Open a game".
        callback: called with the file's path as text.
    """

    slot: ComponentSlot
    suffixes: tuple[str, ...]
    label: str
    callback: Callable[[str], object]

    def takes(self, name: str) -> bool:
        """Return whether a file of this name fits; the suffix decides."""
        return name.lower().endswith(self.suffixes)


def _lost_method(entry: Any) -> str:
    """Return the name of the method by which a component offers something, if it is gone.

    Args:
        entry: a panel, a command or a file opener.

    Returns:
        The name; empty if its methods are there.
    """
    calls = (getattr(entry, name, None) for name in ("draw", "callback", "checked", "menu"))
    lost = (call.__name__ for call in calls if isinstance(call, Handler) and call.is_gone)
    return next(lost, "")


class PanelRegistry(Closed):
    """Panels, commands, legends and file openers of the components in a scene.

    Attributes:
        panels: panels, sorted by `order` and title.
        openers: file openers in order of registration.
        asked_file: what the user is to choose a file for; None if no file is asked for.
        can_ask: whether there is a window in which a user can answer.
        dialog: the dialog of a script that is shown; None if none is.
        commands: commands in order of registration.
        legends: introductory texts, at most one for each component.
        is_presenting: whether presentation mode is on, which hides all panels but those at the
            lower edge of the view.
        revision: increased at every change.
    """

    __slots__ = (
        "_gone", "asked_file", "can_ask", "commands", "dialog", "is_presenting", "legends",
        "openers", "panels", "revision",
    )  # fmt: skip

    def __init__(self) -> None:
        self.panels: list[PanelEntry] = []
        self.openers: list[FileOpener] = []
        self.asked_file: FileOpener | FileQuestion | None = None
        self.can_ask = False
        self.dialog: DialogEntry | None = None
        self.commands: list[CommandEntry] = []
        self.legends: list[Legend] = []
        self.is_presenting = False
        self.revision = 0
        self._gone: list[tuple[str, Any]] = []  # what a reload has removed: kind and entry

    def present(self, is_presenting: bool) -> None:
        """Switch presentation mode, which shows only the view and the panels at its lower edge."""
        if is_presenting != self.is_presenting:
            self.is_presenting = is_presenting
            self.revision += 1

    def renew(self) -> None:
        """Report that panels must be drawn again, although none was added, changed or removed."""
        self.revision += 1

    def presented(self) -> list[PanelEntry]:
        """Return the panels shown in presentation mode: those at the lower edge."""
        return [entry for entry in self.panels if entry.dock == "overlay-bottom"]

    def remove(self, entry: PanelEntry) -> None:
        """Remove a panel; does nothing if it was removed before."""
        self.panels = [panel for panel in self.panels if panel is not entry]
        self.revision += 1

    def register(
        self,
        slot: ComponentSlot,
        title: str,
        draw: Drawing,
        *,
        dock: Dock = "right",
        order: int = 0,
        icon: str = "",
        is_open: bool = True,
    ) -> PanelEntry:
        """Add a panel and return its entry; it is removed with the component.

        Args:
            slot: slot of the component.
            title: heading of the panel.
            draw: called with the `Ui` each frame while the panel is open.
            dock: initial place.
            order: panels are sorted by this number, then by title.
            icon: Font Awesome name, such as "chart-line"; empty for none.
            is_open: whether it is open at first.
        """
        entry = PanelEntry(printable(title), draw, dock, order, is_open, icon, slot=slot)
        self.panels.append(entry)
        self.panels.sort(key=lambda panel: (panel.order, panel.title))
        self.revision += 1
        return entry

    def add_command(
        self,
        slot: ComponentSlot,
        name: str,
        label: str,
        callback: Callable[[], object],
        *,
        icon: str = "",
        key: str = "",
        checked: Callable[[], bool] | None = None,
        menu: Drawing | None = None,
    ) -> CommandEntry:
        """Add a command: a button in the Playback panel, bound to `key`, listed in the help (F1).

        Args:
            slot: slot of the component.
            name: name of the command, unique within the component.
            label: text of the button.
            callback: called without arguments when the command is run.
            icon: Font Awesome name; empty for none.
            key: keyboard key, such as "control+o"; empty for none.
            checked: returns whether the command looks switched on; None if it never does.
            menu: draws the menu that the command opens instead of calling `callback`; None for no
                menu.

        Raises:
            ValueError: there is no such key.
        """
        if key:
            checked_chord(key, f"command({name!r}, …)")
        entry = CommandEntry(slot, name, printable(label), callback, icon, key, checked, menu)
        self.commands.append(entry)
        self.revision += 1
        return entry

    def set_legend(
        self,
        slot: ComponentSlot,
        title: str,
        lines: tuple[str, ...],
        choices: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Set a component's introductory text, shown in the first seconds of the scene.

        Args:
            slot: slot of the component.
            title: heading of the text.
            lines: lines of the text.
            choices: (name of a command, label of its button); see `Legend`.
        """
        self.legends = [entry for entry in self.legends if entry.slot is not slot]
        said = tuple((name, printable(text)) for name, text in choices)
        shown = tuple(map(printable, lines))
        self.legends.append(Legend(slot, printable(title), shown, said))
        self.revision += 1

    def add_opener(
        self,
        slot: ComponentSlot,
        suffixes: tuple[str, ...],
        label: str,
        callback: Callable[[str], object],
    ) -> FileOpener:
        """Register a component as opener of files with these suffixes; return the entry.

        Args:
            slot: slot of the component.
            suffixes: file suffixes with the dot, such as ".sgf".
            label: text for the user, such as "Open a game".
            callback: called with the file's path as text.
        """
        entry = FileOpener(slot, tuple(map(str.lower, suffixes)), printable(label), callback)
        self.openers.append(entry)
        return entry

    def opener_of(self, name: str) -> FileOpener | None:
        """Return the opener for a file name; None if there is none.

        Args:
            name: name or path of a file. If several openers match its suffix, the last one is
                returned.
        """
        found = (item for item in reversed(self.openers) if item.takes(name))
        return next(found, None)

    def ask_file(self, asked: FileOpener | FileQuestion | None) -> None:
        """Show the dialog in which the user chooses a file; None closes it.

        A question that was asked before is answered by no file.

        Args:
            asked: what the file is for.
        """
        before, self.asked_file = self.asked_file, asked
        if isinstance(before, FileQuestion) and before is not asked:
            before.answer.give(None)
        self.revision += 1

    def show_dialog(self, dialog: DialogEntry | None) -> None:
        """Show a dialog in place of the one that is shown; None closes it."""
        self.dialog = dialog
        self.revision += 1

    def prune(self, slot: ComponentSlot) -> list[str]:
        """Remove what a component offers by methods that its class no longer has after a reload.

        What was removed comes back when a later reload brings its method back.

        Args:
            slot: slot of the component.

        Returns:
            A text for each panel, command and opener that was removed.
        """
        told: list[str] = []
        for entry in self.panels:
            entry.is_stale = entry.is_stale or entry.slot is slot
        for kind, entries in self._offered().items():
            everything = [*entries, *(entry for name, entry in self._gone if name == kind)]
            gone = [entry for entry in everything if entry.slot is slot and _lost_method(entry)]
            told += [
                f"{kind} {getattr(entry, 'title', '') or getattr(entry, 'label', '')} is removed: "
                f"its method {_lost_method(entry)} is gone"
                for entry in gone
                if entry in entries
            ]
            entries[:] = [entry for entry in everything if entry not in gone]
            self._gone = [pair for pair in self._gone if pair[0] != kind]
            self._gone += [(kind, entry) for entry in gone]
        self.panels.sort(key=lambda panel: (panel.order, panel.title))
        self.revision += 1
        return told

    def drop_failed(self, slot: ComponentSlot, hook: str) -> None:
        """Remove a panel whose drawing has failed, if its function is older than the last reload.

        Otherwise it would fail again after every later reload, and stop its component each time.

        Args:
            slot: slot of the component.
            hook: what has failed, as errors call it.
        """
        for entry in [entry for entry in self.panels if entry.slot is slot and entry.is_stale]:
            if entry.hook == hook and not isinstance(entry.draw, Handler):
                self.remove(entry)

    def retry_drawings(self, slot: ComponentSlot | None = None) -> None:
        """Draw panels and menus again that were set aside because their drawing failed.

        Args:
            slot: slot of the component whose panels are meant; None for those of all.
        """
        entries: list[PanelEntry | CommandEntry] = [*self.panels, *self.commands]
        failed = [item for item in entries if item.error is not None and slot in (None, item.slot)]
        for item in failed:
            item.error = None
        self.revision += bool(failed)

    def _offered(self) -> dict[str, list[Any]]:
        return {"panel": self.panels, "command": self.commands, "opener": self.openers}

    def unregister(self, slot: ComponentSlot) -> None:
        """Remove all panels, commands, legends and openers of a component."""
        self._gone = [pair for pair in self._gone if pair[1].slot is not slot]
        self.openers = [entry for entry in self.openers if entry.slot is not slot]
        if self.asked_file is not None and self.asked_file.slot is slot:
            self.ask_file(None)
        if self.dialog is not None and self.dialog.slot is slot:
            self.dialog = None
        self.panels = [entry for entry in self.panels if entry.slot is not slot]
        self.commands = [entry for entry in self.commands if entry.slot is not slot]
        self.legends = [entry for entry in self.legends if entry.slot is not slot]
        self.revision += 1


@dataclass
class StatusLine:
    """One line of the status bar.

    Attributes:
        key: name of the line.
        text: its text.
        busy: whether the status bar counts the seconds since `since`.
        since: when the text was set, seconds of `time.monotonic()`.
    """

    key: str
    text: str
    busy: bool
    since: float

    @property
    def seconds(self) -> float:
        """Seconds since the text was set."""
        return time.monotonic() - self.since


class StatusBoard(Closed):
    """Lines of the status bar, by key."""

    __slots__ = ("lines", "revision")

    def __init__(self) -> None:
        self.lines: dict[str, StatusLine] = {}
        self.revision = 0

    def set(self, key: str, text: str, *, busy: bool = False) -> None:
        """Show a line in the status bar, replacing the line with the same key.

        Args:
            key: name of the line.
            text: text of the line.
            busy: whether the status bar also counts the seconds from now on.
        """
        text = printable(text)
        line = self.lines.get(key)
        if line is not None and line.text == text and line.busy == busy:
            return
        self.lines[key] = StatusLine(key, text, busy, time.monotonic())
        self.revision += 1

    def clear(self, key: str) -> None:
        """Remove the line `key`; does nothing if there is none."""
        if self.lines.pop(key, None) is not None:
            self.revision += 1

    def is_busy(self, key: str) -> bool:
        """Return whether the line `key` exists and is busy."""
        line = self.lines.get(key)
        return line is not None and line.busy
