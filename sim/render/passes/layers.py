"""The two buffers of a scene at one resolution, and how passes draw into buffers.

Objects at rest are drawn into one buffer, moving objects into the other. Render targets and
full-screen passes are made here as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from panda3d.core import (
    BitMask32,
    Camera,
    CardMaker,
    DepthTestAttrib,
    DisplayRegion,
    GraphicsOutput,
    NodePath,
    OrthographicLens,
    RenderAttrib,
    SamplerState,
    Shader,
    Texture,
)

from sim.render.materials import shaders
from sim.render.window.compose import NO_EDGES, smoothing_fragment
from sim.render.window.display import Display


def target(name: str) -> Texture:
    """Create a texture that a buffer can render into, with linear filtering."""
    texture = Texture(name)
    texture.set_minfilter(SamplerState.FT_linear)
    texture.set_magfilter(SamplerState.FT_linear)
    texture.set_wrap_u(SamplerState.WM_clamp)
    texture.set_wrap_v(SamplerState.WM_clamp)
    return texture


def full_screen_pass(
    buffer: GraphicsOutput, fragment: str, inputs: Mapping[str, object], *, sort: int
) -> DisplayRegion:
    """Add a full-screen pass that writes colour and depth of every pixel.

    Args:
        buffer: the buffer to draw into.
        fragment: GLSL source of the fragment shader.
        inputs: its inputs by name.
        sort: order within the buffer; a lower one is drawn first.
    """
    card = CardMaker("quad")
    card.set_frame(-1, 1, -1, 1)
    node = NodePath(card.generate())
    node.set_shader(Shader.make(Shader.SL_GLSL, shaders.COPY_VERTEX, fragment))
    node.set_depth_write(True)
    node.set_attrib(DepthTestAttrib.make(RenderAttrib.M_always))
    for name, value in inputs.items():
        node.set_shader_input(name, value)
    region = buffer.make_display_region()
    region.set_sort(sort)
    region.set_camera(node.attach_new_node(Camera("quad", OrthographicLens())))
    return region


STILL, MOVING, BAKING = BitMask32.bit(0), BitMask32.bit(1), BitMask32.bit(2)
INSET_SORT = 10
Region = Callable[[GraphicsOutput, BitMask32, int], DisplayRegion]


@dataclass(frozen=True)
class Framed:
    """A picture drawn over the main view.

    Attributes:
        color: the texture.
        rectangle: left, top, width and height, as fractions of the view.
        size: width and height of the texture, pixels.
    """

    color: Texture
    rectangle: tuple[float, float, float, float]
    size: tuple[int, int]


class Layers:
    """The buffers for resting and moving objects at one resolution; inactive until `activate`.

    The buffer `moving` is drawn in a fixed order. First comes a copy of the resting picture, then
    the moving objects and those that come to rest. Added passes (regions of sort 3 to 9) follow,
    and last the pictures over the view.

    Attributes:
        color: texture with the result; its alpha marks the pixels of moving objects.
        backdrop: node drawn behind everything.
        copy: node that draws the resting picture behind the moving objects.
        moving: the buffer of `color`.
        size: width and height, pixels.
    """

    def __init__(
        self,
        display: Display,
        size: tuple[int, int],
        samples: int,
        add_region: Region,
        *,
        smoothing: int = NO_EDGES,
    ) -> None:
        """Create the buffers.

        Args:
            display: display that owns the buffers.
            size: width and height, pixels.
            samples: samples a pixel of the resting picture; 0 for no multisampling.
            add_region: called as `add_region(buffer, mask, sort)`; returns a region whose camera
                has that mask.
            smoothing: which edges of the resting picture are smoothed, see `NO_EDGES`.
        """
        self.size = size
        self.color = target("moving color")
        still_color, still_depth = target("still color"), target("still depth")
        still_depth.set_format(Texture.F_depth_component24)
        self._engine = display.engine
        make = functools.partial(display.make_buffer, clears=False)
        self._still = make("still", size, still_color, depth=still_depth, sort=-30, samples=samples)
        self.moving = make("moving", size, self.color)
        self._backdrop_region = full_screen_pass(self._still, shaders.BACKDROP_FRAGMENT, {}, sort=0)
        self.backdrop = self._backdrop_region.get_camera().get_top()
        self._still_region = add_region(self._still, STILL, 1)
        self._bake_region = add_region(self._still, BAKING, 2)
        self._smoother: GraphicsOutput | None = None
        if smoothing != NO_EDGES:
            still_color = self._smooth(display, still_color, smoothing)
        resting = {"still_color": still_color, "still_depth": still_depth}
        copy_region = full_screen_pass(self.moving, shaders.COPY_FRAGMENT, resting, sort=0)
        self.copy = copy_region.get_camera().get_top()
        add_region(self.moving, MOVING, 1)
        add_region(self.moving, BAKING, 2)
        self._insets: list[DisplayRegion] = []
        self.activate(is_whole=False, has_baking=False, is_new=False)

    def _smooth(self, display: Display, drawn: Texture, smoothing: int) -> Texture:
        """Add the pass that smooths edges of the resting picture; return the result's texture.

        Args:
            display: display that owns the buffers.
            drawn: texture of the resting picture.
            smoothing: which edges are smoothed, see `NO_EDGES`.
        """
        smooth = target("smooth color")
        self._smoother = display.make_buffer("smooth", self.size, smooth, sort=-25, clears=False)
        fragment = smoothing_fragment(smoothing)
        full_screen_pass(self._smoother, fragment, {"scene_layer": drawn}, sort=0)
        return smooth

    def activate(self, *, is_whole: bool, has_baking: bool, is_new: bool) -> None:
        """Choose what the next present draws.

        Args:
            is_whole: whether to redraw the resting picture with all objects at rest.
            has_baking: whether to add objects that have just come to rest to the resting picture.
            is_new: whether to redraw the moving objects.
        """
        if self._smoother is not None:
            self._smoother.set_active(is_whole or has_baking)
        self._still_region.set_active(is_whole)
        self._backdrop_region.set_active(is_whole)
        self._bake_region.set_active(has_baking and not is_whole)
        self._still.set_active(is_whole or has_baking)
        self.moving.set_active(is_new)

    def show_insets(self, frames: list[Framed]) -> None:
        """Replace the pictures over the main view.

        Args:
            frames: the pictures in order; the last one is on top.
        """
        for region in self._insets:
            self.moving.remove_display_region(region)
        self._insets = []
        for number, framed in enumerate(frames):
            edge = (1.0 / framed.size[0], 1.0 / framed.size[1])
            inputs = {"picture": framed.color, "edge": edge}
            sort = INSET_SORT + number
            region = full_screen_pass(self.moving, shaders.INSET_FRAGMENT, inputs, sort=sort)
            left, top, width, height = framed.rectangle
            region.set_dimensions(left, left + width, 1.0 - top - height, 1.0 - top)
            self._insets.append(region)

    def close(self) -> None:
        """Free the buffers."""
        for buffer in (self._still, self._smoother, self.moving):
            if buffer is not None:
                self._engine.remove_window(buffer)
