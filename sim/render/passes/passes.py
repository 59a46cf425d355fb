"""Render targets, and full-screen passes."""

from __future__ import annotations

from collections.abc import Mapping

from panda3d.core import (
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


def target(name: str) -> Texture:
    """Create a texture to render into."""
    texture = Texture(name)
    texture.set_minfilter(SamplerState.FT_linear)
    texture.set_magfilter(SamplerState.FT_linear)
    texture.set_wrap_u(SamplerState.WM_clamp)
    texture.set_wrap_v(SamplerState.WM_clamp)
    return texture


def full_screen_pass(
    buffer: GraphicsOutput, fragment: str, inputs: Mapping[str, object], *, sort: int
) -> DisplayRegion:
    """Add a full-screen pass that writes colour and depth of every pixel."""
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
