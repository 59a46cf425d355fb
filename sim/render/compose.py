"""The pass that puts the scene's and the panels' layers together, in the window or in memory."""

from __future__ import annotations

from typing import Any

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
#version 330
uniform sampler2D scene_layer;
uniform sampler2D panel_layer;
uniform vec4 viewport;   // left, bottom, 1/width, 1/height, as shares of the window
uniform vec4 backdrop;
uniform float has_panels;
uniform sampler2D hud_layer;
uniform float has_hud;
in vec2 place;
out vec4 color;
void main() {
    vec2 inside = (place - viewport.xy) * viewport.zw;
    vec3 below = backdrop.rgb;
    if (all(greaterThanEqual(inside, vec2(0.0))) && all(lessThanEqual(inside, vec2(1.0))))
    {
        below = texture(scene_layer, inside).rgb;
        if (has_hud > 0.5) {
            vec4 over = texture(hud_layer, inside);
            below = over.rgb + below * (1.0 - over.a);
        }
    }
    if (has_panels > 0.5) {
        vec4 above = texture(panel_layer, place);
        below = above.rgb + below * (1.0 - above.a);
    }
    color = vec4(below, 1.0);
}
"""


class BareCopy:
    """Copies the scene's layer, without panels, into memory at each present."""

    def __init__(
        self, buffer: Any, scene_layer: Any, panel_layer: Any, hud_layer: Any | None
    ) -> None:
        self.picture = Texture("bare")
        self.buffer = buffer
        buffer.add_render_texture(self.picture, GraphicsOutput.RTM_copy_ram)
        quad = compose_pass(buffer, scene_layer, panel_layer)
        quad.set_shader_input("viewport", (0.0, 0.0, 1.0, 1.0))
        if hud_layer is not None:
            show_hud(quad, hud_layer)


def show_hud(quad: Any, hud_layer: Any) -> None:
    """Mix a layer of the view's size, with premultiplied alpha, over the scene."""
    quad.set_shader_input("hud_layer", hud_layer)
    quad.set_shader_input("has_hud", 1.0)


def compose_pass(output: Any, scene_layer: Any, panel_layer: Any) -> Any:
    """Add the full-screen pass that puts the layers together; return its node."""
    card = CardMaker("compose")
    card.set_frame(-1, 1, -1, 1)
    node = NodePath(card.generate())
    node.set_depth_test(False)
    node.set_depth_write(False)
    node.set_shader(Shader.make(Shader.SL_GLSL, COMPOSE_VERTEX, COMPOSE_FRAGMENT))
    node.set_shader_input("scene_layer", scene_layer)
    node.set_shader_input("panel_layer", panel_layer)
    node.set_shader_input("backdrop", (0.07, 0.065, 0.06, 1.0))
    node.set_shader_input("has_panels", 0.0)
    node.set_shader_input("hud_layer", panel_layer)
    node.set_shader_input("has_hud", 0.0)
    region = output.make_display_region()
    region.set_camera(node.attach_new_node(Camera("compose", OrthographicLens())))
    return node


def frame_buffer(*, alpha: int, depth: int, samples: int = 0, back: int = 0) -> Any:
    """Return what a drawing surface is asked to have, in bits."""
    properties = FrameBufferProperties()
    properties.set_rgba_bits(8, 8, 8, alpha)
    properties.set_depth_bits(depth)
    properties.set_back_buffers(back)
    if samples:
        properties.set_multisamples(samples)
    return properties
