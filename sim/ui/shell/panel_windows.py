"""Windows of the panels, the engine's own and those of scripts."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import imgui

from sim.core.host.script_host import ScriptHost
from sim.core.script.panels import Panel, PanelEntry
from sim.ui.theme.theme import icon_of
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.guarded import Guard, balance, restore
from sim.ui.widgets.layout import PASSES_OF_A_TAB, Layout
from sim.ui.widgets.set_aside import OpenAt, draw_set_aside, is_set_aside


class PanelWindows:
    """Draws the open panels, each guarded, so that an error in one leaves the others intact.

    Args:
        is_open: whether the panel with a title is open.
        close: called with the title of a panel that a person closes.

    Attributes:
        panels: the engine's own.
        open_at: opens a file at a line.
    """

    def __init__(
        self,
        host: ScriptHost,
        ui: PanelUi,
        layout: Layout,
        is_open: Callable[[str], bool],
        close: Callable[[str], object],
    ) -> None:
        self.panels: list[Panel] = []
        self.open_at: OpenAt | None = None
        self._host = host
        self._ui = ui
        self._layout = layout
        self._is_open = is_open
        self._close = close
        self._guard = Guard(host.console)
        self._wanted_front = ""
        self._passes_left = 0  # until the tab that was brought to the front is there

    @property
    def is_settling(self) -> bool:
        """Whether a tab is still to come to the front."""
        return self._passes_left > 0

    def bring_front(self, title: str) -> None:
        """Bring the tab of a panel to the front at the next drawing."""
        self._wanted_front, self._passes_left = title, PASSES_OF_A_TAB + 1

    def draw(self) -> None:
        """Draw the windows of all open docked panels."""
        if not self._layout.is_settling:  # its own tabs come first
            self._passes_left = max(0, self._passes_left - 1)
            self._wanted_front = self._wanted_front if self._passes_left else ""
        for panel in self.panels:
            self._draw_window(panel)
        for entry in list(self._host.panels.panels):  # as the engine's own have left them
            if not entry.dock.startswith("overlay"):
                self._draw_window(entry)

    def _draw_window(self, panel: Panel) -> None:
        title, dock, layout = panel.title, panel.dock, self._layout
        if not self._is_open(title):
            return
        layout.place(title, dock)
        if self._wanted_front == title and not layout.is_settling:
            self._wanted_front = ""
            imgui.set_next_window_focus()
        label = self._label(panel)
        has_title = title in label
        is_shown, is_open = imgui.begin(
            f"{label}###{title}", has_title or None, int(imgui.WindowFlags_.no_collapse)
        )
        if not has_title:
            self._ui.tip(title)
        if is_shown:
            self._draw_inside(panel)
        imgui.end()
        if is_open is False:
            self._close(title)

    def _label(self, panel: Panel) -> str:
        """Return a tab's text: icon and title, one of them where the dock is crowded."""
        icon = icon_of(panel.icon)
        full = f"{icon} {panel.title}".strip()
        titles, room, front = self._layout.beside(panel.dock)
        icons = {
            item.title: icon_of(item.icon) for item in (*self.panels, *self._host.panels.panels)
        }
        open_ = [title for title in titles if title in icons and self._is_open(title)]
        if sum(_tab_width(f"{icons[title]} {title}") for title in open_) <= room:
            return full
        if sum(map(_tab_width, open_)) <= room or panel.title == front or not icon:
            return panel.title
        return icon

    def _draw_inside(self, panel: Panel) -> None:
        if isinstance(panel, PanelEntry) and is_set_aside(panel.slot):
            draw_set_aside(self._ui.theme, self._host, panel.slot, self.open_at)
        elif isinstance(panel, PanelEntry):
            state = balance()
            self._host.call(panel.slot, f"panel {panel.title}", panel.draw, self._ui)
            restore(state)
        elif not self._guard.is_broken(panel.title):
            with self._guard.panel(panel.title):
                panel.draw(self._ui)


def _tab_width(text: str) -> float:
    """Return the pixels of a tab with this text, the space to the next included."""
    style = imgui.get_style()
    beside = 2 * style.frame_padding.x + 2 * style.item_inner_spacing.x + imgui.get_font_size()
    return float(imgui.calc_text_size(text).x + beside)
