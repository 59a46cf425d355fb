"""What the scene's Camera components see: the main view, insets over it, pictures for scripts.

Each inset and each picture has a buffer and a camera of its own.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from panda3d.core import Camera as CameraNode
from panda3d.core import (
    GraphicsOutput,
    Lens,
    LVecBase4f,
    NodePath,
    PerspectiveLens,
    ShaderInput,
    Texture,
)

from sim.core.geometry.camera_pose import CameraPose
from sim.core.scene.scene import Scene
from sim.core.scene.scene_camera import CameraComponent, Distances, Picture
from sim.render.materials import shaders
from sim.render.models.models import panda_eye
from sim.render.models.points import measure_points
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.layers import BAKING, MOVING, STILL, Framed, full_screen_pass, target
from sim.render.view.camera_rig import CameraRig
from sim.render.window.compose import NO_EDGES, smoothing_fragment
from sim.render.window.display import Display, DisplayError

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
        self._camera = root.attach_new_node(CameraNode(name, self._lens))
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
    """Set the pose and lens of a camera that sees both resting and moving objects.

    Args:
        camera: node of the camera.
        lens: its lens.
        eye: the pose.
        size: width and height of the picture, pixels.
    """
    point_lens(lens, eye, size[0] / size[1])
    measure_points(camera, size, eye.fov)
    camera.set_mat(panda_eye(eye.matrix))
    state = NodePath("state")
    is_shaded = ShaderInput("sees_moving", LVecBase4f(1.0, 0.0, 0.0, 0.0), OVERRIDE)
    state.set_shader_input(is_shaded)  # what rests is shaded by what moves, too
    camera.node().set_initial_state(camera.node().get_initial_state().compose(state.get_state()))


def point_lens(lens: Lens, eye: CameraPose, aspect: float, lift: float = 0.0) -> None:
    """Set a lens's angle of view and clipping planes from a camera pose.

    Args:
        lens: the lens; of parallel projection if the pose has a height.
        eye: the pose; its position and direction are not used.
        aspect: width of the picture divided by its height.
        lift: how far the view's middle lies above the picture's middle, in half picture heights.
    """
    if eye.height:
        lens.set_film_size(eye.height * aspect, eye.height)
    else:
        across = 2 * math.degrees(math.atan(math.tan(math.radians(eye.fov / 2)) * aspect))
        lens.set_fov(across, eye.fov)
    lens.set_film_offset(0.0, -0.5 * lift * lens.get_film_size()[1])
    lens.set_near_far(eye.near, eye.far)


MOST_DRAWERS = 4  # buffers that are kept ready


class PictureKind(NamedTuple):
    """Size and quality of an offscreen picture; all pictures of one kind share a buffer.

    Attributes:
        size: width and height, pixels.
        samples: samples a pixel, 0 for no multisampling.
        smoothing: which edges of the picture are smoothed, see `NO_EDGES`.
        has_depth: whether the picture holds distances instead of colours.
    """

    size: tuple[int, int]
    samples: int = 0
    smoothing: int = NO_EDGES
    has_depth: bool = False


class Drawer:
    """A buffer for one kind of picture, with a camera that renders the whole scene into it.

    Args:
        display: display that owns the buffer.
        root: root of the scene's nodes.
        atmosphere: sky and lights of the scene.
        kind: kind of the pictures.
    """

    def __init__(
        self, display: Display, root: NodePath, atmosphere: Atmosphere, kind: PictureKind
    ) -> None:
        size, samples, smoothing, has_depth = kind
        self._display = display
        self._size = size
        self._texture = Texture("camera picture")
        self._buffer = display.make_memory_buffer(size, self._texture, samples, has_depth=has_depth)
        self._buffers, drawn = [self._buffer], self._buffer
        if smoothing != NO_EDGES:
            color = target("picture drawn")
            drawn = display.make_buffer(
                "picture drawn", size, color, sort=-36, samples=samples, clears=False
            )
            fragment = smoothing_fragment(smoothing)
            full_screen_pass(self._buffer, fragment, {"scene_layer": color}, sort=0)
            self._buffers.append(drawn)
        for buffer in self._buffers:
            buffer.set_active(False)
        self._camera = BufferCamera("picture", root, atmosphere, drawn)

    @property
    def buffers(self) -> int:
        """Number of its buffers."""
        return len(self._buffers)

    def draw(self, eye: CameraPose, shadows: list[GraphicsOutput]) -> None:
        """Render what a camera pose sees; `colors` or `distances` return the result.

        Args:
            eye: the pose.
            shadows: buffers of shadow maps to draw first.

        Raises:
            DisplayError: OpenGL returned no picture.
        """
        width, height = self._size
        self._camera.aim(eye, self._size)
        self._display.draw_alone(*shadows, *self._buffers)
        if not self._texture.has_ram_image():
            raise DisplayError(f"OpenGL gave no picture of {width}x{height} back")

    def colors(self) -> Picture:
        """Return the picture as RGB `[h, w, 3]`, the top row first."""
        data = np.frombuffer(self._texture.get_ram_image_as("RGB"), dtype=np.uint8)
        width, height = self._size
        return data.reshape(height, width, 3)[::-1].copy()

    def distances(self, eye: CameraPose) -> Distances:
        """Return the distances that were drawn, `[h, w]` in metres along the direction of view.

        Pixels without an object are infinite.

        Args:
            eye: the pose that was drawn.
        """
        width, height = self._size
        data = np.frombuffer(self._texture.get_ram_image(), dtype=np.float32)
        depth = data.reshape(height, width)[::-1].astype(np.float64) * 2.0 - 1.0
        near, far = eye.near, eye.far
        away = 2.0 * near * far / (far + near - depth * (far - near))
        return np.where(depth >= 1.0 - 1e-7, np.inf, away).astype(np.float32)

    def close(self) -> None:
        """Free the buffer."""
        self._camera.close()
        for buffer in self._buffers:
            self._display.engine.remove_window(buffer)


class CameraPictures:
    """Renders a scene's offscreen pictures; the buffers of the last few sizes are kept.

    Args:
        display: display that owns the buffers.
        root: root of the scene's nodes.
        atmosphere: sky and lights of the scene.
    """

    def __init__(self, display: Display, root: NodePath, atmosphere: Atmosphere) -> None:
        self._display = display
        self._root = root
        self._atmosphere = atmosphere
        self._drawers: dict[PictureKind, Drawer] = {}

    def image(self, eye: CameraPose, kind: PictureKind, shadows: list[GraphicsOutput]) -> Picture:
        """Render what a camera pose sees: RGB `[h, w, 3]`, the top row first.

        Args:
            eye: camera pose.
            kind: size of the picture and how fine it is.
            shadows: shadow map buffers to draw first, see `Atmosphere.prepare`.
        """
        drawer = self._drawer(kind)
        drawer.draw(eye, shadows)
        return drawer.colors()

    def depth(self, eye: CameraPose, size: tuple[int, int]) -> Distances:
        """Render distances `[h, w]` in metres along the direction of view; infinite if empty.

        Args:
            eye: camera pose.
            size: width and height, pixels.
        """
        drawer = self._drawer(PictureKind(size, has_depth=True))
        drawer.draw(eye, [])
        return drawer.distances(eye)

    def close(self) -> None:
        """Free all buffers."""
        for drawer in self._drawers.values():
            drawer.close()
        self._drawers.clear()

    def _drawer(self, kind: PictureKind) -> Drawer:
        drawer = self._drawers.pop(kind, None)
        if drawer is None:
            needed = 1 if kind.smoothing == NO_EDGES else 2
            while sum(item.buffers for item in self._drawers.values()) + needed > MOST_DRAWERS:
                self._drawers.pop(next(iter(self._drawers))).close()
            drawer = Drawer(self._display, self._root, self._atmosphere, kind)
        self._drawers[kind] = drawer
        return drawer


@contextlib.contextmanager
def stashed(nodes: list[NodePath]) -> Iterator[None]:
    """Hide the nodes from every camera within the `with` block."""
    for node in nodes:
        node.stash()
    try:
        yield
    finally:
        for node in nodes:
            node.unstash()


Rectangle = tuple[float, float, float, float]
INSET_ORDER = -25  # before what moves, which shows it
SMALLEST_SIDE = 16  # pixels
SETTINGS_OF_RIG = attrgetter(
    "fov", "near", "far", "min_distance", "max_distance", "min_elevation", "max_elevation"
)


class MainView:
    """Keeps the user's camera at the scene's main Camera component.

    Args:
        scene: the scene.
        rig: the user's camera, moved by mouse.
    """

    def __init__(self, scene: Scene, rig: CameraRig) -> None:
        self._scene = scene
        self._rig = rig
        self._owner = ""
        self._key: tuple[str | float, ...] = ()

    def follow(self) -> None:
        """Move the rig to the main Camera component if another was chosen or its values changed.

        While the scene is stopped for editing, the user controls the rig.
        """
        camera = self._scene.camera.choose()
        if camera is None:
            self._rig.mount(None)
            self._owner = ""
            return
        is_new = camera.slot.id != self._owner
        host = self._scene.host
        if not is_new and host is not None and host.clock.is_stopped:
            self._rig.mount(None)
            return
        self._owner = camera.slot.id
        if camera.look == "ahead":
            self._rig.mount(camera.eye)
            self._key = ()
            return
        self._rig.mount(None)
        place = map(float, camera.object.transform.world_position)
        key = (camera.slot.id, *place, *camera.target, *SETTINGS_OF_RIG(camera))
        if key != self._key:
            self._key = key
            self._stand(camera)

    def _stand(self, camera: CameraComponent) -> None:
        rig = self._rig
        rig.fov = camera.fov
        rig.near, rig.far = camera.near, camera.far
        rig.limits_distance = (camera.min_distance, camera.max_distance)
        rig.limits_elevation = (camera.min_elevation, camera.max_elevation)
        rig.place(camera.object.transform.world_position, camera.target)


class Inset:
    """One camera's picture, shown over the main view.

    Attributes:
        size: width and height, pixels.
        color: texture of the picture.
        buffer: buffer that draws it.
        eye_key: numbers of the camera pose that was set last.
        drawn_at: time of its last drawing, seconds.
        is_due: whether it must be redrawn.
    """

    def __init__(
        self,
        display: Display,
        root: NodePath,
        atmosphere: Atmosphere,
        size: tuple[int, int],
        samples: int,
    ) -> None:
        self._display = display
        self.size = size
        self.color = target("inset")
        self.buffer = display.make_buffer(
            "inset", size, self.color, sort=INSET_ORDER, samples=samples, clears=False
        )
        self.buffer.set_active(False)
        self._camera = BufferCamera("inset", root, atmosphere, self.buffer)
        self.eye_key: tuple[float, ...] = ()
        self.drawn_at = -1.0
        self.is_due = True

    def aim(self, camera: CameraComponent) -> bool:
        """Set the pose from a Camera component; return whether it has moved since the last call."""
        eye = camera.eye
        if eye.numbers == self.eye_key:
            return False
        self.eye_key = eye.numbers
        self._camera.aim(eye, self.size)
        return True

    def close(self) -> None:
        """Free the buffer."""
        self._camera.close()
        self._display.engine.remove_window(self.buffer)


class Insets:
    """The inset views; each is redrawn at most at its camera's rate.

    Attributes:
        samples: samples a pixel of new insets.
        drawn: number of pictures drawn.
    """

    def __init__(
        self, display: Display, root: NodePath, scene: Scene, atmosphere: Atmosphere
    ) -> None:
        self._display = display
        self._root = root
        self._atmosphere = atmosphere
        self._scene = scene
        self._insets: dict[str, Inset] = {}
        self._shown: list[tuple[str, Rectangle, tuple[int, int]]] = []
        self.samples = 0
        self.drawn = 0

    def note_change(self) -> None:
        """Mark all insets for redrawing, after something in the scene changed its look."""
        for inset in self._insets.values():
            inset.is_due = True

    def update(self, size: tuple[int, int], *, is_final: bool) -> bool:
        """Choose the insets that the next present draws; return whether any picture changes.

        Args:
            size: width and height of the main view, pixels.
            is_final: whether to draw all changed insets at once, ignoring their rates.
        """
        cameras = {camera.slot.id: camera for camera in self._scene.camera.insets()}
        shown = [(key, _inside(camera.viewport), size) for key, camera in cameras.items()]
        is_changed = shown != self._shown
        if is_changed:
            self._rearrange(shown)
        now = self._now()
        for key, camera in cameras.items():
            inset = self._insets[key]
            is_due = inset.aim(camera) or inset.is_due
            is_time = is_final or not 0.0 <= now - inset.drawn_at < 1.0 / camera.rate
            inset.is_due = is_due
            inset.buffer.set_active(is_due and is_time)
            if is_due and is_time:
                inset.is_due, inset.drawn_at = False, now
                self.drawn += 1
                is_changed = True
        return is_changed

    def frames(self) -> list[Framed]:
        """Return the pictures of the insets with their places in the view, the topmost last."""
        shown = [(self._insets[key], rectangle) for key, rectangle, _ in self._shown]
        return [Framed(inset.color, rectangle, inset.size) for inset, rectangle in shown]

    @property
    def revision(self) -> object:
        """Identity of the insets' pictures: another object whenever the result of `frames` changes.

        Compare it with that of an earlier call by `is`.
        """
        return self._shown

    def _rearrange(self, shown: list[tuple[str, Rectangle, tuple[int, int]]]) -> None:
        wanted = {key: _pixels(rectangle, size) for key, rectangle, size in shown}
        for key, inset in list(self._insets.items()):
            if wanted.get(key) != inset.size:
                self._insets.pop(key).close()
        for key, size in wanted.items():
            if key not in self._insets:
                self._insets[key] = Inset(
                    self._display, self._root, self._atmosphere, size, self.samples
                )
        self._shown = shown

    def _now(self) -> float:
        """Return the time in seconds that limits the rate of insets.

        It is scene time while a video is recorded frame by frame, else wall-clock time.
        """
        clock = getattr(self._scene.host, "clock", None)
        if clock is not None and clock.frame_step is not None:
            return float(clock.time)
        return time.perf_counter()


def _inside(viewport: Rectangle) -> Rectangle:
    left, top = (min(max(value, 0.0), 0.95) for value in viewport[:2])
    width, height = (max(value, 0.02) for value in viewport[2:])
    return (left, top, min(width, 1.0 - left), min(height, 1.0 - top))


def _pixels(rectangle: Rectangle, size: tuple[int, int]) -> tuple[int, int]:
    width, height = (round(share * side) for share, side in zip(rectangle[2:], size, strict=True))
    return (max(SMALLEST_SIDE, width), max(SMALLEST_SIDE, height))
