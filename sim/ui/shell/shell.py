"""The shell: all panels of the window, key actions, and redrawing."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from imgui_bundle import imgui

from sim.core.editing import Editor, PlaySession, prompt_names
from sim.core.editing.interpreter import Interpreter
from sim.core.editing.prompt import HandObject, plain_object
from sim.core.host.project_panels import ProjectPanels
from sim.core.host.script_host import ScriptHost
from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import KeyAction, KeyMap
from sim.core.project.settings import (
    LEAST_WINDOW,
    REWIND_SECONDS,
    SCALES,
    SettingsFile,
    fitting_scale,
    usual_scale,
)
from sim.core.reporting.console import ConsoleRecord
from sim.core.reporting.python_text import called
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene_object import SceneObject
from sim.core.script.panels import Dock, Panel
from sim.render.view.scene_view import SceneView
from sim.render.window.display import Display
from sim.ui.panels.console import ConsolePanel
from sim.ui.panels.keys_panel import KeyPreset, KeysPanel
from sim.ui.panels.profiler.panel import TITLE as PROFILER
from sim.ui.panels.profiler.panel import ProfilerPanel
from sim.ui.panels.prompt import PromptLine
from sim.ui.panels.script_editor import ScriptEditorPanel
from sim.ui.shell.backend import ImGuiBackend
from sim.ui.shell.bars import BAR_HEIGHT, STATUS_HEIGHT, StatusLine, bar_window
from sim.ui.shell.panel_menu import POPUP, draw_panel_menu
from sim.ui.shell.panel_windows import PanelWindows
from sim.ui.shell.presentation import draw_presentation
from sim.ui.shell.rewind_bar import TITLE as REWIND
from sim.ui.shell.rewind_bar import RewindBar
from sim.ui.shell.shell_input import ShellInput
from sim.ui.shell.studio import Studio
from sim.ui.shell.toolbar import PlaybackBar, ToolButton, speed_label
from sim.ui.theme.theme import Theme
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.guarded import balance, restore
from sim.ui.widgets.layout import ARRANGEMENTS, Area, Layout
from sim.ui.widgets.overlays import LOW_VIEW, Overlays

SCALE_LINE = "scale"  # of the status bar
FIRST_PASSES = 9  # new windows are sized in their first
GROWING_PASSES = 3  # of one frame, until a floating panel has the room that it needs
MOST_PASSES = 200  # of one frame, however much was typed in it
SOFTWARE_INTERVAL = 0.15  # seconds between drawings of the panels where the processor draws
SCRIPT_HEIGHT = 280.0  # unscaled pixels of the dock that the first script opens in
PAST = "edit: expected the present, found the past: F10 goes back, or continue from here"
PROFILER_HEIGHT = 310.0  # the same, for the profiler
SAID_BY_THE_EDITOR = ("studio.delete", "studio.duplicate", "studio.rename")


class Shell:
    """All panels of the window.

    Args:
        rewind: the scene's last seconds.
        settings: the user's settings; layouts are saved beside them.
        present: called to switch presentation mode.
    """

    def __init__(
        self,
        display: Display,
        *,
        host: ScriptHost,
        view: SceneView,
        editor: Editor,
        rewind: Rewind,
        settings: SettingsFile,
        present: Callable[[bool], object],
    ) -> None:
        self.display = display
        self.host = host
        self.view = view
        self.settings = settings
        self._present = present
        self.backend = ImGuiBackend(display)
        self.theme = Theme(self.settings.values.theme, self._scale())
        self.ui = PanelUi(self.theme)
        self.keys = KeyMap(self.settings.values.keys)
        self.input = ShellInput(self)
        self.layout = Layout(self.theme, settings.path and settings.path.parent)
        if self.settings.values.layout in ARRANGEMENTS:
            self.layout.name = self.settings.values.layout
        self.overlays = Overlays(host, self.ui, self.theme, self.is_open)
        self.playback = PlaybackBar(host, self.theme, self.keys, PlaySession(host, editor))
        self.rewind, self.timeline = rewind, self._made_timeline(rewind)
        self.key_list = KeysPanel(self.keys, self._keep_keys, host.console.python)
        self.key_list.preset = KeyPreset(lambda: self.settings.values.wer_keys, self.set_wer_keys)
        self.studio = Studio(host, view, editor, self.theme, self.open_at, self.backend.add_picture)
        self.studio.look_back_with(rewind, PAST)
        self.script = ScriptEditorPanel(host)
        self.profiler = ProfilerPanel(host, self.studio.inspector.scripts.open_script)
        chosen = self.studio.selection
        names = {**prompt_names(editor), "view": view, "selected": lambda: chosen.in_hand(editor)}
        del names["component"]  # the prompt's own finds scripts by class, too
        names |= {"do": self.do, "shell": self}
        self.keys.on_run.append(self._echo)
        self.interpreter = Interpreter(host, names)
        self.console = ConsolePanel(host, open_at=self.open_at, prompt=PromptLine(self.interpreter))
        self.project_panels = ProjectPanels(host)
        self.status_line = StatusLine(host, view, self.theme, self._open_console)
        self.windows: list[Callable[[Theme, tuple[int, int]], None]] = []
        self.on_stage: list[Callable[[Theme, tuple[int, int]], None]] = []  # over a presentation
        self.on_escape: list[Callable[[], bool]] = []  # what leaves something, and tells whether
        self._open: dict[tuple[str, str], bool] = {}
        self._drawn_at = 0.0
        self._has_input, self._is_renewed = True, False
        self._is_new = False  # laid out anew since the panels' layer was drawn
        self._seen: tuple[object, ...] = ()
        close = functools.partial(self.open_by_hand, is_open=False)
        self._panel_windows = PanelWindows(host, self.ui, self.layout, self.is_open, close)
        self._panel_windows.open_at = self.playback.open_at = self.open_at
        self.panels = self._panel_windows.panels
        self._panel_windows.is_past = lambda: rewind.is_past
        self._add_own()
        host.console.subscribe(self._raise_console)
        for note in self.settings.notes:
            host.console.warning(note)
        display.show_panels()

    def _made_timeline(self, rewind: Rewind) -> RewindBar:
        """Return the timeline below the view, with its keys."""
        made = RewindBar(
            rewind, self.theme, say=self.host.console.python, tell=self.overlays.say,
            keep_seconds=self.set_rewind_seconds,
        )  # fmt: skip
        self.playback.rewind, self.input.timeline = rewind, made
        self.overlays.is_past = lambda: rewind.is_past
        return made

    def _add_own(self) -> None:
        """Add what the engine has: panels, keys and buttons."""
        self.add_panel("Hierarchy", self.studio.hierarchy.draw, dock="left", icon="sitemap")
        self.add_panel("Inspector", self.studio.inspector.draw, icon="sliders")
        self.add_panel("Console", self.console.draw, dock="bottom", icon="terminal")
        self.add_panel("Script", self.script.draw, dock="bottom", icon="file-code")
        self.add_panel("Assets", self.studio.assets.draw, dock="bottom", icon="folder-tree")
        self.add_panel(PROFILER, self.profiler.draw, dock="bottom", icon="gauge-high")
        self.add_panel("Keys", self.key_list.draw, icon="keyboard")
        for action, run in (*shell_actions(self), *self.studio.actions()):
            self.keys.add(action, run)
        self.playback.left += self.studio.buttons()
        self.playback.right += shell_buttons(self)
        self.playback.is_editing = lambda: self.layout.name == "studio"

    # -- what there is ------------------------------------------------------------------------

    def add_panel(
        self, title: str, draw: Callable[[PanelUi], object], *, dock: Dock = "right", icon: str = ""
    ) -> None:
        """Add a panel of the engine, as a script's `panel` adds one of its own."""
        self.panels.append(Panel(title, draw, dock, icon=icon))

    def is_open(self, title: str) -> bool:
        """Return whether a panel is open in the present layout."""
        known = self._open.get((self.layout.name, title))
        if known is not None:
            return known
        usual = all(entry.is_open for entry in self.host.panels.panels if entry.title == title)
        return usual and title not in self.layout.closed

    def open(self, title: str, is_open: bool = True) -> None:
        """Open a panel, or close it with `is_open=False`."""
        self._open[self.layout.name, title] = is_open
        self._has_input = True

    def open_front(self, title: str) -> None:
        """Open a panel, and bring its tab to the front."""
        self.open(title)
        self._panel_windows.bring_front(title)

    def toggle_profiler(self) -> None:
        """Open the profiler in front, or close it where it is seen."""
        if self.is_open(PROFILER) and self.profiler.is_seen:
            self.open(PROFILER, False)
        else:
            self.open_front(PROFILER)
            self.layout.need("bottom", PROFILER_HEIGHT)

    def _raise_console(self, record: ConsoleRecord) -> None:
        """Open the console at a new warning or error, unless a person closed it."""
        is_new = record.level in ("warning", "error") and record.count == 1
        if is_new and self._open.setdefault((self.layout.name, "Console"), True):
            self._has_input = True

    def open_of_project(self, name: str) -> None:
        """Open a panel of the project; its script is imported."""
        self.project_panels.open(name)
        self.open(name)

    def toggle(self, title: str) -> None:
        """Open or close a panel."""
        self.open(title, not self.is_open(title))

    def open_by_hand(self, title: str, *, is_open: bool) -> None:
        """Open or close a panel on behalf of the user: the console shows the Python line."""
        options = {} if is_open else {"is_open": False}
        self.host.console.python(called("shell.open", title, **options))
        self.open(title, is_open)

    def arrange(self, name: str) -> None:
        """Switch to another panel layout."""
        self.layout.choose(name)
        self._keep(layout=name)

    def set_theme(self, name: str) -> None:
        """Switch to the dark or the light theme."""
        self.theme.apply(name, self.theme.scale)
        self._keep(theme=name)

    def set_wer_keys(self, is_on: bool) -> None:
        """Set whether W, E and R move, rotate and scale in the Studio layout's view."""
        self._keep(wer_keys=bool(is_on))

    def set_rewind_seconds(self, seconds: float) -> None:
        """Set how many seconds of the scene are kept to look back at; 0 keeps none."""
        low, high = REWIND_SECONDS
        seconds = min(high, max(low, float(seconds)))
        self.rewind.seconds = seconds
        self._keep(rewind_seconds=seconds)

    def set_scale(self, scale: float) -> None:
        """Set the scale of text and widgets; 0 follows the window."""
        self._keep(scale=scale and min(SCALES[1], max(SCALES[0], scale)))
        self.theme.apply(self.theme.name, self._scale())
        self.layout.rebuild()

    def _scale(self) -> float:
        return fitting_scale(self._wanted_scale, self.display.size)

    @property
    def _wanted_scale(self) -> float:
        return self.settings.values.scale or usual_scale(self.display.size[1])

    def _fit_scale(self) -> None:
        """Limit the scale to what has room in the window, and say so."""
        scale, wanted = self._scale(), self._wanted_scale
        limited = f"Text {100 * scale:g} %: the window is too small for {100 * wanted:g} %"
        self.host.status.set(SCALE_LINE, limited if scale < wanted else "")
        if scale != self.theme.scale:
            self.theme.apply(self.theme.name, scale)
            self.layout.rebuild()

    def _keep(self, **values: object) -> None:
        self._has_input = True
        fault = self.settings.change(**values)
        if fault:
            self.host.console.error(fault)

    def _keep_keys(self) -> None:
        self._keep(keys=dict(self.keys.changed))

    def open_at(self, file: str, line: int = 0) -> None:
        """Open a script at a line in the script editor; a path is relative to the project."""
        self.host.console.python(called("shell.open_at", self.host.console.short_path(file), line))
        had_none = not self.script.tabs
        if self.script.open(self.host.console.project / file, line):
            self.open_front("Script")
            if had_none:
                self.layout.need("bottom", SCRIPT_HEIGHT)

    def do(self, name: str) -> None:
        """Run an action by name, such as "studio.theme", as its key or button does.

        Raises:
            LookupError: there is no such action.
        """
        if not self.keys.run(name):
            known = ", ".join(sorted(self.keys.actions))
            raise LookupError(f"expected an action, one of {known}, found {name!r}")

    def _echo(self, name: str) -> None:
        """Say in the console which Python line does the same as a key or a button."""
        if name not in SAID_BY_THE_EDITOR:
            self.host.console.python(called("do", name))

    def choose(self, *items: SceneObject | HandObject | None) -> None:
        """Select objects, or none, as clicks do."""
        self.studio.hierarchy.choose(*map(plain_object, items))

    def look_at(self, item: SceneObject | HandObject) -> None:
        """Move the view to an object, as a double click does."""
        self.studio.focus(plain_object(item))

    def other_theme(self) -> None:
        """Switch between the dark and the light theme."""
        self.set_theme("light" if self.theme.name == "dark" else "dark")

    def zoom(self, step: float) -> None:
        """Change the scale of text and widgets by a step, if it has room in the window."""
        wanted = min(SCALES[1], self.theme.scale + step)
        if step > 0 and fitting_scale(wanted, self.display.size) < wanted:
            least = "x".join(f"{side * wanted:g}" for side in LEAST_WINDOW)
            self.overlays.say(
                f"Text stays at {100 * self.theme.scale:g} %: {100 * wanted:g} % needs a window "
                f"of at least {least} pixels"
            )
            return
        self.set_scale(self.theme.scale + step)

    # -- the picture's place ------------------------------------------------------------------

    @property
    def viewport(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the scene's view, pixels."""
        area = self.area
        return (area.left, area.top, area.width, area.height)

    @property
    def area(self) -> Area:
        """The rectangle of the scene's view."""
        width, height = self.display.size
        if self.host.panels.is_presenting:
            return Area(0, 0, width, height)
        area = self._middle if self.layout.center is None else self.layout.center
        below = int(self.timeline.height) if self.shows_timeline else 0
        return replace(area, height=max(16, area.height - below))

    @property
    def shows_timeline(self) -> bool:
        """Whether the timeline is seen below the view; below a low one only while it is used."""
        if self.host.panels.is_presenting:
            return False
        if self.rewind.is_past:
            return True
        middle = self.layout.center
        is_low = middle is not None and middle.height < self.theme.px(LOW_VIEW)
        return self.rewind.is_on and self.is_open(REWIND) and not is_low

    @property
    def _middle(self) -> Area:
        """What lies between the bars."""
        width, height = self.display.size
        bars = self.theme.px(BAR_HEIGHT), self.theme.px(STATUS_HEIGHT)
        return Area(0, int(bars[0]), width, max(16, int(height - sum(bars))))

    # -- input --------------------------------------------------------------------------------

    def feed(self, events: Iterable[InputEvent]) -> list[InputEvent]:
        """Forward events to the panels; return those for the scene."""
        found = list(events)
        self._has_input = self._has_input or bool(found)
        return self.input.feed(found)

    def escape(self) -> bool:
        """Handle Escape; return whether there was something to leave."""
        if self.host.panels.is_presenting:
            self.host.console.python('do("app.present")')
            self._present(False)
        elif self.is_open("Keys"):
            self.open_by_hand("Keys", is_open=False)
        else:
            return False
        return True

    def renew(self) -> None:
        """Lay out new windows in full size at the next drawing."""
        self._has_input = self._is_renewed = True

    def _open_console(self) -> None:
        self.open_by_hand("Console", is_open=True)
        self.open_front("Console")

    def focus_prompt(self) -> None:
        """Give the console's prompt the keyboard focus."""
        self.open_front("Console")
        if self.console.prompt is not None:
            self.console.prompt.focus()

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, wall_dt: float, *, force: bool = False) -> bool:
        """Lay out the panels if something changed; return whether the layer was redrawn."""
        now = time.monotonic()
        self.display.ui_buffer.set_active(False)
        self.script.poll()
        self.host.profiling.watch(self.is_open(PROFILER))
        place = self.view.camera.moved_by_hand()
        if place is not None:
            self.host.console.python(called("view.camera.show", *place))
        if not force and not self._is_due(now):
            return False
        is_renewed = force or self._is_renewed or not self.has_drawn
        self._has_input = self._is_renewed = False
        self._fit_scale()
        self.lay_out(wall_dt, least=FIRST_PASSES if is_renewed else 1, force=force)
        is_new, self._is_new = self._is_new, False
        self.display.ui_buffer.set_active(is_new)
        return is_new

    @property
    def has_drawn(self) -> bool:
        """Whether the panels were laid out at least once."""
        return self._drawn_at != 0.0

    def lay_out(self, wall_dt: float = 0.0, *, least: int = 1, force: bool = False) -> None:
        """Lay out the panels, at least `least` times, until they have processed all input.

        A new arrangement is laid out until it stands: no picture shows half of it.
        """
        now = time.monotonic()
        elapsed = now - self._drawn_at if self.has_drawn else wall_dt
        self._drawn_at = now
        count = 0
        while (
            count < least
            or (self.overlays.is_growing and count < GROWING_PASSES)
            or (self._is_unfinished and count < MOST_PASSES)
        ):
            self.backend.begin(0.0 if count else elapsed)
            state = balance()
            try:
                self._draw_all()
            finally:
                restore(state)
                self._is_new = self.backend.end(force=force) or self._is_new
            count += 1

    @property
    def _is_unfinished(self) -> bool:
        if self.backend.has_unseen:
            return True
        is_settling = self.layout.is_settling or self._panel_windows.is_settling
        return is_settling and not self.host.panels.is_presenting

    def _is_due(self, now: float) -> bool:
        if self._has_input or self._drawn_at == 0.0 or self.layout.is_settling:
            return True
        if now - self._drawn_at < (SOFTWARE_INTERVAL if self.display.is_software else 1 / 60):
            return False
        seen = self._watched(now)
        is_changed, self._seen = seen != self._seen, seen
        return is_changed

    def _watched(self, now: float) -> tuple[object, ...]:
        """Return what the panels show, in numbers that grow with each change: asked each frame.

        Args:
            now: seconds of the wall's clock, by which the cursor of a text field blinks.
        """
        host = self.host
        busy = tuple(int(line.seconds) for line in host.status.lines.values() if line.busy)
        blink = int(now * 30) if self.backend.io.want_text_input else 0
        return (
            host.status.revision, host.metrics.revision, host.panels.revision,
            host.console.revision, host.clock.paused, host.clock.speed, busy,
            speed_label(host.clock), host.is_held, len(self.overlays.toasts),
            self.overlays.shows_legend, self.display.size, blink,
            host.scene.structure_revision if self.layout.name == "studio" else 0,
            host.gauge.revision, self.profiler.watched(now),
            *self.timeline.watched(now), *self.studio.watched(now),
        )  # fmt: skip

    def _draw_all(self) -> None:
        width, height = self.display.size
        # a tab behind others is not drawn, and says nothing
        self.script.has_focus = self.profiler.is_seen = False
        if self.host.panels.is_presenting:
            self.view.camera.keep_clear(draw_presentation(self.host, self.ui, self.display.size))
            for draw_over in self.on_stage:
                draw_over(self.theme, self.display.size)
            return
        theme = self.theme
        bar, below = theme.px(BAR_HEIGHT), theme.px(STATUS_HEIGHT)
        with bar_window(theme, "Playback", Area(0, 0, width, int(bar)), theme.px(8)):
            self.playback.draw(width)
            draw_panel_menu(self)
        self.studio.draw_over(self.area)
        middle = self._middle
        with bar_window(theme, "Middle", middle, 0.0, is_clear=True):
            self.layout.draw(middle)
        self._panel_windows.draw()
        if self.shows_timeline:
            area, high = self.area, int(self.timeline.height)
            self.timeline.draw(Area(area.left, area.top + area.height, area.width, high))
        edge = Area(0, int(height - below), width, int(below))
        with bar_window(theme, "Status", edge, theme.px(5)):
            self.status_line.draw(width, has_console=self.is_open("Console"))
        below = self.overlays.draw(self.area, middle)
        self.view.camera.keep_clear(below, self.overlays.covered_above)
        for draw_window in self.windows:
            draw_window(theme, self.display.size)

    def close(self) -> None:
        """Save the layout and free ImGui's resources."""
        self.studio.thumbnails.close()
        imgui.set_current_context(self.backend.context)
        fault = self.layout.save()
        if fault:
            self.host.console.error(fault)
        self.backend.close()


