"""The welcome panel: recent scenes, the examples with pictures, and documentation."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from imgui_bundle import imgui

from base.language.wording import tr, wording
from sim.core.canvas.painter import Picture
from sim.core.project.recent_scenes import SceneCard
from sim.core.reporting.python_text import called
from sim.ui.theme.theme import Theme, begin_flat_child, cut, icons
from sim.ui.widgets.cards import CardPictures

CARD = (228.0, 128.0)  # size of a picture
LIST_WIDTH = 260.0
NOT_FIRST = int(imgui.ItemFlags_.no_nav_default_focus)
TITLE_SIZE = 30.0
SHOWN_RECENT = 6
FLAGS = (
    imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_docking
)


class WelcomePanel:
    """The welcome panel: lists scenes to open and documentation pages.

    Args:
        recent: returns the recent scenes; called each time the panel opens.
        examples: returns the scenes shipped with Goishi; called each time the panel opens.
        documents: title and path of each documentation page.
        open_scene: called with the path of the selected scene.
        add_picture: uploads a picture and returns its ImGui texture id.
        open_document: called with the path of a page; None opens it in the web browser.
        say: called with the Python code that is equivalent to the user's choice.
        commands: what can be begun or opened: each a text and a function.

    Attributes:
        is_open: whether the panel is shown.
    """

    def __init__(
        self,
        *,
        recent: Callable[[], Sequence[SceneCard]],
        examples: Callable[[], Sequence[SceneCard]],
        documents: Sequence[tuple[str, Path]],
        open_scene: Callable[[Path], object],
        add_picture: Callable[[Picture], int],
        open_document: Callable[[Path], object] | None = None,
        say: Callable[[str], object] = str,
        commands: Sequence[tuple[str, Callable[[], object]]] = (),
    ) -> None:
        self.is_open = False
        self.examples: list[SceneCard] = []
        self.documents = list(documents)
        self.recent: list[SceneCard] = []
        self._ask_recent = recent
        self._ask_examples = examples
        self._open_scene = open_scene
        self._open_document = open_document or (lambda path: webbrowser.open(path.as_uri()))
        self._say = say
        self._commands = tuple(commands)
        self._pictures = CardPictures(add_picture)
        self._focused: Path | None = None  # scene of the card that the keyboard is at

    def toggle(self) -> None:
        """Open or close the panel."""
        self.is_open = not self.is_open
        if self.is_open:
            self.recent = list(self._ask_recent())[:SHOWN_RECENT]
            self.examples = list(self._ask_examples())

    def close(self) -> bool:
        """Close the panel; return whether it was open."""
        was_open, self.is_open = self.is_open, False
        return was_open

    def choose(self, path: Path | str) -> None:
        """Close the panel and open a scene."""
        self.is_open = False
        self._open_scene(Path(path))

    def read(self, path: Path | str) -> None:
        """Open a documentation page."""
        self._open_document(Path(path))

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the panel in the middle of a window of this size, if it is open."""
        if not self.is_open:
            return
        width, height = (
            min(size[0] - 40.0, 820.0 * theme.scale),
            min(size[1] - 40.0, 560.0 * theme.scale),
        )
        imgui.set_next_window_pos(
            imgui.ImVec2(size[0] / 2, size[1] / 2), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5)
        )
        imgui.set_next_window_size(imgui.ImVec2(width, height))
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 8.0)
        imgui.push_style_var(
            imgui.StyleVar_.window_padding, imgui.ImVec2(theme.px(22), theme.px(18))
        )
        if imgui.begin(tr("Welcome"), None, int(FLAGS))[0]:
            self.draw(theme)
        imgui.end()
        imgui.pop_style_var(2)

    def draw(self, theme: Theme) -> None:
        """Draw the content into the current ImGui window."""
        imgui.push_font(theme.bold, TITLE_SIZE)
        imgui.text("Goishi")
        imgui.pop_font()
        imgui.same_line(imgui.get_window_width() - theme.px(52))
        imgui.push_item_flag(NOT_FIRST, True)
        if imgui.button(f"{icons.ICON_FA_XMARK}##close welcome"):
            self._say('do("app.welcome")')
            self.is_open = False
        _muted(theme, tr("Game AIs play and teach themselves in a 3D world that you can script."))
        imgui.dummy(imgui.ImVec2(0, 6))
        if begin_flat_child("left", imgui.ImVec2(LIST_WIDTH * theme.scale, 0)):
            self._draw_commands()
            imgui.push_item_flag(NOT_FIRST, False)  # keys begin here, or at the cards
            self._draw_recent(theme)
            imgui.pop_item_flag()
            self._draw_documents(theme)
        imgui.end_child()
        imgui.pop_item_flag()
        imgui.same_line(0, 18)
        if begin_flat_child("right"):
            _heading(theme, tr("Examples"))
            self._draw_examples(theme)
        imgui.end_child()

    def _draw_commands(self) -> None:
        for label, run in self._commands:
            if imgui.button(label):
                run()
            imgui.same_line()
        if self._commands:
            imgui.new_line()
            imgui.dummy(imgui.ImVec2(0, 4))

    def _draw_recent(self, theme: Theme) -> None:
        _heading(theme, tr("Recent"))
        if not self.recent:
            _muted(theme, tr("No scenes opened yet"))
        for index, card in enumerate(self.recent):
            room = imgui.get_content_region_avail().x
            if imgui.selectable(f"{cut(wording(card.name), room)}##recent {index}", False)[0]:
                self._say(called("app.welcome.choose", card.path))
                self.choose(card.path)
            if imgui.is_item_hovered():
                imgui.set_tooltip(str(card.path))
            folder = f"{card.place}/{card.path.parent.name}"
            _muted(theme, cut(folder, room))

    def _draw_documents(self, theme: Theme) -> None:
        imgui.dummy(imgui.ImVec2(0, 10))
        _heading(theme, tr("Documentation"))
        for title, path in self.documents:
            if imgui.selectable((icons.ICON_FA_BOOK_OPEN + "  " + title + "##" + path.name), False)[
                0
            ]:
                self._say(called("app.welcome.read", path))
                self.read(path)
            if imgui.is_item_hovered():
                imgui.set_tooltip(str(path))

    def _draw_examples(self, theme: Theme) -> None:
        width, height = CARD[0] * theme.scale, CARD[1] * theme.scale
        room = imgui.get_content_region_avail().x
        columns = max(1, int((room + 14) // (width + 14)))
        for index, card in enumerate(self.examples):
            if index % columns:
                imgui.same_line(0, 14)
            imgui.begin_group()
            self._draw_card(theme, card, width, height)
            imgui.end_group()

    def _draw_card(self, theme: Theme, card: SceneCard, width: float, height: float) -> None:
        is_chosen = self._pictures.draw(theme, card, f"example {card.path.name}", width, height)
        has_come = imgui.is_item_focused() and self._focused != card.path
        if has_come:
            self._focused = card.path
        imgui.push_font(theme.bold, 0.0)
        imgui.text(wording(card.name))
        imgui.pop_font()
        imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + width)
        _muted(theme, wording(card.description or " "))
        imgui.pop_text_wrap_pos()
        imgui.dummy(imgui.ImVec2(width, 6))
        if has_come and not imgui.is_item_visible():
            imgui.set_scroll_here_y(1.0)  # its name and words are seen, too
        if is_chosen:
            self._say(called("app.welcome.choose", card.path))
            self.choose(card.path)


def _heading(theme: Theme, text: str) -> None:
    imgui.push_font(theme.bold, 0.0)
    imgui.text(text)
    imgui.pop_font()
    imgui.separator()


def _muted(theme: Theme, text: str) -> None:
    imgui.push_style_color(imgui.Col_.text, theme.vector("muted"))
    imgui.text(text)
    imgui.pop_style_color()
