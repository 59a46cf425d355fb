"""A camera that renders the whole scene and its atmosphere into a separate buffer."""

from __future__ import annotations

import math

from panda3d.core import (
    Camera,
    GraphicsOutput,
    Lens,
    LVecBase4f,
    NodePath,
    PerspectiveLens,
    ShaderInput,
)

from sim.core.geometry.camera_pose import CameraPose
from sim.render.materials import shaders
from sim.render.models.matrices import panda_eye
from sim.render.models.points import measure_points
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.layers import BAKING, MOVING, STILL
from sim.render.passes.passes import full_screen_pass

EVERYTHING = STILL | MOVING | BAKING
OVERRIDE = 1000  # of what a node says itself


class BufferCamera:
    """A camera node for one buffer.

    Args:
        name: name of the camera's node.
        root: root of the scene's nodes.
        atmosphere: sky and lights of the scene.
        buffer: the buffer to render into.
    """

    def __init__(
        self, name: str, root: NodePath, atmosphere: Atmosphere, buffer: GraphicsOutput
    ) -> None:
        self._atmosphere = atmosphere
        behind = full_screen_pass(buffer, shaders.BACKDROP_FRAGMENT, {}, sort=0)
        self._backdrop = behind.get_camera().get_top()
        atmosphere.surround(self._backdrop)
        self._lens = PerspectiveLens()
        self._camera = root.attach_new_node(Camera(name, self._lens))
        self._camera.node().set_camera_mask(EVERYTHING)
        region = buffer.make_display_region()
        region.set_sort(1)
        region.set_camera(self._camera)

    def aim(self, eye: CameraPose, size: tuple[int, int]) -> None:
        """Set the camera's pose for a picture of `size` pixels."""
        aim_camera(self._camera, self._lens, eye, size)
        self._atmosphere.place(self._backdrop, self._lens, self._camera)

    def close(self) -> None:
        """Remove the camera from the scene; the buffer stays."""
        self._atmosphere.leave(self._backdrop)
        self._camera.remove_node()


def aim_camera(camera: NodePath, lens: Lens, eye: CameraPose, size: tuple[int, int]) -> None:
    """Set pose and lens of the camera of the resting and the moving layer."""
    point_lens(lens, eye, size[0] / size[1])
    measure_points(camera, size, eye.fov)
    camera.set_mat(panda_eye(eye.matrix))
    state = NodePath("state")
    is_shaded = ShaderInput("sees_moving", LVecBase4f(1.0, 0.0, 0.0, 0.0), OVERRIDE)
    state.set_shader_input(is_shaded)  # what rests is shaded by what moves, too
    camera.node().set_initial_state(camera.node().get_initial_state().compose(state.get_state()))


def point_lens(lens: Lens, eye: CameraPose, aspect: float, lift: float = 0.0) -> None:
    """Set a lens's angle of view and clipping planes from a pose, not its place.

    `aspect` is width by height; `lift` is how far the view's middle lies above the picture's, in
    halves of its height.
    """
    across = 2 * math.degrees(math.atan(math.tan(math.radians(eye.fov / 2)) * aspect))
    lens.set_fov(across, eye.fov)
    lens.set_film_offset(0.0, -0.5 * lift * lens.get_film_size()[1])
    lens.set_near_far(eye.near, eye.far)
