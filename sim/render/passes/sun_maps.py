"""Sun shadow maps: one of objects at rest and one of moving objects."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from panda3d.core import (
    BitMask32,
    Camera,
    ColorWriteAttrib,
    GraphicsOutput,
    LMatrix4f,
    LPoint3,
    LVecBase4f,
    NodePath,
    OrthographicLens,
    SamplerState,
    Shader,
    Texture,
)

from sim.core.components.environment import Environment
from sim.core.scene.scene import Scene
from sim.render.materials import shaders
from sim.render.materials.dressing import CUT_TAG, IN_CROWD
from sim.render.passes.layers import target
from sim.render.passes.order import RenderPass
from sim.render.window.display import Display

STILL_CASTERS, MOVING_CASTERS = BitMask32.bit(3), BitMask32.bit(4)
FINE, COARSE, SMALL = 2048, 1024, 512  # pixels a side
LARGEST = 40.0  # metres around the middle that shadows are thrown in
BIAS = 0.05  # metres
ROOM = 1.15
SORT = -40


class SunMaps:
    """The sun's two shadow maps; inactive until `activate`.

    Args:
        display: display that owns the buffers.
        root: root of the scene's nodes.
    """

    def __init__(self, display: Display, root: NodePath) -> None:
        self._lens = OrthographicLens()
        self._texel = 0.01
        self._bias = 0.001
        self._to_sun = LMatrix4f.ident_mat()
        self._cameras: list[NodePath] = []
        self._aimed = np.zeros(3), 0.0  # middle and radius of what they reach
        self._root = root
        sides = (FINE, FINE)
        if display.is_software:
            sides = (FINE, SMALL if display.is_environment else COARSE)
        self._still, self._still_map = self._open(display, "still casters", sides[0], STILL_CASTERS)
        self._moving, self._moving_map = self._open(
            display, "moving casters", sides[1], MOVING_CASTERS
        )

    def aim(self, scene: Scene, sun_to: tuple[float, float, float]) -> None:
        """Aim the shadow camera so that it covers everything that casts shadows.

        Args:
            scene: the scene.
            sun_to: unit vector towards the sun.
        """
        middle, reach = scene.space.extent(LARGEST)
        reach = min(LARGEST, max(1.0, reach * ROOM))
        self._aimed = middle, reach
        self._lens.set_film_size(2.0 * reach, 2.0 * reach)
        self._lens.set_near_far(0.1, 6.0 * reach)
        self._texel = 2.0 * reach / FINE
        self._bias = BIAS * (1.0 + reach / 20.0) / (6.0 * reach)
        place = middle + np.array(sun_to) * 3.0 * reach
        up = (0.0, 1.0, 0.0) if abs(sun_to[2]) > 0.99 else (0.0, 0.0, 1.0)
        for camera in self._cameras:
            camera.set_pos(*place.tolist())
            camera.look_at(LPoint3(*middle.tolist()), LPoint3(*up))
        view = LMatrix4f(self._cameras[0].get_mat())
        view.invert_in_place()
        self._to_sun = view * self._lens.get_projection_mat()

    def covers_casters(self, scene: Scene) -> bool:
        """Return whether the maps, as last aimed, cover everything that casts shadows."""
        middle, reach = scene.space.extent(LARGEST)
        return float(np.linalg.norm(middle - self._aimed[0])) + reach <= self._aimed[1]

    def activate(
        self, *, is_whole: bool, has_moving: bool
    ) -> dict[str, Texture | LMatrix4f | LVecBase4f]:
        """Choose which shadow maps the next present draws; return the shader inputs for them.

        Args:
            is_whole: whether to draw the map of the objects at rest.
            has_moving: whether to draw the map of the moving objects.
        """
        self._still.set_active(is_whole)
        self._moving.set_active(has_moving)
        grain = LVecBase4f(1.0 / FINE, self._texel, self._bias, 1.0 if has_moving else 0.0)
        return {
            "still_casters": self._still_map,
            "moving_casters": self._moving_map,
            "to_sun": self._to_sun,
            "sun_grain": grain,
        }

    def active(self) -> list[GraphicsOutput]:
        """Return the buffers that the next present draws."""
        return [buffer for buffer in (self._still, self._moving) if buffer.is_active()]

    def _open(
        self, display: Display, name: str, side: int, mask: BitMask32
    ) -> tuple[GraphicsOutput, Texture]:
        depth = target(name)
        depth.set_format(Texture.F_depth_component24)
        depth.set_minfilter(SamplerState.FT_shadow)
        depth.set_magfilter(SamplerState.FT_shadow)
        color = target(f"{name} color")
        buffer = display.make_buffer(name, (side, side), color, depth=depth, sort=SORT)
        buffer.set_clear_depth_active(True)
        buffer.set_clear_color_active(False)  # nobody reads it: at this size that takes its time
        camera = Camera(name, self._lens)
        camera.set_camera_mask(mask)
        state = NodePath("state")
        shader = Shader.make(Shader.SL_GLSL, shaders.CASTER_VERTEX, shaders.CASTER_FRAGMENT)
        state.set_shader(shader, 1000)
        state.set_attrib(ColorWriteAttrib.make(ColorWriteAttrib.C_off), 1000)
        camera.set_initial_state(state.get_state())
        cut = NodePath("state of what has holes")
        shader = Shader.make(Shader.SL_GLSL, shaders.CUT_CASTER_VERTEX, shaders.CUT_CASTER_FRAGMENT)
        cut.set_shader(shader, 1001)
        camera.set_tag_state_key(CUT_TAG)
        camera.set_tag_state("1", cut.get_state())
        crowd = NodePath("state of a crowd")
        shader = Shader.make(Shader.SL_GLSL, shaders.CROWD_CASTER_VERTEX, shaders.CASTER_FRAGMENT)
        crowd.set_shader(shader, 1001)
        camera.set_tag_state(IN_CROWD, crowd.get_state())
        node = self._root.attach_new_node(camera)
        self._cameras.append(node)
        region = buffer.make_display_region()
        region.set_camera(node)
        buffer.set_active(False)
        return buffer, depth


class SunShadows(RenderPass):
    """The pass of the sun's shadow maps; they are created when a sun first casts shadows."""

    _maps: SunMaps | None = None

    def prepare(
        self, env: Environment, *, is_whole: bool, has_moving: bool
    ) -> tuple[Mapping[str, object], list[GraphicsOutput]]:
        """Choose the shadow maps to draw: of moving objects, and of resting ones on a full redraw.

        Args:
            env: the environment.
            is_whole: whether all objects at rest are redrawn.
            has_moving: whether any moving object casts shadows.

        Returns:
            Inputs for the scene's shaders, by name, and the buffers to draw.
        """
        if not env.casts:
            if self._maps is not None:
                self._maps.activate(is_whole=False, has_moving=False)
            return {}, []
        if self._maps is None:
            self._maps = SunMaps(self.stage.display, self.stage.root)
        if is_whole:
            self._maps.aim(self.stage.scene, env.sun_to)
        inputs = self._maps.activate(is_whole=is_whole, has_moving=has_moving)
        return inputs, self._maps.active()

    def covers_casters(self) -> bool:
        """Return whether the maps reach everything that casts shadows."""
        return self._maps is None or self._maps.covers_casters(self.stage.scene)
