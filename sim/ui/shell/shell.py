"""The shell: all panels of a window, its keyboard shortcuts, and when it is redrawn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from imgui_bundle import imgui

from base.language.wording import tr
from base.modules import ScriptPackage
from base.spelling import one_of
from sim.core.audio.sound_track import RecordingAudio
from sim.core.canvas.painter import Picture
from sim.core.editing import Editor, PlaySession
from sim.core.editing.interpreter import Interpreter
from sim.core.editing.prompt import HandObject, plain_object
from sim.core.host.agents import Agents
from sim.core.host.profiling import Profiling
from sim.core.input.input_actions import InputActions, InputEvent
from sim.core.input.key_map import KeyAction, KeyMap
from sim.core.profiling.profiler import FrameGauge
from sim.core.project.manifest import Entry
from sim.core.project.run_context import RunContext
from sim.core.project.settings import REWIND_SECONDS, SettingsFile
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.metrics import MetricStore
from sim.core.reporting.python_text import called
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene import SceneObject
from sim.core.scene.scene_camera import SceneCamera
from sim.core.script.panels import Dock, Panel, PanelEntry, PanelRegistry, StatusBoard
from sim.core.tasks.clock import Clock
from sim.render.view.scene_view import SceneView
from sim.render.window.display import Display
from sim.ui.panels.console import ConsolePanel
from sim.ui.panels.edit_form import ScriptLinks
from sim.ui.panels.inspector import InspectorPanel
from sim.ui.panels.keys_panel import KeyLending, KeyPreset, KeysPanel
from sim.ui.panels.preferences_panel import PreferencesPanel
from sim.ui.panels.profiler import TITLE as PROFILER
from sim.ui.panels.profiler import ProfilerPanel
from sim.ui.panels.prompt import PromptLine
from sim.ui.panels.script_dialog import ScriptDialog
from sim.ui.panels.script_editor import ScriptEditorPanel
from sim.ui.shell.backend import ImGuiBackend, PanelLayer
from sim.ui.shell.bars import BAR_HEIGHT, STATUS_HEIGHT, RewindBar, StatusBar, bar_window
from sim.ui.shell.bars import TITLE as REWIND
from sim.ui.shell.key_owner import KeyOwner
from sim.ui.shell.keyboard_focus import KeyboardFocus
from sim.ui.shell.panel_windows import POPUP, PanelMenu, PanelWindows, ProjectPanels
from sim.ui.shell.preferences import Preferences
from sim.ui.shell.shell_input import ScriptCommands, ShellInput
from sim.ui.shell.studio import Studio
from sim.ui.shell.toolbar import PlaybackBar, ToolButton, ToolMenu, ToolSlider
from sim.ui.shell.view_menu import ViewMenu, edit_menu, steps_of
from sim.ui.theme.theme import Theme
from sim.ui.widgets.context import PanelUi, floating
from sim.ui.widgets.layout import Area
from sim.ui.widgets.overlays import LOW_VIEW, OverlayPanels, close_popup
from sim.ui.widgets.selection import Selection
from sim.ui.widgets.set_aside import balance, restore

SCRIPT_HEIGHT = 280.0  # unscaled pixels of the dock that the first script opens in
PROFILER_HEIGHT = 310.0  # the same, for the profiler
PREFERENCES = tr("Preferences")
CAPTION_MARGIN = 26.0  # pixels under the captions
CAPTION_PADDING = (22.0, 14.0)  # pixels between a panel's edge and what stands in it
CAPTION_OPACITY = 0.78
CAPTION = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.always_auto_resize
)
ANY_PAUSE = 3600.0  # seconds between the clicks of a double click
SAID_BY_THE_EDITOR = ("studio.delete", "studio.duplicate", "studio.rename")


class Shell:
    """All panels of the window.

    Args:
        display: the window.
        view: the picture of the scene.
        editor: makes all edits of the scene.
        run: the present run, which knows the scene's file.
        clock: the scene's clock.
        console: prints errors, and Python code equivalent to the user's actions.
        metrics: the numbers that scripts log, which charts show.
        panels: the panels, commands and legends of scripts.
        packages: folders that hold scripts: the project's first, then Goishi's own.
        status: the lines of the status bar.
        agents: the scene's agents.
        gauge: milliseconds per frame and fixed steps per second.
        profiling: records frames for the profiler.
        rewind: recording of the scene's last seconds.
        interpreter: runs the code typed at the prompt; its names include those of the window.
        settings: the user's settings; layouts are saved beside them.
        keys: the key map; it gets the window's actions.
        inputs: the input of the scene's scripts, which knows the keys that they use.
        offered: the panels that the project lists in `goishi.toml`.
        present: called with True to start presentation mode, with False to end it.
    """

    def __init__(
        self,
        display: Display,
        view: SceneView,
        editor: Editor,
        *,
        run: RunContext,
        clock: Clock,
        console: Console,
        metrics: MetricStore,
        panels: PanelRegistry,
        packages: Sequence[ScriptPackage],
        status: StatusBoard,
        agents: Agents,
        gauge: FrameGauge,
        profiling: Profiling,
        rewind: Rewind,
        interpreter: Interpreter,
        settings: SettingsFile,
        keys: KeyMap,
        inputs: InputActions,
        offered: tuple[Entry, ...],
        present: Callable[[bool], object],
    ) -> None:
        self.display, self.view, self.keys = display, view, keys
        self._run, self._registry, self._log = run, panels, console
        self._metrics, self._profiling, self._present = metrics, profiling, present
        self.owner = self._make_owner(inputs, clock, rewind)
        self.project_panels = ProjectPanels(editor.scene, offered)
        self.backend = ImGuiBackend(display)
        self.preferences = Preferences(settings, display, console, status)
        self._open_layers(clock, rewind)
        self._open_bars(PlaySession(editor, clock, metrics), clock, rewind)
        scripts = ScriptLinks(packages, self.open_at)
        selection = Selection(editor.scene)
        components = () if run.manifest is None else run.manifest.components
        theme, add_picture = self.theme, self.backend.add_picture
        inspector = InspectorPanel(
            editor, selection, console, agents, rewind, scripts, components, theme, add_picture
        )
        self.studio = Studio(
            editor, selection, inspector, run, view, console, clock, theme, add_picture
        )
        self.studio.show_tree = lambda: self.panel_windows.open_front("Hierarchy")
        self.view_menu = ViewMenu(
            selection, view.camera, self.preferences.keep, console.python, theme
        )
        selection.steps.update(steps_of(settings.values))
        self._add_panels(editor, scripts, interpreter)
        self.menu = PanelMenu(
            self.panel_windows, panels, self.project_panels, self.open_of_project, rewind, keys,
            console.python,
        )  # fmt: skip
        self.status_line = StatusBar(status, clock, gauge, console, view, theme, self._open_console,
                                     self.owner.told)  # fmt: skip
        self._add_actions()
        console.subscribe(self._raise_console)
        for note in settings.notes:
            console.warning(note)
        display.show_panels()

    def _make_owner(self, inputs: InputActions, clock: Clock, rewind: Rewind) -> KeyOwner:
        return KeyOwner(
            inputs,
            clock,
            self.keys,
            layout=lambda: self.layout.name,
            is_presenting=lambda: self._registry.is_presenting,
            is_past=lambda: rewind.is_past,
        )

    def _open_layers(self, clock: Clock, rewind: Rewind) -> None:
        """Create the layer of panels, their windows, and the overlays on the 3D view.

        Args:
            clock: the scene's clock.
            rewind: recording of the scene's last seconds.
        """
        self.theme, self.layout = self.preferences.theme, self.preferences.layout
        self.ui = PanelUi(self.theme)
        self.focus = KeyboardFocus(self.owner)
        self.layer = PanelLayer(
            self.display, self.backend, self._draw_all,
            watched=self._watched,
            is_growing=lambda: self.overlays.is_growing,
            is_settling=self._is_settling,
            is_rearranged=lambda: self.layout.is_settling,
            marked=self._marked,
        )  # fmt: skip
        self.preferences.on_change = self.layer.refresh
        self.windows: list[Callable[[Theme, tuple[int, int]], object]] = []
        self.on_stage: list[Callable[[Theme, tuple[int, int]], None]] = []  # over a presentation
        self.on_escape: list[Callable[[], bool]] = []  # what leaves something, and tells whether
        panels, console = self._registry, self._log
        self.panel_windows = PanelWindows(
            panels, console, rewind, self.ui, self.layout, self.layer.refresh, self.open_at
        )
        self.panels = self.panel_windows.panels
        self.overlays = OverlayPanels(
            panels, console, clock, rewind, self.ui, self.panel_windows.is_open
        )
        dialog = ScriptDialog(panels, self.ui)
        self.add_window(dialog.draw_window, leave=dialog.cancel)

    def _open_bars(self, session: PlaySession, clock: Clock, rewind: Rewind) -> None:
        """Open the toolbar and the timeline."""
        panels, console, theme = self._registry, self._log, self.theme
        self.playback = PlaybackBar(
            session, clock, rewind, panels, console, theme, self.keys, self.open_at, self.ui
        )
        self.timeline = RewindBar(
            rewind, theme, say=console.python, tell=self.overlays.say,
            keep_seconds=self._keep_rewind_seconds,
        )  # fmt: skip

    def _add_panels(self, editor: Editor, scripts: ScriptLinks, interpreter: Interpreter) -> None:
        """Create the engine's panels, and the object that sends input to panels or scene.

        Args:
            editor: makes all edits of the scene.
            scripts: finds and opens the script of a component.
            interpreter: runs the code typed at the prompt.
        """
        say, scene, owner = self._log.python, editor.scene, self.owner
        lending = KeyLending(owner.inputs.used_keys, owner.lent_to, lambda: owner.inputs.revision)
        self.key_list = KeysPanel(self.keys, self._keep_keys, say, lending)
        preferences = self.preferences
        self.key_list.preset = KeyPreset(lambda: preferences.has_wer_keys, self.set_wer_keys)
        self.script = ScriptEditorPanel(self._log.project, self._log, self._registry.renew)
        self.profiler = ProfilerPanel(
            self._profiling, scene, say=say, open_script=scripts.open_script
        )
        chosen = self.studio.selection
        interpreter.add_names(
            view=self.view, selected=lambda: chosen.in_hand(editor), do=self.do, shell=self
        )
        self.interpreter = interpreter
        prompt = PromptLine(interpreter)
        self.console = ConsolePanel(self._log, scene, open_at=self.open_at, prompt=prompt)
        self._prompt = prompt
        self.studio.clipboard.copy_elsewhere = self.console.copy_marked
        self.input = ShellInput(
            self.backend,
            self.layer,
            self.keys,
            self.owner,
            self.focus,
            commands=ScriptCommands(self._registry, self.keys, self.playback.run_command),
            key_list=self.key_list,
            script=self.script,
            prompt=prompt,
            studio=self.studio,
            timeline=self.timeline,
            is_tool_key=self._is_tool_key,
            is_on_bar=self._is_on_bar,
            viewport=lambda: self.viewport,
            leave=self._leave,
            escape=self.escape,
        )
        self._offer_next_steps()
        self.add_panel(tr("Hierarchy"), self.studio.hierarchy.draw, dock="left", icon="sitemap")
        self.add_panel(tr("Inspector"), self.studio.inspector.draw, icon="sliders")
        self.add_panel(tr("Console"), self.console.draw, dock="bottom", icon="terminal")
        self.add_panel(tr("Script"), self.script.draw, dock="bottom", icon="file-code")
        self.add_panel(tr("Assets"), self.studio.assets.draw, dock="bottom", icon="folder-tree")
        self.add_panel(PROFILER, self.profiler.draw, dock="bottom", icon="gauge-high")
        self.add_panel(tr("Keys"), self.key_list.draw, icon="keyboard")
        chooser = PreferencesPanel(
            preferences,
            sound=lambda: self._run.sound,
            scripts=lambda: [slot.instance for slot in scene.components() if slot.instance],
            do=self.do,
            say=say,
        )
        self.add_panel(PREFERENCES, chooser.draw, icon="gear")

    def _offer_next_steps(self) -> None:
        """Set what the buttons in empty panels do."""
        hierarchy = self.studio.hierarchy

        def create() -> None:
            self.panel_windows.open_front("Hierarchy")
            hierarchy.offer_create()

        self.studio.inspector.on_create = create
        self.studio.assets.on_import = lambda: self.keys.run("file.import_asset")
        self.script.on_new = lambda: self.keys.run("file.new_script")
        self.console.on_type = lambda: self.keys.run("studio.prompt")

    def _add_actions(self) -> None:
        """Add the engine's keys and buttons."""
        for action, run in (*self._actions(), *self.focus.actions(), *self.studio.actions()):
            self.keys.add(action, run)
        self.playback.left += self.studio.buttons()
        self.playback.right += self._buttons()
        self.playback.is_editing = lambda: self.layout.name == "studio"
        self.playback.lent_to = self.owner.lent_to
        edits = edit_menu(self.studio.editor, self.studio.selection)
        self.playback.edit_menus = [edits, self.view_menu.menu()]
        self.keys.on_run.append(self._echo)

    # -- what there is ------------------------------------------------------------------------

    def add_panel(
        self, title: str, draw: Callable[[PanelUi], object], *, dock: Dock = "right", icon: str = ""
    ) -> None:
        """Add a panel of the engine.

        Args:
            title: title of the panel.
            draw: called with the widgets to draw the panel.
            dock: where the panel is placed at first.
            icon: Font Awesome name of the icon; empty for none.
        """
        self.panels.append(Panel(title, draw, dock, icon=icon))

    def add_window(
        self,
        draw: Callable[[Theme, tuple[int, int]], object],
        leave: Callable[[], bool] | None = None,
    ) -> None:
        """Add something that is drawn over the panels, such as a dialog.

        Args:
            draw: called with the theme and the window's size in pixels; draws the dialog if it is
                open.
            leave: closes the dialog when Escape is pressed, and returns whether it was open. None
                if Escape does not close it.
        """
        self.windows.append(draw)
        if leave is not None:
            self.on_escape.append(leave)

    def add_on_stage(self, draw: Callable[[Theme, tuple[int, int]], None]) -> None:
        """Add a drawing on top of the scene in presentation mode.

        Args:
            draw: called in each frame of the presentation, with the theme and the window's width
                and height in pixels.
        """
        self.on_stage.append(draw)

    def add_picture(self, picture: Picture) -> int:
        """Upload a picture; return its ImGui texture id."""
        return self.backend.add_picture(picture)

    def add_buttons(self, buttons: Sequence[ToolButton | ToolSlider]) -> None:
        """Add buttons to the toolbar, before those at its right end."""
        self.playback.right = [*buttons, *self.playback.right]

    def add_menu(self, menu: ToolMenu) -> None:
        """Add a menu at the left end of the toolbar."""
        self.playback.menus.append(menu)

    def follow_choices(self, camera: SceneCamera) -> None:
        """Let the scene and its sounds follow what the user has chosen about motion and captions.

        Args:
            camera: the scene's camera.
        """
        run, preferences = self._run, self.preferences

        def reduce(is_on: bool) -> None:
            run.reduces_motion = is_on
            camera.reduce_motion(is_on)

        def caption(text: str) -> None:
            if preferences.has_captions:
                self.overlays.caption(text)

        preferences.on_motion = reduce
        reduce(preferences.reduces_motion)
        if isinstance(run.sound, RecordingAudio):
            sound = run.sound
            sound.on_caption, sound.wants_captions = caption, lambda: preferences.has_captions
            self.overlays.going_on = lambda: (
                list(sound.going_on.values()) if preferences.has_captions else []
            )

    def introduce(self) -> None:
        """Show the introduction for a user who starts Goishi for the first time."""
        self.overlays.introduce(self.do)

    def unsaved(self) -> list[str]:
        """Return the names of unsaved scripts, and of the scene if it is edited."""
        console = self._log
        paths = [tab.file.path for tab in self.script.tabs if tab.is_unsaved]
        if self.studio.editor.is_changed:
            paths.append(self._run.scene_path)
        return [console.short_path(str(path)) for path in paths]

    def save_all(self) -> bool:
        """Save scripts and scene; return whether everything was saved."""
        is_saved = self.script.save_all()
        if self.studio.editor.is_changed:
            self.studio.save()
        return is_saved and not self.unsaved()

    def is_open(self, title: str) -> bool:
        """Return whether a panel is open in the present layout."""
        return self.panel_windows.is_open(title)

    def open(self, title: str, is_open: bool = True) -> None:
        """Open a panel, or close it with `is_open=False`."""
        self.panel_windows.open(title, is_open)

    def open_of_project(self, name: str) -> None:
        """Open a panel that the project lists; its script is imported.

        Raises:
            LookupError: the project has no panel with this name.
        """
        self.project_panels.open(name)
        self.open(name)

    @property
    def has_scene_keys(self) -> bool:
        """Whether the last click was into the view, so that the scene has its keys."""
        return self.owner.focus == "view"

    def give_scene_keys(self) -> None:
        """Let the scene have its keys, as after a click into the view."""
        self.owner.click("view")

    def _end_presentation(self) -> bool:
        """End presentation mode, which hides the panels; return whether it was on."""
        is_on = self._registry.is_presenting
        if is_on:
            self._present(False)
        return is_on

    def _arrange(self, layout: str) -> None:
        self._end_presentation()
        self.preferences.arrange(layout)

    def _toggle_keys(self) -> None:
        if not self._end_presentation() and self.is_open("Keys"):
            self.open("Keys", False)
        else:
            self.panel_windows.open_front("Keys")

    def _toggle_preferences(self) -> None:
        if not self._end_presentation() and self.is_open(PREFERENCES):
            self.open(PREFERENCES, False)
        else:
            self.panel_windows.open_front(PREFERENCES)

    def _toggle_profiler(self) -> None:
        """Open the profiler and bring it to the front; if it is visible already, close it."""
        was_hidden = self._end_presentation()
        if not was_hidden and self.is_open(PROFILER) and self.profiler.is_seen:
            self.open(PROFILER, False)
        else:
            self.panel_windows.open_front(PROFILER)
            self.layout.need("bottom", PROFILER_HEIGHT)

    def _raise_console(self, record: ConsoleRecord) -> None:
        """Open the console at a new warning or error, unless a person closed it."""
        if record.level in ("warning", "error") and record.count == 1:
            self.panel_windows.open_unless_closed("Console")

    def set_wer_keys(self, is_on: bool) -> None:
        """Set whether W, E and R choose the tools move, rotate and scale in the Studio layout."""
        self.preferences.set_wer_keys(is_on)

    def keep_volume(self, volume: float) -> None:
        """Save the loudness of all sounds, 0 to 1."""
        self.preferences.keep(volume=volume)

    def _keep_rewind_seconds(self, seconds: float) -> None:
        """Set how many seconds of the past are recorded, and save this; 0 records nothing."""
        low, high = REWIND_SECONDS
        seconds = min(high, max(low, float(seconds)))
        self.timeline.rewind.seconds = seconds
        self.preferences.keep(rewind_seconds=seconds)

    def _keep_keys(self) -> None:
        self.preferences.keep(keys=dict(self.keys.changed))

    def _is_tool_key(self) -> bool:
        """Return whether W, E and R choose tools."""
        is_there = self.layout.name == "studio" and not self._registry.is_presenting
        return is_there and self.preferences.has_wer_keys

    def open_at(self, file: str, line: int = 0) -> None:
        """Open a script in the script editor.

        Args:
            file: path of the script, relative to the project or absolute.
            line: line for the cursor, counted from 1; 0 to leave the cursor.
        """
        self._log.python(called("shell.open_at", self._log.short_path(file), line))
        had_none = not self.script.tabs
        if self.script.open(self._log.project / file, line):
            self.panel_windows.open_front("Script")
            if had_none:
                self.layout.need("bottom", SCRIPT_HEIGHT)

    def do(self, name: str) -> None:
        """Run an action by name, such as "studio.theme", as its key or button does.

        Raises:
            LookupError: there is no such action.
        """
        if not self.keys.run(name):
            known = one_of(sorted(self.keys.actions), name)
            raise LookupError(f"expected an action, {known}, found {name!r}")

    def _echo(self, name: str) -> None:
        """Print the Python code that is equivalent to a key or a button.

        Args:
            name: name of the action.
        """
        if name not in SAID_BY_THE_EDITOR:
            self._log.python(called("do", name))

    def choose(self, *items: SceneObject | HandObject | None) -> None:
        """Select these objects, as clicks do; None or no argument clears the selection."""
        self.studio.hierarchy.choose(*map(plain_object, items))

    def look_at(self, item: SceneObject | HandObject) -> None:
        """Move the view to an object, as a double click does."""
        self.studio.focus(plain_object(item))

    @contextlib.contextmanager
    def patient_clicks(self) -> Iterator[None]:
        """Take two clicks in the block for a double click, however long the frames take."""
        io = self.backend.io
        usual = (io.mouse_single_click_delay, io.mouse_double_click_time)
        io.mouse_single_click_delay, io.mouse_double_click_time = 2 * ANY_PAUSE, ANY_PAUSE
        try:
            yield
        finally:
            io.mouse_single_click_delay, io.mouse_double_click_time = usual

    def _zoom(self, step: float) -> None:
        if refusal := self.preferences.zoom(step):
            self.overlays.say(refusal)

    # -- the picture's place ------------------------------------------------------------------

    @property
    def viewport(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the scene's view, pixels."""
        area = self.area
        return (area.left, area.top, area.width, area.height)

    @property
    def scale(self) -> float:
        """Scale of texts and widgets, also in the heads-up display."""
        return self.theme.scale

    @property
    def area(self) -> Area:
        """The rectangle of the 3D view in the window; the whole window in presentation mode."""
        width, height = self.display.size
        if self._registry.is_presenting:
            return Area(0, 0, width, height)
        area = self._middle if self.layout.center is None else self.layout.center
        below = int(self.timeline.height) if self.shows_timeline else 0
        return replace(area, height=max(16, area.height - below))

    @property
    def shows_timeline(self) -> bool:
        """Whether the timeline is shown below the view.

        While the past is shown, so is the timeline. In the present it needs an open timeline panel
        and a view that is not too low. Presentation mode never shows it.
        """
        if self._registry.is_presenting:
            return False
        if self.timeline.rewind.is_past:
            return True
        middle = self.layout.center
        is_low = middle is not None and middle.height < self.theme.px(LOW_VIEW)
        return self.timeline.rewind.is_on and self.is_open(REWIND) and not is_low

    @property
    def _middle(self) -> Area:
        """The area between the toolbar and the status bar."""
        width, height = self.display.size
        bars = self.theme.px(BAR_HEIGHT), self.theme.px(STATUS_HEIGHT)
        return Area(0, int(bars[0]), width, max(16, int(height - sum(bars))))

    def _is_on_bar(self, x: float, y: float) -> bool:
        """Return whether a pixel (x, y) lies on the toolbar or the status bar."""
        middle = self._middle
        return not self._registry.is_presenting and not 0 <= y - middle.top < middle.height

    # -- input --------------------------------------------------------------------------------

    def feed(self, events: Iterable[InputEvent]) -> list[InputEvent]:
        """Send input events to panels and shortcuts; return those that are left for the scene."""
        found = list(events)
        if found:
            self.layer.refresh()
        return self.input.feed(found)

    def is_scenes(self, key: str) -> bool:
        """Return whether the scene gets a key or button now, and the window does not."""
        return self.owner.is_scenes(key)

    def _leave(self) -> bool:
        """Handle Escape: close a list or menu, or leave what a script or an overlay shows."""
        return any(leave() for leave in (close_popup, *self.on_escape, self.overlays.dismiss))

    def escape(self) -> bool:
        """Handle Escape: end presentation mode, or else close the list of keys.

        Returns:
            Whether there was something to close.
        """
        if self._registry.is_presenting:
            self._log.python('do("app.present")')
            self._present(False)
        elif self.is_open("Keys"):
            self.panel_windows.open_by_hand("Keys", is_open=False)
        else:
            return False
        return True

    def renew(self) -> None:
        """Repeat the layout at the next drawing until new windows have their full size."""
        self.layer.renew()

    def _open_console(self) -> None:
        self.panel_windows.open_by_hand("Console", is_open=True)
        self.panel_windows.open_front("Console")

    def _focus_prompt(self) -> None:
        """Give the console's prompt the keyboard focus."""
        self._end_presentation()
        self.panel_windows.open_front("Console")
        self._prompt.focus()

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, wall: float, *, force: bool = False) -> bool:
        """Lay out and render the panels if something has changed.

        Args:
            wall: real time since the last frame, seconds.
            force: whether to render even if nothing has changed.

        Returns:
            Whether the panels' picture has changed.
        """
        self.display.ui_buffer.set_active(False)
        self.script.poll()
        self._profiling.watch(self.is_open(PROFILER))
        place = self.view.camera.moved_by_hand()
        if place is not None:
            self._log.python(called("view.camera.show", *place))
        if not force and not self.layer.is_due():
            return False
        self.preferences.fit_scale()
        return self.layer.draw(wall, force=force)

    def _is_settling(self) -> bool:
        is_settling = self.layout.is_settling or self.panel_windows.is_settling
        return is_settling and not self._registry.is_presenting

    def _marked(self) -> tuple[object, ...]:
        """Return where the marks over the view belong in this frame; empty if there are none."""
        if not self.studio.has_marks(is_editing=self.layout.name == "studio"):
            return ()
        self.view.set_viewport(*self.viewport)
        self.view.sync()
        return self.studio.marked()

    def _watched(self, now: float) -> tuple[object, ...]:
        """Return values that change whenever what the panels show has changed; called each frame.

        Args:
            now: time of a clock in seconds, by which the cursor of a text field blinks.
        """
        scene = self.studio.editor.scene
        blink = int(now * 30) if self.backend.io.want_text_input else 0
        return (
            self._metrics.revision, self._registry.revision, len(self.overlays.toasts),
            self.overlays.present_caption,
            self.overlays.shows_legend, self.display.size, blink,
            scene.structure_revision if self.layout.name == "studio" else 0,
            self.profiler.watched(now), *self.status_line.watched(), *self.playback.watched(),
            *self.timeline.watched(now), *self.studio.watched(now),
            self.owner.inputs.revision, self.owner.told(),
        )  # fmt: skip

    def _draw_all(self) -> None:
        width, height = self.display.size
        # a tab behind others is not drawn, and says nothing
        self.script.has_focus = self.profiler.is_seen = self.console.is_focused = False
        is_editing = self.layout.name == "studio" and not self._registry.is_presenting
        self.view.camera.let_free(is_editing)
        if self._registry.is_presenting:
            panels = self._registry.presented()
            covered = _draw_presentation(panels, self.ui, self.display.size)
            self.view.camera.keep_clear(covered)
            for draw_over in self.on_stage:
                draw_over(self.theme, self.display.size)
            return
        self.focus.arrive()
        theme = self.theme
        bar, below = theme.px(BAR_HEIGHT), theme.px(STATUS_HEIGHT)
        with bar_window(theme, tr("Playback"), Area(0, 0, width, int(bar)), theme.px(8)):
            self.playback.draw(width)
            self.menu.draw()
        self.studio.draw_over(self.area, is_editing=is_editing)
        if self.owner.is_scene_focused and self.owner.told():
            frame_view(theme, self.area)
        middle = self._middle
        with bar_window(theme, "Middle", middle, 0.0, is_clear=True):
            self.layout.draw(middle, self.panel_windows.docked())
        self.panel_windows.draw()
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
        has_front = self.panel_windows.is_settling
        self.focus.follow(is_settling=self.layout.is_settling, has_front=has_front)
        self.focus.draw(theme, self.area)

    def present_now(self) -> None:
        """Lay out the panels and show them at once, over the picture as it is."""
        self.layer.lay_out()
        self.display.present_panels()

    # -- keys and buttons --------------------------------------------------------------------

    def _actions(self) -> list[tuple[KeyAction, Callable[[], object]]]:
        """Return the window's actions with their functions, without those of studio and scripts."""
        bar, camera, preferences = self.playback, self.view.camera, self.preferences
        actions: tuple[tuple[str, str, str, str, Callable[[], object]], ...] = (
            ("pause", tr("Pause or resume"), "space", tr("Playback"), bar.toggle),
            ("stop", tr("Stop and restore the scene"), "control+p", tr("Playback"), bar.stop),
            ("step", tr("One step while paused"), ".", tr("Playback"), bar.step),
            ("faster", tr("Faster"), "+", tr("Playback"), lambda: bar.change_speed(2.0)),
            ("slower", tr("Slower"), "-", tr("Playback"), lambda: bar.change_speed(0.5)),
            ("keys", tr("This list of keys"), "f1", tr("Window"), self._toggle_keys),
            ("watch", tr("Watch layout"), "f3", tr("Window"), lambda: self._arrange("watch")),
            ("studio", tr("Studio layout"), "f4", tr("Window"), lambda: self._arrange("studio")),
            ("rebuild", tr("Reset layout"), "", tr("Window"), self.layout.rebuild),
            ("preferences", tr("Preferences"), "control+,", tr("Window"), self._toggle_preferences),
            ("prompt", tr("Type Python"), "f6", tr("Window"), self._focus_prompt),
            ("profiler", tr("Profiler"), "f7", tr("Window"), self._toggle_profiler),
            ("theme", tr("Next colours of the window"), "f9", tr("Window"), preferences.next_theme),
            ("rewind", tr("Rewind, or back to live"), "f10", tr("Playback"), self.timeline.toggle),
            ("larger", tr("Larger text"), "control+=", tr("Window"), lambda: self._zoom(0.25)),
            ("smaller", tr("Smaller text"), "control+-", tr("Window"), lambda: self._zoom(-0.25)),
            ("home", tr("Reset view"), "home", tr("View"), camera.reset),
        )  # fmt: skip
        return [
            (KeyAction(f"studio.{name}", label, chord, group), run)
            for name, label, chord, group, run in actions
        ]

    def _buttons(self) -> list[ToolButton | ToolSlider]:
        """Return the buttons at the right end of the toolbar."""
        arrange, rewind = self.preferences.arrange, self.timeline.rewind
        return [
            ToolButton("studio.watch", "eye", tr("Watch layout"), lambda: arrange("watch"),
                       lambda: self.layout.name == "watch", rank=1),
            ToolButton("studio.studio", "screwdriver-wrench", tr("Studio layout"),
                       lambda: arrange("studio"), lambda: self.layout.name == "studio", rank=1),
            ToolButton("", "window-restore", tr("Panels"), lambda: imgui.open_popup(POPUP), rank=1),
            ToolButton("studio.rewind", "clock-rotate-left", tr("Rewind, or back to live"),
                       self.timeline.toggle, lambda: rewind.is_past,
                       lambda: rewind.is_on or rewind.is_past, rank=3),
            ToolButton("studio.theme", "circle-half-stroke", tr("Next colours of the window"),
                       self.preferences.next_theme),
            ToolButton("studio.keys", "keyboard", tr("Keys"), self._toggle_keys),
        ]  # fmt: skip

    def close(self) -> None:
        """Save the layout and free ImGui's resources."""
        self.studio.thumbnails.close()
        imgui.set_current_context(self.backend.context)
        fault = self.layout.save()
        if fault:
            self._log.error(fault)
        self.backend.close()


