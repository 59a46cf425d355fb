"""What a window has besides the studio: recordings, sound, scenes to open, trust, documentation."""

from __future__ import annotations

import atexit
import functools
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from base.files import SHIPPED_ROOT, rename
from base.language.wording import tr
from base.trust import Trust, trust_of
from base.worker.starting import usual_environment
from sim.app.file_commands import FileCommands
from sim.app.file_menu import file_menu
from sim.core.input.key_map import KeyAction, KeyMap
from sim.core.project.data_dir import user_cache_dir
from sim.core.project.recent_scenes import FILE_NAME as RECENT_NAME
from sim.core.project.recent_scenes import RecentScenes, example_cards
from sim.core.project.run_options import DEFAULT_SCENE
from sim.core.reporting.python_text import assigned
from sim.ui.panels.dialogs import RestoreQuestion, TrustQuestion, UnsavedQuestion
from sim.ui.panels.file_dialog import FileDialog
from sim.ui.panels.recording import RecordingPanel
from sim.ui.panels.welcome import WelcomePanel
from sim.ui.shell.toolbar import ToolButton, ToolSlider
from sim.ui.widgets.cards import CardPictures

if TYPE_CHECKING:
    from sim.app.navigation import Navigation
    from sim.core.project.chosen_folders import ChosenFolders
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console
    from sim.core.script.panels import PanelRegistry
    from sim.render.capture.recorder import VideoRecorder
    from sim.ui.shell.shell import Shell
    from sim.ui.shell.studio import Studio


BUILD_SECONDS: Final = 180.0  # several times what it takes on a slow machine
SOURCES: Final = ("*.md", "studies/*.md", "*.py", "reference/*")
STUDIES: Final = "studies"
BUILT: Final = SHIPPED_ROOT / "site"
"""Folder into which `python -m docs.build` writes the documentation's web pages."""


class Documentation:
    """Opens pages of the documentation in the browser.

    The web pages are in `site/` or in the user's cache folder. If neither is up to date, they are
    built in another process and opened afterwards. If building fails, the Markdown text is opened
    instead.

    Args:
        console: receives a line for each event and fault.
        open_address: opens an address in the browser; returns whether that was possible.
        build: builds the web pages in a folder, or raises OSError; called in a thread. None for
            `build_site`.
        folders: folders in which the web pages may be; they are built into the last one. Empty for
            the two folders named above.
    """

    def __init__(
        self,
        console: Console,
        *,
        open_address: Callable[[str], bool] = webbrowser.open,
        build: Callable[[Path], None] | None = None,
        folders: tuple[Path, ...] = (),
    ) -> None:
        self._console = console
        self._open_address = open_address
        self._build = build or build_site
        self._folders = folders or (BUILT, user_cache_dir() / "site")
        self._faults: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._wanted: list[Path] = []
        self._thread: threading.Thread | None = None

    def open(self, page: Path) -> None:
        """Open a page of the documentation in the browser, after building the web pages if needed.

        Args:
            page: path of the page's Markdown file.
        """
        sources = _docs_of(page)
        site = next((folder for folder in self._folders if is_fresh(folder, sources)), None)
        if site is not None:
            self._show(html_of(site, page), page)
            return
        self._wanted.append(page)
        if self._thread is None or not self._thread.is_alive():
            self._console.info("Documentation: the pages are being built, some seconds …")
            self._thread = threading.Thread(target=self._work, name="documentation", daemon=True)
            self._thread.start()

    def report(self) -> None:
        """Write a console line for each fault since the last call. On the main thread."""
        while not self._faults.empty():
            self._console.warning(self._faults.get())

    def wait(self, seconds: float) -> None:
        """Wait until a site that is being built is ready.

        Args:
            seconds: maximum time to wait.
        """
        if self._thread is not None:
            self._thread.join(seconds)

    def _work(self) -> None:
        site, fault = self._folders[-1], ""
        try:
            self._build(site)
        except OSError as error:
            fault = str(error)
        while self._wanted:
            page = self._wanted.pop(0)
            built = html_of(site, page)
            if fault or not built.is_file():
                reason = fault or tr("{name} is missing").format(name=built.name)
                self._faults.put(
                    tr("Documentation: not built ({reason}); {name} is opened").format(
                        reason=reason, name=page.name
                    )
                )
                built = page
            self._show(built, page)

    def _show(self, file: Path, page: Path) -> None:
        if not self._open_address(file.as_uri()):
            self._faults.put(
                tr("Documentation: expected a browser, found none; the page is {page}").format(
                    page=page
                )
            )


def html_of(site: Path, page: Path) -> Path:
    """Return the path that a page has in a built site.

    Args:
        site: folder of the site.
        page: path of the page's Markdown file.
    """
    return site / "pages" / page.relative_to(_docs_of(page)).with_suffix(".html")


