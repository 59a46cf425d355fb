"""The app: one world, its window, and the frame loop."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from base.interruption import ending_signals, interrupt
from base.language.catalogs import use, wanted_language
from base.language.wording import tr
from base.schema import OptionValue
from base.temporary import remove_own
from base.trust import may_import
from base.worker.starting import SAFE
from sim.app.navigation import Navigation, admit
from sim.app.outputs import FrameStats, output_folders, write_json
from sim.app.pacing import EAGER_SECONDS, Pacing, quick_turns, short_collections
from sim.app.picture import OpeningPicture, Picture, preparing_text, say_opening
from sim.app.scene_follow import Carried, Fade, kept_saves, options_after
from sim.app.world import LONGEST_ANSWER, World
from sim.core.assets.assets import IMPORT_SECONDS
from sim.core.audio.sound_track import RecordingAudio
from sim.core.files.scene_file import SceneDocument, find_project, load
from sim.core.hangs.exit_watch import ExitWatch
from sim.core.hangs.hang_client import HangClient
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.display_guard import install_display_guard
from sim.core.host.reload import AssetReloader, Reloader
from sim.core.host.scene_options import options_of_scene, read_options
from sim.core.host.script_host import LEFT_OUT
from sim.core.host.script_loader import bound_recursion, install_tensorflow_guard
from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import KeyMap
from sim.core.input.key_names import WHEEL, pad_part
from sim.core.native.compile_service import CompileService
from sim.core.profiling.profiler import FrameGauge
from sim.core.profiling.spans import Phase, SpanLabel
from sim.core.project.chosen_folders import ChosenFolders
from sim.core.project.data_dir import DataDirectory, open_data_dir, user_cache_dir, user_data_dir
from sim.core.project.manifest import look_at_project
from sim.core.project.recent_scenes import FILE_NAME as RECENT_NAME
from sim.core.project.recent_scenes import RecentScenes, window_title
from sim.core.project.run_context import FOLDER, RunContext
from sim.core.project.run_options import (
    RunOptions,
    check_options,
    offering_project,
    options_of_next,
)
from sim.core.project.script_preferences import ScriptPreferences
from sim.core.project.settings import SettingsFile
from sim.core.reporting.background import BackgroundFaults
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.debugging import listen_for_debugger
from sim.core.rewind.recorder import TapeRecorder
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene import SlotState
from sim.core.script.agent import Agent
from sim.core.script.runtime import ErrorPolicy
from sim.core.tasks.clock import Clock

if TYPE_CHECKING:
    from base.worker.loaded import LoadedWorkers
    from sim.app.file_commands import FileCommands
    from sim.app.game_window import GameWindow
    from sim.app.rescue import Rescue
    from sim.core.editing import Editor, PlaySession
    from sim.core.editing.interpreter import Interpreter
    from sim.core.project.scene_change import SceneChange
    from sim.remote.server import RemoteControl
    from sim.render.capture.recorder import VideoRecorder
    from sim.render.view.scene_view import SceneView
    from sim.render.window.display import Display
    from sim.ui.panels.dialogs import RestoreQuestion, TrustQuestion, UnsavedQuestion
    from sim.ui.panels.welcome import WelcomePanel
    from sim.ui.shell.shell import Shell


ANSWERS = SpanLabel("answers", Phase.WORKERS)
AWAITED = SpanLabel("coroutines that were answered", Phase.COROUTINES)
POLLS = SpanLabel("files and models", Phase.REST)
START = SpanLabel("awake and start", Phase.SCRIPTS)
FLUSH = SpanLabel("destroyed objects", Phase.REST)


class LiveWorld(World):
    """The world of an app: a scene with what runs it, plus rewinding, compiling and hot reload.

    Attributes:
        rewind: records the last seconds of the scene and shows them.
        compiling: compiles the `@compiled` functions of its scripts.
        reloader: reloads scripts that are saved.
        asset_reloader: reloads pictures, models and sounds that are saved.
    """

    def _open_more(self) -> None:
        """Open rewinding, compiling and hot reload, before the scene's scripts are loaded."""
        self.rewind = self._make_rewind()
        self._closing.callback(self.rewind.close)  # the scripts end in the present
        self.compiling = CompileService(self.links, self.console, self.loader.packages())
        self._closing.callback(self.compiling.close)
        scene, console = self.scene, self.console
        guard, watchdog, is_safe = self.guard, self.watchdog, self.is_safe
        self.reloader = Reloader(
            self.host, scene, self.loader, guard, self.hud, console, watchdog, self.kinds, is_safe
        )
        self._closing.callback(self.reloader.close)
        self.asset_reloader = AssetReloader(scene, self.assets, console, self.run_context)
        self._closing.callback(self.asset_reloader.close)

    def _make_rewind(self) -> Rewind:
        scene, clock, console, agents = self.scene, self.clock, self.console, self.agents
        return Rewind(
            scene,
            clock,
            console,
            agents,
            make_recorder=lambda: TapeRecorder(
                scene, clock, console, agents, self.metrics, self.watchdog
            ),
            continue_from=self.continue_from,
            folder=self.run_context.data_dir,
            name=self.run_context.scene_path.name.partition(".")[0],
        )

    def watch_files(self) -> None:
        """Reload files from now on when they are saved."""
        self.reloader.watch()
        self.asset_reloader.watch()

    def run(self, wall: float, patience: float, background: BackgroundFaults) -> None:
        """Run one frame of the scene: answers of workers, reloads, scripts and recording.

        Args:
            wall: seconds since the previous frame.
            patience: maximum seconds to wait for workers.
            background: exceptions of threads and finalizers, which are reported here.
        """
        host, mark = self.host, self.profiler.mark
        self._deliver_answers(patience)
        self.reloader.poll()
        self.asset_reloader.poll()
        self.compiling.poll()
        background.report(self.watchdog.watching)
        mark(POLLS)
        host.begin_frame()
        mark(START)
        host.run_frame(self.clock.advance(wall))
        self.rewind.record()
        mark(FLUSH)

    def _deliver_answers(self, patience: float) -> None:
        """Pass the answers of workers to their callers, and collect models that have been loaded.

        Args:
            patience: maximum seconds to wait for an answer.
        """
        mark = self.profiler.mark
        if self.clock.frame_step is not None:
            self.links.settle(LONGEST_ANSWER)  # what workers take is no part of a video
            mark(ANSWERS)
            self.assets.poll(IMPORT_SECONDS)
            return
        # at maximum speed the order of a frame does not depend on whether it waited
        clock = self.clock
        goes_on = clock.instant and not clock.paused and not clock.is_stopped
        for _ in self.links.arrivals(patience):
            mark(ANSWERS)
            if patience > 0.0 or goes_on:
                self.tasks.run_ready()
                mark(AWAITED)
        mark(ANSWERS)
        if self.clock.instant:  # a body may wait for its model
            self.assets.poll(EAGER_SECONDS)