def shell_actions(shell: Shell) -> list[tuple[KeyAction, Callable[[], object]]]:
    """Return the window's key actions, without the studio's and the scripts'."""
    bar, camera = shell.playback, shell.view.camera
    actions: tuple[tuple[str, str, str, str, Callable[[], object]], ...] = (
        ("pause", "Pause or resume", "space", "Playback", bar.toggle),
        ("stop", "Stop and restore the scene", "control+p", "Playback", bar.stop),
        ("step", "One step while paused", ".", "Playback", bar.step),
        ("faster", "Faster", "+", "Playback", lambda: bar.change_speed(2.0)),
        ("slower", "Slower", "-", "Playback", lambda: bar.change_speed(0.5)),
        ("keys", "This list of keys", "f1", "Window", lambda: shell.toggle("Keys")),
        ("watch", "Watch layout", "f3", "Window", lambda: shell.arrange("watch")),
        ("studio", "Studio layout", "f4", "Window", lambda: shell.arrange("studio")),
        ("rebuild", "Reset layout", "", "Window", shell.layout.rebuild),
        ("prompt", "Type Python", "f6", "Window", shell.focus_prompt),
        ("profiler", "Profiler", "f7", "Window", shell.toggle_profiler),
        ("theme", "Dark or light", "f9", "Window", shell.other_theme),
        ("rewind", "Look back, or live again", "f10", "Playback", shell.timeline.toggle),
        ("larger", "Larger text", "control+=", "Window", lambda: shell.zoom(0.25)),
        ("smaller", "Smaller text", "control+-", "Window", lambda: shell.zoom(-0.25)),
        ("home", "Reset view", "home", "View", camera.reset),
    )
    return [
        (KeyAction(f"studio.{name}", label, chord, group), run)
        for name, label, chord, group, run in actions
    ]


def shell_buttons(shell: Shell) -> list[ToolButton]:
    """Return the buttons at the right end of the toolbar."""
    return [
        ToolButton("studio.watch", "eye", "Watch layout", lambda: shell.arrange("watch"),
                   lambda: shell.layout.name == "watch", rank=1),
        ToolButton("studio.studio", "screwdriver-wrench", "Studio layout",
                   lambda: shell.arrange("studio"), lambda: shell.layout.name == "studio", rank=1),
        ToolButton("", "window-restore", "Panels", lambda: imgui.open_popup(POPUP), rank=1),
        ToolButton("studio.rewind", "clock-rotate-left", "Look back, or live again",
                   shell.timeline.toggle, lambda: shell.rewind.is_past,
                   lambda: shell.rewind.is_on or shell.rewind.is_past, rank=3),
        ToolButton("studio.theme", "circle-half-stroke", "Dark or light", shell.other_theme),
        ToolButton("studio.keys", "keyboard", "Keys", lambda: shell.toggle("Keys")),
    ]  # fmt: skip
