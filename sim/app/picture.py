"""The picture of a world: its view, the HUD, and the panels of a window.

Until the first picture of a scene is there, the window shows what is being loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from base.language.wording import tr, translated, wording
from sim.app.pacing import FRAME_SECONDS
from sim.core.canvas.canvas import Canvas
from sim.core.profiling.spans import Phase, SpanLabel
from sim.core.project.data_dir import user_cache_dir
from sim.core.project.recent_scenes import card_of
from sim.core.project.settings import SettingsFile, usual_scale

if TYPE_CHECKING:
    from sim.core.profiling.profiler import Profiler
    from sim.render.view.hud_layer import HudLayer
    from sim.render.view.scene_view import SceneView
    from sim.render.window.display import Display
    from sim.ui.shell.shell import Shell
    from sim.ui.theme.theme import Theme


PANELS = SpanLabel("panels", Phase.PANELS)
HUD = SpanLabel("HUD", Phase.DRAWING)
CHANGES = SpanLabel(tr("the scene's changes"), Phase.DRAWING)
PICTURE = SpanLabel("drawing", Phase.DRAWING)


@dataclass(eq=False)
class Picture:
    """Draws the parts of the picture that have changed: panels, HUD and 3D view.

    Args:
        display: the window or offscreen buffer.
        view: draws the scene.
        hud_layer: draws the scripts' HUD over the view.
        settings: the user's settings, for the scale of the HUD.
        profiler: records how long each part takes.
        shell: the panels; None without panels.
    """

    display: Display
    view: SceneView
    hud_layer: HudLayer
    settings: SettingsFile
    profiler: Profiler
    shell: Shell | None = None
    _size: tuple[int, int] = field(default=(0, 0), init=False)
    """Size of the window at the last frame, pixels; followed without panels."""

    def draw(self, wall: float) -> bool:
        """Draw what changed; return whether there is anything new to show.

        Args:
            wall: seconds since the frame before.
        """
        is_new, mark = False, self.profiler.mark
        if self.shell is None and self._size != self.display.size:  # it has the whole window
            self._size = self.display.size
            self.view.set_viewport(0, 0, *self._size)
        self.view.follow(wall)
        self.view.sync()
        mark(CHANGES)
        if self.shell is not None:  # after the scene: outlines are where their objects are drawn
            is_new = self.shell.draw(wall)
            self.view.set_viewport(*self.shell.viewport)
            self.view.sync()  # what panels have edited
            mark(PANELS)
        is_new = self._draw_hud() or is_new
        mark(HUD)
        is_new = bool(self.view.render()) or is_new
        mark(PICTURE)
        return is_new

    def present(self) -> None:
        """Show what was drawn."""
        self.display.present(self.profiler)
        self.view.presented()
        self.hud_layer.presented()
        self.profiler.mark(PICTURE)

    def draw_now(self) -> None:
        """Draw everything in full quality at once, and show it."""
        self.view.follow(FRAME_SECONDS)
        self.view.sync()
        if self.shell is not None:
            self.shell.draw(FRAME_SECONDS, force=True)
            self.view.set_viewport(*self.shell.viewport)
            self.view.sync()
        self._draw_hud(force=True)
        self.view.finish()
        self.display.present()

    def _draw_hud(self, *, force: bool = False) -> bool:
        """Draw the HUD canvases that changed; return whether the HUD looks different."""
        if self.shell is not None:
            scale = self.shell.scale
        else:
            scale = self.settings.values.scale or usual_scale(self.display.size[1])
        return self.hud_layer.update(self.view.viewport_size, scale, force=force)


BACKGROUND = (0.105, 0.1, 0.094)
DARK = (0.0, 0.0, 0.0)
NAME, FAINT = (0.95, 0.93, 0.9), (0.62, 0.6, 0.57)
FIRST_START = tr("First start on this machine: painting textures, compiling shaders, making sounds")


class OpeningPicture:
    """A plain picture in a display: which scene is opened, and what is being prepared.

    Args:
        display: an open window.
        scene: the scene's file.
        is_dark: whether it is drawn on black, between two pictures that fade out and in.
    """

    def __init__(self, display: Display, scene: Path, *, is_dark: bool = False) -> None:
        from sim.render.materials.painting import CanvasPainter

        self._display = display
        self._title = opening_text(scene)
        self._background = DARK if is_dark else BACKGROUND
        self._painter = CanvasPainter(lambda: scene.parent)

    def say(self, text: str) -> None:
        """Show what is being prepared, at once."""
        from sim.render.materials.textures import make_texture

        width, height = self._display.size
        canvas = Canvas((width, height), painter=lambda: self._painter, background=self._background)
        size = max(14.0, height / 30.0)
        lines = ((self._title, size * 1.3, NAME, 600), (text, size * 0.8, FAINT, 400))
        y = height / 2.0 - size
        for said, high, color, weight in lines:
            line = translated(said)
            across = canvas.text_size(line, size=high, weight=weight)[0]
            high *= min(1.0, 0.92 * width / max(1.0, across))
            canvas.text(line, (width / 2.0, y), color, size=high, weight=weight, align="center")
            y += 1.8 * size
        texture = make_texture("opening", canvas.picture, is_distant=False)
        self._display.set_scene(texture, (0, 0, width, height), is_even=True)
        self._display.present()


def preparing_text() -> str:
    """Return a text for the user about what is prepared before the first picture.

    The first start on a machine takes longer and has its own text.
    """
    is_cold = not (user_cache_dir() / "textures").is_dir()
    return FIRST_START if is_cold else tr("Loading graphics")


def opening_text(scene: Path) -> str:
    """Return the text shown while a scene is opened, with the scene's name."""
    return tr("Opening {name} …").format(name=wording(card_of(scene).name))


def say_opening(shell: Shell, scene: Path) -> None:
    """Show a text over the present scene at once: another scene is being opened.

    It is shown before the present scene is closed, which takes a while.

    Args:
        shell: the panels of the window.
        scene: the file of the scene that is opened.
    """
    shell.add_window(partial(_draw_opening, opening_text(scene)))
    shell.present_now()


def _draw_opening(text: str, theme: Theme, size: tuple[int, int]) -> None:
    """Darken the window and draw a text in its middle.

    Args:
        text: the text.
        theme: fonts and colours.
        size: width and height of the window, pixels.
    """
    from imgui_bundle import imgui

    drawing = imgui.get_foreground_draw_list()
    drawing.add_rect_filled(imgui.ImVec2(0, 0), imgui.ImVec2(*size), theme.packed("panel", 0.75))
    high = min(theme.px(30), size[1] / 12)
    imgui.push_font(theme.bold, high / theme.scale)
    width = imgui.calc_text_size(text)
    place = imgui.ImVec2((size[0] - width.x) / 2, (size[1] - width.y) / 2)
    drawing.add_text(place, theme.packed("text"), text)
    imgui.pop_font()
