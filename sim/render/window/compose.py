"""The pass that composes the layers of scene, HUD and panels, for the window or for memory."""

from __future__ import annotations

import functools

from panda3d.core import (
    Camera,
    CardMaker,
    FrameBufferProperties,
    GraphicsOutput,
    NodePath,
    OrthographicLens,
    ScissorAttrib,
    Shader,
    Texture,
)

NO_EDGES, MOVING_EDGES, ALL_EDGES, WIDE_MOVING_EDGES, WIDE_EDGES = 0, 1, 2, 3, 4
"""Which edges are smoothed: none, those of moving objects, or all.

The two WIDE values are for moving objects and for all again, with more samples along each edge.
"""
COMPOSE_VERTEX = """
#version 330
in vec4 p3d_Vertex;
out vec2 place;
void main() {
    place = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.xz, 0.0, 1.0);
}
"""
SMOOTHED = """vec4 beside(vec2 inside, ivec2 at, ivec2 by) {
    ivec2 size = textureSize(scene_layer, 0);
#if IS_EVEN
    return texelFetch(scene_layer, clamp(at + by, ivec2(0), size - 1), 0);
#else
    return texture(scene_layer, inside + vec2(by) / vec2(size));
#endif
}
float brightness(vec4 c) { return dot(c.rgb, vec3(0.299, 0.587, 0.114)); }
// Where brightness changes abruptly: the mean along the edge, so that its steps are no longer seen.
vec3 smoothed(vec2 inside, ivec2 at) {
    vec4 here = beside(inside, at, ivec2(0, 0));
    vec4 up = beside(inside, at, ivec2(0, 1)), down = beside(inside, at, ivec2(0, -1));
    vec4 right = beside(inside, at, ivec2(1, 0)), left = beside(inside, at, ivec2(-1, 0));
#if SMOOTHING == 1 || SMOOTHING == 3
    // only what moves: lines on what rests stay as sharp as they were
    if (max(here.a, max(max(up.a, down.a), max(right.a, left.a))) < 0.5) return here.rgb;
#endif
    float c = brightness(here);
    vec2 across = vec2(brightness(right), brightness(up));
    vec2 back = vec2(brightness(left), brightness(down));
    float high = max(c, max(max(across.x, across.y), max(back.x, back.y)));
    float low = min(c, min(min(across.x, across.y), min(back.x, back.y)));
    vec2 slope = across - back;
    if (high - low < max(0.05, 0.12 * high) || dot(slope, slope) < 1e-4) return here.rgb;
    vec2 along = normalize(vec2(-slope.y, slope.x)) / vec2(textureSize(scene_layer, 0));
    vec3 near = texture(scene_layer, inside + 0.7 * along).rgb
              + texture(scene_layer, inside - 0.7 * along).rgb;
    vec3 far = texture(scene_layer, inside + 1.8 * along).rgb
             + texture(scene_layer, inside - 1.8 * along).rgb;
#if SMOOTHING >= 3
    vec3 beyond = texture(scene_layer, inside + 3.4 * along).rgb
                + texture(scene_layer, inside - 3.4 * along).rgb;
    return 0.16 * here.rgb + 0.2 * near + 0.14 * far + 0.08 * beyond;
#endif
    return 0.2 * here.rgb + 0.25 * near + 0.15 * far;
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
#if SMOOTHING
SMOOTHED#endif
void main() {
    vec2 inside = (place - viewport.xy) * viewport.zw;
    ivec2 at = ivec2(gl_FragCoord.xy - pixels.xy);
    vec3 below = backdrop.rgb;
    if (all(greaterThanEqual(inside, vec2(0.0))) && all(lessThanEqual(inside, vec2(1.0))))
    {
#if SMOOTHING
        below = smoothed(inside, at);
#elif IS_EVEN
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


SMOOTH_FRAGMENT = """
uniform sampler2D scene_layer;
in vec2 place;
out vec4 color;
SMOOTHED
void main() { color = vec4(smoothed(place, ivec2(gl_FragCoord.xy)), 1.0); }
"""


def smoothing_fragment(kind: int) -> str:
    """Return the fragment shader of a full-screen pass that smooths the edges of `scene_layer`.

    The texture must have as many pixels as the output.

    Args:
        kind: which edges are smoothed, see `NO_EDGES`.
    """
    head = f"#version 330\n#define IS_EVEN 1\n#define SMOOTHING {kind}\n"
    return head + SMOOTH_FRAGMENT.replace("SMOOTHED", SMOOTHED)


@functools.cache
def _shader(**switches: int) -> Shader:
    """Return the shader that composes the layers; it reads only the layers that are on.

    Args:
        **switches: values of the macros of `COMPOSE_FRAGMENT`, such as `has_hud`, in lower case.
    """
    lines = [f"#define {name.upper()} {int(value)}" for name, value in switches.items()]
    fragment = "\n".join(["#version 330", *lines])
    fragment += COMPOSE_FRAGMENT.replace("SMOOTHED", SMOOTHED)
    return Shader.make(Shader.SL_GLSL, COMPOSE_VERTEX, fragment)


class ComposePass:
    """The full-screen pass that composes the layers into one output.

    Args:
        output: the buffer to draw into.
        scene_layer: texture of the scene.
        panel_layer: texture of the panels, of the output's size, with premultiplied alpha. It is
            shown once `show_panels` was called.
        is_software: whether software rendering is used. Layers with as many pixels as the output
            are then read without filtering.
    """

    def __init__(
        self,
        output: GraphicsOutput,
        scene_layer: Texture,
        panel_layer: Texture,
        *,
        is_software: bool,
    ) -> None:
        card = CardMaker("compose")
        card.set_frame(-1, 1, -1, 1)
        self._node = node = NodePath(card.generate())
        node.set_depth_test(False)
        node.set_depth_write(False)
        node.set_shader_input("scene_layer", scene_layer)
        node.set_shader_input("panel_layer", panel_layer)
        node.set_shader_input("backdrop", (0.07, 0.065, 0.06, 1.0))
        node.set_shader_input("hud_layer", panel_layer)
        unused = ("smoothing", "has_panels", "has_hud", "is_even")
        self._switches: dict[str, int] = {**dict.fromkeys(unused, 0), "is_fetched": is_software}
        node.set_bin("fixed", 0)
        self._edges = node.attach_new_node(card.generate())  # drawn over a rectangle of the view
        self._edges.set_bin("fixed", 1)
        self._edges.hide()
        self._place: tuple[int, int, int, int] | None = None
        self._view, self._size = (0, 0, 1, 1), (1, 1)
        region = output.make_display_region()
        region.set_camera(node.attach_new_node(Camera("compose", OrthographicLens())))

    def show_scene(
        self,
        layer: Texture,
        viewport: tuple[int, int, int, int],
        size: tuple[int, int],
        is_even: bool,
        smoothing: int,
    ) -> None:
        """Set the texture of the scene and its rectangle in the output.

        Args:
            layer: texture of the scene.
            viewport: left, top, width and height, pixels.
            size: width and height of the output, pixels.
            is_even: whether the texture has as many pixels as the rectangle.
            smoothing: which edges are smoothed, see `NO_EDGES`.
        """
        left, top, width, height = viewport
        across, down = size
        bottom = down - top - height
        self._node.set_shader_input("scene_layer", layer)
        place = (left / across, bottom / down, across / width, down / height)
        self._node.set_shader_input("viewport", place)
        self._node.set_shader_input("pixels", (left, bottom, width, height))
        is_even = is_even and bool(self._switches["is_fetched"])
        self._view, self._size = viewport, size
        self._switch(is_even=is_even, smoothing=smoothing)
        self.smooth_edges(self._place)

    def show_panels(self) -> None:
        """Show the panels' layer from now on."""
        self._switch(has_panels=True)

    def show_hud(self, hud_layer: Texture) -> None:
        """Show a HUD texture from now on; it has the view's size and premultiplied alpha."""
        self._node.set_shader_input("hud_layer", hud_layer)
        self._switch(has_hud=True)

    def smooth_edges(self, place: tuple[int, int, int, int] | None) -> None:
        """Set the rectangle in which edges of moving objects are smoothed.

        Args:
            place: left, top, width and height, pixels of the view; None for no smoothing.
        """
        self._place = place
        if place is None or self._switches["smoothing"] not in (MOVING_EDGES, WIDE_MOVING_EDGES):
            self._edges.hide()
            return
        left, top = self._view[0] + place[0], self._view[1] + place[1]
        across, down = self._size
        x = max(0.0, left / across), min(1.0, (left + place[2]) / across)
        y = max(0.0, 1.0 - (top + place[3]) / down), min(1.0, 1.0 - top / down)
        self._edges.set_attrib(ScissorAttrib.make(*x, *y))
        self._edges.show()

    def _switch(self, **switches: int) -> None:
        self._switches.update(switches)
        whole = self._switches["smoothing"] == ALL_EDGES
        self._node.set_shader(_shader(**{**self._switches, "smoothing": ALL_EDGES * whole}))
        self._edges.set_shader(_shader(**self._switches))


class BareCopy:
    """Copies the view without panels into memory at each present.

    Attributes:
        picture: texture with the copy.
        buffer: the buffer that is copied.
        layers: pass that composes the layers in it.
    """

    def __init__(self, buffer: GraphicsOutput, layers: ComposePass) -> None:
        self.picture = Texture("bare")
        self.buffer = buffer
        self.layers = layers
        buffer.add_render_texture(self.picture, GraphicsOutput.RTM_copy_ram)


def frame_buffer(
    *, alpha: int, depth: int, samples: int = 0, back: int = 0
) -> FrameBufferProperties:
    """Return Panda3D's properties of a frame buffer with 8 bits for each of red, green and blue.

    Args:
        alpha: bits of alpha.
        depth: bits of depth.
        samples: samples a pixel; 0 for no multisampling.
        back: number of back buffers.
    """
    properties = FrameBufferProperties()
    properties.set_rgba_bits(8, 8, 8, alpha)
    properties.set_depth_bits(depth)
    properties.set_back_buffers(back)
    if samples:
        properties.set_multisamples(samples)
    return properties
