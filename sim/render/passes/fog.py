"""The pass of the fog, which the shaders of the scene and of the sky blend into their colours."""

from __future__ import annotations

from collections.abc import Mapping

from panda3d.core import LVecBase2f

from sim.core.components.environment import Environment, FogState
from sim.render.passes.order import RenderPass

CLEAR = FogState((0.0, 0.0, 0.0), 0.0, 0.0)


class FogPass(RenderPass):
    """Sets the inputs of the fog in all shaders."""

    def inputs(self, env: Environment) -> Mapping[str, object]:
        """Return the fog's colour, its density and where it starts."""
        haze = env.haze or CLEAR
        return {"haze_color": haze.color, "haze_more": LVecBase2f(haze.density, haze.start)}
