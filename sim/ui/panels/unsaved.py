"""The question about unsaved scripts and scene edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from imgui_bundle import imgui

from sim.ui.theme.theme import Theme, icons

TITLE = "Unsaved changes"
WIDTH = 420.0
FLAGS = (
    imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_docking
)


class UnsavedQuestion:
    """A dialog in the middle of the window: save, discard or stay.

    Attributes:
        is_open: whether the dialog is shown.

    Args:
        unsaved: returns the names of unsaved files.
        save: saves everything; returns whether that succeeded.
        say: called with the equivalent Python of the user's choice.
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
        self._unsaved = unsaved
        self._save = save
        self._say = say
        self._then: Callable[[], object] = lambda: None
        self._what = ""

    def ask(self, what: str, then: Callable[[], object]) -> None:
        """Call `then`, after asking if there are unsaved changes.

        Args:
            what: text for people: "Close the window".
            then: the action.
        """
        if not self._unsaved():
            then()
            return
        self.is_open, self.message, self._what, self._then = True, "", what, then

    def save(self) -> None:
        """Save all and continue; stay if something could not be saved."""
        if self._save():
            self.discard()
        else:
            self.message = "Not all could be saved: the Console says why."

    def discard(self) -> None:
        """Continue without saving."""
        self.is_open = False
        self._then()

    def stay(self) -> bool:
        """Dismiss the dialog; return whether it was shown."""
        was_open, self.is_open = self.is_open, False
        return was_open

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog over a window of this size, if it is shown."""
        if self.is_open and not imgui.is_popup_open(TITLE):
            imgui.open_popup(TITLE)
        imgui.set_next_window_pos(
            imgui.ImVec2(size[0] / 2, size[1] / 2), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5)
        )
        width = min(size[0] - 40.0, theme.px(WIDTH))
        imgui.set_next_window_size(imgui.ImVec2(width, 0))
        imgui.push_style_var(
            imgui.StyleVar_.window_padding, imgui.ImVec2(theme.px(18), theme.px(14))
        )
        if imgui.begin_popup_modal(TITLE, None, int(FLAGS))[0]:
            if self.is_open:
                self._draw(theme)
            if not self.is_open:
                imgui.close_current_popup()
            imgui.end_popup()
        imgui.pop_style_var()

    def _draw(self, theme: Theme) -> None:
        imgui.push_text_wrap_pos(0.0)
        imgui.text("These changes are not saved:")
        imgui.dummy(imgui.ImVec2(0, 2))
        for name in self._unsaved():
            imgui.text_colored(theme.vector("amber"), f"{icons.ICON_FA_CIRCLE_EXCLAMATION}  {name}")
        if self.message:
            imgui.dummy(imgui.ImVec2(0, 2))
            imgui.text_colored(theme.vector("red"), self.message)
        imgui.pop_text_wrap_pos()
        imgui.dummy(imgui.ImVec2(0, 6))
        answers = (
            (f"{icons.ICON_FA_FLOPPY_DISK}  Save all", self.save, "Save, then"),
            (f"{icons.ICON_FA_TRASH}  Discard", self.discard, "Lose the changes, and"),
        )
        for label, answer, tip in answers:
            if imgui.button(label):
                self._say(f"app.question.{answer.__name__}()")
                answer()
            if imgui.is_item_hovered():
                imgui.set_tooltip(f"{tip} {self._what}")
            imgui.same_line()
        if imgui.button("Stay"):
            self._say("app.question.stay()")
            self.stay()
