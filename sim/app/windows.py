"""Window features besides the scene: recordings, sound, presentation mode, welcome panel."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from base.errors import GoishiError
from base.files import SHIPPED_ROOT
from base.trust import Trust, trust_of
from sim.app.documentation import Documentation
from sim.app.opening import opening_text
from sim.app.trusting import ask_about, trust_opened
from sim.core.audio.sound_track import RecordingAudio
from sim.core.files.scene_file import find_project, load
from sim.core.host.script_host import LEFT_OUT
from sim.core.input.key_map import KeyAction
from sim.core.project.data_dir import user_cache_dir, user_data_dir
from sim.core.project.recent_scenes import FILE_NAME as RECENT_NAME
from sim.core.project.recent_scenes import RecentScenes, example_cards
from sim.core.project.recording import FOLDER
from sim.core.project.run_options import DEFAULT_SCENE
from sim.core.project.settings import usual_scale
from sim.core.reporting.console import ConsoleRecord
from sim.core.tasks.sentry import Sentry

if TYPE_CHECKING:
    from sim.app.app import App
    from sim.core.editing import Editor
    from sim.core.project.run_context import RunContext
    from sim.render.capture.recorder import Recorder
    from sim.render.window.display import Display
    from sim.ui.panels.trust import TrustQuestion
    from sim.ui.panels.unsaved import UnsavedQuestion
    from sim.ui.panels.welcome import WelcomePanel
    from sim.ui.shell.shell import Shell
    from sim.ui.theme.theme import Theme

FAILED = 1
DIALOG = (
    f"import sys; sys.path.insert(0, {str(SHIPPED_ROOT)!r}); "
    "from sim.ui.widgets.blocked_dialog import main; sys.exit(main(sys.argv[1]))"
)
SOUND_ICONS = {False: "volume-high", True: "volume-xmark"}
DOCUMENTS = (
    ("Tutorial: a world of your own", "tutorial.md"),
    ("Writing scripts", "scripting.md"),
    ("Drawing and charts", "drawing.md"),
    ("The world around scripts", "world.md"),
    ("The scene file", "scene_format.md"),
    ("Self-teaching", "self_teaching.md"),
    ("Recording", "recording.md"),
    ("The command line", "cli.md"),
    ("When something goes wrong", "troubleshooting.md"),
)


def make_welcome(app: App, shell: Shell) -> WelcomePanel:
    """Create the welcome panel; the very first start in a window shows a small card."""
    from sim.ui.panels.welcome import WelcomePanel

    documentation = Documentation(app.console)
    shell.windows.append(lambda theme, size: documentation.tell())
    recent = RecentScenes(app.run_context.data_dir / RECENT_NAME, warn=app.console.warning)
    panel = WelcomePanel(
        recent=recent.cards,
        examples=example_cards(SHIPPED_ROOT),
        documents=[(title, SHIPPED_ROOT / "docs" / name) for title, name in DOCUMENTS],
        open_scene=lambda path: open_scene(app, path),
        add_picture=shell.backend.add_picture,
        open_document=documentation.open,
        say=app.console.python,
    )
    options = app.options
    if not options.headless:
        if recent.is_first_start and options.scene == DEFAULT_SCENE:
            shell.overlays.introduce(shell.do)
        recent.add(options.scene)
    return panel


def complete(app: App, shell: Shell) -> tuple[WelcomePanel, UnsavedQuestion, TrustQuestion]:
    """Add the welcome panel, the questions, the recorder and their keys to the shell."""
    from sim.ui.panels.recording import RecordingPanel
    from sim.ui.panels.trust import TrustQuestion
    from sim.ui.panels.unsaved import UnsavedQuestion
    from sim.ui.shell.toolbar import ToolButton

    question = UnsavedQuestion(
        unsaved=lambda: unsaved_of(app, shell),
        save=lambda: save_all(app, shell),
        say=app.console.python,
    )
    shell.interpreter.add_names(app=app, recorder=app.recorder)
    shell.windows.append(question.draw_window)
    shell.on_escape.append(question.stay)
    trust = TrustQuestion(say=app.console.python)
    shell.windows.append(trust.draw_window)
    shell.on_escape.append(trust.cancel)
    welcome = make_welcome(app, shell)
    shell.windows.append(welcome.draw_window)
    shell.on_escape.extend((shell.overlays.dismiss, welcome.close))
    shell.keys.on_run.append(lambda name: name == "studio.keys" and welcome.close())
    for action, run in actions(app):
        shell.keys.add(action, run)
    buttons = [
        ToolButton("app.present", "display", "Present to an audience",
                   lambda: present(app, not app.panels.is_presenting), rank=3),
        ToolButton("app.mute", lambda: SOUND_ICONS[app.run_context.sound.muted],
                   "Sound on or off", lambda: toggle_mute(app)),
        ToolButton("app.welcome", "folder-open", "Scenes to open", lambda: toggle_welcome(app),
                   rank=3),
    ]  # fmt: skip
    if app.options.safe and not app.asks_trust:
        if trust_of(app.run_context.project) is not Trust.TRUSTED:
            app.console.info("opened safely: the project's scripts do not run")
        tip = "Its scripts do not run: trust this project"
        buttons.insert(
            0, ToolButton("app.trust", "shield-halved", tip, partial(trust_opened, app), rank=0)
        )
    if app.recorder is not None:
        panel = RecordingPanel(app.recorder)
        shell.on_stage.append(panel.draw_light)
        shell.add_panel("Recording", panel.draw, dock="bottom", icon="video")
        buttons.insert(0, ToolButton("app.record", "circle-dot", "Record, or end the recording",
                                     panel.toggle, lambda: panel.is_recording, rank=3))  # fmt: skip
    shell.playback.right = [*buttons, *shell.playback.right]
    return welcome, question, trust


def actions(app: App) -> list[tuple[KeyAction, Callable[[], object]]]:
    """Return the actions and keys available in every scene, without the studio's."""
    return [
        (KeyAction("app.present", "Full screen with captions", "f11", "Window"),
         lambda: present(app, not app.panels.is_presenting)),
        (KeyAction("app.record", "Record, or end the recording", "f8", "Window"),
         lambda: app.recorder.toggle() if app.recorder is not None else None),
        (KeyAction("app.screenshot", "Screenshot", "f12", "Window"),
         lambda: app.recorder.screenshot() if app.recorder is not None else None),
        (KeyAction("app.mute", "Sound on or off", "m", "Window"), lambda: toggle_mute(app)),
        (KeyAction("app.welcome", "Scenes to open", "f2", "Window"), lambda: toggle_welcome(app)),
        (KeyAction("app.trust", "Trust this project", "", "Window"), lambda: trust_opened(app)),
    ]  # fmt: skip


