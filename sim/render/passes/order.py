"""The passes that make the picture of a scene, each in a module of its own, in their order."""

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
    """Where the passes of a scene draw: display, scene, root node, and shaders that they share."""

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
        """Draw a node with a fragment shader, and set its `inputs`."""
        key = (vertex, fragment)
        if key not in self._shaders:
            self._shaders[key] = Shader.make(Shader.SL_GLSL, vertex, fragment)
        node.set_shader(self._shaders[key])
        for name, value in inputs.items():
            node.set_shader_input(name, value)


class RenderPass:
    """A pass of a scene's picture. Subclasses override the methods that they need.

    Args:
        stage: where it draws.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def inputs(self, env: Environment) -> Mapping[str, object]:
        """Return inputs for all shaders of the scene, given its environment."""
        return {}

    def open(self, layers: Layers) -> None:
        """Add this pass's nodes and regions to layers that were just opened."""

    def apply(self, layers: Layers, env: Environment, inputs: Mapping[str, object]) -> None:
        """Apply an environment to layers; called after they open, and at each change."""

    def apply_background(
        self, backdrop: NodePath, env: Environment, inputs: Mapping[str, object]
    ) -> None:
        """Apply an environment to a backdrop, the node behind everything in a picture."""

    def prepare(
        self, env: Environment, *, is_whole: bool, has_moving: bool
    ) -> tuple[Mapping[str, object], list[GraphicsOutput]]:
        """Choose what the pass draws next in buffers of its own, such as shadow maps.

        Returns:
            Inputs for the scene's shaders, and the buffers to draw.
        """
        return {}, []

    def covers_casters(self) -> bool:
        """Return whether the pass's last drawing covers everything that casts shadows now."""
        return True


def open_passes(stage: Stage) -> list[RenderPass]:
    """Return a scene's passes, in their order."""
    places = (entry.partition(":") for entry in PASSES)
    return [getattr(import_module(module), name)(stage) for module, _, name in places]
