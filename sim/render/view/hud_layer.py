"""Rendering of the heads-up display (HUD): the canvases of scripts over the view."""

from __future__ import annotations

import numpy as np
from panda3d.core import (
    Camera,
    CardMaker,
    ColorBlendAttrib,
    GraphicsOutput,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    Shader,
    Texture,
)

from sim.core.script.hud import HudBoard, HudCanvas
from sim.render.materials.textures import fill_texture, make_texture
from sim.render.passes.layers import target
from sim.render.window.display import Display

VERTEX = """
#version 330
uniform vec4 place;   // left, bottom, width, height, as shares of the view
in vec4 p3d_Vertex;
out vec2 uv;
void main() {
    uv = p3d_Vertex.xz;
    gl_Position = vec4((place.xy + uv * place.zw) * 2.0 - 1.0, 0.0, 1.0);
}
"""
FRAGMENT = """
#version 330
uniform sampler2D canvas;
in vec2 uv;
out vec4 color;
void main() {
    color = texture(canvas, uv);
}
"""


VEIL_ORDER = 100_000  # above all canvases


class HudLayer:
    """Renders the HUD canvases into a texture of the view's size, with premultiplied alpha.

    The texture is created and shown when the first canvas appears; without canvases it costs
    nothing.
    """

    def __init__(self, display: Display, board: HudBoard) -> None:
        self.display = display
        self.board = board
        self.drawings = 0
        self._buffer: GraphicsOutput | None = None
        self._size = (0, 0)
        self._cards: dict[int, Card] = {}
        self._seen: list[tuple[object, ...]] = []
        self._veil: Card | None = None
        self._root = NodePath("hud")
        self._root.set_shader(Shader.make(Shader.SL_GLSL, VERTEX, FRAGMENT))
        self._root.set_depth_test(False)
        self._root.set_depth_write(False)
        self._root.set_bin("unsorted", 0)
        blend = ColorBlendAttrib
        rest = blend.O_one_minus_incoming_alpha
        self._root.set_attrib(blend.make(blend.M_add, blend.O_one, rest))

    def update(self, view: tuple[int, int, int, int], scale: float, *, force: bool = False) -> bool:
        """Redraw the HUD if canvases changed; return whether it looks different.

        Args:
            view: left, top, width and height of the view in the window, pixels.
            scale: scale factor of the HUD.
            force: draw the layer even if nothing changed.
        """
        self.presented()
        shown, veil = self.board.arrange(view, scale), self.board.veil
        if not shown and not self._seen and veil == 0.0:
            return False
        seen: list[tuple[object, ...]] = [(id(item), item.place, item.revision) for item in shown]
        seen += [("veil", veil)] if veil else []
        is_new = seen != self._seen or view[2:] != self._size
        if not is_new and not force:
            return False
        self._seen = seen
        buffer = self._open(view[2:])
        self._fill(shown)
        self._draw_veil(veil)
        buffer.set_active(True)
        self.drawings += 1
        return is_new

    def presented(self) -> None:
        """Deactivate the buffer after it was drawn, so that the next present does not redraw it."""
        if self._buffer is not None:
            self._buffer.set_active(False)

    def _open(self, size: tuple[int, int]) -> GraphicsOutput:
        """Return the HUD's buffer; create or resize it if needed.

        Args:
            size: width and height of the view, pixels.
        """
        is_new, self._size = size != self._size, size
        if self._buffer is not None:
            if is_new:
                self._buffer.set_size(*size)
            return self._buffer
        texture = target("hud")
        buffer = self._buffer = self.display.make_buffer("hud", size, texture, sort=-10)
        buffer.set_clear_color((0, 0, 0, 0))
        camera = Camera("hud", OrthographicLens())
        camera.set_cull_bounds(OmniBoundingVolume())
        buffer.make_display_region().set_camera(self._root.attach_new_node(camera))
        self.display.show_hud(texture)
        return buffer

    def _fill(self, shown: list[HudCanvas]) -> None:
        kept = {id(item) for item in shown}
        for key in [key for key in self._cards if key not in kept]:
            self._cards.pop(key).node.remove_node()
        for order, item in enumerate(shown):
            card = self._cards.get(id(item))
            if card is None:
                card = self._cards[id(item)] = Card(self._root)
            card.show(item, self._size, order)

    def _draw_veil(self, veil: float) -> None:
        """Draw the black veil over everything.

        Args:
            veil: its opacity, 0 to 1.
        """
        if self._veil is not None:
            self._veil.node.remove_node()
            self._veil = None
        if veil > 0.0:
            self._veil = Card(self._root)
            pixel = np.array([[[0, 0, 0, round(255.0 * veil)]]], np.uint8)
            self._veil.cover(make_texture("veil", pixel, is_distant=False), VEIL_ORDER)


class Card:
    """A HUD canvas as a textured rectangle; its pixels are uploaded only after a change."""

    def __init__(self, root: NodePath) -> None:
        maker = CardMaker("canvas")
        maker.set_frame(0, 1, 0, 1)
        self.node = root.attach_new_node(maker.generate())
        self.node.node().set_bounds(OmniBoundingVolume())
        self.node.node().set_final(True)
        self._texture: Texture | None = None
        self._seen: tuple[object, ...] = ()

    def cover(self, texture: Texture, order: int) -> None:
        """Cover the whole view with a texture.

        Args:
            texture: the texture.
            order: position in the stack of canvases; a higher one is on top.
        """
        self.node.set_shader_input("place", (0.0, 0.0, 1.0, 1.0))
        self.node.set_shader_input("canvas", texture)
        self.node.set_bin("fixed", order)

    def show(self, canvas: HudCanvas, size: tuple[int, int], order: int) -> None:
        """Show a canvas at its place in the view.

        Args:
            canvas: the canvas.
            size: width and height of the view, pixels.
            order: position in the stack of canvases; a higher one is on top.
        """
        left, top, width, height = canvas.place
        across, down = size
        bottom = 1.0 - (top + height) / down
        place = (left / across, bottom, width / across, height / down)
        self.node.set_shader_input("place", place)
        self.node.set_bin("fixed", order)
        shape = canvas.shape
        if self._seen == (shape, canvas.revision):
            return
        if self._seen and self._seen[0] == shape:
            fill_texture(self._texture, canvas.picture)
        else:
            self._texture = make_texture("canvas", canvas.picture, is_distant=False)
            self.node.set_shader_input("canvas", self._texture)
        self._seen = (shape, canvas.revision)