def frame_view(theme: Theme, area: Area) -> None:
    """Draw a frame around the view, which says that the scene gets its keys.

    Args:
        theme: colours and scale.
        area: rectangle of the view in the window, pixels.
    """
    inset, thick = theme.px(1), theme.px(2)
    upper = imgui.ImVec2(area.left + inset, area.top + inset)
    lower = imgui.ImVec2(area.left + area.width - inset, area.top + area.height - inset)
    canvas = imgui.get_background_draw_list()
    canvas.add_rect(upper, lower, theme.packed("blue"), 0.0, thick)


def _draw_presentation(panels: Sequence[PanelEntry], ui: PanelUi, size: tuple[int, int]) -> float:
    """Draw the panels of presentation mode, one above the other; no other panel is drawn.

    Args:
        panels: the scripts' panels to draw, from the uppermost.
        ui: widgets and charts that the panels draw with.
        size: width and height of the window, pixels.

    Returns:
        Fraction of the window's height that the panels cover from below.
    """
    width, height = size
    below = height - CAPTION_MARGIN
    room = max(80.0, width - 2.0 * (CAPTION_MARGIN + CAPTION_PADDING[0]))
    for entry in reversed([entry for entry in panels if entry.error is None]):
        imgui.set_next_window_pos(
            imgui.ImVec2(width / 2, below), imgui.Cond_.always, imgui.ImVec2(0.5, 1.0)
        )
        imgui.set_next_window_bg_alpha(CAPTION_OPACITY)
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 12.0)
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(*CAPTION_PADDING))
        if imgui.begin((entry.title + "##presented"), None, int(CAPTION))[0]:
            with floating(ui, room):
                state = balance()
                entry.attempt(entry.draw, ui)
                restore(state)
            below = imgui.get_window_pos().y - 8.0
        imgui.end()
        imgui.pop_style_var(3)
    return (height - below) / max(1, height) if below < height - CAPTION_MARGIN else 0.0
