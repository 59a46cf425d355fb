"""What a window has besides the studio: recordings, sound, presentation, scenes to open, trust."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from base.files import SHIPPED_ROOT
from base.trust import Trust, trust_of
from sim.app.documentation import Documentation
from sim.core.input.key_map import KeyAction
from sim.core.project.recent_scenes import FILE_NAME as RECENT_NAME
from sim.core.project.recent_scenes import RecentScenes, example_cards
from sim.core.project.run_options import DEFAULT_SCENE
from sim.ui.panels.recording import RecordingPanel
from sim.ui.panels.trust import TrustQuestion
from sim.ui.panels.unsaved import UnsavedQuestion
from sim.ui.panels.welcome import WelcomePanel
from sim.ui.shell.toolbar import ToolButton
from sim.ui.widgets.open_file import OpenFileDialog

if TYPE_CHECKING:
    from sim.app.navigation import Navigation
    from sim.app.world import World
    from sim.render.capture.recorder import Recorder
    from sim.ui.shell.shell import Shell

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


class WindowFeatures:
    """Adds dialogs, panels, keys and buttons to the panels of a window.

    Args:
        world: what the window shows.
        shell: the panels.
        recorder: records videos.
        navigation: opens other scenes.
        present: switches presentation mode.
        offers_trust: the project is open safely: a button offers to trust it.

    Attributes:
        welcome: the scenes to open.
        question: asks about what is not saved.
        trust_question: asks about projects that were never opened.
    """

    def __init__(
        self,
        world: World,
        shell: Shell,
        recorder: Recorder,
        navigation: Navigation,
        present: Callable[[bool], object],
        *,
        offers_trust: bool,
    ) -> None:
        self._run = world.run_context
        self._panels = world.host.panels
        self._console = world.console
        self._recorder = recorder
        self._navigation = navigation
        self._present = present
        self._recording = RecordingPanel(recorder)
        self._add_dialogs(shell)
        self.welcome = self._add_welcome(shell)
        for action, do in self._actions():
            shell.keys.add(action, do)
        shell.on_stage.append(self._recording.draw_light)
        shell.add_panel("Recording", self._recording.draw, dock="bottom", icon="video")
        shell.add_buttons(self._buttons(offers_trust=offers_trust))
        if offers_trust and trust_of(self._run.project) is not Trust.TRUSTED:
            self._console.info("opened safely: the project's scripts do not run")

    def _add_dialogs(self, shell: Shell) -> None:
        dialog = OpenFileDialog(self._panels, self._navigation.open_file)
        shell.add_window(dialog.draw_window, leave=dialog.cancel)
        say = self._console.python
        self.question = UnsavedQuestion(unsaved=shell.unsaved, save=shell.save_all, say=say)
        shell.add_window(self.question.draw_window, leave=self.question.stay)
        self.trust_question = TrustQuestion(say=say)
        shell.add_window(self.trust_question.draw_window, leave=self.trust_question.cancel)

    def _add_welcome(self, shell: Shell) -> WelcomePanel:
        """Add the welcome panel; the very first start in a window shows a small card."""
        documentation = Documentation(self._console)
        shell.add_window(lambda theme, size: documentation.tell())
        run, console = self._run, self._console
        recent = RecentScenes(run.data_dir / RECENT_NAME, warn=console.warning)
        welcome = WelcomePanel(
            recent=recent.cards,
            examples=example_cards(SHIPPED_ROOT),
            documents=[(title, SHIPPED_ROOT / "docs" / name) for title, name in DOCUMENTS],
            open_scene=self._navigation.open_scene,
            add_picture=shell.backend.add_picture,
            open_document=documentation.open,
            say=console.python,
        )
        if not run.headless:
            if recent.is_first_start and run.scene_path == DEFAULT_SCENE:
                shell.introduce()
            recent.add(run.scene_path)
        shell.add_window(welcome.draw_window, leave=welcome.close)
        shell.keys.on_run.append(lambda name: name == "studio.keys" and welcome.close())
        return welcome

    def _actions(self) -> list[tuple[KeyAction, Callable[[], object]]]:
        """Return the actions and keys available in every scene, without the studio's."""
        return [
            (KeyAction("app.present", "Full screen with captions", "f11", "Window"),
             self._toggle_presentation),
            (KeyAction("app.record", "Record, or end the recording", "f8", "Window"),
             self._recorder.toggle),
            (KeyAction("app.screenshot", "Screenshot", "f12", "Window"), self._recorder.screenshot),
            (KeyAction("app.mute", "Sound on or off", "m", "Window"), self._toggle_mute),
            (KeyAction("app.welcome", "Scenes to open", "f2", "Window"), self._toggle_welcome),
            (KeyAction("app.trust", "Trust this project", "", "Window"),
             self._navigation.trust_opened),
        ]  # fmt: skip

    def _buttons(self, *, offers_trust: bool) -> list[ToolButton]:
        recording = self._recording
        tip = "Its scripts do not run: trust this project"
        trust = ToolButton("app.trust", "shield-halved", tip, self._navigation.trust_opened, rank=0)
        return [
            ToolButton("app.record", "circle-dot", "Record, or end the recording",
                       recording.toggle, lambda: recording.is_recording, rank=3),
            *([trust] if offers_trust else []),
            ToolButton("app.present", "display", "Present to an audience",
                       self._toggle_presentation, rank=3),
            ToolButton("app.mute", lambda: SOUND_ICONS[self._run.sound.muted],
                       "Sound on or off", self._toggle_mute),
            ToolButton("app.welcome", "folder-open", "Scenes to open", self._toggle_welcome,
                       rank=3),
        ]  # fmt: skip

    def _toggle_presentation(self) -> None:
        self._present(not self._panels.is_presenting)

    def _toggle_mute(self) -> None:
        """Mute or unmute the sound; the setting is saved."""
        sound = self._run.sound
        sound.muted = not sound.muted
        self._console.info("sound is off (M)" if sound.muted else "sound is on (M)")

    def _toggle_welcome(self) -> None:
        self.welcome.toggle()
        self._panels.revision += 1
