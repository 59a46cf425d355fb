"""Windows of the panels, the engine's own and those of scripts, and the menu that opens them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from imgui_bundle import imgui

from base.language.wording import tr, translated
from base.spelling import nearest_first
from sim.core.input.key_map import KeyMap
from sim.core.project.manifest import Entry
from sim.core.reporting.console import Console
from sim.core.reporting.python_text import called
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene import Scene, SceneObject
from sim.core.script.panels import Dock, Panel, PanelEntry, PanelRegistry
from sim.ui.shell.bars import TITLE as REWIND
from sim.ui.theme.theme import icon_of
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.layout import PASSES_OF_A_TAB, PanelLayout
from sim.ui.widgets.set_aside import (
    OpenAt,
    PanelGuard,
    draw_of_script,
)

NO_COLLAPSE = int(imgui.WindowFlags_.no_collapse)
ANY_POPUP = int(imgui.PopupFlags_.any_popup)


class _Tabs(NamedTuple):
    """How the tabs of a dock are labelled in the available width, and which tab is in front.

    Attributes:
        has_icons: whether the tabs show icons.
        has_titles: whether all tabs show their titles.
        front: title of the panel in front.
    """

    has_icons: bool
    has_titles: bool
    front: str


class PanelWindows:
    """Draws the open panels; an error in one leaves the others intact.

    Args:
        registry: the panels of scripts.
        console: prints failures of panels, and Python code equivalent to the user's actions.
        rewind: recording of the scene's last seconds. While the past is shown, the panels of
            scripts take no input.
        ui: widgets and charts that the panels draw with.
        layout: positions of the panels.
        on_change: called when a panel was opened or closed.
        open_at: opens a file at a line.

    Attributes:
        panels: the engine's own panels.
    """

    def __init__(
        self,
        registry: PanelRegistry,
        console: Console,
        rewind: Rewind,
        ui: PanelUi,
        layout: PanelLayout,
        on_change: Callable[[], object],
        open_at: OpenAt,
    ) -> None:
        self.panels: list[Panel] = []
        self._registry = registry
        self._console = console
        self._rewind = rewind
        self._open_at = open_at
        self._ui = ui
        self._layout = layout
        self._on_change = on_change
        self._open: dict[tuple[str, str], bool] = {}  # by arrangement and title, once touched
        self._guard = PanelGuard(self._console)
        self._wanted_front = ""
        self._passes_left = 0  # until the tab that was brought to the front is there
        self._drawn: list[str] = []  # titles, in the last drawing
        self._has_changed = False  # a dock loses a closed window in the drawing after it
        self._tabs: dict[int, _Tabs] = {}  # of each dock, found once a frame

    def is_open(self, title: str) -> bool:
        """Return whether a panel is open in the present layout."""
        known = self._open.get((self._layout.name, title))
        if known is not None:
            return known
        usual = all(entry.is_open for entry in self._registry.panels if entry.title == title)
        return usual and title not in self._layout.closed

    def open(self, title: str, is_open: bool = True) -> None:
        """Open a panel, or close it with `is_open=False`."""
        self._open[self._layout.name, title] = is_open
        self._on_change()

    def open_by_hand(self, title: str, *, is_open: bool) -> None:
        """Open or close a panel for the user, and print the equivalent Python code.

        Args:
            title: title of the panel.
            is_open: whether to open it.
        """
        options = {} if is_open else {"is_open": False}
        self._console.python(called("shell.open", title, **options))
        self.open(title, is_open)

    def open_unless_closed(self, title: str) -> None:
        """Open a panel, unless a person has closed it."""
        if self._open.setdefault((self._layout.name, title), True):
            self._on_change()

    def open_front(self, title: str) -> None:
        """Open a panel, and bring its tab to the front at the next drawing."""
        self.open(title)
        self._wanted_front, self._passes_left = title, PASSES_OF_A_TAB + 1

    @property
    def is_settling(self) -> bool:
        """Whether another layout is needed: a tab moves to the front, or windows have changed."""
        return self._passes_left > 0 or self._has_changed

    def docked(self) -> list[str]:
        """Return the titles of the panels of scripts that are docked."""
        return [
            entry.title for entry in self._registry.panels if not entry.dock.startswith("overlay")
        ]

    def draw(self) -> None:
        """Draw the windows of all open docked panels."""
        self._tabs = {}
        before, self._drawn = self._drawn, []
        if not self._layout.is_settling:  # its own tabs come first
            self._passes_left = max(0, self._passes_left - 1)
            self._wanted_front = self._wanted_front if self._passes_left else ""
        for panel in self.panels:
            self._draw_window(panel)
        for entry in list(self._registry.panels):  # as the engine's own have left them
            if not entry.dock.startswith("overlay"):
                self._draw_window(entry)
        self._has_changed = self._drawn != before

    def _draw_window(self, panel: Panel) -> None:
        title, dock, layout = panel.title, panel.dock, self._layout
        if not self.is_open(title):
            return
        self._drawn.append(title)
        layout.place(title, dock)
        if self._wanted_front == title and not layout.is_settling:
            self._bring_to_front()
        label = self._label(panel)
        has_title = title in label
        is_shown, is_open = imgui.begin((label + "###" + title), has_title or None, NO_COLLAPSE)
        layout.keep_docked(title)
        if not has_title:
            self._ui.tip(title)
        if is_shown:
            self._draw_inside(panel)
        imgui.end()
        if is_open is False:
            self.open_by_hand(title, is_open=False)

    def _bring_to_front(self) -> None:
        """Bring the window that is drawn next to the front.

        Once more if a new panel, which comes by itself, was first; but then a menu that has been
        opened since stays open.
        """
        is_first = self._passes_left == PASSES_OF_A_TAB
        if is_first or not imgui.is_popup_open("", ANY_POPUP):
            imgui.set_next_window_focus()

    def _label(self, panel: Panel) -> str:
        """Return the text of a panel's tab; a crowded dock shows the icon or the title only."""
        icon = icon_of(panel.icon)
        if panel.title in self._layout.floating:
            return (icon + " " + panel.title).strip()
        number = self._layout.node_for(panel.dock)
        if number not in self._tabs or self._layout.is_settling:
            self._tabs[number] = self._tabs_of(panel.dock)
        tabs = self._tabs[number]
        if tabs.has_icons:
            return (icon + " " + panel.title).strip()
        if tabs.has_titles or panel.title == tabs.front or not icon:
            return panel.title
        return icon

    def _tabs_of(self, dock: Dock) -> _Tabs:
        """Return what fits into the tabs of a dock."""
        titles, room, front = self._layout.beside(dock)
        known: dict[str, str] = {
            item.title: item.icon for item in (*self.panels, *self._registry.panels)
        }
        open_ = [title for title in titles if title in known and self.is_open(title)]
        words = {str(title): translated(title) for title in known}
        named = tuple([(icon_of(known[title]), words[title]) for title in open_])
        full, short = _widths(named, self._ui.theme.scale)
        style = imgui.get_style()
        room -= 2 * (style.frame_padding.x + style.window_border_size)  # beside the tabs
        room += style.item_inner_spacing.x  # behind the last one
        if short > room and front in known:
            front = front if _icons_and(words[front], named, self._ui.theme.scale) <= room else ""
        return _Tabs(full <= room, short <= room, front)

    def _draw_inside(self, panel: Panel) -> None:
        if isinstance(panel, PanelEntry):
            theme, console = self._ui.theme, self._console
            imgui.begin_disabled(self._rewind.is_past)
            draw_of_script(panel, panel.draw, self._ui, theme, console, self._open_at)
            imgui.end_disabled()
        elif not self._guard.is_broken(panel.title):
            with self._guard.panel(panel.title):
                panel.draw(self._ui)


