"""The menu of panels: open ones, those of the project, and resetting the layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from sim.core.reporting.python_text import called
from sim.ui.shell.rewind_bar import TITLE as REWIND

if TYPE_CHECKING:
    from sim.ui.shell.shell import Shell

POPUP = "panels"
"""What the bar's button opens."""


def draw_panel_menu(shell: Shell) -> None:
    """Draw the menu if it is open."""
    if not imgui.begin_popup(POPUP):
        return
    panels = (*shell.panels, *shell.host.panels.panels)
    titles = [panel.title for panel in panels]
    if shell.rewind.is_on:
        titles.append(REWIND)
    for title in dict.fromkeys(titles):
        if imgui.menu_item(title, "", shell.is_open(title))[0]:
            shell.open_by_hand(title, is_open=not shell.is_open(title))
    _draw_project_panels(shell)
    imgui.separator()
    if imgui.menu_item("Reset layout", "", False)[0]:
        shell.keys.run("studio.rebuild")
    imgui.end_popup()


def _draw_project_panels(shell: Shell) -> None:
    """Offer the project's panels that are not there yet; opening one imports its script."""
    panels = shell.project_panels
    waiting = [entry for entry in panels.offered if not panels.is_open(entry.name)]
    if waiting:
        imgui.separator()
    for entry in waiting:
        if imgui.menu_item(f"{entry.name} (of the project)", "", False)[0]:
            shell.host.console.python(called("shell.open_of_project", entry.name))
            shell.open_of_project(entry.name)
        if entry.help and imgui.is_item_hovered():
            imgui.set_tooltip(entry.help)