log = logging.getLogger(__name__)

FAILED = 1
INTERRUPTED = 130
LONGEST_CLOSING = 15.0  # seconds, where the display has gone
LOCKED_KINDS = ("pointer_move", "button_down", "button_up", "wheel")
"""Kinds of events that only scripts hear of while the mouse is locked."""
POINTER_LEAVES = (
    *(InputEvent("button_up", key=f"mouse{number}", x=-1.0, y=-1.0) for number in (1, 2, 3)),
    InputEvent("pointer_move", x=-1.0, y=-1.0),
)
"""What the panels and the view's camera see when the mouse is locked."""
INPUT = SpanLabel("input", Phase.INPUT)
RECORDER = SpanLabel("recorder", Phase.REST)
DIALOG = (
    f"import sys; sys.path.insert(0, {str(SHIPPED_ROOT)!r}); "
    "from sim.ui.widgets.blocked_dialog import main; sys.exit(main(sys.argv[1]))"
)


class App:
    """One running scene: its world and, if it is shown, its picture, panels and sound.

    Args:
        options: the checked options of the `run` command.
        started: `time.perf_counter()` at process start, for `startup_seconds`.
        asks_trust: whether to ask the user at the start about trust in the scene's project.
        is_guarded: whether a second process tells the user when a script blocks, and can end the
            run.
        display: the cleared window of the scene before this one; None to open a new window.
        loaded: starts workers that have loaded their modules already; None to start each as a new
            interpreter.
        remote: the remote control of the scene before this one; None to open a new one if the
            options ask for it.
        carried: what the scene takes over from the one before it; None for nothing.
        game: the window's own keys in a packed game; None elsewhere.

    Attributes:
        world: the scene with all that runs it. `scene`, `host`, `clock`, `console`, `rewind` and
            `run_context` are its parts that people use at the prompt.
        navigation: opens other scenes, and ends the run.
        display, view, picture, recorder: parts that draw; None for a run without graphics.
        shell, editor, welcome, question, trust_question, restore_question: parts with panels and
            dialogs; None without panels.
        files: the commands of the File menu; None without panels.
        rescue: keeps unsaved edits for a crash; None for a headless run.
        frame_stats: how long the drawn frames took.
        gauge: recent mean frame time and number of fixed steps per second.
        remote: lets other programs control the scene; None if that is not allowed.
        kept_display: the window, left open for the following scene; None if there is none.
        is_followed: whether another scene follows, which remote programs control then.
        carried: what this scene takes over from the one before it.
        game: the window's own keys in a packed game; None elsewhere.

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
        loaded: LoadedWorkers | None = None,
        remote: RemoteControl | None = None,
        carried: Carried | None = None,
        game: GameWindow | None = None,
    ) -> None:
        self.options = options
        self.game = game
        self.carried = Carried() if carried is None else carried
        self._loaded = loaded
        self.started = time.perf_counter() if started is None else started
        self.console = Console()
        self.display: Display | None = None
        self.view: SceneView | None = None
        self.recorder: VideoRecorder | None = None
        self.shell: Shell | None = None
        self.editor: Editor | None = None
        self.files: FileCommands | None = None
        self.welcome: WelcomePanel | None = None
        self.question: UnsavedQuestion | None = None
        self.trust_question: TrustQuestion | None = None
        self.restore_question: RestoreQuestion | None = None
        self.rescue: Rescue | None = None
        self.remote: RemoteControl | None = remote
        self._session: PlaySession | None = None
        self.kept_display: Display | None = None
        self.is_followed = False
        self.picture: Picture | None = None
        self.frame_stats = FrameStats()
        self.gauge = FrameGauge()
        self._injected: list[InputEvent] = []
        self._is_mouse_locked = False
        self._change: SceneChange | None = None
        self._last_frame = time.perf_counter()
        self._closing = contextlib.ExitStack()
        self._background = BackgroundFaults(self.console)
        self._closing.callback(self._background.close)
        if remote is not None:
            self._closing.callback(self._close_remote, remote)
        try:
            self._open(display, asks_trust=asks_trust, is_guarded=is_guarded)
        except BaseException:
            self._closing.close()
            raise

    # -- opening ------------------------------------------------------------------------------

    def _open(self, display: Display | None, *, asks_trust: bool, is_guarded: bool) -> None:
        install_tensorflow_guard()
        install_display_guard()
        bound_recursion()
        options = self.options
        project = find_project(options.scene)
        is_for_a_person = not options.headless and not options.is_environment
        document = load(options.scene, project=project, allows_missing=is_for_a_person)
        self.options = options = replace(options, scene=options.scene.absolute())
        self._closing.enter_context(output_folders(options))
        if options.debug:
            listen_for_debugger(options.debug_port, self.console, wait=options.debug_wait)
        opening = self._open_display(display) if options.graphics else None
        if opening is not None:
            opening.say(tr("Loading the scripts"))
        self._open_world(document, project, is_guarded=is_guarded)
        if self.display is not None:
            if opening is not None:
                opening.say(preparing_text())
            view = self._open_picture(self.display)
            recorder = self._open_recorder(self.display)
            if options.panels:
                self._open_panels(self.display, view, recorder, asks_trust=asks_trust)
        if options.remote:
            self._open_remote(self.world, options.remote_port)
        # scripts that do not run declare nothing: their files tell
        is_read = options.safe and not options.headless
        declared = read_options(options.scene) if is_read else options_of_scene(self.scene)
        check_options(options, declared)
        self.run_context.declared = frozenset(declared)
        if options.paused:
            self.clock.pause()
        is_seen = self.display is not None and not options.is_instant
        self._fade = Fade(self.world.hud, self.carried.fade if is_seen else 0.0)
        if self.carried.is_presenting and self.shell is not None:
            self._present(True)
        if self.carried.has_keys and self.shell is not None:
            self.shell.give_scene_keys()

    def _open_display(self, given: Display | None) -> OpeningPicture | None:
        """Open the window, or reuse one, and return the plain picture that it shows while loading.

        Args:
            given: the window of the previous scene; None to open a new one.

        Returns:
            The picture; None for a headless run.
        """
        from sim.render.window.display import Display

        options = self.options
        self.display = given or Display.of_run(options)
        if not options.headless:
            self.display.when_lost(self._end_without_display)
        self._closing.callback(self._close_display, self.display)
        if options.headless:
            return None
        use(wanted_language(_kept_language(options)))  # the picture has words, too
        if self.game is None:
            self.display.set_title(window_title(options.scene))
        return OpeningPicture(self.display, options.scene, is_dark=self.carried.fade > 0.0)

    def _close_display(self, display: Display) -> None:
        """Close the window, or leave it to the scene that follows."""
        if self.kept_display is not None:
            display.clear()
        else:
            display.close()

    def _open_world(self, document: SceneDocument, project: Path, *, is_guarded: bool) -> None:
        options = self.options
        directory = self._closing.enter_context(
            open_data_dir(options.data_dir, temporary=options.wants_temporary_data)
        )
        if directory.note:
            self.console.warning(directory.note)
        self.run_context = run = self._make_run(document, project, directory)
        self.settings = SettingsFile(None if options.headless else directory.path)
        run.preferences = ScriptPreferences(
            self.settings.values.scripts, keep=self._keep_of_scripts, warn=self.console.warning
        )
        self.console.project = project
        self.clock = Clock(
            document.settings.fixed_dt,
            speed=options.effective_speed,
            step_seconds=(
                math.inf if options.headless else self.settings.values.step_milliseconds / 1000.0
            ),
        )
        watchdog = Watchdog(document.settings.script_timeout)
        self._closing.callback(watchdog.close)
        if is_guarded:
            has_dialog = not options.headless and self.game is None
            hang_client = _open_hang_client(watchdog, project, has_window=has_dialog)
            self._closing.callback(hang_client.close)
        read_content: Callable[[Path], object] | None = None
        if self.display is not None:
            from sim.render.models.figures import read_figure

            read_content = read_figure
        self.world = LiveWorld(
            document,
            run,
            console=self.console,
            clock=self.clock,
            watchdog=watchdog,
            is_safe=options.safe,
            policy=ErrorPolicy(options.on_error) if options.on_error else None,
            read_content=read_content,
        )
        self._closing.callback(self.world.close)
        self.scene, self.host, self.rewind = self.world.scene, self.world.host, self.world.rewind
        self.world.links.begin_loaded(self._loaded)
        self._pacing = Pacing(self.clock, self.world.links)
        world = self.world
        self.navigation = Navigation(run, self.console, world.panels)
        if options.profile is not None:
            world.profiling.write_to(options.profile, f"Goishi {options.scene.name}")

    def _keep_of_scripts(self, values: dict[str, OptionValue]) -> None:
        if fault := self.settings.change(scripts=values):
            self.console.error(fault)

    def _open_remote(self, world: LiveWorld, port: int) -> None:
        """Let other programs control the scene, and say how they find it."""
        from sim.remote.calls import Calls
        from sim.remote.playing import ScenePlayer, open_session
        from sim.remote.publisher import Publisher
        from sim.remote.server import RemoteControl

        clock, console, metrics, rewind = self.clock, self.console, world.metrics, self.rewind
        session = self._session
        if session is None:
            session = open_session(self.scene, clock, console, metrics, rewind)
        calls = Calls(
            self.run_context,
            self.scene,
            clock,
            console,
            metrics,
            world.watchdog,
            ScenePlayer(session, clock, rewind),
            self.navigation.open_for_program,
        )
        if self.remote is None:
            self.remote = RemoteControl(port)
            self._closing.callback(self._close_remote, self.remote)
        remote = self.remote
        remote.attach(calls, Publisher(self.scene, clock, calls), clock, world.status, console)
        self._pacing.drive(remote)
        console.info(f'remote control: goishi.connect("{remote.address}", "{remote.token}")')

    def _close_remote(self, remote: RemoteControl) -> None:
        """Close the remote control, or leave it to the scene that follows."""
        if self.is_followed:
            remote.detach()
        else:
            remote.close()

    def _make_run(
        self, document: SceneDocument, project: Path, directory: DataDirectory
    ) -> RunContext:
        options = self.options
        run = RunContext(
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
            scene_id=document.id,
            is_known_scene=_is_known(options.scene, project, directory.path),
            tell=self.console.info,
            is_remote=options.remote,
            saves_dir=self.carried.saves_dir,
            given=self.carried.given,
        )
        if self.display is not None:
            run.startup("window", self.display.opened_at)
        return run

    def _open_picture(self, display: Display) -> SceneView:
        from sim.render.view.hud_layer import HudLayer
        from sim.render.view.scene_view import SceneView

        options = self.options
        if not options.headless:
            self._open_sound()
        # what an environment shows depends on nothing but its own time
        now = (lambda: self.clock.time) if options.is_environment else time.perf_counter
        self.view = view = SceneView(display, self.scene, quality=options.quality, now=now)
        hud_layer = HudLayer(display, self.world.hud)
        self.picture = Picture(display, view, hud_layer, self.settings, self.world.profiler)
        return view

    def _open_sound(self) -> None:
        """Open the audio output, muted if the user left it so."""
        from sim.render.audio.sound import Speaker, open_speaker

        def keep(muted: bool) -> None:
            if fault := self.settings.change(muted=muted):
                self.console.error(fault)

        sound = open_speaker(
            user_cache_dir() / "sounds",
            camera=self.scene.camera,
            bank=self.run_context.sound.bank,
            muted=self.settings.values.muted,
            on_mute=keep,
            seed=self.run_context.seed,
        )
        sound.volume = self.settings.values.volume
        self.run_context.sound = sound
        if isinstance(sound, Speaker):
            self._closing.callback(sound.close)

    def _open_recorder(self, display: Display) -> VideoRecorder:
        """Open the recorder and pass it to the run; with --video it starts at once.

        Raises:
            GoishiError: the file of --video cannot be written.
        """
        from sim.render.capture.recorder import VideoRecorder

        run = self.run_context
        run.sound = RecordingAudio(run.sound, self.scene.camera, run.seed)
        self.recorder = recorder = VideoRecorder(
            display,
            sound=run.sound,
            clock=self.clock,
            console=self.console,
            status=self.world.status,
            folder=_recordings_of(run),
        )
        self._closing.callback(recorder.close)
        run.recorder = recorder
        if self.options.video is not None:
            recorder.open(self.options.video, longest=math.inf)
        return recorder

    def _open_panels(
        self, display: Display, view: SceneView, recorder: VideoRecorder, *, asks_trust: bool
    ) -> None:
        from sim.app.rescue import Rescue
        from sim.app.window_features import WindowFeatures
        from sim.core.editing import Editor

        run, console, panels = self.run_context, self.console, self.world.panels
        self.editor = editor = Editor(self.scene, console, refuses=self.rewind.refusal)
        keys = KeyMap(self.settings.values.keys)
        interpreter = self._open_prompt(editor, recorder)
        self.shell = shell = self._open_shell(display, view, editor, interpreter, keys)
        self._closing.callback(shell.close)
        shell.follow_choices(self.scene.camera)
        if self.picture is not None:
            self.picture.shell = shell
        # to continue from a moment of the past is one undo step
        self.rewind.on_continue = lambda change, ago: editor.keep_live(
            f"Continue from {ago:.1f} s ago", change
        )
        if not self.options.headless:
            self.rewind.seconds = self.settings.values.rewind_seconds
        features = WindowFeatures(
            run,
            console,
            panels,
            shell,
            keys,
            recorder,
            self.navigation,
            self._present,
            studio=shell.studio,
            folders=ChosenFolders(self.settings, console.warning),
            offers_trust=self.options.safe and not asks_trust,
        )
        self.navigation.ask_in(features.question, features.trust_question, self._show_dialog)
        self.welcome, self.question = features.welcome, features.question
        self.files = features.files
        self.trust_question = features.trust_question
        self.restore_question = features.restore_question
        self._session = session = shell.playback.session
        if not self.options.headless:
            self.rescue = Rescue(run, editor, shell.script, session, console)
            self._closing.callback(self.rescue.close)
            features.question.on_discard = self.rescue.autosave.discard
            features.files.on_save_as.append(self.rescue.autosave.follow)
            features.files.on_save_as.append(lambda path: display.set_title(window_title(path)))
            run.is_kept_open = True
        if asks_trust:
            self.navigation.ask_at_start()
        elif self.rescue is not None:
            self.rescue.offer(features.restore_question, self._show_dialog)

    def _open_prompt(self, editor: Editor, recorder: VideoRecorder) -> Interpreter:
        """Open the prompt with the names of the app; the shell adds its own."""
        from sim.core.editing import prompt_names
        from sim.core.editing.interpreter import HISTORY_NAME, Interpreter

        names = {**prompt_names(editor), "host": self.host, "app": self, "recorder": recorder}
        del names["component"]  # the prompt's own finds scripts by class, too
        history = self.run_context.data_dir / HISTORY_NAME
        return Interpreter(self.scene, self.console, self.world.watchdog, history, names)

    def _open_shell(
        self,
        display: Display,
        view: SceneView,
        editor: Editor,
        interpreter: Interpreter,
        keys: KeyMap,
    ) -> Shell:
        from sim.ui.shell.shell import Shell

        world = self.world
        manifest = None if self.options.safe else self.run_context.manifest
        return Shell(
            display,
            view,
            editor,
            run=self.run_context,
            clock=self.clock,
            console=self.console,
            metrics=world.metrics,
            packages=world.loader.packages(),
            panels=world.panels,
            status=world.status,
            agents=world.agents,
            gauge=self.gauge,
            profiling=world.profiling,
            rewind=self.rewind,
            interpreter=interpreter,
            settings=self.settings,
            keys=keys,
            inputs=world.input,
            offered=() if manifest is None else manifest.panels,
            present=self._present,
        )

    # -- running ------------------------------------------------------------------------------

    def run(self) -> int:
        """Run until the run ends; return the exit code."""
        if not self.options.headless and self.game is None:
            self.world.watch_files()
        show, warnings.showwarning = warnings.showwarning, self._show_warning
        try:
            self._check_policy()
            with (
                ending_signals(self._interrupt),
                quick_turns(),
                short_collections() as after_frame,
            ):
                while not self.run_context.stop_requested:
                    begun = time.perf_counter()
                    self.frame()
                    after_frame()
                    self._pacing.rest(begun)
                if self.change_that_follows is None:
                    self._write_screenshot()
                    self._write_stats()
            self.hand_over()
        except Exception:
            self._write_stats()
            raise
        finally:
            warnings.showwarning = show
            self.close()
        self._check_video()
        return self.run_context.exit_code or 0

    def _check_policy(self) -> None:
        """Check the policy of --policy before the first frame.

        Raises:
            UsageError: the scene has no agent.
            CardFileError: the file holds no policy, or one for other spaces.
        """
        if self.options.policy is None or self.options.safe:
            return
        self.host.begin_frame()  # awakes the scripts, as the first frame would
        agents = [
            slot.instance
            for slot in self.scene.components()
            if isinstance(slot.instance, Agent) and slot.state is SlotState.READY
        ]
        if not agents and not self.host.error_count:
            raise UsageError("--policy: expected a scene with an agent, found none")
        for agent in agents:
            if not agent.policy_file:
                _ = agent.trained_policy

    def frame(self) -> None:
        """Run one frame: input, messages, scripts, rendering."""
        begun = time.perf_counter()
        wall = begun - self._last_frame
        self._last_frame = begun
        profiler = self.world.profiler
        profiler.begin(begun, self.scene.structure_revision)
        self._handle_input(wall)
        is_past = self._pacing.is_past = self.rewind.is_past
        if is_past:
            self.rewind.advance(self.clock.frame_step or wall)
            self.world.input.end_frame(is_running=False)
            profiler.mark(INPUT)
        else:
            if self.remote is not None:
                self.remote.begin_frame()
            profiler.mark(INPUT)
            self.world.run(wall, self._pacing.patience, self._background)
        self._follow_scripts(self.clock.frame_step or wall)
        if self.options.seconds is not None and self.passed >= self.options.seconds:
            self.run_context.end(0)
        is_new = self._is_draw_due(begun) and self._draw(begun, wall)
        if self.recorder is not None:
            self.recorder.update(is_new=is_new)
            self._check_video()
            profiler.mark(RECORDER)
        is_past = self.rewind.is_past  # a script or a panel may have changed it
        steps = 0 if is_past else self.clock.tick.fixed_steps
        profiler.end(self.clock.frame, steps)
        if self.rescue is not None:
            self.rescue.autosave.update(begun)
        if self.remote is not None and not is_past:
            self.remote.end_frame()
        if self.shell is None:
            return
        if self.clock.paused or is_past:
            self.gauge.restart()
        else:
            self.gauge.add(wall, time.perf_counter() - begun, steps)

    def inject(self, *events: InputEvent) -> None:
        """Add events to the next frame's input, as if they came from the window."""
        self._injected.extend(events)

    def close(self) -> None:
        """Close scripts, workers and the window. May be called twice."""
        self._closing.close()

    def _follow_scripts(self, wall: float) -> None:
        """Do what scripts have asked for: another scene, or the end of the run.

        Args:
            wall: real seconds since the previous frame.
        """
        if self._fade.rate or self.run_context.change is not None:
            self._follow_change(wall)
        if self.run_context.asked_end is not None:
            self._follow_end()

    def _follow_change(self, wall: float) -> None:
        """Fade in; fade out and end, if a script has asked for another scene.

        Args:
            wall: real seconds since the previous frame.
        """
        self._fade.advance(wall)
        run, navigation = self.run_context, self.navigation
        change = run.change
        if change is None or run.stop_requested or navigation.is_asking:
            return
        if change is not self._change:
            self._change = change
            navigation.follow(change)
            if navigation.is_asking:
                return
            is_seen = self.display is not None and not self.clock.instant
            self._fade.begin_out(change.fade if is_seen else 0.0)
            self._fade.advance(0.0)
        if not navigation.is_following(change):  # the user has chosen to stay
            run.change = self._change = None
            self._fade.begin_in()
        elif self._fade.is_dark:
            run.next_scene = change.path
            run.end()

    def _follow_end(self) -> None:
        """Do what a script wants that has ended the run of a window with panels.

        While the window is an editor, only the scene stops. If it just shows a game, or the command
        line has set an end, it is closed; the user is asked about unsaved changes first.
        """
        run, shell, navigation = self.run_context, self.shell, self.navigation
        code = run.asked_end
        if code is None or shell is None or run.stop_requested or navigation.is_asking:
            return
        run.asked_end = None
        given = self.options.script_options
        ends_by_itself = self.options.has_end or any(
            option.ends_run and option.key in given
            for option in options_of_scene(self.scene).values()
        )
        is_left = ends_by_itself or run.next_scene is not None
        if is_left or not (shell.layout.name == "studio" or shell.unsaved()):
            navigation.close_window(code)
            return
        text = tr("The scene has ended itself")
        if code:
            text = tr("The scene has ended itself with exit code {code}").format(code=code)
        self.console.write("warning" if code else "info", text)
        shell.overlays.say(text)
        navigation.leave_presentation()
        shell.playback.session.pause()  # a script that ends the run each frame does so once
        shell.playback.stop()
        self.draw_next()

    @property
    def carries(self) -> Carried:
        """What the scene that a script has opened takes over from this one."""
        change = self.run_context.change
        return Carried(
            {} if change is None else change.given,
            0.0 if change is None else change.fade,
            self.world.panels.is_presenting,
            self.shell is not None and self.shell.has_scene_keys,
            self.carried.saves_dir,
        )

    @property
    def passed(self) -> float:
        """Seconds that the scene has lasted, as --for counts them."""
        is_counted = self.clock.frame_step is not None
        return self.clock.time if is_counted else time.perf_counter() - self.started

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal that asks for the end: end after this frame; a second one ends at once.

        Args:
            number: number of the signal.
            frame: stack frame that was interrupted.
        """
        for again in {number, signal.SIGINT}:
            signal.signal(again, interrupt)
        self.run_context.exit_code = INTERRUPTED

    def _show_warning(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int,
        file: TextIO | None = None, line: str | None = None,
    ) -> None:  # fmt: skip
        """Show a Python warning on stderr; replaces `warnings.showwarning`, with its arguments.

        A warning about a coroutine that was not awaited becomes a console line instead.
        """
        if category is RuntimeWarning and str(message).endswith("was never awaited"):
            text = f"{message}: self.start_coroutine(...) runs it, or await in another one"
            place = self.console.short_path(filename)
            self.console.add(ConsoleRecord("warning", text, file=place, line=lineno))
            return
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))

    # -- input --------------------------------------------------------------------------------

    def _handle_input(self, wall: float) -> None:
        actions = self.world.input
        has_lock = self._is_mouse_locked or not actions.lock.is_idle
        if has_lock:
            self._lock_mouse()
        events = self._window_events()
        locked: list[InputEvent] = []
        if has_lock:
            events, locked = self._split_locked(events)
        self.scene.camera.pass_time(self.clock.frame_step or wall, events)
        if self.shell is not None:
            events = self.shell.feed(events)
        if not self.rewind.is_past:
            events = self.world.hud.feed(events)
        if has_lock:
            events = self._take_mouse(events)
        if self.view is not None:
            self._turn_view(self.view, events)
        if self.rewind.is_past:
            return  # scripts hear of nothing
        actions.feed(
            [*events, *locked] if locked else events,
            ray=self.view.camera.ray if self.view is not None else None,
        )
        if self.world.panels.commands:
            self._run_commands()

    def _window_events(self) -> list[InputEvent]:
        """Return this frame's events of the window and of `inject`; those of the window are met."""
        events = self._injected
        self._injected = []
        if self.display is not None:
            events = [*self.display.poll(), *events]
        if self.game is not None:
            events = self.game.feed(events, self.navigation.close_window)
        for event in events:
            self._handle_window_event(event)
        return events

    def _turn_view(self, view: SceneView, events: list[InputEvent]) -> None:
        """Let a person turn the view, and tell scripts where the pointer points."""
        actions = self.world.input
        view.camera.feed(self._without_scenes(events))
        pointers = [event for event in events if event.kind in ("pointer_move", "button_down")]
        x, y = (pointers[-1].x, pointers[-1].y) if pointers else actions.pointer
        is_inside = view.camera.is_inside(x, y)
        actions.pointer_ray = view.camera.ray(x, y) if is_inside else None

    def _run_commands(self) -> None:
        """Run the scripts' commands whose keys were pressed."""
        for command in list(self.world.panels.commands):
            # the key map of a window with panels knows the keys, but no gamepads
            is_ours = self.shell is None or pad_part(command.key.lower()) is not None
            if command.key and is_ours and self.world.input.pressed(command.key):
                command.slot.call(command.name, command.callback)

    def _without_scenes(self, events: list[InputEvent]) -> list[InputEvent]:
        """Return the events that turn the view: those of keys and buttons that no script uses."""
        has_scene = self.world.input.use_of if self.shell is None else self.shell.is_scenes
        names = {"wheel": WHEEL}
        return [
            event
            for event in events
            if event.kind not in ("wheel", "button_down", "key_down")
            or not any(map(has_scene, names.get(event.kind, (event.key,))))
        ]

    # -- the mouse lock -----------------------------------------------------------------------

    def _lock_mouse(self) -> None:
        """Lock or free the window's pointer, as scripts ask for and the scene's state allows."""
        lock, clock = self.world.input.lock, self.clock
        if clock.is_stopped:
            lock.drop()
        is_focused = self.display is None or self.display.is_focused
        lock.allow(is_focused and not clock.paused and not self.rewind.is_past)
        if self.display is not None:
            self.display.lock_pointer(lock.is_on, is_confined=not self.options.debug)

    def _split_locked(self, events: list[InputEvent]) -> tuple[list[InputEvent], list[InputEvent]]:
        """Split the events of a frame into the usual ones, and those of a locked mouse.

        The panels and the view's camera hear nothing of a locked mouse. Its events happen in the
        middle of the view. Escape ends the lock and does nothing else.

        Returns:
            The usual events, and those of the locked mouse.
        """
        lock = self.world.input.lock
        has_begun = lock.is_on and not self._is_mouse_locked
        self._is_mouse_locked = lock.is_on
        if not lock.is_on:
            return events, []
        left, top, width, height = (0, 0, 0, 0) if self.display is None else self.display.viewport
        x, y = left + width / 2, top + height / 2
        usual: list[InputEvent] = list(POINTER_LEAVES) if has_begun else []
        locked = [InputEvent("pointer_move", x=x, y=y)] if has_begun else []
        for event in events:
            if event.kind == "blur" or (event.kind == "key_down" and event.key == "escape"):
                lock.let_go()
            if lock.is_on and event.kind in LOCKED_KINDS:
                locked.append(event if event.kind == "wheel" else replace(event, x=x, y=y))
            elif event.kind != "key_down" or event.key != "escape":
                usual.append(event)
        self._lock_mouse()
        return usual, locked

    def _take_mouse(self, events: list[InputEvent]) -> list[InputEvent]:
        """Lock the mouse again at a click into the view; return the events without that press."""
        lock = self.world.input.lock
        presses = [event for event in events if event.kind == "button_down"]
        if not lock.is_waiting or not presses:
            return events
        lock.take_up()
        return [event for event in events if event is not presses[0]]

    def _handle_window_event(self, event: InputEvent) -> None:
        if event.kind == "close":
            self.navigation.close_window()
        elif event.kind == "pad_connected":
            self.console.info(f"Gamepad {event.pad + 1} connected: {event.text}")
        elif event.kind == "pad_disconnected":
            self.console.info(f"Gamepad {event.pad + 1} disconnected")
        elif event.kind == "drop" and self.game is None:
            self.navigation.drop_file(event.text)
        elif event.kind in ("minimize", "restore"):
            self._pacing.is_hidden = event.kind == "minimize"

    # -- the window ---------------------------------------------------------------------------

    def _present(self, is_presenting: bool) -> None:
        """Switch presentation mode: only the world, full screen."""
        self.world.panels.present(is_presenting)
        if self.display is not None:
            self.display.set_fullscreen(is_presenting)

    def _show_dialog(self) -> None:
        """Make an opened dialog visible: end presentation mode and bring up the window."""
        self._present(False)
        self.world.input.lock.let_go()
        if self.shell is not None:
            self.shell.renew()
        if self.display is not None:
            self.display.show_window()

    def _is_draw_due(self, now: float) -> bool:
        if self.picture is None or self._pacing.is_hidden:
            return False
        return self._is_filming or self._pacing.is_draw_due(now)

    @property
    def _is_filming(self) -> bool:
        return self.recorder is not None and self.recorder.is_exact

    def _draw(self, begun: float, wall: float) -> bool:
        """Draw what has changed and show the picture.

        Args:
            begun: when the frame began, in seconds of `time.perf_counter`.
            wall: seconds since the previous frame.

        Returns:
            Whether the picture differs from the previous one.
        """
        if self.picture is None:
            return False
        draw_begun = time.perf_counter()
        is_new = self.picture.draw(wall)
        if is_new or self._is_filming:
            self.picture.present()
            now = time.perf_counter()
            self._pacing.drew(draw_begun, now)
            is_training = self.world.status.is_busy("training")
            self.frame_stats.add(now - begun, training=is_training)
        return is_new

    def draw_next(self) -> None:
        """Draw the next frame if anything changed, even if the last drawing was very recent."""
        self._pacing.draw_next()

    def draw_now(self) -> None:
        """Draw everything in full quality at once."""
        if self.picture is not None:
            self.picture.draw_now()

    # -- the end ------------------------------------------------------------------------------

    def _check_video(self) -> None:
        """Make the run fail if its --video could not be written to the end."""
        recorder = self.recorder
        if self.options.video is not None and recorder is not None and recorder.has_failed:
            self.run_context.end(FAILED)

    def _write_screenshot(self) -> None:
        """Write the requested screenshot."""
        options = self.options
        if self.display is not None and options.screenshot is not None:
            from sim.render.capture.capture import save_image

            self.world.assets.poll(IMPORT_SECONDS)  # no picture without its models
            self.scene.animator.advance(0.0, instant=self.clock.instant)
            self.draw_now()
            save_image(options.screenshot, self.display.image())

    def _write_stats(self) -> None:
        """Write the requested statistics."""
        if self.options.stats is not None:
            write_json(self.options.stats, self._statistics())

    def _end_without_display(self) -> None:
        """End the run and the process when the display server has gone, amid a call to it.

        Nothing can be drawn any more, and the call never returns.
        """
        watch = threading.Timer(LONGEST_CLOSING, os._exit, (FAILED,))
        watch.daemon = True
        watch.start()
        self.console.error("the display has gone: the run ends")
        self.run_context.end(FAILED)
        with contextlib.suppress(GoishiError):
            self._write_stats()
        with contextlib.suppress(Exception):
            self.close()
        remove_own()
        os._exit(FAILED)

    def _statistics(self) -> dict[str, object]:
        """Return the content of the stats file."""
        run = self.run_context
        startup: dict[str, object] = {"window": None, "first_move": None, "first_white_move": None}
        startup.update(run.startup_seconds)
        return {
            "scene": self.options.scene.name,
            "seed": run.seed,
            "quality": self.view.quality if self.view is not None else "none",
            **run.stats,
            **self.frame_stats.summary(),
            "script_errors": self.host.error_count,
            "missing_packages": self.console.missing_packages,
            "worker_restarts": self.world.links.restarts,
            "startup_seconds": startup,
        }

    @property
    def change_that_follows(self) -> SceneChange | None:
        """The change to another scene with which this one ends; None if it ends otherwise."""
        run = self.run_context
        is_followed = run.change is not None and run.next_scene == run.change.path
        return run.change if is_followed and not run.exit_code else None

    def what_follows(self, options: RunOptions, following: Path) -> tuple[RunOptions, Carried]:
        """Return the options of the scene that follows this one, and what it takes over.

        Args:
            options: the options of this scene, as the user gave them.
            following: path of the scene that follows.
        """
        if self.navigation.is_again:
            return self.navigation.options_again(options), self.carried.plain
        if self.change_that_follows is not None:
            return options_after(options, self.change_that_follows, self.passed), self.carries
        declared = options_of_scene(self.scene) if options.headless else {}
        kept = [option.key for option in declared.values() if option.ends_run]
        return options_of_next(options, following, kept=kept), self.carried.plain

    def hand_over(self) -> None:
        """If another scene follows in the window, keep the window open and say so in it."""
        scene = self.options.scene if self.navigation.is_again else self.run_context.next_scene
        self.is_followed = scene is not None and not self.run_context.exit_code
        if scene is None or not self.is_followed or self.options.headless:
            return
        self.kept_display = self.display
        if self.shell is not None and self.change_that_follows is None:
            say_opening(self.shell, scene)