def open_sound(app: App, closing: ExitStack) -> None:
    """Open the audio output, muted if the user left it so."""
    from sim.render.audio.sound import Speaker, open_speaker

    sound = open_speaker(
        user_cache_dir() / "sounds",
        camera=app.scene.camera,
        bank=app.run_context.sound.bank,
        muted=app.settings.values.muted,
        on_mute=lambda muted: keep(app, muted=muted),
        seed=app.run_context.seed,
    )
    app.run_context.sound = sound
    if isinstance(sound, Speaker):
        closing.callback(sound.close)


def draw_hud(app: App, *, force: bool = False) -> bool:
    """Draw the HUD canvases that changed; return whether the HUD looks different."""
    if app.hud_layer is None or app.view is None or app.display is None:
        return False
    scale = app.settings.values.scale or usual_scale(app.display.size[1])
    if app.shell is not None:
        scale = app.shell.theme.scale
    return app.hud_layer.update(app.view.viewport_size, scale, force=force)


def open_recorder(app: App, display: Display, closing: ExitStack) -> Recorder:
    """Create the recorder and pass it to the run; with --video it starts at once.

    Raises:
        GoishiError: the file of --video cannot be written.
    """
    from sim.render.capture.recorder import Recorder

    sound = RecordingAudio(app.run_context.sound, app.scene.camera, app.run_context.seed)
    app.run_context.sound = sound
    recorder = Recorder(
        display,
        sound=sound,
        clock=app.clock,
        console=app.console,
        status=app.status,
        folder=recordings_of(app.run_context),
    )
    closing.callback(recorder.close)
    app.run_context.recorder = recorder
    if app.options.video is not None:
        recorder.open(app.options.video, longest=math.inf)
    return recorder


def open_rewind(app: App, editor: Editor) -> None:
    """Keep the last seconds in a window; to continue from one of them is one undo step."""
    app.rewind.on_continue = lambda change, ago: editor.keep_live(
        f"Continue from {ago:.1f} s ago", change
    )
    if not app.options.headless:
        app.rewind.seconds = app.settings.values.rewind_seconds


def recordings_of(run: RunContext) -> Path:
    """Return the recordings folder: the user's project, or the user's data for shipped scenes.

    Never a temporary data folder, which is deleted at the end.
    """
    if run.project != SHIPPED_ROOT:
        return run.project / FOLDER
    return (user_data_dir() if run.temporary_data else run.data_dir) / FOLDER


def check_video(app: App) -> None:
    """Make the run fail if its --video could not be written to the end."""
    if app.options.video is not None and app.recorder is not None and app.recorder.has_failed:
        app.run_context.finish(FAILED)


