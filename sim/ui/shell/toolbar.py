"""The toolbar at the top: playback, tools, scripts' commands, panels, layout, theme.

Buttons that do not fit into the bar are in its menu.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from imgui_bundle import imgui

from base.language.catalogs import Catalog
from base.language.wording import tr
from sim.core.editing import PlaySession, PlayState
from sim.core.input.key_map import KeyMap, shown
from sim.core.reporting.console import Console
from sim.core.reporting.python_text import assigned
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene import ComponentSlot
from sim.core.script.panels import CommandEntry, PanelRegistry
from sim.core.tasks.clock import FASTEST, MAX_SPEED, SLOWEST, Clock
from sim.ui.theme.theme import TEXT_COLOR, Theme, icon_of, icons
from sim.ui.widgets.context import PanelUi, floating
from sim.ui.widgets.set_aside import OpenAt, draw_of_script, draw_set_aside, is_set_aside

T = TypeVar("T")


class BarPart(NamedTuple):
    """The size of one button of a bar.

    Attributes:
        width: its smallest width, pixels.
        gap: gap before it, pixels.
        rank: if not all fit, buttons of higher rank are left out first.
        wide: width with its name written out, pixels; equal to `width` if it has no such form.
    """

    width: float
    gap: float
    rank: int
    wide: float


class Fit(NamedTuple):
    """Which buttons of a bar are drawn, as indices.

    Attributes:
        kept: indices of the buttons that are drawn, ascending.
        wide: indices of those whose names are written out.
    """

    kept: tuple[int, ...]
    wide: frozenset[int]


def fit(parts: Sequence[BarPart], room: float, more: float) -> Fit:
    """Choose the buttons that fit into a bar, those of lowest rank first.

    Of equal rank, none stays where one before it has no room.

    Args:
        parts: sizes of the buttons, from left to right.
        room: available width, pixels.
        more: width of the menu's button in pixels; reserved if a button is left out.
    """
    if sum(part.gap + part.width for part in parts) > room:
        room -= more
    kept: list[int] = []
    full: set[int] = set()
    for index in sorted(range(len(parts)), key=lambda index: parts[index].rank):
        part = parts[index]
        if part.rank in full or part.gap + part.width > room:
            full.add(part.rank)
            continue
        room -= part.gap + part.width
        kept.append(index)
    wide = set()
    for index in sorted(kept):
        longer = parts[index].wide - parts[index].width
        if 0 < longer <= room:
            room -= longer
            wide.add(index)
    return Fit(tuple(sorted(kept)), frozenset(wide))


@dataclass(frozen=True)
class BarPlan(Generic[T]):
    """Which buttons of a bar are drawn, and at which positions.

    Attributes:
        near: buttons drawn from the left, each with the gap before it in pixels and whether its
            name is written out.
        far: buttons drawn at the right end, each with its position in pixels from the left.
        left_out: buttons that go into the menu.
        more: position of the menu's button, pixels from the left.
    """

    near: tuple[tuple[T, float, bool], ...]
    far: tuple[tuple[T, float], ...]
    left_out: tuple[T, ...]
    more: float


def planned(
    things: Sequence[T], parts: Sequence[BarPart], *, far: int, room: tuple[float, float],
    more: tuple[float, float],
) -> BarPlan[T]:  # fmt: skip
    """Choose which buttons of a bar are drawn, and their positions.

    Args:
        things: the buttons, from left to right.
        parts: their sizes, in the same order.
        far: how many of the last buttons are at the right end.
        room: begin and end of the available space, pixels from the left.
        more: width of the menu's button and of the gap before it, pixels.
    """
    begin, end = room
    kept, wide = fit(parts, end - begin, sum(more))
    first = len(things) - far
    right = [index for index in kept if index >= first]
    start = end - sum(parts[index].gap + parts[index].width for index in right)
    place = start
    ends = []
    for index in right:
        ends.append((things[index], place + parts[index].gap))
        place += parts[index].gap + parts[index].width
    return BarPlan(
        tuple((things[i], parts[i].gap, i in wide) for i in kept if i < first),
        tuple(ends),
        tuple(thing for index, thing in enumerate(things) if index not in kept),
        start - more[0],
    )


SPEEDS = [2.0**power for power in range(-5, 7)]
PLAY_TIPS = {
    PlayState.PLAYING: tr("Pause"),
    PlayState.PAUSED: tr("Resume"),
    PlayState.STOPPED: tr("Play"),
}
ICON_ALIASES = {"forward": "forward-fast"}
EDGE = 10  # pixels beside the last button
SLIDER = 58  # pixels of a slider
MENU, MENU_WIDTH = "script's menu", 300.0  # unscaled pixels
FIRST_COMMANDS = 4  # of a scene: they stay longer than its others
FIRST_RANK, TOOLS_RANK, LAST_RANK = 2, 4, 5
BUTTON_COLOR = int(imgui.Col_.button)
FOR_TOOLTIP = int(imgui.HoveredFlags_.for_tooltip)
HELD_SHARE = 0.95  # of the speed that is wanted: what reaches less is said


@dataclass(frozen=True)
class ToolButton:
    """A button of the engine in the toolbar.

    Attributes:
        name: name of its action in the key map; empty if it has none.
        icon: name of its icon, or a function that returns the name.
        tip: its tooltip.
        press: called when it is clicked, if it has no action.
        is_on: returns whether it is highlighted; None for never.
        is_enabled: returns whether it can be clicked; None for always.
        begins_group: whether there is a wider gap before it.
        rank: in a narrow bar, buttons of higher rank are left out first; -1 chooses a rank.
    """

    name: str
    icon: str | Callable[[], str]
    tip: str
    press: Callable[[], object]
    is_on: Callable[[], bool] | None = None
    is_enabled: Callable[[], bool] | None = None
    begins_group: bool = False
    rank: int = -1

    @property
    def picture(self) -> str:
        """The text of the present icon, a character of the icon font."""
        return icon_of(self.icon if isinstance(self.icon, str) else self.icon())


@dataclass(frozen=True)
class ToolSlider:
    """A slider of the engine in the toolbar, for a share from 0 to 100 %.

    Attributes:
        tip: its name, for the tooltip and the menu.
        value: returns the share, 0 to 1.
        change: called with the new share while it is dragged.
        keep: called with the new share once it was let go.
        rank: in a narrow bar, buttons of higher rank are left out first.
    """

    tip: str
    value: Callable[[], float]
    change: Callable[[float], object]
    keep: Callable[[float], object]
    rank: int = 5


@dataclass(frozen=True)
class MenuEntry:
    """A line of a menu in the toolbar.

    Attributes:
        name: name of its action in the key map; empty for a line without one.
        label: its text.
        tip: its tooltip; empty for none.
        is_enabled: returns whether it can be chosen; None for always.
        more: draws the lines of its submenu; None if it has none.
        begins_group: whether a line is drawn above it.
    """

    name: str
    label: str
    tip: str = ""
    is_enabled: Callable[[], bool] | None = None
    more: Callable[[], object] | None = None
    begins_group: bool = False


@dataclass(frozen=True)
class ToolMenu:
    """A menu at the left end of the toolbar.

    Attributes:
        label: text of its button.
        tip: tooltip of its button.
        entries: its lines.
    """

    label: str
    tip: str
    entries: tuple[MenuEntry, ...]


Thing: TypeAlias = ToolButton | ToolSlider | CommandEntry
"""Anything in the bar: a button or a slider of the engine, or a script's command."""


