"""Composition root and frame loop: the only place where every part of the engine meets."""

from __future__ import annotations

import contextlib
import logging
import math
import signal
import time
import warnings
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from base.files import SHIPPED_ROOT
from base.interruption import interrupt
from base.trust import Trust
from sim.app import files, trusting, windows
from sim.app.factories import open_physics, triangles_of
from sim.app.frame_stats import FrameStats
from sim.app.opening import OpeningPicture, preparing_text
from sim.app.outputs import finish_outputs, output_folders
from sim.app.pacing import EAGER_SECONDS, FRAME_SECONDS, Pacing, quick_turns, short_collections
from sim.core.assets.assets import IMPORT_SECONDS, AssetLibrary
from sim.core.audio.sound_bank import NullSound
from sim.core.files.scene_file import SceneDocument, find_project, load
from sim.core.host.asset_reload import AssetReloader
from sim.core.host.declared import declared_kinds
from sim.core.host.reload import Reloader
from sim.core.host.scene_options import check_options, options_of_scene, read_options
from sim.core.host.script_host import ScriptHost
from sim.core.host.script_loader import ScriptLoader, bound_recursion, install_tensorflow_guard
from sim.core.input.input_actions import InputActions, InputEvent
from sim.core.native.compile_service import CompileService
from sim.core.profiling.spans import Label, Phase
from sim.core.project.data_dir import open_data_dir
from sim.core.project.project import look_at_project
from sim.core.project.run_context import RunContext
from sim.core.project.run_options import RunOptions, offering_project, options_of_next
from sim.core.project.settings import SettingsFile
from sim.core.reporting.background import BackgroundFaults
from sim.core.reporting.console import Console
from sim.core.reporting.debugging import listen_for_debugger
from sim.core.reporting.metrics import MetricStore
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene import Scene
from sim.core.script.panels import PanelRegistry, StatusBoard
from sim.core.script.runtime import ErrorPolicy
from sim.core.tasks.clock import Clock
from sim.core.workers.pool import Links

if TYPE_CHECKING:
    from sim.core.editing import Editor
    from sim.remote.server import RemoteControl
    from sim.render.capture.recorder import Recorder
    from sim.render.view.hud_layer import HudLayer
    from sim.render.view.scene_view import SceneView
    from sim.render.window.display import Display
    from sim.ui.panels.trust import TrustQuestion
    from sim.ui.panels.unsaved import UnsavedQuestion
    from sim.ui.panels.welcome import WelcomePanel
    from sim.ui.shell.shell import Shell

log = logging.getLogger(__name__)

LONGEST_ANSWER = 120.0  # seconds that a video waits for a worker, at most
INTERRUPTED = 130
INPUT = Label("input", Phase.INPUT)
ANSWERS = Label("answers", Phase.WORKERS)
AWAITED = Label("coroutines that were answered", Phase.COROUTINES)
POLLS = Label("files and models", Phase.REST)
START = Label("awake and start", Phase.SCRIPTS)
FLUSH = Label("destroyed objects", Phase.REST)
PANELS = Label("panels", Phase.PANELS)
HUD = Label("HUD", Phase.DRAWING)
CHANGES = Label("the scene's changes", Phase.DRAWING)
PICTURE = Label("drawing", Phase.DRAWING)
RECORDER = Label("recorder", Phase.REST)


