"""Where the keyboard is: keys lead it from part to part of the window, and a ring shows where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import KeyAction
from sim.ui.shell.key_owner import KeyOwner
from sim.ui.theme.theme import Theme
from sim.ui.theme.vectors import items_of
from sim.ui.widgets.layout import Area
from sim.ui.widgets.overlays import CARD_NAME, close_popup

VIEW: Final = ""
"""The name of the 3D view among the parts."""
TOOLBAR, STATUS = "Playback", "Status"
HELD: Final = frozenset(
    {"arrow_left", "arrow_right", "arrow_up", "arrow_down", "space", "enter", "num_enter", "tab",
     "home", "end", "page_up", "page_down", "menu", "f10"}
)  # fmt: skip
"""Keys that move and press inside of the part that the keyboard is in."""
CHORDS: Final = frozenset({"control", "alt", "meta"})
NO_STOP: Final = int(
    imgui.WindowFlags_.no_nav_inputs
    | imgui.WindowFlags_.no_nav_focus
    | imgui.WindowFlags_.popup
    | imgui.WindowFlags_.tooltip
    | imgui.WindowFlags_.modal
)
RESTORE: Final = int(imgui.internal.FocusRequestFlags_.restore_focused_child)
ANY_POPUP: Final = int(imgui.PopupFlags_.any_popup)
RING = 3.0  # unscaled pixels
MAIN_LAYER: Final = 1  # the bit of a window's widgets, apart from its title and menus


class KeyboardFocus:
    """Leads the keyboard through the parts of the window: toolbar, view, panels, status bar.

    Dear ImGui moves inside of a part, and draws a ring around the widget that the keyboard is at.

    Args:
        owner: is told whether the view or a panel has the keys.

    Attributes:
        is_in_view: whether keys have led to the view, which a ring then shows.
    """

    def __init__(self, owner: KeyOwner) -> None:
        self._owner = owner
        self.is_in_view = False
        self._part = VIEW
        self._is_by_key = False  # what the user pressed last, a key or the mouse
        self._had_popup = False
        self._was_settling = False
        self._opened = VIEW  # a part that a key has opened, to which Tab leads
        self._is_lost = False  # the widget that the keyboard was at is gone, and a key was pressed
        self._is_due = False  # the part is chosen, and ImGui does not know it yet

    @property
    def is_in_panel(self) -> bool:
        """Whether the keyboard is at a widget or panel, and a ring shows it."""
        if self._is_due:
            return True
        context = imgui.get_current_context()
        return bool(context.nav_cursor_visible and imgui.get_io().nav_active)

    def note(self, event: InputEvent) -> None:
        """Note whether the user works with keys or with the mouse."""
        if event.kind == "key_down":
            self._is_by_key = True
        elif event.kind == "button_down":
            self._is_by_key = self.is_in_view = self._is_due = False
            imgui.get_current_context().nav_cursor_visible = False

    def takes(self, event: InputEvent) -> bool:
        """Return whether a pressed key moves or presses inside of the part it is in."""
        is_plain = not event.modifiers & CHORDS
        is_taken = is_plain and event.key.lower() in HELD and self.is_in_panel
        context = imgui.get_current_context()
        if is_taken and not self._is_due and not context.nav_id_is_alive:
            self._is_lost = True
        return is_taken

    def begins(self) -> bool:
        """Return whether Tab leads from the view into the window: the keyboard is in no panel."""
        is_away = not self.is_in_panel and self._owner.focus != "panel"
        return is_away and not imgui.is_popup_open("", ANY_POPUP)

    def actions(self) -> list[tuple[KeyAction, Callable[[], object]]]:
        """Return the actions that lead the keyboard, with their functions."""
        found: tuple[tuple[str, str, str, Callable[[], object]], ...] = (
            ("next_part", tr("Keyboard: next part of the window"), "control+tab", self.step),
            ("previous_part", tr("Keyboard: previous part"), "control+shift+tab",
             lambda: self.step(-1)),
            ("next_tab", tr("Keyboard: next tab"), "control+page_down", self.step_tab),
            ("previous_tab", tr("Keyboard: previous tab"), "control+page_up",
             lambda: self.step_tab(-1)),
        )  # fmt: skip
        return [
            (KeyAction(f"studio.{name}", label, chord, tr("Window")), run)
            for name, label, chord, run in found
        ]

    # -- moving -------------------------------------------------------------------------------

    def step(self, steps: int = 1) -> None:
        """Lead the keyboard to the next part of the window, or an earlier one.

        While a dialog is open, it stays there. Open menus are closed.

        Args:
            steps: number of parts; negative for earlier ones.
        """
        if imgui.internal.get_top_most_popup_modal() is not None:
            return
        while close_popup():
            continue
        parts = self._parts()
        if self._opened != VIEW and self._opened in parts and not self.is_in_panel:
            self._go(self._opened)
            return
        at = self._part if self.is_in_panel and self._part in parts else VIEW
        self._go(parts[(parts.index(at) + steps) % len(parts)])

    def step_tab(self, steps: int = 1) -> None:
        """Show the next tab of the dock that the keyboard is in, or an earlier one.

        Args:
            steps: number of tabs; negative for earlier ones.
        """
        known = self._windows()
        window = known.get(self._part)
        if not self.is_in_panel or window is None or window.dock_node is None:
            return
        node = window.dock_node.id_
        beside = [name for name, item in known.items() if item.dock_node is not None]
        beside = [name for name in beside if known[name].dock_node.id_ == node]
        beside.sort(key=lambda name: known[name].dock_order)
        self._go(beside[(beside.index(self._part) + steps) % len(beside)])

    def to_view(self) -> None:
        """Lead the keyboard to the view; the scene has its keys then."""
        imgui.set_window_focus(None)
        imgui.get_current_context().nav_cursor_visible = False
        self._part, self.is_in_view, self._is_due = VIEW, True, False
        self._owner.click("view")

    def _go(self, part: str) -> None:
        if part == VIEW:
            self.to_view()
            return
        self._part, self.is_in_view, self._is_due = part, False, True
        self._owner.click("panel")
        imgui.get_current_context().nav_cursor_visible = True

    def _parts(self) -> list[str]:
        """Return the names of the parts in order; the view is always among them."""
        known = self._windows()
        seen = [name for name, item in known.items() if _is_stop(item)]
        return sorted([VIEW, *seen], key=lambda name: _rank(name, known.get(name)))

    def _windows(self) -> dict[str, imgui.internal.Window]:
        """Return the windows that were drawn last, by their untranslated names."""
        windows = items_of(imgui.get_current_context().windows)
        found = {_name_of(item): item for item in windows if item.was_active}
        return {name: item for name, item in found.items() if not item.flags & NO_STOP}

    # -- each drawing -------------------------------------------------------------------------

    def arrive(self) -> None:
        """Give the keyboard to the part that keys have led to; called before a drawing."""
        window = self._windows().get(self._part) if self._is_due else None
        self._is_due = False
        if self._is_lost and imgui.get_current_context().nav_window is not None:
            imgui.internal.nav_init_window(imgui.get_current_context().nav_window, True)
        self._is_lost = False
        if window is None:
            return
        imgui.internal.focus_window(window, RESTORE)
        imgui.internal.nav_init_window(imgui.get_current_context().nav_window, False)
        imgui.internal.set_nav_cursor_visible_after_move()

    def follow(self, *, is_settling: bool, has_front: bool = False) -> None:
        """Note where the keyboard is after a drawing; leave what is no longer there.

        Args:
            is_settling: whether the panels are being arranged anew. The keyboard stays in its part.
            has_front: whether a panel is being brought to the front, and so has ImGui's focus.
        """
        if is_settling or self._was_settling:
            self._was_settling = is_settling
            if not is_settling:
                self._stay(has_front=has_front)
            return
        had_popup, self._had_popup = self._had_popup, imgui.is_popup_open("", ANY_POPUP)
        if self._had_popup:
            if not had_popup and self._is_by_key:
                imgui.get_current_context().nav_cursor_visible = True
            return
        if had_popup and self._is_by_key and not self._is_there(self._part):
            self.to_view()
        elif self.is_in_panel:
            self._follow_window()
        else:
            opened = self._present()
            self._opened = opened if self._is_by_key else VIEW
            self._part = self._part if self._is_by_key else VIEW

    def _stay(self, *, has_front: bool) -> None:
        """Lead the keyboard back to its part after the panels were arranged anew."""
        if self._is_there(self._part) and self.is_in_panel:
            self._go(self._part)
        elif self._is_by_key and self.is_in_panel:
            self.to_view()
        elif not has_front:
            imgui.set_window_focus(None)

    def _present(self) -> str:
        """Return the name of the part that ImGui has the keyboard in."""
        window = imgui.get_current_context().nav_window
        return VIEW if window is None else _name_of(window.root_window)

    def _follow_window(self) -> None:
        name = self._present()
        if name == self._part or self._is_due:
            return
        if self._part != VIEW and not self._is_there(self._part):
            self.to_view()
            return
        self._part, self.is_in_view = name, False
        self._owner.click("panel")

    def _is_there(self, part: str) -> bool:
        return part != VIEW and part in self._windows()

    def draw(self, theme: Theme, view: Area) -> None:
        """Draw the ring around the part that the keyboard is in.

        Args:
            theme: colours and scale.
            view: rectangle of the 3D view in the window, pixels.
        """
        if self.is_in_view:
            draw_ring(theme, view, imgui.get_background_draw_list())
        elif self.is_in_panel and not self._had_popup:
            window = self._windows().get(self._part)
            if window is not None:
                size = window.size
                area = Area(*map(int, (window.pos.x, window.pos.y, size.x, size.y)))
                draw_ring(theme, area, imgui.get_foreground_draw_list())


def draw_ring(theme: Theme, area: Area, canvas: imgui.ImDrawList) -> None:
    """Draw the ring of the keyboard's focus inside of the edge of a rectangle.

    Args:
        theme: colours and scale.
        area: the rectangle in the window, pixels.
        canvas: where to draw: below the windows, or above them.
    """
    half = theme.px(RING) / 2.0
    upper = imgui.ImVec2(area.left + half, area.top + half)
    lower = imgui.ImVec2(area.left + area.width - half, area.top + area.height - half)
    canvas.add_rect(upper, lower, theme.packed("focus"), 0.0, 2.0 * half)


def _name_of(window: imgui.internal.Window) -> str:
    before, mark, name = str(window.name).partition("###")
    return name if mark else before


def _is_stop(window: imgui.internal.Window) -> bool:
    """Return whether the keyboard stops at a window: it is seen, and holds widgets or scrolls."""
    root = window.root_window
    if window.hidden or root is None or root.id_ != window.id_ or _name_of(window) == "Middle":
        return False
    has_widgets = bool(window.dc.nav_layers_active_mask & MAIN_LAYER)
    return has_widgets or window.scroll_max.y > 0.0


def _rank(name: str, window: imgui.internal.Window | None) -> tuple[object, ...]:
    """Return by what the parts are sorted: the bars at the ends, the view before the panels."""
    if window is None:
        return (1, 0.0, 0.0, name)
    place = (window.pos.y, window.pos.x, name)
    if name == TOOLBAR:
        return (0, *place)
    if name == STATUS:
        return (5, *place)
    is_over = name.startswith("overlay ") or name == CARD_NAME
    return (2 if is_over else 4 if window.dock_node is None else 3, *place)