class OpenedApp:
    """An app that was opened, and those of its parts that a pilot uses.

    Args:
        options: options of the run.
        display: the window of the scene before; None for a new one.
        carried: what the scene takes over.
    """

    def __init__(self, options: RunOptions, display: Display | None, carried: Carried) -> None:
        self.app = app = App(options, display=display, carried=carried)
        self.scene, self.view, self.shell = app.scene, app.view, app.shell
        self.display, self.world = app.display, app.world
        app.host.panels.can_ask = self.shell is not None


def _open_hang_client(watchdog: Watchdog, project: Path, *, has_window: bool) -> HangClient:
    """Open the monitor process for scripts that block and cannot be interrupted.

    Args:
        watchdog: has the time limit, and reports calls that exceed it.
        project: the project's folder.
        has_window: whether the monitor may ask the user in a dialog.
    """
    is_ours = Path(sys.argv[0]).name == "main.py" and len(sys.orig_argv) > 1
    return HangClient(
        watchdog.timeout,
        watchdog.late,
        roots=[project] if project.resolve() == SHIPPED_ROOT else [project, SHIPPED_ROOT],
        dialog=[sys.executable, SAFE, "-c", DIALOG] if has_window else [],
        again=[sys.executable, *sys.orig_argv[1:]] if is_ours else [],
        left_out=LEFT_OUT,
    )