class App:
    """One running scene: engine, scripts, rendering and panels, advanced a frame at a time.

    Args:
        options: the checked options of the `run` command.
        started: `time.perf_counter()` at process start, for `startup_seconds`.
        asks_trust: ask first whether the scene's project is trusted.
        is_guarded: a process beside this one tells when a script blocks, and can end the run.
        display: the window of the scene before this one, cleared; None opens one.

    Attributes:
        answer: what the user answered about the project while it was open.
        is_again: the same scene is to be opened anew, as the user answered.
        kept_display: the window, left open for the scene that follows.

    Raises:
        SceneFileError: the scene file is invalid; nothing was opened.
        UsageError: the options do not fit the scene or the folders.
        GoishiError: there is no display or no OpenGL.
    """

    def __init__(
        self,
        options: RunOptions,
        *,
        started: float | None = None,
        asks_trust: bool = False,
        is_guarded: bool = False,
        display: Display | None = None,
    ) -> None:
        self.options = options
        self.asks_trust = asks_trust
        self.answer: Trust | None = None
        self.is_again = False
        self._is_guarded = is_guarded
        self._given_display = display
        self._opening: OpeningPicture | None = None
        self._keeps_window = False
        self.kept_display: Display | None = None
        self.started = time.perf_counter() if started is None else started
        self.console = Console()
        self.frame_stats = FrameStats()
        self.display: Display | None = None
        self.view: SceneView | None = None
        self.shell: Shell | None = None
        self.editor: Editor | None = None
        self.welcome: WelcomePanel | None = None
        self.question: UnsavedQuestion | None = None
        self.trust_question: TrustQuestion | None = None
        self.recorder: Recorder | None = None
        self.hud_layer: HudLayer | None = None
        self.remote: RemoteControl | None = None
        self._closing = contextlib.ExitStack()
        self.background = BackgroundFaults(self.console)
        self._closing.callback(self.background.close)
        self._injected: list[InputEvent] = []
        self._last_frame = time.perf_counter()
        try:
            self._open()
        except BaseException:
            self._closing.close()
            raise

    # -- opening ------------------------------------------------------------------------------

    def _open(self) -> None:
        install_tensorflow_guard()
        bound_recursion()
        options = self.options
        project = find_project(options.scene)
        document = load(options.scene, project=project)
        self._closing.enter_context(output_folders(options))
        if options.debug:
            listen_for_debugger(options.debug_port, self.console, wait=options.debug_wait)
        if options.graphics:
            self._open_display()
        self._open_engine(document, project)
        if self.display is not None:
            self._say_opening(preparing_text())
            self._open_view()
        # scripts that do not run declare nothing: their files tell
        is_read = options.safe and not options.headless
        declared = read_options(options.scene) if is_read else options_of_scene(self.scene)
        check_options(options, declared)
        self.run_context.declared = frozenset(declared)
        if options.paused:
            self.clock.pause()

    def _open_display(self) -> None:
        from sim.render.window.display import Display

        options = self.options
        self.display = self._given_display or Display(
            size=options.window, offscreen=options.headless, title="Goishi",
            is_environment=options.is_environment and options.headless,
        )  # fmt: skip
        self._closing.callback(self._close_display, self.display)
        if not options.headless:
            self._opening = OpeningPicture(self.display, options.scene)
            self._say_opening("Loading the scripts")

    def _say_opening(self, text: str) -> None:
        if self._opening is not None:
            self._opening.say(text)

    def _close_display(self, display: Display) -> None:
        """Close the window, or leave it to the scene that follows."""
        if self._keeps_window:
            display.clear()
            self.kept_display = display
        else:
            display.close()

    def _open_engine(self, document: SceneDocument, project: Path) -> None:
        options = self.options
        directory = self._closing.enter_context(
            open_data_dir(options.data_dir, temporary=options.wants_temporary_data)
        )
        if directory.note:
            self.console.warning(directory.note)
        self.run_context = RunContext(
            scene_path=options.scene,
            project=project,
            given_project=offering_project(options),
            data_dir=directory.path,
            seed=document.settings.seed if options.seed is None else options.seed,
            seeded=options.seed is not None,
            seconds=options.seconds,
            headless=options.headless,
            graphics=options.graphics,
            animated=not options.is_instant,
            out=options.out,
            temporary_data=directory.temporary,
            other_data_dir=directory.instead_of,
            fresh=options.fresh,
            options=dict(options.script_options),
            started=self.started,
            manifest=look_at_project(project, self.console),
            policy=options.policy,
            is_environment=options.is_environment,
        )
        if self.display is not None:
            self.run_context.startup("window")
        self.settings = SettingsFile(None if options.headless else directory.path)
        self.console.project = project
        self.clock = Clock(
            document.settings.fixed_dt,
            speed=options.effective_speed,
            step_seconds=(
                math.inf if options.headless else self.settings.values.step_milliseconds / 1000.0
            ),
        )
        self.input = InputActions()
        metrics_path = options.out / "metrics.jsonl" if options.out is not None else None
        self.metrics = MetricStore(metrics_path, warn=self.console.error)
        self._closing.callback(self.metrics.close)
        self.panels = PanelRegistry()
        self.status = StatusBoard()
        self.links = Links(self.console)
        self._closing.callback(self.links.close)
        self._pacing = Pacing(self.clock, self.links)
        self._open_host(document, project)

    def _open_host(self, document: SceneDocument, project: Path) -> None:
        options = self.options
        self.scene = Scene(document.settings)
        self.assets = AssetLibrary(project, self.console)
        self._closing.callback(self.assets.close)
        if self.display is not None:  # before anybody asks for a model, such as for its shadow
            from sim.render.models.figures import read_figure

            self.assets.read_content = read_figure
        self.scene.animator.library = self.assets
        self.scene.physics_maker = open_physics
        self.scene.space.read_triangles = lambda obj: triangles_of(self.assets, obj)
        self.host = ScriptHost(
            self.scene,
            clock=self.clock,
            console=self.console,
            loader=ScriptLoader(project, SHIPPED_ROOT, is_safe=options.safe),
            input_actions=self.input,
            metrics=self.metrics,
            panels=self.panels,
            status=self.status,
            run=self.run_context,
            links=self.links,
            policy=ErrorPolicy(options.on_error) if options.on_error else None,
            is_safe=options.safe,
        )
        self.scene.models, bank = declared_kinds(
            self.host.loader, self.run_context.manifest, self.console, is_safe=options.safe
        )
        self.run_context.sound = NullSound(bank)
        self._closing.callback(self.host.loader.close)
        if options.profile is not None:
            self.host.profiling.write_to(options.profile, f"Goishi {options.scene.name}")
            self._closing.callback(self.host.profiling.close)
        if self._is_guarded:
            self._closing.callback(windows.open_sentry(self).close)
        self._closing.callback(self.host.shutdown)
        self.rewind = Rewind(self.host, self.run_context.data_dir)
        self._closing.callback(self.rewind.close)  # the scripts end in the present
        self.compiling = CompileService(self.links, self.console, self.host.loader.packages())
        self._closing.callback(self.compiling.close)
        self.reloader = Reloader(self.host)
        self._closing.callback(self.reloader.close)
        self.asset_reloader = AssetReloader(self.host, self.assets)
        self._closing.callback(self.asset_reloader.close)
        self.scene.load_document(document)
        if options.remote:
            from sim.remote.server import RemoteControl

            self.remote = RemoteControl(self.host, options.remote_port)
            self._closing.callback(self.remote.close)
            self._pacing.drive(self.remote)

    def _scene_seconds(self) -> float:
        """Return the scene's own time: what an environment shows depends on nothing else."""
        return self.clock.time

    def _open_view(self) -> None:
        from sim.render.view.hud_layer import HudLayer
        from sim.render.view.scene_view import SceneView

        if self.display is None:
            return
        if not self.options.headless:
            windows.open_sound(self, self._closing)
        now = self._scene_seconds if self.options.is_environment else time.perf_counter
        self.view = SceneView(self.display, self.scene, quality=self.options.quality, now=now)
        self.hud_layer = HudLayer(self.display, self.host.hud)
        self.recorder = windows.open_recorder(self, self.display, self._closing)
        if self.options.panels:
            from sim.core.editing import Editor
            from sim.ui.shell.shell import Shell

            self.editor = Editor(self.host)
            self.shell = Shell(
                self.display,
                host=self.host,
                view=self.view,
                editor=self.editor,
                rewind=self.rewind,
                settings=self.settings,
                present=lambda is_presenting: windows.present(self, is_presenting),
            )
            self._closing.callback(self.shell.close)
            windows.open_rewind(self, self.editor)
            files.add_dialog(self, self.shell)
            self.welcome, self.question, self.trust_question = windows.complete(self, self.shell)
            if self.asks_trust:
                trusting.ask_at_start(self)

    # -- running ------------------------------------------------------------------------------

    def run(self) -> int:
        """Run until the run ends; return the exit code."""
        stops = (signal.SIGINT, signal.SIGTERM)
        previous = {number: signal.signal(number, self._interrupt) for number in stops}
        if not self.options.headless:
            self.reloader.watch()
            self.asset_reloader.watch()
        show, warnings.showwarning = warnings.showwarning, partial(windows.tell_warning, self)
        try:
            with quick_turns(), short_collections() as after_frame:
                while not self.run_context.stop_requested:
                    begun = time.perf_counter()
                    self.frame()
                    after_frame()
                    self._pacing.rest(begun)
            finish_outputs(self)
            self._tell_what_follows()
        finally:
            warnings.showwarning = show
            for number, handler in previous.items():
                signal.signal(number, handler)
            self.close()
        windows.check_video(self)
        return self.run_context.exit_code or 0

    def _tell_what_follows(self) -> None:
        """Keep the window where another scene follows, and say so before this one closes."""
        scene = self.options.scene if self.is_again else self.run_context.next_scene
        if scene is None or self.options.headless or self.run_context.exit_code:
            return
        self._keeps_window = True
        windows.say_opening(self, scene)

    def frame(self) -> None:
        """Run one frame: input, messages, scripts, rendering."""
        begun = time.perf_counter()
        wall = begun - self._last_frame
        self._last_frame = begun
        host, profiler = self.host, self.host.profiler
        profiler.begin(begun, self.scene.structure_revision)
        self._take_input(wall)
        self._pacing.is_past = self.rewind.is_past
        if self.rewind.is_past:
            self.rewind.advance(self.clock.frame_step or wall)
            self.input.end_frame()
            profiler.mark(INPUT)
        else:
            self._run_scene(wall)
        if self.options.seconds is not None and self._passed >= self.options.seconds:
            self.run_context.finish(0)
        is_new = self._is_draw_due(begun) and self._draw(begun, wall)
        if self.recorder is not None:
            self.recorder.update(is_new=is_new)
            windows.check_video(self)
            profiler.mark(RECORDER)
        profiler.end(self.clock.frame, 0 if self.rewind.is_past else host.tick.fixed_steps)
        if self.shell is not None:
            self._gauge(wall, time.perf_counter() - begun)

    def _run_scene(self, wall: float) -> None:
        """Run what of a frame is the scene's own time: messages, reloads, scripts."""
        host, profiler = self.host, self.host.profiler
        if self.remote is not None:
            self.remote.begin_frame()
        profiler.mark(INPUT)
        self._take_answers()
        self.reloader.poll()
        self.asset_reloader.poll()
        self.compiling.poll()
        self.background.tell(host.watchdog.watching)
        profiler.mark(POLLS)
        host.begin_frame()
        profiler.mark(START)
        host.run_frame(self.clock.advance(wall))
        self.rewind.record()
        profiler.mark(FLUSH)

    def _gauge(self, wall: float, busy: float) -> None:
        """Count the frame for the status bar, unless time stands still."""
        if self.clock.paused or self.rewind.is_past:
            self.host.gauge.restart()
        else:
            self.host.gauge.add(wall, busy, self.host.tick.fixed_steps)

    def _take_answers(self) -> None:
        """Give out what workers have answered, and take the models that were read."""
        mark = self.host.profiler.mark
        if self.clock.frame_step is not None:
            self.links.settle(LONGEST_ANSWER)  # what workers take is no part of a video
            mark(ANSWERS)
            self.assets.poll(IMPORT_SECONDS)
            return
        for _ in self.links.arrivals(self._pacing.patience):
            mark(ANSWERS)
            self.host.tasks.run_ready()
            mark(AWAITED)
        mark(ANSWERS)
        if self.clock.instant:  # a body may wait for its model
            self.assets.poll(EAGER_SECONDS)

    def inject(self, *events: InputEvent) -> None:
        """Add events to the next frame's input, as if they came from the window."""
        self._injected.extend(events)

    def take_answer(self, answer: Trust) -> None:
        """Take the user's answer about the project that is open."""
        self.answer = answer

    def open_again(self) -> None:
        """End this scene and open it anew as the user answered."""
        self.is_again = True
        self.run_context.finish(0)

    def close(self) -> None:
        """Close scripts, workers and the window. May be called twice."""
        self._closing.close()

    @property
    def _passed(self) -> float:
        is_counted = self.clock.frame_step is not None
        return self.clock.time if is_counted else time.perf_counter() - self.started

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl+C or SIGTERM: end after this frame; a second one ends at once."""
        signal.signal(signal.SIGINT, interrupt)
        self.run_context.exit_code = INTERRUPTED

    def _take_input(self, wall: float) -> None:
        events = self._injected
        self._injected = []
        if self.display is not None:
            events = [*self.display.poll(), *events]
        for event in events:
            self._take_window_event(event)
        self.scene.camera.pass_time(self.clock.frame_step or wall, events)
        if self.shell is not None:
            events = self.shell.feed(events)
        if not self.rewind.is_past:
            events = self.host.hud.feed(events)
        if self.view is not None:
            self.view.camera.feed(events)
            pointers = [event for event in events if event.kind in ("pointer_move", "button_down")]
            x, y = (pointers[-1].x, pointers[-1].y) if pointers else self.input.pointer
            self.input.pointer_ray = self.view.camera.ray(x, y)
        if self.rewind.is_past:
            return  # scripts hear of nothing
        self.input.feed(events, ray=self.view.camera.ray if self.view is not None else None)
        if self.shell is not None:
            return  # its key map knows the commands
        for command in list(self.panels.commands):
            if command.key and self.input.pressed(command.key):
                self.host.call(command.slot, command.name, command.callback)

    def _take_window_event(self, event: InputEvent) -> None:
        if event.kind == "close":
            windows.close_window(self)
        elif event.kind == "drop":
            files.open_file(self, event.text)
        elif event.kind in ("minimize", "restore"):
            self._pacing.is_hidden = event.kind == "minimize"

    # -- drawing ------------------------------------------------------------------------------

    def _is_draw_due(self, now: float) -> bool:
        if self.display is None or self._pacing.is_hidden:
            return False
        return self._is_filming or self._pacing.is_draw_due(now)

    @property
    def _is_filming(self) -> bool:
        return self.recorder is not None and self.recorder.is_exact

    def _draw(self, begun: float, wall: float) -> bool:
        """Draw and present what changed; return whether the picture is a new one."""
        if self.display is None or self.view is None:
            return False
        draw_begun = time.perf_counter()
        is_new = self._draw_parts(wall)
        if is_new or self._is_filming:
            self.display.present(self.host.profiler)
            self.view.presented()
            if self.hud_layer is not None:
                self.hud_layer.presented()
            self.host.profiler.mark(PICTURE)
            now = time.perf_counter()
            self._pacing.drew(draw_begun, now)
            self.frame_stats.add(now - begun, training=self.status.is_busy("training"))
        return is_new

    def _draw_parts(self, wall: float) -> bool:
        """Draw what changed; return whether there is anything new to show."""
        if self.view is None:
            return False
        is_new, mark = False, self.host.profiler.mark
        if self.shell is not None:
            is_new = self.shell.draw(wall)
            self.view.set_viewport(*self.shell.viewport)
            mark(PANELS)
        is_new = windows.draw_hud(self) or is_new
        mark(HUD)
        self.view.follow(wall)
        self.view.sync()
        mark(CHANGES)
        is_new = bool(self.view.render()) or is_new
        mark(PICTURE)
        return is_new

    def draw_next(self) -> None:
        """Draw the next frame if anything changed, however short ago the last one was drawn."""
        self._pacing.draw_next()

    def draw_now(self) -> None:
        """Draw everything in full quality at once."""
        if self.display is None or self.view is None:
            return
        if self.shell is not None:
            self.shell.draw(FRAME_SECONDS, force=True)
            self.view.set_viewport(*self.shell.viewport)
        windows.draw_hud(self, force=True)
        self.view.follow(FRAME_SECONDS)
        self.view.sync()
        self.view.finish()
        self.display.present()


def run(options: RunOptions, *, started: float | None = None) -> int:
    """Open and run a scene, and those opened from it; return the exit code of the last.

    Errors are one line on stderr.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    display: Display | None = None
    while True:
        opened, is_asked = trusting.admit(options)
        app = App(opened, started=started, asks_trust=is_asked, is_guarded=True, display=display)
        code = app.run()
        display = app.kept_display
        if app.is_again and not code:
            options, started = trusting.options_again(options, app), None
            continue
        following = app.run_context.next_scene
        if following is None or code:
            return code
        declared = options_of_scene(app.scene) if options.headless else {}
        kept = [option.key for option in declared.values() if option.ends_run]
        options, started = options_of_next(options, following, kept=kept), None
        del app  # two scenes at once would take twice the memory
