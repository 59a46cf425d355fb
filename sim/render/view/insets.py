"""The scene's Camera components: choice of the main view, and inset views over it."""

from __future__ import annotations

import time

from panda3d.core import NodePath

from sim.core.scene.scene import Scene
from sim.core.scene.scene_camera import Camera
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.layers import Framed
from sim.render.passes.passes import target
from sim.render.view.buffer_camera import BufferCamera
from sim.render.view.camera_rig import CameraRig
from sim.render.window.display import Display

Rectangle = tuple[float, float, float, float]
INSET_ORDER = -25  # before what moves, which shows it
SMALLEST_SIDE = 16  # pixels


class MainView:
    """Connects the camera rig to the scene's main Camera component."""

    def __init__(self, scene: Scene, rig: CameraRig) -> None:
        self._scene = scene
        self._rig = rig
        self._owner = ""
        self._key: tuple[str | float, ...] = ()

    def follow(self) -> None:
        """Move the rig to its Camera component, if that has changed or moved.

        While the scene is stopped for editing, the user controls the rig.
        """
        camera = self._scene.camera.choose()
        if camera is None:
            self._rig.mount(None)
            self._owner = ""
            return
        is_new = camera.slot.id != self._owner
        host = self._scene.host
        if not is_new and host is not None and host.is_held:
            self._rig.mount(None)
            return
        self._owner = camera.slot.id
        if camera.look == "ahead":
            self._rig.mount(camera.eye)
            self._key = ()
            return
        self._rig.mount(None)
        key = _standing(camera)
        if key != self._key:
            self._key = key
            self._stand(camera)

    def _stand(self, camera: Camera) -> None:
        rig = self._rig
        rig.fov = camera.fov
        rig.near, rig.far = camera.near, camera.far
        rig.limits_distance = (camera.min_distance, camera.max_distance)
        rig.limits_elevation = (camera.min_elevation, camera.max_elevation)
        rig.place(camera.object.transform.world_position, camera.target)


def _standing(camera: Camera) -> tuple[str | float, ...]:
    return (
        camera.slot.id, *map(float, camera.object.transform.world_position), *camera.target,
        camera.fov, camera.near, camera.far, camera.min_distance, camera.max_distance,
        camera.min_elevation,
        camera.max_elevation,
    )  # fmt: skip


class Inset:
    """Inset: the picture of one camera over the main view."""

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
            "inset", size, self.color, sort=INSET_ORDER, samples=samples
        )
        self.buffer.set_clear_color_active(False)
        self.buffer.set_clear_depth_active(False)
        self.buffer.set_active(False)
        self._camera = BufferCamera("inset", root, atmosphere, self.buffer)
        self.eye_key: tuple[float, ...] = ()
        self.drawn_at = -1.0
        self.is_due = True

    def aim(self, camera: Camera) -> bool:
        """Update the pose from its camera; return whether it moved."""
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
        """Report that something in the scene looks different."""
        for inset in self._insets.values():
            inset.is_due = True

    def update(self, size: tuple[int, int], *, is_final: bool) -> bool:
        """Activate the insets that the next present draws; return whether any changes.

        Args:
            size: width and height of the main view, pixels.
            is_final: draw all changed insets, ignoring their rates.
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
        """Return the pictures with their rectangles: left, top, width, height in shares."""
        return [
            Framed(self._insets[key].color, rectangle, self._insets[key].size)
            for key, rectangle, _ in self._shown
        ]

    @property
    def revision(self) -> object:
        """A value that changes whenever the result of `frames` does."""
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
        """Return seconds: of the scene where its pictures become a video, else of the wall."""
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
