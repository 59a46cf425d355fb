"""Offscreen pictures for scripts: what a camera sees, rendered and read back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
from panda3d.core import GraphicsOutput, NodePath, Texture

from sim.core.geometry.camera_pose import CameraPose
from sim.core.scene.scene_camera import Distances, Picture
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.passes import full_screen_pass, target
from sim.render.view.buffer_camera import BufferCamera
from sim.render.window.compose import NO_EDGES, smoothing_fragment
from sim.render.window.display import Display, DisplayError

MOST_DRAWERS = 4  # buffers that are kept ready


class Drawer:
    """A buffer of one size, with a camera that renders the whole scene into it.

    Args:
        display: display that owns the buffer.
        root: root of the scene's nodes.
        atmosphere: sky and lights of the scene.
        size: width and height, pixels.
        samples: samples a pixel, 0 for no multisampling.
        has_depth: read back distances instead of colours.
        smoothing: how the edges of the picture are smoothed.
    """

    def __init__(
        self,
        display: Display,
        root: NodePath,
        atmosphere: Atmosphere,
        size: tuple[int, int],
        samples: int,
        *,
        has_depth: bool,
        smoothing: int = NO_EDGES,
    ) -> None:
        self._display = display
        self._size = size
        self._texture = Texture("camera picture")
        self._buffer = display.make_memory_buffer(size, self._texture, samples, has_depth=has_depth)
        self._buffers, drawn = [self._buffer], self._buffer
        if smoothing != NO_EDGES:
            color = target("picture drawn")
            drawn = display.make_buffer("picture drawn", size, color, sort=-36, samples=samples)
            drawn.set_clear_color_active(False)
            drawn.set_clear_depth_active(False)
            fragment = smoothing_fragment(smoothing)
            full_screen_pass(self._buffer, fragment, {"scene_layer": color}, sort=0)
            self._buffers.append(drawn)
        for buffer in self._buffers:
            buffer.set_active(False)
        self._camera = BufferCamera("picture", root, atmosphere, drawn)

    @property
    def buffers(self) -> int:
        """How many buffers it has."""
        return len(self._buffers)

    def draw(self, eye: CameraPose, shadows: list[GraphicsOutput]) -> None:
        """Render what a camera pose sees, after the given shadow map buffers."""
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
        """Return distances `[h, w]` along the direction of view, metres; infinite if empty."""
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
    """Renders a scene's offscreen pictures; the buffers of the last few sizes are kept."""

    def __init__(self, display: Display, root: NodePath, atmosphere: Atmosphere) -> None:
        self._display = display
        self._root = root
        self._atmosphere = atmosphere
        self._drawers: dict[tuple[int, int, int, bool, int], Drawer] = {}

    def image(
        self, eye: CameraPose, size: tuple[int, int], *, samples: int, smoothing: int,
        shadows: list[GraphicsOutput],
    ) -> Picture:  # fmt: skip
        """Render what a camera pose sees: RGB `[h, w, 3]`, the top row first.

        Args:
            eye: camera pose.
            size: width and height, pixels.
            samples: samples a pixel, 0 for no multisampling.
            smoothing: how the edges of the picture are smoothed.
            shadows: shadow map buffers to draw first, see `Atmosphere.prepare`.
        """
        drawer = self._drawer(size, samples, has_depth=False, smoothing=smoothing)
        drawer.draw(eye, shadows)
        return drawer.colors()

    def depth(self, eye: CameraPose, size: tuple[int, int]) -> Distances:
        """Render distances `[h, w]` along the direction of view, metres; infinite if empty."""
        drawer = self._drawer(size, 0, has_depth=True)
        drawer.draw(eye, [])
        return drawer.distances(eye)

    def close(self) -> None:
        """Free all buffers."""
        for drawer in self._drawers.values():
            drawer.close()
        self._drawers.clear()

    def _drawer(
        self, size: tuple[int, int], samples: int, *, has_depth: bool, smoothing: int = NO_EDGES
    ) -> Drawer:
        key = (*size, samples, has_depth, smoothing)
        drawer = self._drawers.pop(key, None)
        if drawer is None:
            needed = 1 if smoothing == NO_EDGES else 2
            while sum(item.buffers for item in self._drawers.values()) + needed > MOST_DRAWERS:
                self._drawers.pop(next(iter(self._drawers))).close()
            drawer = Drawer(
                self._display, self._root, self._atmosphere, size, samples,
                has_depth=has_depth, smoothing=smoothing,
            )  # fmt: skip
        self._drawers[key] = drawer
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
