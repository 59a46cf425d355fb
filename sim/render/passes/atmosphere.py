"""Atmosphere: sun, lamps, sky, fog and shadows as inputs of the shaders."""

from __future__ import annotations

import time

import numpy as np
from panda3d.core import (
    BitMask32,
    GraphicsOutput,
    Lens,
    LMatrix4f,
    LVecBase4f,
    NodePath,
    PTA_LVecBase4f,
    Shader,
)

from sim.core.components.environment import (
    Environment,
    EnvironmentResolver,
    FogState,
    SkyState,
    Tone,
    tone_of,
)
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.scene import Scene
from sim.render.materials import shaders, sky_shaders
from sim.render.passes.layers import MOVING, Layers
from sim.render.passes.sun_maps import MOVING_CASTERS, STILL_CASTERS, SunMaps
from sim.render.window.display import Display

DARK = SkyState((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
CLEAR = FogState((0.0, 0.0, 0.0), 0.0, 0.0)
PAUSE = 0.12  # seconds between two suns, where the processor draws
STUDIO_ABOVE, STUDIO_BELOW = (0.50, 0.53, 0.60), (0.22, 0.17, 0.13)  # as the shader has them


class Atmosphere:
    """Follows the scene's lights, sky and fog.

    Attributes:
        now: the environment of the last frame.
        hurries: apply every change at once.
    """

    def __init__(self, display: Display, scene: Scene, root: NodePath) -> None:
        self.now = Environment()
        self.hurries = False
        self._display = display
        self._scene = scene
        self._root = root
        self._source = EnvironmentResolver(scene)
        self._shaders: dict[tuple[object, ...], Shader] = {}
        self._layers: list[Layers] = []
        self._backdrops: list[NodePath] = []  # of pictures that are drawn apart from the layers
        self._maps: SunMaps | None = None
        self._to_world = LMatrix4f.ident_mat()
        self._followed_at = 0.0
        root.set_shader_input("sees_moving", 0.0)
        self._apply()
        self.follow()

    def follow(self) -> bool:
        """Apply changes; return whether everything must be redrawn."""
        wanted = self._source.now()
        if wanted == self.now:
            return False
        now = time.perf_counter()
        if self._display.is_software and not self.hurries and now - self._followed_at < PAUSE:
            return False
        self._followed_at = now
        if wanted.casts != self.now.casts:
            for obj in self._scene.objects.values():
                self._scene.visual_changed(obj)  # spots come or go
        self.now = wanted
        self._apply()
        return True

    def attach(self, layers: list[Layers]) -> None:
        """Set the layers that the atmosphere is drawn into."""
        self._layers = layers
        for item in layers:
            self._dress(item)

    def surround(self, backdrop: NodePath) -> None:
        """Draw the sky, if there is one, on a picture's backdrop; `place` sets its camera."""
        self._backdrops.append(backdrop)
        self._cover(backdrop)
        backdrop.set_shader_input("to_world", LMatrix4f.ident_mat())

    def leave(self, backdrop: NodePath) -> None:
        """Stop drawing the sky on a picture's backdrop."""
        self._backdrops.remove(backdrop)

    def place(self, backdrop: NodePath, lens: Lens, camera: NodePath) -> None:
        """Set the camera of a backdrop."""
        backdrop.set_shader_input("to_world", _to_world(lens, camera))

    def look(self, lens: Lens, camera: NodePath) -> None:
        """Set the camera of the main view."""
        self._to_world = _to_world(lens, camera)
        for item in self._layers:
            item.backdrop.set_shader_input("to_world", self._to_world)
            item.copy.set_shader_input("to_world", self._to_world)

    def mask(self, node: NodePath, mask: BitMask32, *, casts: bool) -> BitMask32:
        """Return the camera mask of an object, including the shadow maps if it casts."""
        is_moving = mask == MOVING
        if self.now.casts:
            node.set_shader_input("sees_moving", 1.0 if is_moving else 0.0)
        if not casts:
            return mask
        return mask | (MOVING_CASTERS if is_moving else STILL_CASTERS)

    def prepare(self, *, is_whole: bool, has_moving: bool) -> list[GraphicsOutput]:
        """Choose the shadow maps that the next present draws; return their buffers."""
        if self._maps is None or not self.now.casts:
            return []
        if is_whole:
            self._maps.aim(self._scene, self.now.sun_to)
        inputs = self._maps.activate(is_whole=is_whole, has_moving=has_moving)
        for node in (self._root, *(item.copy for item in self._layers)):
            for name, value in inputs.items():
                node.set_shader_input(name, value)
        return self._maps.active()

    # -- shaders ------------------------------------------------------------------------------

    def _apply(self) -> None:
        env, root = self.now, self._root
        if env.casts and self._maps is None:
            self._maps = SunMaps(self._display, root)
        if self._maps is not None:
            self._maps.activate(is_whole=False, has_moving=False)
        key = (env.heaven is not None, env.haze is not None, any(env.ambient), env.casts,
               len(env.lamps))  # fmt: skip
        if key not in self._shaders:
            fragment = shaders.scene_fragment(
                has_sky=key[0],
                has_fog=key[1],
                has_ambient=key[2],
                casts=key[3],
                lamps=key[4],
            )
            self._shaders[key] = Shader.make(Shader.SL_GLSL, shaders.SCENE_VERTEX, fragment)
        root.set_shader(self._shaders[key])
        for name, value in self._inputs().items():
            root.set_shader_input(name, value)
        root.set_shader_input("ambient", env.ambient)
        if env.lamps:
            root.set_shader_input("lamp_at", _rows([lamp.place for lamp in env.lamps]))
            root.set_shader_input("lamp_light", _rows([lamp.light for lamp in env.lamps]))
        if env.casts:
            self.prepare(is_whole=True, has_moving=False)
        for item in self._layers:
            self._dress(item)
        for backdrop in self._backdrops:
            self._cover(backdrop)

    def _inputs(self) -> dict[str, Tone | LVecBase4f]:
        env = self.now
        heaven, haze = env.heaven or DARK, env.haze or CLEAR
        disc = float(np.cos(np.radians(max(0.05, heaven.sun_size) / 2.0)))
        return {
            "sun_to": env.sun_to,
            "sun_light": env.sun,
            "sky_zenith": heaven.zenith,
            "sky_horizon": heaven.horizon,
            "sky_ground": heaven.ground,
            "haze_color": haze.color,
            "sky_more": LVecBase4f(heaven.clouds, disc, haze.density, haze.start),
        }

    def _dress(self, layers: Layers) -> None:
        """Set sky and shadows of a pair of layers."""
        copy = sky_shaders.COPY_WITH_SHADOWS if self.now.casts else shaders.COPY_FRAGMENT
        self._cover(layers.backdrop)
        self._paint(layers.copy, copy)
        for node in (layers.backdrop, layers.copy):
            node.set_shader_input("to_world", self._to_world)
        above, below = _skylight(self.now)
        layers.copy.set_shader_input("from_above", above)
        layers.copy.set_shader_input("from_below", below)
        self.prepare(is_whole=False, has_moving=False)

    def _cover(self, backdrop: NodePath) -> None:
        """Show the sky on a backdrop, or the studio without a sky."""
        has_sky = self.now.heaven is not None
        self._paint(backdrop, sky_shaders.SKY_BACKDROP if has_sky else shaders.BACKDROP_FRAGMENT)

    def _paint(self, node: NodePath, fragment: str) -> None:
        if (fragment,) not in self._shaders:
            made = Shader.make(Shader.SL_GLSL, shaders.COPY_VERTEX, fragment)
            self._shaders[fragment,] = made
        node.set_shader(self._shaders[fragment,])
        for name, value in self._inputs().items():
            node.set_shader_input(name, value)


def _skylight(env: Environment) -> tuple[Tone, Tone]:
    """Return the light that comes to what looks up, and to what looks down, without the sun."""
    above, below = np.array(STUDIO_ABOVE), np.array(STUDIO_BELOW)
    if env.heaven is not None:
        zenith, horizon, ground = map(
            np.array, (env.heaven.zenith, env.heaven.horizon, env.heaven.ground)
        )
        above, below = 0.5 * zenith + 0.34 * horizon, 0.6 * ground + 0.08 * horizon
    more = np.array(env.ambient)
    return tone_of(above + more), tone_of(below + more)


def _to_world(lens: Lens, camera: NodePath) -> LMatrix4f:
    """Return the matrix from a camera's picture to the world."""
    matrix = np.linalg.inv(_array(lens.get_projection_mat())) @ _array(camera.get_mat())
    return LMatrix4f(*matrix.ravel().tolist())


def _array(matrix: LMatrix4f) -> FloatArray:
    return np.array([tuple(matrix.get_row(number)) for number in range(4)], dtype=np.float64)


def _rows(values: list[tuple[float, float, float]]) -> PTA_LVecBase4f:
    rows = PTA_LVecBase4f.empty_array(len(values))
    for number, value in enumerate(values):
        rows.set_element(number, LVecBase4f(*value, 0.0))
    return rows
