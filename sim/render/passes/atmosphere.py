"""Atmosphere: sun, lamps, sky, fog and shadows as inputs of the shaders."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Sequence

import numpy as np
from panda3d.core import (
    BitMask32,
    GraphicsOutput,
    Lens,
    LMatrix4f,
    LVecBase4f,
    NodePath,
    PTA_LVecBase4f,
)

from sim.core.components.environment import (
    MOST_LAMPS,
    Environment,
    EnvironmentResolver,
    Tone,
)
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.scene import Scene
from sim.render.materials import shaders
from sim.render.materials.dressing import CROWD_TAG, FEATURES_TAG
from sim.render.passes.layers import MOVING, Layers
from sim.render.passes.order import RenderPass, Stage, open_passes
from sim.render.passes.sun_maps import MOVING_CASTERS, STILL_CASTERS
from sim.render.window.display import Display

EVERYWHERE = (-3.0, -2.0)  # cosines of a spot light that shines everywhere
PAUSE = 0.12  # seconds between two suns, where the processor draws


class Atmosphere:
    """Follows the scene's lights, sky and fog, and sets them in the shaders.

    Args:
        display: the display to draw into.
        scene: the scene whose environment is shown.
        root: node of the lit objects.
        clock: returns the time in seconds; under software rendering it limits how often changes are
            applied.

    Attributes:
        now: the environment of the last frame.
        hurries: whether every change is applied at once, even under software rendering.
    """

    def __init__(
        self,
        display: Display,
        scene: Scene,
        root: NodePath,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.now = Environment()
        self.hurries = False
        self._display = display
        self._scene = scene
        self._root = root
        self._source = EnvironmentResolver(scene)
        self._layers: list[Layers] = []
        self._backdrops: list[NodePath] = []  # of pictures that are drawn apart from the layers
        self._stage = Stage(display, scene, root)
        self._passes = open_passes(self._stage)
        plain = RenderPass.prepare
        self._preparing = [one for one in self._passes if type(one).prepare is not plain]
        self._inputs: dict[str, object] = {}
        self._fragment: Callable[..., str] = shaders.scene_fragment
        self._left_out: frozenset[str] = frozenset()
        self._to_world = LMatrix4f.ident_mat()
        self._clock = clock
        self._followed_at = -math.inf
        root.set_shader_input("sees_moving", 0.0)
        self._apply()
        self.follow()

    def follow(self) -> bool:
        """Apply changes of the scene's environment; return whether everything must be redrawn."""
        wanted = self._source.now()
        if wanted == self.now:
            return False
        now = self._clock()
        if self._display.is_software and not self.hurries and now - self._followed_at < PAUSE:
            return False
        self._followed_at = now
        if wanted.casts != self.now.casts:
            for obj in self._scene.objects.values():
                self._scene.visual_changed(obj)  # spots come or go
        self._tell_dark(wanted)
        self.now = wanted
        self._apply()
        return True

    def _tell_dark(self, wanted: Environment) -> None:
        """Write a warning if other lights than before are too many to be drawn."""
        if wanted.dark and wanted.dark != self.now.dark and self._scene.host is not None:
            count, names = len(wanted.lamps) + len(wanted.dark), ", ".join(wanted.dark)
            self._scene.host.console.write(
                "warning",
                f"lights: expected at most {MOST_LAMPS} of kind point or spot and further suns, "
                f"found {count}: dark are {names:.200}",
            )

    def attach(self, layers: list[Layers]) -> None:
        """Set the pairs of buffers into which the scene is drawn, and apply the environment."""
        self._layers = layers
        for item in layers:
            for one in self._passes:
                one.open(item)
            self._apply_environment(item)

    def surround(self, backdrop: NodePath) -> None:
        """Draw the sky on the backdrop of an offscreen picture, from now on.

        Args:
            backdrop: node behind everything in the picture; `place` sets its camera.
        """
        self._backdrops.append(backdrop)
        self._cover(backdrop)
        backdrop.set_shader_input("to_world", LMatrix4f.ident_mat())

    def leave(self, backdrop: NodePath) -> None:
        """Stop drawing the sky on a backdrop that was passed to `surround`."""
        self._backdrops.remove(backdrop)

    def place(self, backdrop: NodePath, lens: Lens, camera: NodePath) -> None:
        """Set the camera with which a picture's backdrop shows the sky.

        Args:
            backdrop: node behind everything in the picture.
            lens: the camera's lens.
            camera: the camera's node.
        """
        backdrop.set_shader_input("to_world", _to_world(lens, camera))

    def look(self, lens: Lens, camera: NodePath) -> None:
        """Set the camera with which the sky and shadows of the main view are drawn."""
        self._to_world = _to_world(lens, camera)
        for item in self._layers:
            item.backdrop.set_shader_input("to_world", self._to_world)
            item.copy.set_shader_input("to_world", self._to_world)

    def leave_out(self, features: frozenset[str]) -> None:
        """Set which features of materials are not drawn, see `shaders.MAPS`."""
        if features != self._left_out:
            self._left_out = features
            self.dress(self._root)

    def dress(self, node: NodePath) -> None:
        """Set the shaders of the meshes below a node whose materials need more than the plain one.

        Args:
            node: a node below the root, or the root.
        """
        for part in node.find_all_matches(f"**/={FEATURES_TAG}"):
            names = part.get_tag(FEATURES_TAG).split(",")
            material = tuple(name for name in names if name and name not in self._left_out)
            fragment = self._fragment(material=material)
            is_crowd = part.has_tag(CROWD_TAG)
            vertex = shaders.CROWD_VERTEX if is_crowd else shaders.SCENE_VERTEX
            self._stage.paint(part, fragment, {}, vertex)

    def mask(self, node: NodePath, mask: BitMask32, *, casts: bool) -> BitMask32:
        """Return the mask that says which of the scene's cameras draw an object's node.

        Args:
            node: the node; its shader inputs are set.
            mask: mask of the object's layer: `STILL`, `MOVING` or `BAKING`.
            casts: whether the object casts shadows, and so is drawn into the sun's shadow maps too.
        """
        is_moving = mask == MOVING
        if self.now.casts:
            node.set_shader_input("sees_moving", 1.0 if is_moving else 0.0)
        if not casts:
            return mask
        return mask | (MOVING_CASTERS if is_moving else STILL_CASTERS)

    def prepare(self, *, is_whole: bool, has_moving: bool) -> list[GraphicsOutput]:
        """Choose which shadow maps the next present draws, and set the shader inputs for them.

        Args:
            is_whole: whether the objects at rest are redrawn, and so their shadow map.
            has_moving: whether any moving object casts shadows.

        Returns:
            The buffers of the chosen shadow maps.
        """
        buffers: list[GraphicsOutput] = []
        for one in self._preparing:
            inputs, drawn = one.prepare(self.now, is_whole=is_whole, has_moving=has_moving)
            buffers += drawn
            for node in (self._root, *(item.copy for item in self._layers)) if inputs else ():
                for name, value in inputs.items():
                    node.set_shader_input(name, value)
        return buffers

    def covers_casters(self) -> bool:
        """Return whether the shadow maps, as last drawn, cover everything that casts shadows."""
        return all(one.covers_casters() for one in self._preparing)

    # -- shaders ------------------------------------------------------------------------------

    def _apply(self) -> None:
        env = self.now
        self._inputs = {"sun_to": env.sun_to, "sun_light": env.sun, "ambient": env.ambient}
        if env.lamps:
            self._inputs["lamp_at"] = _rows([lamp.place for lamp in env.lamps])
            self._inputs["lamp_light"] = _rows([lamp.light for lamp in env.lamps])
        if env.has_spots:
            edges = [lamp.cosines or EVERYWHERE for lamp in env.lamps]
            steep = [1.0 / (full - dark) for dark, full in edges]
            self._inputs["lamp_at"] = _rows(
                [lamp.place for lamp in env.lamps], [dark for dark, _ in edges]
            )
            self._inputs["lamp_way"] = _rows([lamp.ahead for lamp in env.lamps], steep)
        for one in self._passes:
            self._inputs.update(one.inputs(env))
        before = self._fragment()
        self._fragment = functools.partial(
            shaders.scene_fragment,
            has_sky=env.heaven is not None,
            has_fog=env.haze is not None,
            has_ambient=any(env.ambient),
            casts=env.casts,
            lamps=len(env.lamps),
            has_spots=env.has_spots,
        )
        fragment = self._fragment()
        self._stage.paint(self._root, fragment, self._inputs, shaders.SCENE_VERTEX)
        if fragment != before:
            self.dress(self._root)
        self.prepare(is_whole=env.casts, has_moving=False)
        for item in self._layers:
            self._apply_environment(item)
        for backdrop in self._backdrops:
            self._cover(backdrop)

    def _apply_environment(self, layers: Layers) -> None:
        """Set sky and shadows of a pair of layers."""
        self._cover(layers.backdrop)
        for one in self._passes:
            one.apply(layers, self.now, self._inputs)
        for node in (layers.backdrop, layers.copy):
            node.set_shader_input("to_world", self._to_world)
        self.prepare(is_whole=False, has_moving=False)

    def _cover(self, backdrop: NodePath) -> None:
        for one in self._passes:
            one.apply_background(backdrop, self.now, self._inputs)


def _to_world(lens: Lens, camera: NodePath) -> LMatrix4f:
    """Return the matrix that transforms a camera's clip space to world space."""
    matrix = np.linalg.inv(_array(lens.get_projection_mat())) @ _array(camera.get_mat())
    return LMatrix4f(*matrix.ravel().tolist())


def _array(matrix: LMatrix4f) -> FloatArray:
    return np.array([tuple(matrix.get_row(number)) for number in range(4)], dtype=np.float64)


def _rows(values: list[Tone], last: Sequence[float] = ()) -> PTA_LVecBase4f:
    """Return vectors as an array of four numbers each.

    Args:
        values: the first three numbers of each.
        last: the fourth number of each; empty for zeros.
    """
    rows = PTA_LVecBase4f.empty_array(len(values))
    for number, value in enumerate(values):
        rows.set_element(number, LVecBase4f(*value, last[number] if last else 0.0))
    return rows
