"""The composition pass of the scene's, HUD's and panels' layers, in the window or memory."""

from __future__ import annotations

import functools

from panda3d.core import (
    Camera,
    CardMaker,
    FrameBufferProperties,
    GraphicsOutput,
    NodePath,
    OrthographicLens,
    Shader,
    Texture,
)

COMPOSE_VERTEX = """
#version 330
in vec4 p3d_Vertex;
out vec2 place;
void main() {
    place = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.xz, 0.0, 1.0);
}
"""
COMPOSE_FRAGMENT = """
uniform sampler2D scene_layer;
uniform sampler2D panel_layer;
uniform vec4 viewport;   // left, bottom, 1/width, 1/height, as shares of the window
uniform vec4 pixels;     // left, bottom, width, height
uniform vec4 backdrop;
uniform sampler2D hud_layer;
in vec2 place;
out vec4 color;
void main() {
    vec2 inside = (place - viewport.xy) * viewport.zw;
    ivec2 at = ivec2(gl_FragCoord.xy - pixels.xy);
    vec3 below = backdrop.rgb;
    if (all(greaterThanEqual(inside, vec2(0.0))) && all(lessThanEqual(inside, vec2(1.0))))
    {
#if IS_EVEN
        below = texelFetch(scene_layer, at, 0).rgb;
#else
        below = texture(scene_layer, inside).rgb;
#endif
#if HAS_HUD
#if IS_FETCHED
        vec4 over = texelFetch(hud_layer, at, 0);
#else
        vec4 over = texture(hud_layer, inside);
#endif
        below = over.rgb + below * (1.0 - over.a);
#endif
    }
#if HAS_PANELS
#if IS_FETCHED
    vec4 above = texelFetch(panel_layer, ivec2(gl_FragCoord.xy), 0);
#else
    vec4 above = texture(panel_layer, place);
#endif
    below = above.rgb + below * (1.0 - above.a);
#endif
    color = vec4(below, 1.0);
}
"""


@functools.cache
def _shader(**switches: bool) -> Shader:
    """Return the composition shader for these layers, without unused texture reads."""
    lines = [f"#define {name.upper()} {int(value)}" for name, value in switches.items()]
    fragment = "\n".join(["#version 330", *lines]) + COMPOSE_FRAGMENT
    return Shader.make(Shader.SL_GLSL, COMPOSE_VERTEX, fragment)


class ComposePass:
    """The full-screen pass that composes the layers into one output.

    Args:
        output: the buffer to draw into.
        scene_layer: texture of the scene.
        panel_layer: texture of the output's size, premultiplied alpha; shown after `show_panels`.
        is_software: software rendering: layers at their exact size are not filtered.
    """

    def __init__(
        self, output: GraphicsOutput, scene_layer: Texture, panel_layer: Texture, *,
        is_software: bool,
    ) -> None:  # fmt: skip
        card = CardMaker("compose")
        card.set_frame(-1, 1, -1, 1)
        self._node = node = NodePath(card.generate())
        node.set_depth_test(False)
        node.set_depth_write(False)
        node.set_shader_input("scene_layer", scene_layer)
        node.set_shader_input("panel_layer", panel_layer)
        node.set_shader_input("backdrop", (0.07, 0.065, 0.06, 1.0))
        node.set_shader_input("hud_layer", panel_layer)
        self._switches = {
            "has_panels": False, "has_hud": False, "is_even": False, "is_fetched": is_software,
        }  # fmt: skip
        region = output.make_display_region()
        region.set_camera(node.attach_new_node(Camera("compose", OrthographicLens())))

    def show_scene(
        self, layer: Texture, viewport: tuple[int, int, int, int], size: tuple[int, int], *,
        is_even: bool,
    ) -> None:  # fmt: skip
        """Set the scene's layer and its rectangle.

        Args:
            layer: texture of the scene.
            viewport: left, top, width and height, pixels.
            size: width and height of the output, pixels.
            is_even: the texture has as many pixels as the rectangle.
        """
        left, top, width, height = viewport
        across, down = size
        bottom = down - top - height
        self._node.set_shader_input("scene_layer", layer)
        self._node.set_shader_input(
            "viewport", (left / across, bottom / down, across / width, down / height)
        )
        self._node.set_shader_input("pixels", (left, bottom, width, height))
        self._switch(is_even=is_even and self._switches["is_fetched"])

    def show_panels(self) -> None:
        """Show the panels' layer from now on."""
        self._switch(has_panels=True)

    def show_hud(self, hud_layer: Texture) -> None:
        """Set the HUD layer, of the view's size with premultiplied alpha."""
        self._node.set_shader_input("hud_layer", hud_layer)
        self._switch(has_hud=True)

    def _switch(self, **switches: bool) -> None:
        self._switches.update(switches)
        self._node.set_shader(_shader(**self._switches))


class BareCopy:
    """Copies the scene's layer, without panels, into memory at each present.

    Attributes:
        picture: the copy.
        layers: the composed layers.
    """

    def __init__(self, buffer: GraphicsOutput, layers: ComposePass) -> None:
        self.picture = Texture("bare")
        self.buffer = buffer
        self.layers = layers
        buffer.add_render_texture(self.picture, GraphicsOutput.RTM_copy_ram)


def frame_buffer(
    *, alpha: int, depth: int, samples: int = 0, back: int = 0
) -> FrameBufferProperties:
    """Return the frame buffer properties of a surface, in bits."""
    properties = FrameBufferProperties()
    properties.set_rgba_bits(8, 8, 8, alpha)
    properties.set_depth_bits(depth)
    properties.set_back_buffers(back)
    if samples:
        properties.set_multisamples(samples)
    return properties
