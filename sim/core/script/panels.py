"""Registry of panels, commands and status lines that scripts add. Draws nothing itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from base.values import printable
from sim.core.script.ui import Ui

if TYPE_CHECKING:
    from sim.core.scene.scene import ComponentSlot

Dock = Literal["right", "left", "bottom", "center", "overlay-top", "overlay-bottom", "overlay-left"]
"""Where a panel stands at first: docked beside, below or over the scene, or floating on it."""


Drawing = Callable[[Ui], object]


@dataclass
class Panel:
    """A panel, the engine's own or a script's: `draw(ui)` is called while it is open."""

    title: str
    draw: Callable[..., object]
    dock: Dock = "right"
    order: int = 0
    is_open: bool = True
    icon: str = ""


@dataclass
class PanelEntry(Panel):
    """One panel of a script."""

    slot: ComponentSlot = field(kw_only=True)


@dataclass
class CommandEntry:
    """One command of a script: a button, a line in the help, a key."""

    slot: ComponentSlot
    name: str
    label: str
    callback: Callable[[], object]
    icon: str = ""
    key: str = ""
    checked: Callable[[], bool] | None = None


class Legend(NamedTuple):
    """What a component says of its scene in the first seconds.

    Attributes:
        choices: (name of a command of the component, label of its button) that the card of the
            very first start offers.
    """

    slot: ComponentSlot
    title: str
    lines: tuple[str, ...]
    choices: tuple[tuple[str, str], ...] = ()


class FileOpener(NamedTuple):
    """What a component does with files that the user opens or drops onto the window.

    Attributes:
        suffixes: of the files, in lower case, with the point.
        label: for people: "Open a game".
        callback: called with the path as text.
    """

    slot: ComponentSlot
    suffixes: tuple[str, ...]
    label: str
    callback: Callable[[str], object]


class PanelRegistry:
    """Panels, commands and legends registered by live components.

    Attributes:
        is_presenting: presentation mode: the world without panels.
    """

    def __init__(self) -> None:
        self.panels: list[PanelEntry] = []
        self.openers: list[FileOpener] = []
        self.asked_file: FileOpener | None = None
        self.commands: list[CommandEntry] = []
        self.legends: list[Legend] = []
        self.is_presenting = False
        self.revision = 0

    def present(self, is_presenting: bool) -> None:
        """Switch presentation mode: only the world, and the panels at its lower edge."""
        if is_presenting != self.is_presenting:
            self.is_presenting = is_presenting
            self.revision += 1

    def renew(self) -> None:
        """Let the panels be drawn again, although none has changed."""
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
        """Add a panel; it is removed with the component."""
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
    ) -> CommandEntry:
        """Add a command: a button in Playback, bound to `key`, listed on F1."""
        entry = CommandEntry(slot, name, printable(label), callback, icon, key, checked)
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
        """Set a component's text in the legend of the first seconds; see `Legend`."""
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
        """Let a component open files with these suffixes; see `FileOpener`."""
        entry = FileOpener(slot, tuple(map(str.lower, suffixes)), printable(label), callback)
        self.openers.append(entry)
        return entry

    def opener_of(self, name: str) -> FileOpener | None:
        """Return who opens a file of this name: who said so last; None for nobody."""
        found = (item for item in reversed(self.openers) if name.lower().endswith(item.suffixes))
        return next(found, None)

    def ask_file(self, opener: FileOpener | None) -> None:
        """Ask the user for a file for an opener; None ends the question."""
        self.asked_file = opener
        self.revision += 1

    def unregister(self, slot: ComponentSlot) -> None:
        """Remove all panels, commands, legends and openers of a component."""
        self.openers = [entry for entry in self.openers if entry.slot is not slot]
        if self.asked_file is not None and self.asked_file.slot is slot:
            self.asked_file = None
        self.panels = [entry for entry in self.panels if entry.slot is not slot]
        self.commands = [entry for entry in self.commands if entry.slot is not slot]
        self.legends = [entry for entry in self.legends if entry.slot is not slot]
        self.revision += 1


@dataclass
class StatusLine:
    """One line of the status bar; `since` is when its text was set (monotonic seconds)."""

    key: str
    text: str
    busy: bool
    since: float

    @property
    def seconds(self) -> float:
        """Seconds since the text was set."""
        return time.monotonic() - self.since


class StatusBoard:
    """Lines of the status bar, by key."""

    def __init__(self) -> None:
        self.lines: dict[str, StatusLine] = {}
        self.revision = 0

    def set(self, key: str, text: str, *, busy: bool = False) -> None:
        """Show `text` under `key`; `busy` makes the status bar count its seconds."""
        text = printable(text)
        line = self.lines.get(key)
        if line is not None and line.text == text and line.busy == busy:
            return
        self.lines[key] = StatusLine(key, text, busy, time.monotonic())
        self.revision += 1

    def clear(self, key: str) -> None:
        """Remove the line `key`."""
        if self.lines.pop(key, None) is not None:
            self.revision += 1

    def is_busy(self, key: str) -> bool:
        """Return whether the line `key` exists and is busy."""
        line = self.lines.get(key)
        return line is not None and line.busy
