"""The pass that draws the resting picture below moving objects, with their shadows on it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.core.components.environment import Environment, Tone, tone_of
from sim.render.materials import shaders
from sim.render.passes.layers import Layers
from sim.render.passes.order import RenderPass

STUDIO_ABOVE, STUDIO_BELOW = (0.50, 0.53, 0.60), (0.22, 0.17, 0.13)  # as the shader has them


class Composition(RenderPass):
    """Copies the resting picture; where the sun throws shadows, those of what moves fall on it."""

    def apply(self, layers: Layers, env: Environment, inputs: Mapping[str, object]) -> None:
        """Choose whether shadows fall on the copy, and set the light inside them."""
        copy = shaders.COPY_WITH_SHADOWS if env.casts else shaders.COPY_FRAGMENT
        above, below = _skylight(env)
        self.stage.paint(layers.copy, copy, {**inputs, "from_above": above, "from_below": below})


def _skylight(env: Environment) -> tuple[Tone, Tone]:
    """Return the light on surfaces that face up, and on those that face down, without the sun."""
    above, below = np.array(STUDIO_ABOVE), np.array(STUDIO_BELOW)
    if env.heaven is not None:
        heaven = env.heaven
        zenith, horizon, ground = map(np.array, (heaven.zenith, heaven.horizon, heaven.ground))
        above, below = 0.5 * zenith + 0.34 * horizon, 0.6 * ground + 0.08 * horizon
    more = np.array(env.ambient)
    return tone_of(above + more), tone_of(below + more)