def _is_known(scene: Path, project: Path, data_dir: Path) -> bool:
    """Return whether the user trusts a scene's project, or has opened the scene before this run."""
    if may_import(project):
        return True
    return scene.absolute() in RecentScenes(data_dir / RECENT_NAME, warn=log.debug).paths


def _kept_language(options: RunOptions) -> str:
    """Return the language that the user has chosen in Preferences, read before they are open."""
    folder = options.data_dir or user_data_dir()
    is_kept = options.data_dir is not None or not options.wants_temporary_data
    return SettingsFile(folder if is_kept else None).values.language


def _recordings_of(run: RunContext) -> Path:
    """Return the folder for recordings.

    It is in the user's project or, for scenes shipped with Goishi, in the user's data directory. It
    is never in a temporary data directory, which is deleted at the end.
    """
    if run.project != SHIPPED_ROOT:
        return run.project / FOLDER
    return (user_data_dir() if run.temporary_data else run.data_dir) / FOLDER


def run(
    options: RunOptions,
    *,
    started: float | None = None,
    exit_watch: ExitWatch | None = None,
    loaded: LoadedWorkers | None = None,
    display: Display | None = None,
    game: GameWindow | None = None,
) -> int:
    """Open and run a scene, and then each scene that is opened from it.

    Args:
        options: options of the run.
        started: seconds of `time.perf_counter` at process start; None for now.
        exit_watch: watches the end of the process when the last scene has ended; None for nothing.
        loaded: see `App`.
        display: the window of the first scene; None to open it.
        game: the window's own keys in a packed game; None elsewhere.

    Returns:
        Exit code of the last scene.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    remote: RemoteControl | None = None
    with kept_saves(options) as carried:
        while True:
            try:
                opened, is_asked = admit(options)
            except GoishiError:
                if remote is not None:
                    remote.close()
                raise
            app = App(
                opened,
                started=started,
                asks_trust=is_asked,
                is_guarded=True,
                display=display,
                loaded=loaded,
                remote=remote,
                carried=carried,
                game=game,
            )
            if exit_watch is not None:
                roots = (app.run_context.project, SHIPPED_ROOT)
                exit_watch.expect(app.scene.settings.exit_timeout, roots)
            options = replace(options, scene=app.options.scene)  # absolute
            code = app.run()
            display, started = app.kept_display, None
            remote = app.remote if app.is_followed else None
            following = options.scene if app.navigation.is_again else app.run_context.next_scene
            if following is None or code:
                if exit_watch is not None:
                    exit_watch.begin(code)  # what the scene holds is freed next
                return code
            options, carried = app.what_follows(options, following)
            del app  # two scenes at once would take twice the memory