@functools.lru_cache(maxsize=64)
def _widths(named: tuple[tuple[str, str], ...], scale: float) -> tuple[float, float]:
    """Return the total width of tabs with icons and titles, and of tabs with titles only.

    Args:
        named: icon and title of each tab.
        scale: scale of the user interface; it only tells cached results of different scales apart.

    Returns:
        Both widths in pixels.
    """
    with_icons = sum(_tab_width(icon + " " + title) for icon, title in named)
    return with_icons, sum(_tab_width(title) for _, title in named)


@functools.lru_cache(maxsize=64)
def _icons_and(front: str, named: tuple[tuple[str, str], ...], scale: float) -> float:
    """Return the total width of tabs of which the front one shows its title, the others an icon.

    Args:
        front: title of the front tab.
        named: icon and title of each tab.
        scale: scale of the user interface; it only tells cached results of different scales apart.

    Returns:
        The width in pixels.
    """
    cross = imgui.get_font_size() + imgui.get_style().item_inner_spacing.x
    return cross + sum(_tab_width(title if title == front else icon) for icon, title in named)


def _tab_width(text: str) -> float:
    """Return the width of a tab with this text, with the gap to the next tab, in pixels."""
    style = imgui.get_style()
    beside = 2 * style.frame_padding.x + 2 * style.item_inner_spacing.x + imgui.get_font_size()
    return float(imgui.calc_text_size(text).x + beside)


POPUP = "panels"
"""Name of the popup that the toolbar's button for panels opens."""


class ProjectPanels:
    """Opens and closes the panels listed in the project, without a component in the scene file.

    Such a panel is a script that calls `self.panel` in `start`. Opening it spawns an object with
    this script. The object is not saved in the scene's file and is destroyed when the panel closes.

    Args:
        scene: the scene in which the objects are spawned.
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

        Args:
            name: name of the panel, as the project lists it.

        Raises:
            LookupError: the project lists no panel with this name.
        """
        if self.is_open(name):
            return
        entry = next((item for item in self.offered if item.name == name), None)
        if entry is None:
            known = ", ".join(nearest_first((item.name for item in self.offered), name)) or "none"
            raise LookupError(f"expected a panel of the project ({known}), found {name!r}")
        self._opened[name] = self.scene.spawn(f"Panel {name}", components=[(entry.target, {})])

    def close(self, name: str) -> None:
        """Close a panel and destroy its object; does nothing if it is closed."""
        obj = self._opened.pop(name, None)
        if obj is not None and obj.is_alive:
            self.scene.destroy(obj)


@dataclass(eq=False)
class PanelMenu:
    """The menu that opens and closes panels.

    Args:
        windows: the panels that can be shown.
        registry: the panels of scripts.
        of_project: the panels that the project lists.
        open_of_project: opens one of the project's panels by its name.
        rewind: recording of the scene's last seconds; the menu has an entry for its timeline.
        keys: the key map, which runs the command that resets the layout.
        say: called with the Python code that is equivalent to the user's action.
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
        if imgui.menu_item(tr("Reset layout"), "", False)[0]:
            self.keys.run("studio.rebuild")
        imgui.end_popup()

    def _draw_of_project(self) -> None:
        """List the project's panels that are closed; a click opens one and imports its script."""
        panels = self.of_project
        waiting = [entry for entry in panels.offered if not panels.is_open(entry.name)]
        if waiting:
            imgui.separator()
        for entry in waiting:
            if imgui.menu_item(tr("{name} (project)").format(name=entry.name), "", False)[0]:
                self.say(called("shell.open_of_project", entry.name))
                self.open_of_project(entry.name)
            if entry.help and imgui.is_item_hovered():
                imgui.set_tooltip(entry.help)
