"""Leaving the scene: opening another one or the same again, or ending the run.

The user is asked about unsaved changes and untrusted projects first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from base.errors import GoishiError, TrustError, UsageError
from base.files import path_of
from base.language.wording import tr
from base.trust import Trust, refusal_of, trust_for_this_run, trust_of
from sim.core.files.scene_file import find_project, load
from sim.core.project.recent_scenes import SUFFIX
from sim.core.project.run_options import RunOptions, offering_project
from sim.core.project.trust import remember, require_no_unknown_code, require_trust
from sim.core.script.file_question import FileQuestion

if TYPE_CHECKING:
    from sim.core.project.run_context import RunContext
    from sim.core.project.scene_change import SceneChange
    from sim.core.reporting.console import Console
    from sim.core.script.panels import PanelRegistry
    from sim.ui.panels.dialogs import TrustQuestion, UnsavedQuestion


OPENING = tr("open the scene")


def admit(options: RunOptions) -> tuple[RunOptions, bool]:
    """Decide whether a project's scripts may run, and whether to ask the user.

    Scripts do not run if the user has chosen to open the project safely, or must be asked first.
    Until the user has answered, no output file is written either.

    Args:
        options: options of the run.

    Returns:
        The options to open the scene with, and whether to ask the user about trust.

    Raises:
        TrustError: the project is not trusted, and there is no window to ask the user in.
    """
    project = find_project(options.scene)
    offering = offering_project(options)
    if offering != project:
        how = "--trust after --project DIR"
        require_no_unknown_code(offering, is_given=options.trust, how=how)
    if options.trust:
        trust_for_this_run(project)
    trust = Trust.TRUSTED if options.safe or options.trust else trust_of(project)
    if trust is Trust.TRUSTED:
        return options, False
    if options.headless or not options.panels:
        require_trust(project)
        return options, False
    if trust is Trust.SAFE:
        return replace(options, safe=True), False
    shown = replace(
        options, safe=True, video=None, screenshot=None, stats=None, out=None, seconds=None,
        script_options={},
    )  # fmt: skip
    return shown, True


class Navigation:
    """Opens scenes and files, and ends the run.

    In a window, the user is asked first about unsaved changes and about projects that were never
    opened.

    Args:
        run: the run of the present scene.
        console: receives errors.
        panels: panels of the scene's scripts, some of which can open files.

    Attributes:
        answer: the user's answer about trusting the present project; None if there is none.
        is_again: whether to open the same scene again when it has ended, because of this answer.
        before_leaving: called before another scene is opened.
    """

    def __init__(self, run: RunContext, console: Console, panels: PanelRegistry) -> None:
        self.answer: Trust | None = None
        self.is_again = False
        self.before_leaving: list[Callable[[], object]] = []
        self._open_other: Callable[[Path], str | None] = lambda path: None
        self._run = run
        self._console = console
        self._panels = panels
        self._unsaved: UnsavedQuestion | None = None
        self._trust: TrustQuestion | None = None
        self._show: Callable[[], object] = bool
        self._asked_change: SceneChange | None = None
        self._agreed: SceneChange | None = None

    def ask_in(
        self, unsaved: UnsavedQuestion, trust: TrustQuestion, show: Callable[[], object]
    ) -> None:
        """Set the dialogs in which the user is asked; without them nothing is asked.

        Args:
            unsaved: dialog about unsaved changes.
            trust: dialog about a project's trust.
            show: called without arguments to make an opened dialog visible.
        """
        self._unsaved, self._trust, self._show = unsaved, trust, show

    def open_others_by(self, open_other: Callable[[Path], str | None]) -> None:
        """Set what opens files that no script can open, such as a picture to import.

        Args:
            open_other: called with the path; returns the error message ("" for none), or None if it
                is no such file either.
        """
        self._open_other = open_other

    def leave_presentation(self) -> None:
        """End presentation mode, in which no dialog is seen."""
        if self._panels.is_presenting:
            self._show()

    def open_scene(self, path: Path) -> None:
        """End this scene and open another; if that one is invalid, keep this one."""
        try:
            load(path, project=find_project(path), allows_missing=not self._run.headless)
        except (GoishiError, OSError) as error:
            self._console.error(f"open: {error}")
            return
        self._ask_about(
            find_project(path), lambda: self._ask_and(OPENING, lambda: self._go_to(path))
        )

    def open_for_program(self, text: str) -> None:
        """End this scene and open another for a program outside, which the user is not asked about.

        Args:
            text: path of the scene file; a relative one begins at the project's folder.

        Raises:
            GoishiError: the file is no scene, its project is not trusted, or changes of this scene
                are not saved. This scene goes on.
        """
        path = self._run.project / path_of(text)
        if not path.name.endswith(SUFFIX):
            raise UsageError(f"open: expected a scene file (…{SUFFIX}), found {str(path)!r:.300}")
        if not path.is_file():
            raise UsageError(f"open: expected a scene file, found none at {str(path)!r:.300}")
        project = find_project(path)
        load(path, project=project, allows_missing=not self._run.headless)
        trust = trust_of(project)
        is_known = trust is Trust.TRUSTED or (trust is Trust.SAFE and self._trust is not None)
        if not is_known and project != self._run.project:
            raise TrustError(refusal_of(project, "--trust"))
        if self._unsaved is not None and self._unsaved.names:
            names = ", ".join(self._unsaved.names)
            raise UsageError(f"open: expected no unsaved changes in the window, found {names:.300}")
        self._go_to(path)

    def follow(self, change: SceneChange) -> None:
        """Begin to leave this scene for the one that a script has asked for.

        If there are unsaved changes, the user is asked first. The result is in `is_following`.

        Args:
            change: the change.
        """
        self._asked_change = change
        self._ask_and(OPENING, self._agree)

    def _agree(self) -> None:
        self._agreed = self._asked_change

    @property
    def is_asking(self) -> bool:
        """Whether the user is being asked about unsaved changes."""
        return self._unsaved is not None and self._unsaved.is_open

    def stay(self) -> None:
        """Close the question about unsaved changes, if it is open, and do nothing."""
        if self._unsaved is not None:
            self._unsaved.stay()

    def is_following(self, change: SceneChange) -> bool:
        """Return whether this scene is left for the one that a script has asked for."""
        return self._agreed is change

    def drop_file(self, text: str) -> None:
        """Open a file that was dropped on the window; the console says why it is refused.

        Args:
            text: path of the file, as dropped; see `open_file`.
        """
        fault = self.open_file(text)
        if fault:
            self._console.error(fault)

    def open_file(self, text: str) -> str:
        """Open a scene file, or a file that one of the scene's scripts can open.

        Args:
            text: path of the file, as typed or dropped; see `path_of`.

        Returns:
            The error message; "" if the file was opened or the user is asked about it.
        """
        path = path_of(text)
        asked = self._panels.asked_file
        if isinstance(asked, FileQuestion) and not asked.is_save:
            return self._answer(asked, path)
        if path.name.endswith(SUFFIX):
            self.open_scene(path)
            return ""
        opener = self._panels.opener_of(path.name)
        if opener is not None and not path.is_file():
            return tr("{path}: expected a file, found none").format(path=path)
        if opener is not None:
            opener.slot.call("open_file", opener.callback, str(path))
            return ""
        found = self._open_other(path)
        if found is not None:
            return found
        known = [suffix for item in self._panels.openers for suffix in item.suffixes]
        wanted = ", ".join(dict.fromkeys((*known, SUFFIX)))
        fault = tr("{path}: expected a file that this scene opens ({wanted}), found {name!r}")
        return fault.format(path=path, wanted=wanted, name=path.name)

    def _answer(self, asked: FileQuestion, path: Path) -> str:
        """Give a script the file that it has asked for.

        Args:
            asked: the script's question.
            path: path of the file.

        Returns:
            The error message; "" if the file fits.
        """
        if fault := asked.take(path):
            self._console.error(fault)
        elif self._panels.asked_file is asked:
            self._panels.ask_file(None)
        return fault

    def close_window(self, code: int = 0) -> None:
        """End the run, after asking about unsaved changes.

        Args:
            code: exit code of the process.
        """
        self._ask_and(tr("close the window"), lambda: self._run.end(code))

    def ask_at_start(self) -> None:
        """Ask about trust in the project of the present scene; if the user cancels, end the run."""
        self._ask_about(self._run.project, self._open_again, self._run.end)

    def trust_opened(self) -> None:
        """Ask whether to trust the project, now opened safely; if so, open its scene again.

        If it is trusted already, only a console line says so.
        """
        project = self._run.project
        if self._trust is None or trust_of(project) is Trust.TRUSTED:
            self._console.info("this project is trusted: its scripts run unless --safe is given")
            return

        def answered(is_trusted: bool) -> None:
            self._keep(project, is_trusted=is_trusted)
            if is_trusted:
                self._open_again()

        from sim.ui.panels.dialogs import KNOWN_FOLDER

        self._trust.ask(project, answered, words=KNOWN_FOLDER)
        self._show()

    def options_again(self, options: RunOptions) -> RunOptions:
        """Return the options to open the same scene again.

        Its scripts run if the user answered that the project is trusted.
        """
        is_trusted = self.answer is Trust.TRUSTED
        scene = self._run.scene_path  # which may have been saved as another file
        return replace(options, scene=scene, trust=is_trusted, safe=not is_trusted)

    def _ask_about(
        self, project: Path, then: Callable[[], object], otherwise: Callable[[], object] = bool
    ) -> None:
        """Continue to a project, after asking for trust if it was never opened before.

        Args:
            project: folder of the project.
            then: called without arguments to open the project, whether or not it is trusted.
            otherwise: called without arguments if the user cancels.
        """
        if self._trust is None or trust_of(project) is not Trust.UNKNOWN:
            then()
            return

        def answered(is_trusted: bool) -> None:
            self._keep(project, is_trusted=is_trusted)
            then()

        self._trust.ask(project, answered, otherwise)
        self._show()

    def _keep(self, project: Path, *, is_trusted: bool) -> None:
        """Store the user's answer about a project; if that fails, it counts for this run only.

        Args:
            project: folder of the project.
            is_trusted: whether its scripts may run.
        """
        answer = Trust.TRUSTED if is_trusted else Trust.SAFE
        if fault := remember(project, answer):
            self._console.error(fault)
        if project == self._run.project:
            self.answer = answer

    def _open_again(self) -> None:
        """End this scene and open it again, with or without scripts as the user has answered."""
        self.is_again = True
        self._run.end()

    def _go_to(self, path: Path) -> None:
        for listener in self.before_leaving:
            listener()
        self._run.next_scene = path
        self._run.end()

    def _ask_and(self, what: str, then: Callable[[], object]) -> None:
        """Call a function; if there are unsaved changes, ask the user first.

        Args:
            what: the action for the dialog's text, such as tr("close the window").
            then: called without arguments, unless the user cancels.
        """
        if self._unsaved is None:
            then()
            return
        self._unsaved.ask(what, then)
        if self._unsaved.is_open:
            self._show()