def tell_warning(
    app: App, message: Warning | str, category: type[Warning], filename: str, lineno: int,
    file: TextIO | None = None, line: str | None = None,
) -> None:  # fmt: skip
    """Show a Python warning on stderr; a coroutine that was not awaited is a console line."""
    if category is RuntimeWarning and str(message).endswith("was never awaited"):
        text = f"{message}: self.start_coroutine(...) runs it, or await in another one"
        place = app.console.short_path(filename)
        app.console.add(ConsoleRecord("warning", text, file=place, line=lineno))
        return
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def open_sentry(app: App) -> Sentry:
    """Open what tells when a script blocks and cannot be broken off; a window asks the user."""
    is_ours = Path(sys.argv[0]).name == "main.py" and len(sys.orig_argv) > 1
    python = sys.executable
    return Sentry(
        app.host.watchdog.timeout,
        app.host.watchdog.late,
        roots=[package.root for package in app.host.loader.packages()],
        dialog=[] if app.options.headless else [python, "-c", DIALOG],
        again=[python, *sys.orig_argv[1:]] if is_ours else [],
        left_out=LEFT_OUT,
    )


def present(app: App, is_presenting: bool) -> None:
    """Switch presentation mode: only the world, full screen."""
    app.panels.present(is_presenting)
    if app.display is not None:
        app.display.set_fullscreen(is_presenting)


def keep(app: App, **values: object) -> None:
    """Save settings; an error is one console line."""
    fault = app.settings.change(**values)
    if fault:
        app.console.error(fault)


def toggle_mute(app: App) -> None:
    """Mute or unmute the sound; the setting is saved."""
    sound = app.run_context.sound
    sound.muted = not sound.muted
    app.console.info("sound is off (M)" if sound.muted else "sound is on (M)")


def toggle_welcome(app: App) -> None:
    """Open or close the welcome panel."""
    if app.welcome is not None:
        app.welcome.toggle()
        app.panels.revision += 1


def open_scene(app: App, path: Path) -> None:
    """End this scene and open another; if that one is invalid, keep this one."""
    try:
        load(path, project=find_project(path))
    except (GoishiError, OSError) as error:
        app.console.error(f"open: {error}")
        return
    ask_about(
        app, find_project(path), lambda: ask_and(app, "open the scene", lambda: _go_to(app, path))
    )


def _go_to(app: App, path: Path) -> None:
    app.run_context.next_scene = path
    app.run_context.finish(0)


def say_opening(app: App, path: Path) -> None:
    """Say over the scene that another is opened, at once: closing this one takes a while."""
    if app.shell is None or app.display is None:
        return
    app.shell.windows.append(partial(draw_opening, opening_text(path)))
    app.shell.lay_out()
    app.display.present_panels()


def draw_opening(text: str, theme: Theme, size: tuple[int, int]) -> None:
    """Draw a text in the middle of a window of this size, which it dims."""
    from imgui_bundle import imgui

    drawing = imgui.get_foreground_draw_list()
    drawing.add_rect_filled(imgui.ImVec2(0, 0), imgui.ImVec2(*size), theme.packed("panel", 0.75))
    high = min(theme.px(30), size[1] / 12)
    imgui.push_font(theme.bold, high / theme.scale)
    width = imgui.calc_text_size(text)
    place = imgui.ImVec2((size[0] - width.x) / 2, (size[1] - width.y) / 2)
    drawing.add_text(place, theme.packed("text"), text)
    imgui.pop_font()


def close_window(app: App) -> None:
    """End the run, after asking about unsaved changes."""
    ask_and(app, "close the window", lambda: app.run_context.finish(0))


def ask_and(app: App, what: str, then: Callable[[], object]) -> None:
    """Call `then`, after asking the user if there are unsaved changes; `what` names it."""
    if app.question is None:
        then()
        return
    app.question.ask(what, then)
    if app.question.is_open:
        present(app, is_presenting=False)
        if app.shell is not None:
            app.shell.renew()
        if app.display is not None:
            app.display.show_window()


def unsaved_of(app: App, shell: Shell) -> list[str]:
    """Return the names of unsaved scripts, and of the scene if it is edited."""
    names = [app.console.short_path(str(tab.file.path)) for tab in shell.script.tabs
             if tab.is_unsaved]  # fmt: skip
    if app.editor is not None and app.editor.is_changed:
        names.append(app.console.short_path(str(app.run_context.scene_path)))
    return names


def save_all(app: App, shell: Shell) -> bool:
    """Save scripts and scene; return whether everything was saved."""
    is_saved = shell.script.save_all()
    if app.editor is not None and app.editor.is_changed:
        shell.studio.save()
    return is_saved and not unsaved_of(app, shell)
