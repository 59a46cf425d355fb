"""The ordered list of passes that draw a scene, and their base class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final

from panda3d.core import GraphicsOutput, NodePath, Shader

from sim.core.components.environment import Environment
from sim.core.scene.scene import Scene
from sim.render.materials import shaders
from sim.render.passes.layers import Layers
from sim.render.window.display import Display

PASSES: Final = [
    "sim.render.passes.sun_maps:SunShadows",
    "sim.render.passes.sky:SkyPass",
    "sim.render.passes.fog:FogPass",
    "sim.render.passes.composition:Composition",
]
"""The render passes as "module:Class", in the order in which they are prepared and drawn."""


@dataclass(frozen=True)
class Stage:
    """What the passes of a scene share: display, scene, root node and compiled shaders."""

    display: Display
    scene: Scene
    root: NodePath
    _shaders: dict[tuple[str, str], Shader] = field(default_factory=dict, init=False)

    def paint(
        self,
        node: NodePath,
        fragment: str,
        inputs: Mapping[str, object],
        vertex: str = shaders.COPY_VERTEX,
    ) -> None:
        """Set the shader of a node and the shader's inputs.

        Args:
            node: the node.
            fragment: GLSL source of the fragment shader; it is compiled once.
            inputs: inputs of the shader by name.
            vertex: GLSL source of the vertex shader.
        """
        key = (vertex, fragment)
        if key not in self._shaders:
            self._shaders[key] = Shader.make(Shader.SL_GLSL, vertex, fragment)
        node.set_shader(self._shaders[key])
        for name, value in inputs.items():
            node.set_shader_input(name, value)


class RenderPass:
    """Base class of the passes that draw a scene; subclasses override the methods they need.

    Args:
        stage: what the passes share, such as the display.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def inputs(self, env: Environment) -> Mapping[str, object]:
        """Return the inputs, by name, that this pass adds to all shaders of the scene."""
        return {}

    def open(self, layers: Layers) -> None:
        """Add this pass's nodes and display regions to a new pair of buffers."""

    def apply(self, layers: Layers, env: Environment, inputs: Mapping[str, object]) -> None:
        """Apply an environment to a pair of buffers; called when they are new and at each change.

        Args:
            layers: the buffers.
            env: the environment.
            inputs: inputs of the scene's shaders, by name.
        """

    def apply_background(
        self, backdrop: NodePath, env: Environment, inputs: Mapping[str, object]
    ) -> None:
        """Apply an environment to a backdrop, the node behind everything in a picture.

        Args:
            backdrop: the node.
            env: the environment.
            inputs: inputs of the scene's shaders, by name.
        """

    def prepare(
        self, env: Environment, *, is_whole: bool, has_moving: bool
    ) -> tuple[Mapping[str, object], list[GraphicsOutput]]:
        """Choose what the pass draws next into its own buffers, such as shadow maps.

        Args:
            env: the environment.
            is_whole: whether all objects at rest are redrawn.
            has_moving: whether any moving object casts shadows.

        Returns:
            Inputs for the scene's shaders, by name, and the buffers to draw.
        """
        return {}, []

    def covers_casters(self) -> bool:
        """Return whether the pass's last drawing covers everything that casts shadows now."""
        return True


def open_passes(stage: Stage) -> list[RenderPass]:
    """Create the passes of a scene, in the order in which they are drawn."""
    places = (entry.partition(":") for entry in PASSES)
    return [getattr(import_module(module), name)(stage) for module, _, name in places]
