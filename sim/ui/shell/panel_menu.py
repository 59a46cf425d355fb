"""The menu of panels: open ones, those of the project, and resetting the layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from imgui_bundle import imgui

from sim.core.input.key_map import KeyMap
from sim.core.project.manifest import Entry
from sim.core.reporting.python_text import called
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene import Scene, SceneObject
from sim.core.script.panels import PanelRegistry
from sim.ui.shell.panel_windows import PanelWindows
from sim.ui.shell.rewind_bar import TITLE as REWIND

POPUP = "panels"
"""What the bar's button opens."""


class ProjectPanels:
    """Opens and closes the panels that the scene's project offers, without an object in the scene.

    A panel is a script that calls `self.panel` in `start`. Opening one makes an object that carries
    it, as a script's `spawn` would: it is no part of the scene's file and goes when the panel is
    closed.

    Args:
        scene: receives the objects that carry them.
        offered: the panels that can be opened.
    """

    def __init__(self, scene: Scene, offered: tuple[Entry, ...]) -> None:
        self.scene = scene
        self.offered = offered
        self._opened: dict[str, SceneObject] = {}

    def is_open(self, name: str) -> bool:
        """Return whether the panel of this name is open."""
        return name in self._opened and self._opened[name].is_alive

    def open(self, name: str) -> None:
        """Open a panel, importing its script; does nothing if it is open.

        Raises:
            LookupError: the project offers none of this name.
        """
        if self.is_open(name):
            return
        entry = next((item for item in self.offered if item.name == name), None)
        if entry is None:
            known = ", ".join(item.name for item in self.offered) or "none"
            raise LookupError(f"expected a panel of the project ({known}), found {name!r}")
        self._opened[name] = self.scene.spawn(f"Panel {name}", components=[(entry.target, {})])

    def close(self, name: str) -> None:
        """Close a panel and destroy its object; does nothing if it is closed."""
        obj = self._opened.pop(name, None)
        if obj is not None and obj.is_alive:
            self.scene.destroy(obj)


@dataclass(eq=False)
class PanelMenu:
    """Opens and closes panels.

    Args:
        windows: the panels that there are.
        registry: those of scripts.
        of_project: those that the project offers.
        open_of_project: opens one of them, by name.
        rewind: whether there is a timeline.
        keys: the key map, which knows how the layout is reset.
        say: writes a line of Python that does the same into the console.
    """

    windows: PanelWindows
    registry: PanelRegistry
    of_project: ProjectPanels
    open_of_project: Callable[[str], object]
    rewind: Rewind
    keys: KeyMap
    say: Callable[[str], object]

    def draw(self) -> None:
        """Draw the menu if it is open."""
        if not imgui.begin_popup(POPUP):
            return
        windows = self.windows
        titles = [panel.title for panel in (*windows.panels, *self.registry.panels)]
        if self.rewind.is_on:
            titles.append(REWIND)
        for title in dict.fromkeys(titles):
            if imgui.menu_item(title, "", windows.is_open(title))[0]:
                windows.open_by_hand(title, is_open=not windows.is_open(title))
        self._draw_of_project()
        imgui.separator()
        if imgui.menu_item("Reset layout", "", False)[0]:
            self.keys.run("studio.rebuild")
        imgui.end_popup()

    def _draw_of_project(self) -> None:
        """Offer the project's panels that are not there yet; opening one imports its script."""
        panels = self.of_project
        waiting = [entry for entry in panels.offered if not panels.is_open(entry.name)]
        if waiting:
            imgui.separator()
        for entry in waiting:
            if imgui.menu_item(f"{entry.name} (of the project)", "", False)[0]:
                self.say(called("shell.open_of_project", entry.name))
                self.open_of_project(entry.name)
            if entry.help and imgui.is_item_hovered():
                imgui.set_tooltip(entry.help)
