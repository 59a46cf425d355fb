"""Questions for a file: which one to open, or where to save. A dialog of the window asks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from base.errors import GoishiError
from sim.core.project.recent_scenes import SceneCard
from sim.core.tasks.waits import Wait

if TYPE_CHECKING:
    from sim.core.scene.scene import ComponentSlot


class FileAnswer(Wait):
    """Waits until the user has chosen a file; the result is its path as text.

    The result is None if the user has closed the dialog, or if there is no window to ask in.

    Attributes:
        path: the chosen path; None while there is none.
        is_given: whether the question is answered.
    """

    def __init__(self) -> None:
        self.path: str | None = None
        self.is_given = False

    def give(self, path: str | None) -> None:
        """Answer the question, unless it is answered already.

        Args:
            path: the chosen path; None for no file.
        """
        if not self.is_given:
            self.path, self.is_given = path, True

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the question is answered."""
        return self.is_given

    def result(self) -> object:
        """Return the chosen path as text, or None."""
        return self.path

    def cancel(self) -> None:
        """Give no file as the answer: nobody waits for one any more."""
        self.give(None)


@dataclass(frozen=True, eq=False)
class FileQuestion:
    """A question for a file, asked once.

    Attributes:
        label: title of the dialog, such as "Save the game".
        slot: slot of the script that asks; None for a panel of the engine.
        suffixes: suffixes of the files that fit, in lower case and with the dot; empty for any.
        callback: called with the path as text; None if nothing is to be called.
        is_save: whether the file is to be written; else it is to be read.
        is_folder: whether a folder is to be written or read instead of a file.
        name: name that is offered for what is saved, without folder.
        answer: the user's answer.
        folder: folder in which the dialog begins; None for that of the last such file.
        recent: files or folders that are offered with pictures, the latest first.
        verb: word on the button that chooses; empty for the usual one.
        is_new: whether what is saved may not replace anything.
    """

    label: str
    slot: ComponentSlot | None = None
    suffixes: tuple[str, ...] = ()
    callback: Callable[[str], object] | None = None
    is_save: bool = False
    is_folder: bool = False
    name: str = ""
    answer: FileAnswer = field(default_factory=FileAnswer)
    folder: Path | None = None
    recent: tuple[SceneCard, ...] = ()
    verb: str = ""
    is_new: bool = False

    def takes(self, name: str) -> bool:
        """Return whether a file of this name fits; the suffix decides."""
        return not self.suffixes or name.lower().endswith(self.suffixes)

    def take(self, path: Path) -> str:
        """Give a path to who has asked.

        Args:
            path: path of the file that is to be read or written.

        Returns:
            Why it is refused: it does not fit, or it cannot be read or written. "" if it is taken.
        """
        if not self.is_save and self.is_folder and not path.is_dir():
            return f"{path}: expected a folder, found {'a file' if path.exists() else 'none'}"
        is_file = not self.is_folder and path.is_file()
        if not self.is_save and not self.is_folder and not (is_file and self.takes(path.name)):
            kind = f"a file ({', '.join(self.suffixes)})" if self.suffixes else "a file"
            return f"{path}: expected {kind}, found {'another' if is_file else 'none'}"
        fault = self._called(str(path))
        if not fault:
            self.answer.give(str(path))
        return fault

    def _called(self, path: str) -> str:
        """Call the function with the path; return what the disk refused, "" for nothing.

        Args:
            path: the chosen path.
        """
        if self.callback is None:
            return ""
        faults: list[str] = []

        def call() -> None:
            try:
                if self.callback is not None:
                    self.callback(path)
            except GoishiError as error:
                faults.append(str(error))
            except OSError as error:
                faults.append(f"{path}: {error.strerror or error}")

        if self.slot is None:
            call()
        else:
            self.slot.call("ask_save" if self.is_save else "ask_file", call)
        return next(iter(faults), "")
