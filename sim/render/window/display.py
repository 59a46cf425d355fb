"""The display: one window or offscreen buffer, and the composition of its layers.

One full-screen pass composes the scene (a texture of its own size), the HUD and the panels (both
with premultiplied alpha). A layer that did not change is not drawn again.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from panda3d.core import (
    ConfigVariableInt,
    CullBinManager,
    FrameBufferProperties,
    GraphicsEngine,
    GraphicsOutput,
    GraphicsPipe,
    GraphicsPipeSelection,
    PythonCallbackObject,
    RenderState,
    Texture,
    WindowProperties,
    load_prc_file_data,
)

from base.errors import GoishiError
from base.garbage import collector_waits
from sim.core.canvas.painter import Picture
from sim.core.input.input_actions import InputEvent
from sim.core.profiling.profiler import Profiler
from sim.core.profiling.spans import Phase, SpanLabel
from sim.render.window.compose import NO_EDGES, BareCopy, ComposePass, frame_buffer
from sim.render.window.connection import watch_connection
from sim.render.window.file_drop import Drops, NoDrops, open_drops
from sim.render.window.window_icon import name_icon, show_icon
from sim.render.window.window_input import WindowInput

if TYPE_CHECKING:
    from sim.core.project.run_options import RunOptions


class CullClock:
    """Renders a frame and measures when culling ended, so that drawing can be timed separately.

    Culling is the choice of the objects that a camera can see. Panda3D culls all display regions of
    a frame, in the order of their buffers, before it draws the first.
    """

    def __init__(self) -> None:
        self._callback = PythonCallbackObject(self._cull)
        self._ended: float | None = None

    def render(self, engine: GraphicsEngine) -> float | None:
        """Render the active buffers.

        Returns:
            When the last region was culled, seconds of `time.perf_counter`; None where none was.
        """
        regions = [
            region
            for output in engine.get_windows()
            if output.is_active()
            for region in output.get_active_display_regions()
            if region.get_cull_callback() is None and not region.get_camera().is_empty()
        ]
        self._ended = None
        for region in regions:
            region.set_cull_callback(self._callback)
        try:
            _draw_frame(engine)
        finally:
            for region in regions:
                region.clear_cull_callback()
        return self._ended

    def _cull(self, data: Any) -> None:
        data.upcall()
        self._ended = time.perf_counter()


SETTINGS = """
audio-library-name null
textures-power-2 none
sync-video 0
gl-version 3 3
gl-coordinate-system default
notify-level-display error
notify-level-glgsg error
notify-level-x11display fatal
notify-level-egldisplay fatal
notify-level-device fatal
auto-flip 0
transform-cache 0
"""
QUIET = """
notify-level-display fatal
notify-level-glgsg fatal
notify-level-glxdisplay fatal
notify-level-wgldisplay fatal
notify-level-windisplay fatal
"""
"""Settings with which Panda3D says nothing of a window that it cannot open."""
BEFORE = SpanLabel("before culling", Phase.DRAWING)
CULLING = SpanLabel("culling", Phase.CULLING)
SHARPNESS = 2  # of textures seen at a low angle: samples along the longer side
SOFTWARE_SHARPNESS = 1  # two cost up to forty times as much there, by the angle


class DisplayError(GoishiError):
    """No window or OpenGL is available; the message says what to do."""


class Display:
    """A window, or an offscreen buffer that behaves like one.

    Attributes:
        size: width and height in pixels.
        engine: Panda3D's graphics engine.
        ui_buffer: buffer of the panels; its texture is `ui_texture`.
        is_environment: whether it draws for a learner: fast, and identically in each run.
        is_offscreen: whether there is no window.
        is_lost: whether the connection to the X server has broken off.
        is_software: whether the processor draws instead of a graphics card.
        scene_texture: texture of the scene that is shown.
        viewport: left, top, width and height of the scene in the window, pixels.
        opened_at: when it was open, in seconds of `time.perf_counter`.

    Raises:
        DisplayError: there is no X display or no OpenGL 3.3.
    """

    def __init__(
        self,
        *,
        size: tuple[int, int] = (1280, 720),
        offscreen: bool = False,
        title: str = "Goishi",
        icon: Path | None = None,
        is_quiet: bool = False,
        is_environment: bool = False,
    ) -> None:
        self.size = size
        self.is_lost = False
        self.is_environment = is_environment
        if is_environment:
            _draw_by(CullBinManager.BT_unsorted)
        self._cull_clock = CullClock()
        self.is_offscreen = offscreen
        self.engine: GraphicsEngine = GraphicsEngine.get_global_ptr()
        self.pipe = self._make_pipe(QUIET if is_quiet else "")
        self._loss = None if offscreen else watch_connection()
        self.output = self._open_output(title, icon)
        self.gsg = self.output.get_gsg()
        self._size_before: tuple[int, ...] = ()  # while the window fills the screen
        self._input = None if offscreen else WindowInput(self.output, size, self._resize)
        self._drops: Drops = NoDrops() if offscreen else open_drops(_number_of(self.output))
        self.scene_texture: Texture | None = None
        self.viewport = (0, 0, *size)
        self.is_software = "llvmpipe" in self.renderer or "softpipe" in self.renderer
        self._open_layers()
        sharpness = ConfigVariableInt("texture-anisotropic-degree")
        sharpness.set_value(SOFTWARE_SHARPNESS if self.is_software else SHARPNESS)
        self.opened_at = time.perf_counter()

    @classmethod
    def of_run(cls, options: RunOptions) -> Display:
        """Open the window of a run, or its buffer if the run is headless.

        Raises:
            DisplayError: there is no X display or no OpenGL 3.3.
        """
        return cls(
            size=options.window,
            offscreen=options.headless,
            title="Goishi",
            is_environment=options.is_environment and options.headless,
        )

    @property
    def renderer(self) -> str:
        """Name of the OpenGL renderer."""
        return str(self.gsg.get_driver_renderer())

    # -- opening ------------------------------------------------------------------------------

    def _make_pipe(self, more: str) -> GraphicsPipe:
        is_headless = self.is_offscreen and sys.platform.startswith("linux")
        library = "p3headlessgl" if is_headless else "pandagl"
        load_prc_file_data("goishi", f"{more}{SETTINGS}\nload-display {library}\n")
        if not is_headless and sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
            raise DisplayError("no display found: set DISPLAY, or use --headless")
        pipe = GraphicsPipeSelection.get_global_ptr().make_module_pipe(library)
        if pipe is None:
            found = ctypes.util.find_library("GL")
            hint = "" if found else " (libGL not found: sudo apt-get install libgl1 libegl1)"
            raise DisplayError(f"no OpenGL found{hint}")
        return pipe

    def _open_output(self, title: str, icon: Path | None) -> GraphicsOutput:
        properties = WindowProperties.size(*self.size)
        properties.set_title(title)
        name_icon(properties, icon)
        surface = frame_buffer(alpha=0, depth=0, back=0 if self.is_offscreen else 1)
        is_hidden = self.is_offscreen
        flags = GraphicsPipe.BF_refuse_window if is_hidden else GraphicsPipe.BF_require_window
        output = self.engine.make_output(self.pipe, "output", 0, surface, properties, flags)
        if output is None:
            raise DisplayError("OpenGL gave no drawing surface: is a graphics driver installed?")
        self.engine.open_windows()
        gsg = output.get_gsg()
        if gsg is None or (gsg.get_driver_version_major(), gsg.get_driver_version_minor()) < (3, 3):
            raise DisplayError("OpenGL 3.3 or newer is needed: update the graphics driver")
        output.set_clear_color_active(False)
        if icon is not None and not self.is_offscreen:
            show_icon(_number_of(output), icon)
        return output

    def _open_layers(self) -> None:
        self.ui_texture = Texture("panels")
        self.ui_buffer = self.make_buffer("panels", self.size, self.ui_texture, sort=-10)
        self.ui_buffer.set_clear_color((0, 0, 0, 0))
        self.ui_buffer.set_active(False)
        blank = Texture("blank")
        blank.setup_2d_texture(1, 1, Texture.T_unsigned_byte, Texture.F_rgb)
        self._compose = self._compose_into(self.output, blank)
        self._has_panels = False
        self._hud_texture: Texture | None = None
        self._picture = Texture("picture")
        self._copies_picture = False
        self._smoothed: tuple[int, int, int, int] | None = None
        self._bare: BareCopy | None = None
        self.set_scene(blank, (0, 0, *self.size))

    def make_buffer(
        self,
        name: str,
        size: tuple[int, int],
        color: Texture,
        *,
        depth: Texture | None = None,
        sort: int = -20,
        samples: int = 0,
        clears: bool = True,
    ) -> GraphicsOutput:
        """Create an offscreen buffer that renders to textures.

        Args:
            name: name of the buffer.
            size: width and height, pixels.
            color: texture that receives the colours.
            depth: texture that receives the depths; None for none.
            sort: order among the buffers; a lower one is drawn first.
            samples: samples a pixel; 0 for no multisampling.
            clears: whether colour and depth are cleared before drawing. False is faster, for a
                buffer of which every pixel is drawn.

        Raises:
            DisplayError: the graphics driver cannot create it.
        """
        surface = frame_buffer(alpha=8, depth=24, samples=samples)
        buffer = self._open_buffer(name, size, sort, surface, GraphicsPipe.BF_resizeable)
        copied = GraphicsOutput.RTM_bind_or_copy
        buffer.add_render_texture(color, copied, GraphicsOutput.RTP_color)
        if depth is not None:
            buffer.add_render_texture(depth, copied, GraphicsOutput.RTP_depth)
        buffer.set_clear_color_active(clears)
        buffer.set_clear_depth_active(clears)
        return buffer

    def make_memory_buffer(
        self, size: tuple[int, int], texture: Texture, samples: int, *, has_depth: bool
    ) -> GraphicsOutput:
        """Create an offscreen buffer whose colours or depths are copied to memory.

        Args:
            size: width and height, pixels.
            texture: texture that receives the copy.
            samples: samples a pixel; 0 for no multisampling.
            has_depth: whether depths are copied instead of colours.

        Raises:
            DisplayError: the graphics driver cannot create it.
        """
        surface = frame_buffer(alpha=0, depth=24, samples=samples)
        buffer = self._open_buffer("a picture", size, -35, surface)
        plane = GraphicsOutput.RTP_color
        if has_depth:
            plane = GraphicsOutput.RTP_depth
            texture.set_format(Texture.F_depth_component32)
            texture.set_component_type(Texture.T_float)
        buffer.add_render_texture(texture, GraphicsOutput.RTM_copy_ram, plane)
        buffer.set_clear_color_active(False)
        buffer.set_clear_depth_active(False)
        return buffer

    def _open_buffer(
        self,
        name: str,
        size: Sequence[int],
        sort: int,
        surface: FrameBufferProperties,
        flags: int = 0,
    ) -> GraphicsOutput:
        flags |= GraphicsPipe.BF_refuse_window
        extent = WindowProperties.size(*size)
        buffer = self.engine.make_output(
            self.pipe, name, sort, surface, extent, flags, self.gsg, self.output
        )
        if buffer is None:
            raise DisplayError(f"OpenGL gave no buffer of {size[0]}x{size[1]} for {name}")
        return buffer

    def poll(self) -> list[InputEvent]:
        """Return the input events since the last call."""
        if self._input is None:
            return []
        with _inactive(self._active()):
            _draw_frame(self.engine)  # reads the window's events, and draws nothing
        dropped = [InputEvent("drop", text=path) for path in self._drops.poll()]
        return [*self._input.poll(), *dropped]

    @property
    def is_focused(self) -> bool:
        """Whether the window has the keyboard; True offscreen."""
        return self._input is None or self._input.is_focused

    def lock_pointer(self, is_locked: bool, *, is_confined: bool = True) -> None:
        """Hide the pointer and report only how far it moves, or free it; nothing offscreen.

        Args:
            is_locked: whether to lock it.
            is_confined: whether it also cannot leave the window.
        """
        if self._input is not None:
            self._input.lock_pointer(is_locked, is_confined=is_confined)

    def _active(self) -> list[GraphicsOutput]:
        return [output for output in self.engine.get_windows() if output.is_active()]

    def _resize(self, size: tuple[int, int]) -> None:
        self.size = size
        self.ui_buffer.set_size(*size)

    # -- drawing ------------------------------------------------------------------------------

    def set_scene(
        self,
        texture: Texture,
        viewport: tuple[int, int, int, int],
        *,
        is_even: bool = False,
        smoothing: int = NO_EDGES,
    ) -> None:
        """Show a texture as the scene in a rectangle of the window.

        Args:
            texture: texture of the scene.
            viewport: left, top, width and height, pixels.
            is_even: whether the texture has as many pixels as the rectangle.
            smoothing: which of its edges are smoothed, see `NO_EDGES`.
        """
        self._drop_bare()
        self.scene_texture = texture
        self.viewport = viewport
        self._is_even, self._smoothing = is_even, smoothing
        self._compose.show_scene(texture, viewport, self.size, is_even, smoothing)

    def smooth_edges(self, place: tuple[int, int, int, int] | None) -> None:
        """Set the rectangle in which edges of moving objects are smoothed, from now on.

        Args:
            place: left, top, width and height, pixels of the view; None for no smoothing.
        """
        if place != self._smoothed:
            self._smoothed = place
            self._compose.smooth_edges(place)

    def _compose_into(self, output: GraphicsOutput, scene: Texture) -> ComposePass:
        return ComposePass(output, scene, self.ui_texture, is_software=self.is_software)

    def set_fullscreen(self, is_full: bool) -> None:
        """Enter or leave full screen; does nothing offscreen."""
        if self.is_offscreen or is_full == bool(self._size_before):
            return
        properties = WindowProperties()
        if is_full:
            self._size_before = self.size
            properties.set_fullscreen(True)
            properties.set_size(self.pipe.get_display_width(), self.pipe.get_display_height())
        else:
            properties.set_fullscreen(False)
            properties.set_size(*self._size_before)
            self._size_before = ()
        self.output.request_properties(properties)

    def set_title(self, title: str) -> None:
        """Set the text of the window's title bar; does nothing offscreen."""
        if not self.is_offscreen:
            properties = WindowProperties()
            properties.set_title(title)
            self.output.request_properties(properties)

    def show_window(self) -> None:
        """Restore the window if it is minimised, so that the user sees a question to answer."""
        if self._input is not None and self._input.is_minimized:
            properties = WindowProperties()
            properties.set_minimized(False)
            self.output.request_properties(properties)

    def show_panels(self) -> None:
        """Show the panels' layer from now on."""
        if not self._has_panels:
            self._has_panels = True
            self._compose.show_panels()

    def draw_alone(self, *buffers: GraphicsOutput) -> None:
        """Render these buffers only, at once, and make them inactive.

        Args:
            *buffers: the buffers to draw.
        """
        with _inactive(self._active()):
            for buffer in buffers:
                buffer.set_active(True)
            _draw_frame(self.engine)
        for buffer in buffers:
            buffer.set_active(False)

    def show_hud(self, texture: Texture) -> None:
        """Show a HUD texture from now on; it has the view's size and premultiplied alpha."""
        self._drop_bare()
        self._hud_texture = texture
        self._compose.show_hud(texture)

    def present(self, profiler: Profiler | None = None) -> None:
        """Render the active buffers, compose the layers, show the result.

        Args:
            profiler: records the times of culling and drawing; None measures nothing.
        """
        strange = [output for output in self._active() if output.get_gsg() != self.gsg]
        with _inactive(strange):  # of another display in this process: its turn comes
            self._render(profiler)
        RenderState.garbage_collect()  # nothing else does: it keeps each look, with its textures
        if not self.is_offscreen:
            with collector_waits():
                self.engine.flip_frame()

    def _render(self, profiler: Profiler | None) -> None:
        """Render the active buffers; a profiler that is on gets times of culling and drawing."""
        if profiler is None or not profiler.is_on:
            _draw_frame(self.engine)
            return
        profiler.mark(BEFORE)
        culled = self._cull_clock.render(self.engine)
        if culled is not None:
            profiler.mark(CULLING, culled)

    def present_panels(self) -> None:
        """Redraw only the layer of panels, over the last presented picture of the scene."""
        shown = (self.output, self.ui_buffer)
        with _inactive([output for output in self._active() if output not in shown]):
            self.ui_buffer.set_active(True)
            self.present()

    def image(self) -> Picture:
        """Return the presented picture, with panels, as BGR `[height, width, 3]`."""
        if not self._copies_picture:
            self._copies_picture = True
            self.output.add_render_texture(self._picture, GraphicsOutput.RTM_copy_ram)
            self.present()
        if not self._picture.has_ram_image():
            self.present()
        return _pixels_of(self._picture)

    def scene_image(self) -> Picture:
        """Return the picture of the view without panels, HUD included: BGR `[height, width, 3]`."""
        if self._bare is None:
            self._bare = self._open_bare()
            self.present()
        if not self._bare.picture.has_ram_image():
            self.present()
        return _pixels_of(self._bare.picture)

    def _open_bare(self) -> BareCopy:
        size, surface = self.viewport[2:], frame_buffer(alpha=0, depth=0)
        buffer = self._open_buffer("a picture without panels", size, -5, surface)
        layers = self._compose_into(buffer, self.scene_texture)
        layers.show_scene(self.scene_texture, (0, 0, *size), size, self._is_even, self._smoothing)
        if self._hud_texture is not None:
            layers.show_hud(self._hud_texture)
        return BareCopy(buffer, layers)

    def rest_image(self) -> None:
        """Stop copying each picture to memory; `image` and `scene_image` start it again."""
        self._drop_bare()
        if self._copies_picture:
            self._copies_picture = False
            self.output.clear_render_textures()

    def _drop_bare(self) -> None:
        if self._bare is not None:
            self.engine.remove_window(self._bare.buffer)
            self._bare = None

    def clear(self) -> None:
        """Free all buffers and layers for the next scene; the window stays with its picture."""
        self.rest_image()
        if self._input is not None:
            self._input.lock_pointer(is_locked=False)
            self._input.pads.forget()
        for output in list(self.engine.get_windows()):
            if output != self.output and output.get_gsg() == self.gsg:
                self.engine.remove_window(output)
        self.output.remove_all_display_regions()
        self._open_layers()

    def when_lost(self, end: Callable[[], object]) -> None:
        """Set what is called if the connection to the X server breaks off, for example at its end.

        The call comes amid another call of this class, which never returns: when `end` returns, the
        process ends. On other systems nothing is ever called.

        Args:
            end: called without arguments; it may not draw.
        """
        if self.is_offscreen or self._loss is None:
            return

        def lost() -> None:
            self.is_lost = True
            end()

        self._loss.end = lost

    def close(self) -> None:
        """Close the window and free its buffers."""
        if self.is_lost:
            return
        self._drops.close()
        if self._input is not None:
            self._input.close()
        self.engine.remove_all_windows()
        if self.is_environment:
            _draw_by(CullBinManager.BT_state_sorted)


