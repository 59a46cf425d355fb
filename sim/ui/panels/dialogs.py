"""The dialogs of a window about unsaved changes and trust in a project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from imgui_bundle import imgui

from base.language.wording import tr
from sim.ui.theme.theme import Theme, icons

UNSAVED_TITLE = tr("Unsaved changes")
UNSAVED_WIDTH = 420.0
FLAGS = int(
    imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_docking
)


def draw_modal(
    theme: Theme,
    size: tuple[int, int],
    title: str,
    width: float,
    is_open: Callable[[], bool],
    draw: Callable[[Theme], object],
) -> None:
    """Draw an opened popup in the middle of the window, over everything else.

    Args:
        theme: colours and scale of the user interface.
        size: width and height of the window, pixels.
        title: title of the popup.
        width: width of the popup, unscaled pixels; less in a narrow window.
        is_open: returns whether the popup is to stay open.
        draw: draws the content of the popup.
    """
    imgui.set_next_window_pos(
        imgui.ImVec2(size[0] / 2, size[1] / 2), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5)
    )
    imgui.set_next_window_size(imgui.ImVec2(min(size[0] - 40.0, theme.px(width)), 0))
    padding = imgui.ImVec2(theme.px(18), theme.px(14))
    imgui.push_style_var(imgui.StyleVar_.window_padding, padding)
    if imgui.begin_popup_modal(title, None, FLAGS)[0]:
        if is_open():
            draw(theme)
        if not is_open():
            imgui.close_current_popup()
        imgui.end_popup()
    imgui.pop_style_var()


class UnsavedQuestion:
    """A dialog about unsaved changes, in the middle of the window: save, discard or stay.

    Args:
        unsaved: returns the names of unsaved files.
        save: saves everything; returns whether that succeeded.
        say: called with the Python code that is equivalent to the user's choice.

    Attributes:
        is_open: whether the dialog is shown.
        message: error shown in the dialog; empty if there is none.
        on_discard: called when the user discards the changes.
    """

    def __init__(
        self,
        *,
        unsaved: Callable[[], Sequence[str]],
        save: Callable[[], bool],
        say: Callable[[str], object] = str,
    ) -> None:
        self.is_open = False
        self.message = ""
        self.on_discard: Callable[[], object] = bool
        self._unsaved = unsaved
        self._save = save
        self._say = say
        self._then: Callable[[], object] = lambda: None
        self._what = ""

    @property
    def names(self) -> Sequence[str]:
        """Names of the unsaved files."""
        return self._unsaved()

    def ask(self, what: str, then: Callable[[], object]) -> None:
        """Perform an action that would lose unsaved changes; ask the user first if there are any.

        Args:
            what: name of the action for the dialog's tooltips: "Close the window".
            then: the action; called at once without unsaved changes, else after "Save all" or
                "Discard".
        """
        if not self._unsaved():
            then()
            return
        self.is_open, self.message, self._what, self._then = True, "", what, then

    def save(self) -> None:
        """Save all and perform the action; keep the dialog open if anything was not saved."""
        if self._save():
            self._go_on()
        else:
            self.message = tr("Not all could be saved: the Console says why.")

    def discard(self) -> None:
        """Perform the action without saving."""
        self.on_discard()
        self._go_on()

    def _go_on(self) -> None:
        self.is_open = False
        self._then()

    def stay(self) -> bool:
        """Close the dialog without performing the action; return whether it was open."""
        was_open, self.is_open = self.is_open, False
        return was_open

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog over a window of this size, if it is shown."""
        if self.is_open and not imgui.is_popup_open(UNSAVED_TITLE):
            imgui.open_popup(UNSAVED_TITLE)
        draw_modal(theme, size, UNSAVED_TITLE, UNSAVED_WIDTH, lambda: self.is_open, self._draw)

    def _draw(self, theme: Theme) -> None:
        imgui.push_text_wrap_pos(0.0)
        imgui.text(tr("These changes are not saved:"))
        imgui.dummy(imgui.ImVec2(0, 2))
        for name in self._unsaved():
            imgui.text_colored(
                theme.vector("amber"), icons.ICON_FA_CIRCLE_EXCLAMATION + "  " + name
            )
        if self.message:
            imgui.dummy(imgui.ImVec2(0, 2))
            imgui.text_colored(theme.vector("red"), self.message)
        imgui.pop_text_wrap_pos()
        imgui.dummy(imgui.ImVec2(0, 6))
        answers = (
            ((icons.ICON_FA_FLOPPY_DISK + "  " + tr("Save all")), self.save, tr("Save, then")),
            (
                (icons.ICON_FA_TRASH + "  " + tr("Discard")),
                self.discard,
                tr("Lose the changes, and"),
            ),
        )
        for label, answer, tip in answers:
            if imgui.button(label):
                self._say(f"app.question.{answer.__name__}()")
                answer()
            if imgui.is_item_hovered():
                imgui.set_tooltip(tip + " " + self._what)
            imgui.same_line()
        if imgui.button(tr("Stay")):
            self._say("app.question.stay()")
            self.stay()


