"""The pass that draws the backdrop: the scene's sky, or a studio background without a sky."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from panda3d.core import LVecBase2f, NodePath

from sim.core.components.environment import Environment, SkyState
from sim.render.materials import shaders
from sim.render.passes.order import RenderPass

DARK = SkyState((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class SkyPass(RenderPass):
    """Draws the sky, and sets its colours in all shaders."""

    def inputs(self, env: Environment) -> Mapping[str, object]:
        """Return the sky's colours, its clouds and how large the sun's disc is."""
        heaven = env.heaven or DARK
        disc = float(np.cos(np.radians(max(0.05, heaven.sun_size) / 2.0)))
        return {
            "sky_zenith": heaven.zenith,
            "sky_horizon": heaven.horizon,
            "sky_ground": heaven.ground,
            "sky_more": LVecBase2f(heaven.clouds, disc),
        }

    def apply_background(
        self, backdrop: NodePath, env: Environment, inputs: Mapping[str, object]
    ) -> None:
        """Draw the sky on a backdrop, or a studio background if the scene has no sky.

        Args:
            backdrop: node behind everything in a picture.
            env: the environment.
            inputs: inputs of the scene's shaders, by name.
        """
        is_studio = env.heaven is None
        fragment = shaders.BACKDROP_FRAGMENT if is_studio else shaders.SKY_BACKDROP
        self.stage.paint(backdrop, fragment, inputs)