def _draw_frame(engine: GraphicsEngine) -> None:
    """Let Panda3D draw a frame; it lets other threads run meanwhile."""
    with collector_waits():
        engine.render_frame()


@contextlib.contextmanager
def _inactive(outputs: Sequence[GraphicsOutput]) -> Iterator[None]:
    """Leave windows and buffers out of what is rendered within the `with` block."""
    for output in outputs:
        output.set_active(False)
    try:
        yield
    finally:
        for output in outputs:
            output.set_active(True)


def _number_of(output: GraphicsOutput) -> int:
    """Return a window's handle in the window system; 0 without one."""
    handle = output.get_window_handle()
    return 0 if handle is None else int(handle.get_int_handle())


def _pixels_of(texture: Texture) -> Picture:
    """Return the pixels of a texture in memory as BGR `[h, w, 3]`, the top row first."""
    data = np.frombuffer(texture.get_ram_image_as("BGR"), dtype=np.uint8)
    return data.reshape(texture.get_y_size(), texture.get_x_size(), 3)[::-1].copy()


def _draw_by(order: int) -> None:
    """Set the order in which opaque objects are drawn, for the whole process.

    By default Panda3D sorts them by render state, that is, by memory addresses. Where two surfaces
    are equally far, the first one drawn is seen, so pictures would differ from run to run. Unsorted
    objects are drawn in the order of the scene.

    Args:
        order: Panda3D's bin type, such as `CullBinManager.BT_unsorted`.
    """
    bins = CullBinManager.get_global_ptr()
    bins.set_bin_type(bins.find_bin("opaque"), order)
