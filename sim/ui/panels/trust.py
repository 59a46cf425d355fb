"""The question whether the scripts of a project folder may run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui

from sim.ui.panels.unsaved import FLAGS
from sim.ui.theme.theme import Theme, icons

TITLE = "Do you trust this project?"
WIDTH = 520.0
NEW = "You have not opened this folder before:"
KNOWN = "You have opened this folder safely:"
WORDS = (
    "Its scripts are programs. They can do all that you can do on this computer: read, change and "
    "delete your files, and use the network.",
    "Opened safely, the scene is shown and none of the project's scripts runs.",
)


class TrustQuestion:
    """A dialog in the middle of the window: trust, open safely or cancel.

    Attributes:
        is_open: whether the dialog is shown.
        folder: the project that is asked about.

    Args:
        say: called with the equivalent Python of the user's choice.
    """

    def __init__(self, *, say: Callable[[str], object] = str) -> None:
        self.is_open = False
        self.folder = Path()
        self._say = say
        self._heading = NEW
        self._then: Callable[[bool], object] = bool
        self._otherwise: Callable[[], object] = bool

    def ask(
        self,
        folder: Path,
        then: Callable[[bool], object],
        otherwise: Callable[[], object] = bool,
        *,
        words: str = NEW,
    ) -> None:
        """Show the dialog.

        Args:
            folder: the project.
            then: called with whether the user trusts it, when the project is to be opened.
            otherwise: called when it is not to be opened.
            words: what stands above the folder's name.
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
        """Do not open it; return whether the dialog was shown."""
        was_open, self.is_open = self.is_open, False
        if was_open:
            self._otherwise()
        return was_open

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog over a window of this size, if it is shown."""
        if self.is_open and not imgui.is_popup_open(TITLE):
            imgui.open_popup(TITLE)
        imgui.set_next_window_pos(
            imgui.ImVec2(size[0] / 2, size[1] / 2), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5)
        )
        imgui.set_next_window_size(imgui.ImVec2(min(size[0] - 40.0, theme.px(WIDTH)), 0))
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
        imgui.text(self._heading)
        imgui.text_colored(theme.vector("amber"), f"{icons.ICON_FA_FOLDER_OPEN}  {self.folder}")
        for words in WORDS:
            imgui.dummy(imgui.ImVec2(0, 2))
            imgui.text(words)
        imgui.pop_text_wrap_pos()
        imgui.dummy(imgui.ImVec2(0, 6))
        answers = (
            (f"{icons.ICON_FA_CHECK}  Trust", self.trust, "Run its scripts, now and from now on"),
            (f"{icons.ICON_FA_SHIELD_HALVED}  Open safely", self.open_safely,
             "Look at it without its scripts, now and from now on"),
            ("Cancel", self.cancel, "Do not open it; you are asked again next time"),
        )  # fmt: skip
        for label, answer, tip in answers:
            if imgui.button(label):
                self._say(f"app.trust_question.{answer.__name__}()")
                answer()
            if imgui.is_item_hovered():
                imgui.set_tooltip(tip)
            imgui.same_line()
        imgui.new_line()
