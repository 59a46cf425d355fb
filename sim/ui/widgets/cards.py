"""Cards: the picture of a scene or a project, to click on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui

from base.language.wording import wording
from sim.core.canvas.painter import Picture
from sim.core.project.recent_scenes import SceneCard
from sim.render.materials.textures import read_picture
from sim.ui.theme.theme import Theme, cut, icons, pressed_area

WHITE = 0xFFFFFFFF
ROUNDING = 5.0  # pixels of a corner


class CardPictures:
    """Draws the pictures of cards; a file is read again only when it has changed.

    Args:
        add_picture: uploads a picture and returns its ImGui texture id.
    """

    def __init__(self, add_picture: Callable[[Picture], int]) -> None:
        self._add_picture = add_picture
        self._known: dict[Path, tuple[float, int | None]] = {}

    def draw(self, theme: Theme, card: SceneCard, name: str, width: float, height: float) -> bool:
        """Draw a card's picture as a button; return whether it was clicked.

        Args:
            theme: colours and sizes.
            card: the card. Without a picture, an icon stands in its place.
            name: ImGui name of the button.
            width: width of the picture, pixels.
            height: height of the picture, pixels.
        """
        start = imgui.get_cursor_screen_pos()
        is_chosen = pressed_area(name, width, height)
        is_hovered = imgui.is_item_hovered()
        drawing = imgui.get_window_draw_list()
        corner = imgui.ImVec2(start.x + width, start.y + height)
        picture = self._number(card.picture)
        if picture is None:
            drawing.add_rect_filled(start, corner, theme.packed("raised"), ROUNDING)
            size = imgui.calc_text_size(icons.ICON_FA_CUBES)
            middle = (start.x + (width - size.x) / 2, start.y + (height - size.y) / 2)
            drawing.add_text(imgui.ImVec2(*middle), theme.packed("muted"), icons.ICON_FA_CUBES)
        else:
            drawing.add_image_rounded(
                imgui.ImTextureRef(picture), start, corner, imgui.ImVec2(0, 0), imgui.ImVec2(1, 1),
                WHITE, ROUNDING,
            )  # fmt: skip
        drawing.add_rect(start, corner, theme.packed("amber" if is_hovered else "line"), ROUNDING)
        return is_chosen

    def draw_row(
        self, theme: Theme, cards: tuple[SceneCard, ...], width: float, height: float
    ) -> SceneCard | None:
        """Draw as many cards as fit beside each other, and return a clicked one.

        Below each picture stand its name and where it lies: two projects may have a scene `main`.

        Args:
            theme: colours and sizes.
            cards: the cards, the first at the left.
            width: width of a picture, pixels.
            height: height of a picture, pixels.
        """
        gap = imgui.get_style().item_spacing.x
        room = imgui.get_content_region_avail().x
        count = max(1, int((room + gap) // (width + gap)))
        clicked = None
        for number, card in enumerate(cards[:count]):
            if number:
                imgui.same_line()
            imgui.begin_group()
            if self.draw(theme, card, f"recent {number}", width, height):
                clicked = card
            if imgui.is_item_hovered():
                imgui.set_tooltip(str(card.path))
            imgui.text_unformatted(cut(wording(card.name), width))
            imgui.push_style_color(imgui.Col_.text, theme.vector("muted"))
            imgui.text_unformatted(cut(card.place, width))
            imgui.pop_style_color()
            imgui.end_group()
        return clicked

    def _number(self, path: Path | None) -> int | None:
        """Return the ImGui texture id of a picture file; None if it cannot be read."""
        if path is None:
            return None
        try:
            saved = path.stat().st_mtime
        except OSError:
            return None
        known = self._known.get(path)
        if known is None or known[0] != saved:
            try:
                number: int | None = self._add_picture(read_picture(path, path.name))
            except (OSError, ValueError):  # a card without a picture
                number = None
            self._known[path] = known = (saved, number)
        return known[1]