class PlaybackBar:
    """The toolbar at the top.

    Args:
        session: plays and stops the scene.
        clock: the scene's clock.
        rewind: recording of the scene's last seconds.
        registry: the commands of the scene's scripts.
        console: prints the Python code that is equivalent to the user's actions.
        theme: colours and scale.
        keys: the key map; a button runs its action there.
        open_at: opens a file at a line.
        ui: widgets that the menus of scripts draw with.
    """

    def __init__(
        self,
        session: PlaySession,
        clock: Clock,
        rewind: Rewind,
        registry: PanelRegistry,
        console: Console,
        theme: Theme,
        keys: KeyMap,
        open_at: OpenAt,
        ui: PanelUi,
    ) -> None:
        self._clock, self._rewind, self._registry = clock, rewind, registry
        self._console, self._open_at = console, open_at
        self.session = session
        self._asks = False
        self._aside: ComponentSlot | None = None  # whose command was pressed
        self._opens_aside = False
        self._ui = ui
        self._menu: CommandEntry | None = None  # whose menu is open, or was last
        self._opens_menu = False
        self._places: dict[str, float] = {}  # of the commands' buttons, pixels from the left
        session.play()
        self.theme = theme
        self.keys = keys
        self.menus: list[ToolMenu] = []
        self.edit_menus: list[ToolMenu] = []  # beside the tools, in the Studio layout
        self.left: list[ToolButton] = []
        self.right: list[ToolButton | ToolSlider] = []
        self.is_editing: Callable[[], bool] = lambda: False  # whether tools outrank commands
        self.lent_to: Callable[[str], str] = lambda action: ""  # what the scene has a key for
        self._plan: BarPlan[Thing] = BarPlan((), (), (), 0.0)
        self._plan_key: tuple[object, ...] = ()
        self._planned_commands: list[CommandEntry] = []

    # -- playback -----------------------------------------------------------------------------

    def toggle(self) -> None:
        """Pause or resume the scene, or play it after a stop; if the past is shown, leave it."""
        self._rewind.live()
        if self.session.state is PlayState.PLAYING:
            self.session.pause()
        else:
            self._clock.is_stopped = False
            self.session.play()

    def stop(self) -> None:
        """Stop and restore the scene; if the user edited it while it played, ask first."""
        if self.session.has_edits:
            self._asks = True
        else:
            self.end(keep=False)

    def end(self, *, keep: bool) -> None:
        """Stop and restore the scene.

        Args:
            keep: whether to keep the edits that the user made while the scene played.
        """
        self._rewind.clear()
        if self.session.stop(keep=keep):
            self._clock.is_stopped = True

    def step(self) -> None:
        """Advance the paused scene by one step; if the past is shown, leave it first."""
        self._rewind.live()
        if self.session.state is PlayState.PAUSED:
            self._clock.step()

    def change_speed(self, factor: float) -> None:
        """Multiply the scene's speed by a factor, within the allowed range.

        Nothing changes at the setting "as fast as possible".
        """
        clock = self._clock
        if clock.speed != MAX_SPEED:
            clock.speed = min(FASTEST, max(SLOWEST, clock.speed * factor))

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, width: float) -> None:
        """Draw the bar.

        Args:
            width: width of the window, pixels.
        """
        for menu in self.menus:
            self._draw_tool_menu(menu)
            imgui.same_line(0, self.theme.px(10))
        state = self.session.state
        icon = icons.ICON_FA_PAUSE if state is PlayState.PLAYING else icons.ICON_FA_PLAY
        if imgui.button(f"{icon}##pause"):
            self._press("studio.pause", self.toggle)
        self._tip(PLAY_TIPS[state], "studio.pause")
        imgui.same_line(0, self.theme.px(4))
        imgui.begin_disabled(state is PlayState.STOPPED)
        if imgui.button(f"{icons.ICON_FA_STOP}##stop"):
            self._press("studio.stop", self.stop)
        imgui.end_disabled()
        self._tip(tr("Stop and restore the scene"), "studio.stop")
        self._draw_question()
        self._draw_aside()
        self._draw_menu()
        imgui.same_line(0, self.theme.px(4))
        imgui.begin_disabled(state is not PlayState.PAUSED)
        if imgui.button(f"{icons.ICON_FA_FORWARD_STEP}##step"):
            self._press("studio.step", self.step)
        imgui.end_disabled()
        self._tip(tr("One step while paused"), "studio.step")
        imgui.same_line()
        self._draw_speed(width < self.theme.px(1000))
        for menu in self.edit_menus if self.is_editing() else ():
            imgui.same_line(0, self.theme.px(10))
            self._draw_tool_menu(menu)
        self._draw_rest(width - self.theme.px(EDGE))

    def _draw_tool_menu(self, menu: ToolMenu) -> None:
        if imgui.button(menu.label + "##menu"):
            imgui.open_popup(menu.label)
        self._tip(menu.tip, "")
        left, below = imgui.get_item_rect_min().x, imgui.get_window_height() + self.theme.px(2)
        imgui.set_next_window_pos(imgui.ImVec2(left, below), imgui.Cond_.appearing)
        if not imgui.begin_popup(menu.label):
            return
        for entry in menu.entries:
            if entry.begins_group:
                imgui.separator()
            self._draw_entry(entry)
        imgui.end_popup()

    def _draw_entry(self, entry: MenuEntry) -> None:
        is_enabled = entry.is_enabled is None or entry.is_enabled()
        if entry.more is not None:
            if imgui.begin_menu(entry.label, is_enabled):
                entry.more()
                imgui.end_menu()
            return
        chord = self.keys.chord(entry.name)
        if imgui.menu_item(entry.label, shown(chord) if chord else "", False, is_enabled)[0]:
            self.keys.run(entry.name)
        if entry.tip and imgui.is_item_hovered(int(imgui.HoveredFlags_.for_tooltip)):
            imgui.set_tooltip(entry.tip)

    def _draw_rest(self, end: float) -> None:
        """Draw the buttons that fit after the speed; the others go into a menu.

        Args:
            end: right end of the available space, pixels from the left.
        """
        plan = self._planned(imgui.get_item_rect_max().x, end)
        for thing, gap, is_wide in plan.near:
            imgui.same_line(0, gap)
            self._draw_thing(thing, is_wide=is_wide)
        if plan.left_out:
            imgui.same_line(plan.more)
            self._draw_more(plan.left_out)
        for thing, place in plan.far:
            imgui.same_line(place)
            self._draw_thing(thing, is_wide=False)

    def watched(self) -> tuple[object, ...]:
        """Return values that change whenever the toolbar must be redrawn."""
        clock = self._clock
        return (clock.paused, clock.speed, speed_label(clock), self._clock.is_stopped)

    def _planned(self, begin: float, end: float) -> BarPlan[Thing]:
        """Return the bar's arrangement; recomputed only after a change.

        Args:
            begin: begin of the available space, pixels from the left.
            end: its end, pixels from the left.
        """
        commands = self._registry.commands
        looks = tuple([(entry.name, entry.label, entry.icon) for entry in commands])
        engine = (*self.left, *self.right)
        pictures = tuple([thing.picture for thing in engine if isinstance(thing, ToolButton)])
        language = Catalog.current.language
        key = (begin, end, self.theme.scale, self.is_editing(), looks, pictures, language)
        if key != self._plan_key or commands != self._planned_commands:
            things: list[Thing] = [*self.left, *commands, *self.right]
            parts = [self._part(thing) for thing in things]
            more, gap = self._button_width(icons.ICON_FA_ELLIPSIS), self.theme.px(14)
            far = len(self.right)
            self._plan = planned(things, parts, far=far, room=(begin, end), more=(more, gap))
            self._plan_key, self._planned_commands = key, list(commands)
        return self._plan

    def _part(self, thing: Thing) -> BarPart:
        """Return the size and rank of a button."""
        if isinstance(thing, CommandEntry):
            place = self._registry.commands.index(thing)
            wide = self._button_width(self._label(thing))
            least = self._button_width(self._icon(thing)) if thing.icon else wide
            rank = TOOLS_RANK if self.is_editing() else FIRST_RANK
            rank = rank if place < FIRST_COMMANDS else LAST_RANK + 1
            return BarPart(least, self.theme.px(4 if place else 14), rank, wide)
        if isinstance(thing, ToolSlider):
            width = self.theme.px(SLIDER)
            return BarPart(width, self.theme.px(4), thing.rank, width)
        rank = thing.rank
        if rank < 0:
            is_tool = thing in self.left
            rank = LAST_RANK if not is_tool else FIRST_RANK if self.is_editing() else TOOLS_RANK
        width = self._button_width(thing.picture)
        begins = thing.begins_group or (bool(self.right) and thing is self.right[0])
        return BarPart(width, self.theme.px(14 if begins else 4), rank, width)

    def _draw_thing(self, thing: Thing, *, is_wide: bool) -> None:
        if isinstance(thing, ToolButton):
            self._draw_button(thing)
        elif isinstance(thing, ToolSlider):
            imgui.set_next_item_width(self.theme.px(SLIDER))
            self._draw_slider(thing, "##")
        else:
            has_label = is_wide or not thing.icon  # else the picture, its name in the tip
            self._draw_command(thing, self._label(thing) if has_label else self._icon(thing))

    def _draw_more(self, left_out: Sequence[Thing]) -> None:
        if imgui.button(f"{icons.ICON_FA_ELLIPSIS}##more"):
            imgui.open_popup("more")
        self._tip(tr("More"), "")
        if imgui.begin_popup("more"):
            for thing in left_out:
                self._draw_item(thing)
            imgui.end_popup()

    def _draw_item(self, thing: Thing) -> None:
        """Draw a button that does not fit into the bar as a line of the menu."""
        if isinstance(thing, CommandEntry):
            chord = self.keys.chord(f"command.{thing.name}")
            key = shown(chord) if chord else ""
            with self._colored(is_broken=is_set_aside(thing.slot)):
                is_pressed = imgui.menu_item(thing.label, key, self._is_on(thing))[0]
            if is_pressed:
                self._run(thing)
            return
        if isinstance(thing, ToolSlider):
            imgui.set_next_item_width(self.theme.px(2 * SLIDER))
            self._draw_slider(thing, "")
            return
        chord = self.keys.chord(thing.name)
        is_on = thing.is_on is not None and thing.is_on()
        is_enabled = thing.is_enabled is None or thing.is_enabled()
        key = shown(chord) if chord else ""
        if imgui.menu_item((thing.picture + "  " + thing.tip), key, is_on, is_enabled)[0]:
            self._press(thing.name, thing.press)

    def _draw_question(self) -> None:
        """Ask what becomes of the edits made while the scene played."""
        if self._asks:
            self._asks = False
            imgui.open_popup("keep edits")
        if not imgui.begin_popup("keep edits"):
            return
        imgui.text(tr("The scene was edited by hand while it played."))
        if imgui.button(tr("Stop and keep the edits")):
            self._console.python("shell.playback.end(keep=True)")
            self.end(keep=True)
            imgui.close_current_popup()
        imgui.same_line()
        if imgui.button(tr("Stop and discard the edits")):
            self._console.python("shell.playback.end(keep=False)")
            self.end(keep=False)
            imgui.close_current_popup()
        imgui.same_line()
        if imgui.button(tr("Play on")):
            imgui.close_current_popup()
        imgui.end_popup()

    def _draw_slider(self, slider: ToolSlider, hidden: str) -> None:
        """Draw a slider.

        Args:
            slider: the slider.
            hidden: "##" to show its name in the tooltip only; empty to show it beside the slider.
        """
        percent = round(100.0 * slider.value())
        shown = "" if hidden else "%d %%"
        changed, percent = imgui.slider_int((hidden + slider.tip), percent, 0, 100, shown)
        if changed:
            slider.change(min(100, max(0, percent)) / 100.0)
        if imgui.is_item_deactivated_after_edit():
            slider.keep(slider.value())
        self._tip((tr("{tip}: {percent} %").format(tip=slider.tip, percent=percent)), "")

    def _draw_button(self, button: ToolButton) -> None:
        is_enabled = button.is_enabled is None or button.is_enabled()
        if not is_enabled:
            imgui.begin_disabled()
        is_on = button.is_on is not None and button.is_on()
        if self._lit_button(f"{button.picture}##{button.tip}", is_on=is_on):
            self._press(button.name, button.press)
        if not is_enabled:
            imgui.end_disabled()
        self._tip(button.tip, button.name)

    def _press(self, name: str, press: Callable[[], object]) -> None:
        """Run the action of a button in the key map; call `press` if it has none.

        Args:
            name: name of the action.
            press: called if there is no such action.
        """
        if not self.keys.run(name):
            press()

    def _run(self, entry: CommandEntry) -> None:
        if is_set_aside(entry.slot):
            self.run_command(entry)
        else:
            self._press(f"command.{entry.name}", lambda: self.run_command(entry))

    def run_command(self, entry: CommandEntry) -> None:
        """Run a command of a script; if the script was stopped after an error, offer a retry."""
        if is_set_aside(entry.slot):
            self._aside, self._opens_aside = entry.slot, True
        elif entry.menu is not None:
            self._menu, self._opens_menu = entry, True
        else:
            entry.slot.call(entry.name, entry.callback)

    def _draw_aside(self) -> None:
        if self._opens_aside:
            self._opens_aside = False
            imgui.open_popup("set aside")
        middle = imgui.get_io().display_size.x / 2.0
        place = imgui.ImVec2(middle, imgui.get_window_height() + self.theme.px(6))
        imgui.set_next_window_pos(place, imgui.Cond_.appearing, imgui.ImVec2(0.5, 0.0))
        if not imgui.begin_popup("set aside"):
            return
        if self._aside is None or not is_set_aside(self._aside):
            imgui.close_current_popup()
        else:
            draw_set_aside(self.theme, self._console, self._aside, self._open_at)
        imgui.end_popup()

    def _draw_menu(self) -> None:
        """Draw the menu of a script's command that is open, below its button."""
        entry = self._menu
        if self._opens_menu:
            self._opens_menu = False
            imgui.open_popup(MENU)
        if entry is None or entry.menu is None:
            return
        middle = imgui.get_io().display_size.x / 2.0
        place = self._places.get(entry.name, middle)
        below = imgui.get_window_height() + self.theme.px(2)
        imgui.set_next_window_pos(imgui.ImVec2(place, below), imgui.Cond_.appearing)
        if not imgui.begin_popup(MENU):
            return
        with floating(self._ui, self.theme.px(MENU_WIDTH)):
            draw_of_script(entry, entry.menu, self._ui, self.theme, self._console, self._open_at)
        if entry not in self._registry.commands or is_set_aside(entry.slot):
            imgui.close_current_popup()
        imgui.end_popup()

    def _draw_command(self, entry: CommandEntry, label: str) -> None:
        is_broken = is_set_aside(entry.slot)
        is_on = self._is_on(entry)
        if is_broken:
            imgui.push_style_color(TEXT_COLOR, self.theme.vector("red"))
        is_pressed = self._lit_button((label + "##" + entry.name), is_on=is_on)
        if is_broken:
            imgui.pop_style_color()
        self._places[entry.name] = imgui.get_item_rect_min().x
        if is_pressed:
            self._run(entry)
        tip = (
            tr("{label}: {title} does not run").format(label=entry.label, title=entry.slot.title)
            if is_broken
            else entry.label
        )
        self._tip(tip, f"command.{entry.name}")

    @contextlib.contextmanager
    def _colored(self, *, is_broken: bool) -> Iterator[None]:
        """Draw text in red inside the `with` block if its component was stopped after an error."""
        if is_broken:
            imgui.push_style_color(imgui.Col_.text, self.theme.vector("red"))
        try:
            yield
        finally:
            if is_broken:
                imgui.pop_style_color()

    def _lit_button(self, label: str, *, is_on: bool) -> bool:
        if is_on:
            imgui.push_style_color(BUTTON_COLOR, self.theme.vector("pressed"))
            imgui.push_style_color(TEXT_COLOR, self.theme.vector("amber"))
        pressed = bool(imgui.button(label))
        if is_on:
            imgui.pop_style_color(2)
        return pressed

    def _is_on(self, entry: CommandEntry) -> bool:
        return entry.is_checked

    def _icon(self, entry: CommandEntry) -> str:
        return icon_of(ICON_ALIASES.get(entry.icon, entry.icon))

    def _label(self, entry: CommandEntry) -> str:
        return (self._icon(entry) + " " + entry.label).strip()

    def _button_width(self, label: str) -> float:
        return float(imgui.calc_text_size(label).x) + 2 * imgui.get_style().frame_padding.x

    def _draw_speed(self, is_narrow: bool) -> None:
        clock = self._clock
        imgui.set_next_item_width(self.theme.px(66 if is_narrow else 88))
        speed = clock.speed
        if math.isinf(speed):
            imgui.begin_disabled()
            imgui.slider_float("##speed", 6.0, -5.0, 6.0, "")
            imgui.end_disabled()
            self._draw_reached()
            return
        changed, value = imgui.slider_float("##speed", math.log2(speed), -5.0, 6.0, "")
        if changed and math.isfinite(value):
            clock.speed = SPEEDS[min(range(12), key=lambda i: abs(math.log2(SPEEDS[i]) - value))]
            if clock.speed != speed:
                self._console.python(assigned("host.clock.speed", clock.speed))
        self._tip(speed_tip(clock), "studio.faster")
        self._draw_reached()

    def _draw_reached(self) -> None:
        """Draw the measured speed beside the slider, in amber if the chosen one is not reached."""
        clock = self._clock
        _beside(speed_label(clock), self.theme.vector("text" if is_held(clock) else "amber"))

    def _tip(self, text: str, action: str) -> None:
        if imgui.is_item_hovered(FOR_TOOLTIP):
            chord = self.keys.chord(action)
            lent = tr(", lent to the scene") if self.lent_to(action) else ""
            imgui.set_tooltip((text + " (" + shown(chord) + lent + ")") if chord else text)


