"""Windows of the panels, the engine's own and those of scripts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from sim.core.script.panels import PanelEntry
from sim.ui.theme.theme import Theme, icon_of
from sim.ui.widgets.guarded import balance, restore

if TYPE_CHECKING:
    from sim.ui.shell.shell import Shell


@dataclass
class EnginePanel:
    """One panel of the engine."""

    title: str
    icon: str
    dock: str
    draw: Callable[[Theme], None]


class PanelWindows:
    """Draws the open panels, each guarded, so that an error in one leaves the others intact."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._wanted_front = ""

    def bring_front(self, title: str) -> None:
        """Bring the tab of a panel to the front at the next drawing."""
        self._wanted_front = title

    def draw(self) -> None:
        """Draw the windows of all open docked panels."""
        shell = self._shell
        for panel in shell.panels:
            draw = functools.partial(self._draw_own, panel)
            self._draw_window(panel.title, panel.icon, panel.dock, draw)
        for entry in list(shell.host.panels.panels):
            if not entry.dock.startswith("overlay"):
                draw = functools.partial(self._draw_entry, entry)
                self._draw_window(entry.title, entry.icon, entry.dock, draw)

    def _draw_window(self, title: str, icon: str, dock: str, draw: Callable[[], object]) -> None:
        shell = self._shell
        if not shell.is_open(title):
            return
        shell.layout.place(title, dock)
        if self._wanted_front == title:
            self._wanted_front = ""
            imgui.set_next_window_focus()
        beside = [name for name, where in shell.layout.places.items() if where == dock]
        is_crowded = not shell.layout.has_icons(dock, sum(map(shell.is_open, beside)))
        label = title if is_crowded else f"{icon_of(icon)} {title}".strip()
        is_shown, is_open = imgui.begin(
            f"{label}###{title}", True, int(imgui.WindowFlags_.no_collapse)
        )
        if is_shown:
            draw()
        imgui.end()
        if not is_open:
            shell.open_by_hand(title, is_open=False)

    def _draw_own(self, panel: EnginePanel) -> None:
        guard = self._shell.guard
        if not guard.is_broken(panel.title):
            with guard.panel(panel.title):
                panel.draw(self._shell.theme)

    def _draw_entry(self, entry: PanelEntry) -> None:
        state = balance()
        self._shell.host.call(entry.slot, f"panel {entry.title}", entry.draw, self._shell.ui)
        restore(state)
