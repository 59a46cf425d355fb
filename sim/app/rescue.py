"""Unsaved edits of a window: kept for a crash, and offered at the next start."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from base.errors import GoishiError
from base.files import atomic_write
from base.language.wording import dated, tr
from sim.core.editing.autosave import FOLDER, Autosave, Recovery, delete
from sim.core.files.scene_file import load
from sim.core.project.data_dir import user_data_dir

if TYPE_CHECKING:
    from sim.core.editing import Editor, PlaySession
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console
    from sim.ui.panels.dialogs import RestoreQuestion
    from sim.ui.panels.script_editor import ScriptEditorPanel


class Rescue:
    """Keeps the unsaved edits of a window, and offers those of a run that ended in the middle.

    Args:
        run: the run of the scene.
        editor: makes the edits of the scene.
        script: the script editor.
        session: plays the scene.
        console: receives errors.

    Attributes:
        autosave: writes the edits.
    """

    def __init__(
        self,
        run: RunContext,
        editor: Editor,
        script: ScriptEditorPanel,
        session: PlaySession,
        console: Console,
    ) -> None:
        self._run, self._editor, self._script, self._console = run, editor, script, console
        folder = user_data_dir() if run.temporary_data else run.data_dir
        self.autosave = Autosave(
            folder / FOLDER, run.scene_path, editor, lambda: script.tabs, console.warning
        )
        session.before_play = self.autosave.write

    def close(self) -> None:
        """Keep what is still unsaved for the next start, or delete all."""
        self.autosave.close()

    def offer(self, question: RestoreQuestion, show: Callable[[], object]) -> None:
        """Ask the user about edits that were left behind, if there are any.

        Args:
            question: the dialog.
            show: called to make the dialog visible.
        """
        recovery = self.autosave.find()
        if recovery is None:
            return

        def answered(answer: str) -> None:
            if answer == "restore":
                self._restore(recovery)
            elif answer == "discard":
                delete(recovery.lock)
            else:
                recovery.lock.release()
                return
            self.offer(question, show)

        question.ask(self._lines(recovery), answered, is_outdated=recovery.is_outdated)
        show()

    def _lines(self, recovery: Recovery) -> list[str]:
        """Return a line for each file with edits, the first with the time."""
        paths = [self._run.scene_path] if recovery.scene is not None else []
        paths += [path for path, _ in recovery.scripts]
        names = [self._console.short_path(str(path)) for path in paths]
        when = dated(datetime.fromtimestamp(recovery.time))
        return [tr("{name}, of {when}").format(name=name, when=when) for name in names]

    def _restore(self, recovery: Recovery) -> None:
        """Bring edits back. What cannot be brought back is one line, and stays in its folder."""
        try:
            if recovery.scene is not None:
                project = self._run.project
                self._editor.restore(load(recovery.scene, project=project, allows_missing=True))
        except (GoishiError, OSError) as error:
            self._console.error(f"unsaved changes: {error}; they stay in {recovery.folder}")
            recovery.lock.release()
            return
        script = self._script
        for path, text in recovery.scripts:
            if script.open(path):
                next(tab for tab in script.tabs if tab.path == path).bring_back(text)
            else:
                kept = recovery.folder.parent / f"{path.name}.unsaved"
                with contextlib.suppress(OSError):  # a full disk: the folder stays until a save
                    atomic_write(kept, text)
                self._console.warning(f"{path}: its unsaved text is in {kept}")
        self.autosave.adopt(recovery)
        self._console.info("the unsaved changes are back; they are not saved yet")