def _docs_of(page: Path) -> Path:
    """Return the folder docs/ that a page belongs to.

    Args:
        page: path of the page's Markdown file, in docs/ or in its subfolder `studies`.
    """
    return page.parent.parent if page.parent.name == STUDIES else page.parent


def is_fresh(site: Path, sources: Path) -> bool:
    """Return whether a site is there and not older than any of its sources."""
    try:
        made = (site / "index.html").stat().st_mtime
    except OSError:
        return False
    files = [file for pattern in SOURCES for file in sources.glob(pattern)]
    return all(file.stat().st_mtime <= made for file in files)


def build_site(target: Path) -> None:
    """Build the site in a child process, then put it in the place of the one before.

    Raises:
        OSError: it could not be built; the message is the reason in one line.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".site-", dir=target.parent))
    child = subprocess.Popen(
        [sys.executable, "-m", "docs.build", str(made)],
        cwd=SHIPPED_ROOT,
        env=usual_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    atexit.register(child.kill)
    try:
        output, _ = child.communicate(timeout=BUILD_SECONDS)
        if not (made / "index.html").is_file():
            lines = output.decode("utf-8", errors="replace").split("\n")
            raise OSError(next((line for line in reversed(lines) if line.strip()), "no output"))
        shutil.rmtree(target, ignore_errors=True)
        rename(made, target)
    except subprocess.TimeoutExpired as error:
        child.kill()
        child.communicate()
        raise OSError(f"it took more than {BUILD_SECONDS:g} s") from error
    finally:
        atexit.unregister(child.kill)
        shutil.rmtree(made, ignore_errors=True)


LOW_VOLUME: Final = 0.5  # below which the icon of the sound is another one
RECORDINGS: Final = "recordings"
"""Kind of the folder for films and pictures, in the settings."""
DOCUMENTS = (
    (tr("Tutorial: a world of your own"), "tutorial.md"),
    (tr("Writing scripts"), "scripting.md"),
    (tr("Drawing and charts"), "drawing.md"),
    (tr("The world around scripts"), "world.md"),
    (tr("The scene file"), "scene_format.md"),
    (tr("Self-teaching"), "self_teaching.md"),
    (tr("Recording"), "recording.md"),
    (tr("The command line"), "cli.md"),
    (tr("When something goes wrong"), "troubleshooting.md"),
)


WELCOME_COMMANDS: Final = ((tr("New project…"), "file.new_project"), (tr("Open…"), "file.open"))


class WindowFeatures:
    """Adds dialogs, panels, keys and buttons to a window.

    Args:
        run: the run of the scene that the window shows.
        console: receives a line for each action of the user.
        panels: the panels of the scene's scripts.
        shell: the window's own panels, to which this class adds.
        keys: the window's key map.
        recorder: records videos.
        navigation: opens other scenes.
        present: called with True or False to switch presentation mode.
        studio: has the editor of the scene and the chosen objects.
        folders: remembers in which folders files were chosen.
        offers_trust: whether to show a button to trust the project, which was opened safely.

    Attributes:
        welcome: panel with scenes to open.
        files: the commands of the File menu.
        question: dialog about unsaved changes.
        trust_question: dialog about projects that were never opened.
        restore_question: dialog about changes that were not saved when Goishi ended.
    """

    def __init__(
        self,
        run: RunContext,
        console: Console,
        panels: PanelRegistry,
        shell: Shell,
        keys: KeyMap,
        recorder: VideoRecorder,
        navigation: Navigation,
        present: Callable[[bool], object],
        *,
        studio: Studio,
        folders: ChosenFolders,
        offers_trust: bool,
    ) -> None:
        self._run = run
        self._panels = panels
        self._console = console
        self._recorder = recorder
        self._navigation = navigation
        self._present = present
        self._folders = folders
        self._save_volume = shell.keep_volume
        self._recording = RecordingPanel(recorder, self._panels.ask_file)
        self._recording.on_folder = lambda path: self._folders.keep_folder(path, RECORDINGS)
        kept = self._folders.last_of(RECORDINGS)
        if kept is not None and run.out is None:
            self._recording.use_folder(kept)
        self._recent = RecentScenes(run.data_dir / RECENT_NAME, warn=console.warning)
        self._add_dialogs(shell)
        self.welcome = self._add_welcome(shell)
        self.files = FileCommands(
            run, console, panels, navigation, studio, recorder, self._recent,
            open_script=shell.open_at, do=shell.do,
        )  # fmt: skip
        shell.add_menu(file_menu(self.files))
        studio.inspector.adding.make_script = self.files.write_script
        studio.hierarchy.ask_prefab = self.files.ask_prefab
        keys.on_run.append(lambda name: name == "studio.keys" and self.welcome.close())
        for action, do in (*self.files.actions(), *self._actions()):
            keys.add(action, do)
        shell.add_on_stage(self._recording.draw_light)
        shell.add_panel(tr("Recording"), self._recording.draw, dock="bottom", icon="video")
        shell.add_buttons(self._buttons(offers_trust=offers_trust))
        if offers_trust and trust_of(self._run.project) is not Trust.TRUSTED:
            self._console.info("opened safely: the project's scripts do not run")

    def _add_dialogs(self, shell: Shell) -> None:
        self._panels.can_ask = not self._run.headless
        dialog = FileDialog(
            self._panels,
            self._navigation.open_file,
            self._folders,
            CardPictures(shell.add_picture),
        )
        shell.add_window(dialog.draw_window, leave=dialog.cancel)
        say = self._console.python
        self.question = UnsavedQuestion(unsaved=shell.unsaved, save=shell.save_all, say=say)
        shell.add_window(self.question.draw_window, leave=self.question.stay)
        self.restore_question = RestoreQuestion(say=say)
        shell.add_window(self.restore_question.draw_window, leave=self.restore_question.later)
        self.trust_question = TrustQuestion(say=say)
        shell.add_window(self.trust_question.draw_window, leave=self.trust_question.cancel)

    def _add_welcome(self, shell: Shell) -> WelcomePanel:
        """Add the welcome panel; the very first start in a window shows a small card."""
        documentation = Documentation(self._console)
        shell.add_window(lambda theme, size: documentation.report())
        run, console, recent = self._run, self._console, self._recent
        welcome = WelcomePanel(
            recent=recent.cards,
            examples=lambda: example_cards(SHIPPED_ROOT),
            documents=[(title, SHIPPED_ROOT / "docs" / name) for title, name in DOCUMENTS],
            open_scene=self._navigation.open_scene,
            add_picture=shell.add_picture,
            open_document=documentation.open,
            say=console.python,
            commands=[
                (label, functools.partial(shell.do, name)) for label, name in WELCOME_COMMANDS
            ],
        )
        if not run.headless:
            if recent.is_first_start and run.scene_path == DEFAULT_SCENE:
                shell.introduce()
            recent.add(run.scene_path)
        shell.add_window(welcome.draw_window, leave=welcome.close)
        return welcome

    def _actions(self) -> list[tuple[KeyAction, Callable[[], object]]]:
        """Return the actions and keys available in every scene, without the studio's."""
        return [
            (
                KeyAction("app.present", tr("Full screen with captions"), "f11", tr("Window")),
                self._toggle_presentation,
            ),
            (
                KeyAction("app.record", tr("Record, or end the recording"), "f8", tr("Window")),
                self._recorder.toggle,
            ),
            (
                KeyAction("app.screenshot", tr("Screenshot"), "f12", tr("Window")),
                self._recorder.screenshot,
            ),
            (KeyAction("app.mute", tr("Sound on or off"), "m", tr("Window")), self._toggle_mute),
            (
                KeyAction("app.welcome", tr("Examples"), "control+e", tr("Window")),
                self._toggle_welcome,
            ),
            (
                KeyAction("app.trust", tr("Trust this project"), "", tr("Window")),
                self._navigation.trust_opened,
            ),
        ]

    def _buttons(self, *, offers_trust: bool) -> list[ToolButton | ToolSlider]:
        recording = self._recording
        tip = tr("Its scripts do not run: trust this project")
        trust = ToolButton("app.trust", "shield-halved", tip, self._navigation.trust_opened, rank=0)
        return [
            ToolButton(
                "app.record",
                "circle-dot",
                tr("Record, or end the recording"),
                recording.toggle,
                lambda: recording.is_recording,
                rank=3,
            ),
            *([trust] if offers_trust else []),
            ToolButton(
                "app.present",
                "display",
                tr("Present to an audience"),
                self._toggle_presentation,
                rank=3,
            ),
            ToolButton("app.mute", self._sound_icon, tr("Sound on or off"), self._toggle_mute),
            ToolSlider(
                tr("Volume"), lambda: self._run.sound.volume, self._set_volume, self._keep_volume
            ),
            ToolButton("app.welcome", "folder-open", tr("Examples"), self._toggle_welcome, rank=3),
        ]

    def _toggle_presentation(self) -> None:
        self._present(not self._panels.is_presenting)

    def _toggle_mute(self) -> None:
        """Mute or unmute the sound; the setting is saved."""
        sound = self._run.sound
        sound.muted = not sound.muted
        self._console.info("sound is off (M)" if sound.muted else "sound is on (M)")

    def _sound_icon(self) -> str:
        sound = self._run.sound
        if sound.muted or sound.volume <= 0.0:
            return "volume-xmark"
        return "volume-low" if sound.volume < LOW_VOLUME else "volume-high"

    def _set_volume(self, volume: float) -> None:
        """Set the loudness of all sounds; sound that was off is on again."""
        self._run.sound.volume = volume
        if volume > 0.0:
            self._run.sound.muted = False

    def _keep_volume(self, volume: float) -> None:
        self._save_volume(volume)
        self._console.python(assigned("app.run_context.sound.volume", volume))

    def _toggle_welcome(self) -> None:
        self.welcome.toggle()
        self._panels.renew()