RESTORE_TITLE = tr("Unsaved changes were found")
RESTORE_WIDTH = 480.0
OUTDATED = tr("The scene's file has been saved since. Restored, they take its place when you save.")


class RestoreQuestion:
    """A dialog that offers changes that were not saved when Goishi ended in the middle.

    Args:
        say: called with the Python code that is equivalent to the user's choice.

    Attributes:
        is_open: whether the dialog is shown.
        lines: what is offered: a line for each file.
        is_outdated: whether the scene's file was saved after the changes.
    """

    def __init__(self, *, say: Callable[[str], object] = str) -> None:
        self.is_open = False
        self.lines: tuple[str, ...] = ()
        self.is_outdated = False
        self._say = say
        self._answer: Callable[[str], object] = str

    def ask(
        self, lines: Sequence[str], answer: Callable[[str], object], *, is_outdated: bool
    ) -> None:
        """Show the dialog.

        Args:
            lines: what is offered.
            answer: called with the user's answer: "restore", "discard" or "later".
            is_outdated: whether the scene's file was saved after the changes.
        """
        self.is_open, self.lines, self.is_outdated = True, tuple(lines), is_outdated
        self._answer = answer

    def restore(self) -> None:
        """Bring the changes back; they can be undone, and are saved when the user saves."""
        self._close("restore")

    def discard(self) -> None:
        """Delete the changes."""
        self._close("discard")

    def later(self) -> bool:
        """Keep the changes for the next start; return whether the dialog was open."""
        was_open = self.is_open
        if was_open:
            self._close("later")
        return was_open

    def _close(self, answer: str) -> None:
        self.is_open = False
        self._answer(answer)

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog over a window of this size, if it is shown."""
        if self.is_open and not imgui.is_popup_open(RESTORE_TITLE):
            imgui.open_popup(RESTORE_TITLE)
        draw_modal(theme, size, RESTORE_TITLE, RESTORE_WIDTH, lambda: self.is_open, self._draw)

    def _draw(self, theme: Theme) -> None:
        imgui.push_text_wrap_pos(0.0)
        imgui.text(tr("Goishi ended before these changes were saved:"))
        imgui.dummy(imgui.ImVec2(0, 2))
        for line in self.lines:
            imgui.text_colored(
                theme.vector("amber"), (icons.ICON_FA_CLOCK_ROTATE_LEFT + "  " + line)
            )
        if self.is_outdated:
            imgui.dummy(imgui.ImVec2(0, 2))
            imgui.text(OUTDATED)
        imgui.pop_text_wrap_pos()
        imgui.dummy(imgui.ImVec2(0, 6))
        answers: tuple[tuple[str, Callable[[], object], str], ...] = (
            ((icons.ICON_FA_ROTATE_LEFT + "  " + tr("Restore")), self.restore,
             tr("Bring them back; they can be undone")),
            ((icons.ICON_FA_TRASH + "  " + tr("Discard")), self.discard, tr("Delete them")),
            (tr("Later"), self.later, tr("Keep them; you are asked again at the next start")),
        )  # fmt: skip
        for label, answer, tip in answers:
            if imgui.button(label):
                self._say(f"app.restore_question.{answer.__name__}()")
                answer()
            if imgui.is_item_hovered():
                imgui.set_tooltip(tip)
            imgui.same_line()
        imgui.new_line()


TRUST_TITLE = tr("Do you trust this project?")
TRUST_WIDTH = 520.0
NEW_FOLDER = tr("You have not opened this folder before:")
KNOWN_FOLDER = tr("You have opened this folder safely:")
TRUST_WORDS = (
    tr(
        "Its scripts are programs. They can do all that you can do on this computer: read, change "
        "and delete your files, and use the network."
    ),
    tr("Opened safely, the scene is shown and none of the project's scripts runs."),
)


class TrustQuestion:
    """A dialog that asks whether the user trusts a project: trust it, open it safely or cancel.

    Args:
        say: called with the Python code that is equivalent to the user's choice.

    Attributes:
        is_open: whether the dialog is shown.
        folder: folder of the project in question.
    """

    def __init__(self, *, say: Callable[[str], object] = str) -> None:
        self.is_open = False
        self.folder = Path()
        self._say = say
        self._heading = NEW_FOLDER
        self._then: Callable[[bool], object] = bool
        self._otherwise: Callable[[], object] = bool

    def ask(
        self,
        folder: Path,
        then: Callable[[bool], object],
        otherwise: Callable[[], object] = bool,
        *,
        words: str = NEW_FOLDER,
    ) -> None:
        """Show the dialog.

        Args:
            folder: folder of the project.
            then: called when the project is to be opened: with True if its scripts may run, else
                False.
            otherwise: called when the user cancels; its result is ignored.
            words: text above the folder's name.
        """
        self.is_open, self.folder, self._heading = True, folder, words
        self._then, self._otherwise = then, otherwise

    def trust(self) -> None:
        """Trust the project and open it."""
        self.is_open = False
        self._then(True)

    def open_safely(self) -> None:
        """Open the project without running its scripts."""
        self.is_open = False
        self._then(False)

    def cancel(self) -> bool:
        """Close the dialog without opening the project; return whether it was open."""
        was_open, self.is_open = self.is_open, False
        if was_open:
            self._otherwise()
        return was_open

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog over a window of this size, if it is shown."""
        if self.is_open and not imgui.is_popup_open(TRUST_TITLE):
            imgui.open_popup(TRUST_TITLE)
        draw_modal(theme, size, TRUST_TITLE, TRUST_WIDTH, lambda: self.is_open, self._draw)

    def _draw(self, theme: Theme) -> None:
        imgui.push_text_wrap_pos(0.0)
        imgui.text(self._heading)
        imgui.text_colored(theme.vector("amber"), f"{icons.ICON_FA_FOLDER_OPEN}  {self.folder}")
        for words in TRUST_WORDS:
            imgui.dummy(imgui.ImVec2(0, 2))
            imgui.text(words)
        imgui.pop_text_wrap_pos()
        imgui.dummy(imgui.ImVec2(0, 6))
        answers = (
            (
                (icons.ICON_FA_CHECK + "  " + tr("Trust")),
                self.trust,
                tr("Run its scripts, now and from now on"),
            ),
            (
                (icons.ICON_FA_SHIELD_HALVED + "  " + tr("Open safely")),
                self.open_safely,
                tr("Open it without its scripts, now and from now on"),
            ),
            (tr("Cancel"), self.cancel, tr("Do not open it; you are asked again next time")),
        )
        for label, answer, tip in answers:
            if imgui.button(label):
                self._say(f"app.trust_question.{answer.__name__}()")
                answer()
            if imgui.is_item_hovered():
                imgui.set_tooltip(tip)
            imgui.same_line()
        imgui.new_line()