def is_held(clock: Clock) -> bool:
    """Return whether the scene runs at the chosen speed; True at the setting "maximum"."""
    return math.isinf(clock.speed) or clock.reached_speed >= HELD_SHARE * clock.speed


def speed_label(clock: Clock) -> str:
    """Return the measured speed as a short text: "16x" or "1/4x"; "max" before it is measured.

    If the chosen speed is reached, its text is returned.
    """
    speed = clock.reached_speed
    if math.isfinite(clock.speed) and is_held(clock):
        return _text_of(clock.speed)
    if math.isinf(speed):
        return tr("max")
    return f"{speed:.0f}x" if speed >= 9.95 else f"{speed:.2g}x"


def speed_tip(clock: Clock) -> str:
    """Return the tooltip of the speed slider."""
    if is_held(clock):
        return tr("Speed")
    return tr("Speed: {text_of} requested, {speed_label} reached").format(
        text_of=_text_of(clock.speed), speed_label=speed_label(clock)
    )


def _text_of(speed: float) -> str:
    return f"{speed:g}x" if speed >= 1 else f"1/{1 / speed:g}x"


def _beside(text: str, color: imgui.ImVec4) -> None:
    """Draw a text on the same line in the width of the longest speed text.

    Widgets drawn after it therefore do not move when the speed changes.

    Args:
        text: the text.
        color: its colour.
    """
    imgui.same_line(0, 6)
    imgui.align_text_to_frame_padding()
    start = imgui.get_cursor_pos_x()
    imgui.text_colored(color, text)
    imgui.same_line(start + imgui.calc_text_size("1/32x").x)
    imgui.dummy(imgui.ImVec2(1, 1))
