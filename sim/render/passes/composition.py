"""The pass that draws the picture of resting objects behind the moving ones.

If the sun casts shadows, the pass also darkens that picture where moving objects cast theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.core.components.environment import Environment, Tone, tone_of
from sim.render.materials import shaders
from sim.render.passes.layers import Layers
from sim.render.passes.order import RenderPass

STUDIO_ABOVE, STUDIO_BELOW = (0.50, 0.53, 0.60), (0.22, 0.17, 0.13)  # as the shader has them


class Composition(RenderPass):
    """Copies the picture of resting objects, and adds the sun shadows of moving objects to it."""

    def apply(self, layers: Layers, env: Environment, inputs: Mapping[str, object]) -> None:
        """Choose the shader that copies the resting picture: with shadows of moving objects or not.

        Args:
            layers: pair of buffers whose `copy` node gets the shader.
            env: the environment.
            inputs: inputs of the scene's shaders.
        """
        copy = shaders.COPY_FRAGMENT
        if env.casts:
            copy = shaders.copy_with_shadows(lamps=len(env.lamps), has_spots=env.has_spots)
        above, below = _skylight(env)
        self.stage.paint(layers.copy, copy, {**inputs, "from_above": above, "from_below": below})


def _skylight(env: Environment) -> tuple[Tone, Tone]:
    """Return the light from sky, studio room and ambient light, without the sun.

    Returns:
        The light on surfaces that face up, and the light on surfaces that face down.
    """
    above, below = np.array(STUDIO_ABOVE), np.array(STUDIO_BELOW)
    if env.heaven is not None:
        heaven = env.heaven
        zenith, horizon, ground = map(np.array, (heaven.zenith, heaven.horizon, heaven.ground))
        above, below = 0.5 * zenith + 0.34 * horizon, 0.6 * ground + 0.08 * horizon
    more = np.array(env.ambient)
    return tone_of(above + more), tone_of(below + more)
