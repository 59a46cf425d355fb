"""Dear ImGui on Panda3D: forwards input to ImGui, renders the panels, provides a clipboard."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from ctypes import string_at
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from imgui_bundle import imgui, implot
from panda3d.core import (
    Camera,
    ColorBlendAttrib,
    Geom,
    GeomEnums,
    GeomNode,
    GeomTriangles,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    SamplerState,
    ScissorAttrib,
    Shader,
    Texture,
)

from base.files import atomic_write, read_regular
from sim.core.assets.assets import stamp
from sim.core.canvas.painter import Picture
from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import names_of
from sim.core.project.data_dir import user_cache_dir
from sim.render.lettering.lettering import usual_lettering
from sim.render.window.display import Display
from sim.ui.theme.panel_text import PanelText
from sim.ui.theme.text_calls import install
from sim.ui.theme.vectors import items_of
from sim.ui.widgets.set_aside import balance, restore

WAIT_SECONDS = 1.0
OWN_TEXT = re.compile(r'\s*\{\s*"format": "goishi\.')
"""How texts of copied objects and components begin."""
Commands = tuple[Sequence[str], Sequence[str]]  # one that writes, one that reads


class Clipboard:
    """The clipboard for text: the system's, if a program that accesses it is installed.

    Otherwise the text is shared only within this process; but copied objects and components are
    shared with other windows of Goishi, through a file in the user's cache.

    Args:
        is_shared: whether to use the system's clipboard; a run without a window should not.
        file: the file; None for none.
    """

    def __init__(self, *, is_shared: bool = True, file: Path | None = None) -> None:
        self.commands = find_commands(os.environ) if is_shared else None
        self.text = ""
        self._file = file if self.commands is None else None
        self._known: object = None

    def install(self, platform: imgui.PlatformIO) -> None:
        """Use this clipboard in ImGui; on Windows ImGui keeps its own.

        Args:
            platform: ImGui's functions for the operating system; changed in place.
        """
        if sys.platform == "win32":
            return
        platform.platform_set_clipboard_text_fn = lambda context, text: self.set(text)
        platform.platform_get_clipboard_text_fn = lambda context: self.get()

    def set(self, text: str) -> None:
        """Store text in the clipboard."""
        self.text = text
        if self.commands is not None:
            _run(self.commands[0], text)
        if self._file is not None and OWN_TEXT.match(text):
            with contextlib.suppress(OSError):  # other windows do not get it then
                self._file.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(self._file, text)
        self._known = self._stamp()

    def get(self) -> str:
        """Return the text of the clipboard."""
        if self.commands is not None:
            found = _run(self.commands[1], None)
            if found is not None:
                return found
        if self._file is not None and self._stamp() not in (None, self._known):
            self._known = self._stamp()
            with contextlib.suppress(OSError, ValueError):
                self.text = read_regular(self._file).decode()
        return self.text

    def _stamp(self) -> object:
        """Return what changes whenever another program writes the file."""
        return None if self._file is None else stamp(self._file)


def find_commands(environment: Mapping[str, str]) -> Commands | None:
    """Return the commands that write and read the clipboard of the desktop session.

    Args:
        environment: environment variables, which name the display server and `PATH`.

    Returns:
        The write command, then the read command; None if no such program is installed.
    """
    choices: list[Commands] = []
    if environment.get("WAYLAND_DISPLAY"):
        choices.append((("wl-copy",), ("wl-paste", "--no-newline")))
    if environment.get("DISPLAY"):
        xclip = ("xclip", "-selection", "clipboard")
        choices.append(((*xclip, "-in"), (*xclip, "-out")))
        choices.append((("xsel", "-b", "-i"), ("xsel", "-b", "-o")))
    if sys.platform == "darwin":
        choices.append((("pbcopy",), ("pbpaste",)))
    path = environment.get("PATH")
    for commands in choices:
        if all(shutil.which(command[0], path=path) for command in commands):
            return commands
    return None


def _run(command: Sequence[str], text: str | None) -> str | None:
    """Run a clipboard program.

    Args:
        command: program and arguments.
        text: text for its standard input; None to read its output instead.

    Returns:
        Its output, "" if `text` is set; None if the program failed or took too long.
    """
    try:
        done = subprocess.run(  # a writer stays behind to serve the text: its output is not ours
            command,
            input=None if text is None else text.encode("utf-8", "replace"),
            stdin=subprocess.DEVNULL if text is None else None,
            stdout=subprocess.PIPE if text is None else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=WAIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return "" if done.stdout is None else done.stdout.decode("utf-8", "replace")


VERTEX_BYTES = 20
INDEX_BYTES = 4  # imgui-bundle is built with 32-bit indices
VERTEX = """
#version 330
uniform vec2 window;
in vec2 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
in vec4 p3d_Color;
out vec2 uv;
out vec4 tint;
void main() {
    uv = p3d_MultiTexCoord0;
    tint = p3d_Color;
    gl_Position = vec4(p3d_Vertex.x / window.x * 2.0 - 1.0, 1.0 - p3d_Vertex.y / window.y * 2.0,
                       0.0, 1.0);
}
"""
FRAGMENT = """
#version 330
uniform sampler2D atlas;
in vec2 uv;
in vec4 tint;
out vec4 color;
void main() {
    vec4 c = tint * texture(atlas, uv);
    color = vec4(c.rgb * c.a, c.a);
}
"""
KEYS = {
    "enter": "enter", "backspace": "backspace", "tab": "tab", "escape": "escape",
    "space": "space", "delete": "delete", "home": "home", "end": "end",
    "arrow_left": "left_arrow", "arrow_right": "right_arrow", "arrow_up": "up_arrow",
    "arrow_down": "down_arrow", "page_up": "page_up", "page_down": "page_down",
}  # fmt: skip
BUTTONS = {"mouse1": 0, "mouse3": 1, "mouse2": 2}
CHILD = int(imgui.WindowFlags_.child_window)
UNTURNED = int(imgui.WindowFlags_.no_scroll_with_mouse)
ATLAS_SIZE = 1024  # pixels of a side, at first: room for all that is usual


class ImGuiBackend:
    """Dear ImGui for one window: receives its input and renders into `display.ui_buffer`."""

    def __init__(self, display: Display) -> None:
        self.display = display
        self.context = imgui.create_context()
        self.plots = implot.create_context()
        self.io = imgui.get_io()
        self.io.set_ini_filename("")
        self.io.backend_flags |= int(imgui.BackendFlags_.renderer_has_textures)
        self.io.config_flags |= int(imgui.ConfigFlags_.nav_enable_keyboard)
        self.context.config_nav_windowing_key_next = 0  # the shell has its own order of parts
        self.context.config_nav_windowing_key_prev = 0
        self.io.config_flags |= int(imgui.ConfigFlags_.docking_enable)
        self.io.config_docking_transparent_payload = True
        self.io.config_windows_move_from_title_bar_only = True
        self.io.config_drag_click_to_input_text = True
        self.io.config_error_recovery_enable_assert = False  # the guard tells what went wrong
        self.io.config_error_recovery_enable_tooltip = False
        self.clipboard = Clipboard(
            is_shared=not display.is_offscreen,
            file=None if display.is_offscreen else user_cache_dir() / "clipboard.json",
        )
        self.clipboard.install(imgui.get_platform_io())
        self._root = NodePath("panels")
        self._root.set_shader(Shader.make(Shader.SL_GLSL, VERTEX, FRAGMENT))
        self._root.set_depth_test(False)
        self._root.set_depth_write(False)
        self._root.set_two_sided(True)
        self._root.set_attrib(
            ColorBlendAttrib.make(
                ColorBlendAttrib.M_add,
                ColorBlendAttrib.O_one,
                ColorBlendAttrib.O_one_minus_incoming_alpha,
            )
        )
        self._root.set_bin("unsorted", 0)
        region = display.ui_buffer.make_display_region()
        camera = Camera("panels", OrthographicLens())
        camera.set_cull_bounds(OmniBoundingVolume())
        region.set_camera(self._root.attach_new_node(camera))
        self._drawing = self._root.attach_new_node("drawing")
        self._format = _vertex_format()
        self._textures: dict[int, Texture] = {}
        self._glyphs: list[imgui.ImTextureData] = []  # pictures of glyphs that have a texture here
        fonts = self.io.fonts
        fonts.tex_min_width = fonts.tex_min_height = ATLAS_SIZE
        self.text = PanelText(fonts, usual_lettering())
        install()
        self._packed = 0  # number of the atlas that the glyphs were packed into last
        self._last: tuple[object, ...] = ()
        self._next_texture = 1
        self._turned = 0.0  # how the wheel was turned that ImGui has not seen yet

    @property
    def has_unseen(self) -> bool:
        """Whether a frame is due: for input that none has processed, or letters that came late."""
        return int(self.context.input_events_queue.size()) > 0 or self.text.is_stale

    @property
    def hides_new(self) -> bool:
        """Whether a window is open that is not seen yet: ImGui only measures it in its first frame.

        So does a menu that a click has just opened.
        """
        return any(
            item.active and item.hidden_frames_cannot_skip_items > 0
            for item in self.context.windows
        )

    def feed(self, event: InputEvent) -> None:
        """Forward one event to ImGui."""
        io = self.io
        if event.kind == "pointer_move":
            io.add_mouse_pos_event(event.x, event.y)
        elif event.kind in ("button_down", "button_up") and event.key in BUTTONS:
            self._feed_modifiers(event)
            io.add_mouse_pos_event(event.x, event.y)
            io.add_mouse_button_event(BUTTONS[event.key], event.kind == "button_down")
        elif event.kind == "wheel":
            io.add_mouse_wheel_event(event.x, event.y)
            self._turned = event.y or self._turned
        elif event.kind == "text":
            io.add_input_characters_utf8(self.text.typed(event.text))
        elif event.kind in ("key_down", "key_up"):
            self._feed_key(event)

    def _feed_key(self, event: InputEvent) -> None:
        is_down = event.kind == "key_down"
        self._feed_modifiers(event)
        for found in names_of(event.key, event.stand_in):
            name = KEYS.get(found, found)
            key = getattr(imgui.Key, name, None) or getattr(imgui.Key, f"_{name}", None)
            if key is not None:
                self.io.add_key_event(key, is_down)
                return

    def _feed_modifiers(self, event: InputEvent) -> None:
        for name in ("shift", "control", "alt"):
            key = getattr(imgui.Key, f"mod_{'ctrl' if name == 'control' else name}")
            self.io.add_key_event(key, name in event.modifiers)

    def begin(self, dt: float) -> None:
        """Begin a frame of ImGui: widgets can be drawn until `end`.

        Args:
            dt: seconds since the last frame.
        """
        imgui.set_current_context(self.context)
        width, height = self.display.size
        self.io.display_size = imgui.ImVec2(width, height)
        self.io.delta_time = max(dt, 1e-4)
        self._renew_glyphs()
        self.text.begin_frame()
        if self._turned:
            self._pass_wheel_on()
        imgui.new_frame()

    def _pass_wheel_on(self) -> None:
        """Let the wheel turn the panel around a list that is at its end.

        ImGui's lists keep the wheel there. The flag holds until the list is drawn again.
        """
        window: imgui.internal.Window | None = self.context.hovered_window
        while window is not None and window.flags & CHILD:
            goal = 0.0 if self._turned > 0 else window.scroll_max.y
            if abs(window.scroll.y - goal) >= 1.0:
                break
            window.flags |= UNTURNED
            window = window.parent_window
        if not self.has_unseen:
            self._turned = 0.0

    def _renew_glyphs(self) -> None:
        """Render all glyphs again if ImGui has rearranged its font texture."""
        fonts = self.io.fonts
        if fonts.tex_next_unique_id != self._packed:
            if self._packed:
                for font in items_of(fonts.fonts):
                    font.clear_output_data()
                self.text.forget()
            self._packed = fonts.tex_next_unique_id

    def end(self, *, force: bool = False) -> bool:
        """End the frame and render it if it differs from the last one.

        Args:
            force: whether to render it even if it is equal.

        Returns:
            Whether it was rendered.
        """
        imgui.render()
        data = imgui.get_draw_data()
        self._update_textures()
        lists = [
            (
                string_at(item.vtx_buffer.data_address(), item.vtx_buffer.size() * VERTEX_BYTES),
                string_at(item.idx_buffer.data_address(), item.idx_buffer.size() * INDEX_BYTES),
                item,
            )
            for item in items_of(data.cmd_lists)
            if item.vtx_buffer.size()
        ]
        drawn = (self.display.size, [item[:2] for item in lists])
        if drawn == self._last and not force:  # bytes are compared much faster than summed up
            return False
        self._last = drawn
        self._drawing.remove_node()
        self._drawing = self._root.attach_new_node("drawing")
        self._drawing.set_shader_input("window", tuple(map(float, self.display.size)))
        for order, (vertices, indices, item) in enumerate(lists):
            self._draw_list(order, vertices, indices, item)
        return True

    def _draw_list(
        self, order: int, vertices: bytes, indices: bytes, item: imgui.ImDrawList
    ) -> None:
        data = GeomVertexData("panels", self._format, Geom.UH_stream)
        data.unclean_set_num_rows(len(vertices) // VERTEX_BYTES)
        data.modify_array_handle(0).copy_data_from(vertices)
        width, height = self.display.size
        for command in items_of(item.cmd_buffer):
            if command.elem_count == 0:
                continue
            left, top, right, bottom = (float(value) for value in command.clip_rect)
            left, right = max(0.0, left), min(float(width), right)
            top, bottom = max(0.0, top), min(float(height), bottom)
            if right <= left or bottom <= top:
                continue
            start = command.idx_offset * INDEX_BYTES
            primitive = GeomTriangles(Geom.UH_stream)
            primitive.set_index_type(GeomEnums.NT_uint32)
            array = primitive.modify_vertices()
            array.unclean_set_num_rows(command.elem_count)
            array.modify_handle().copy_data_from(
                indices[start : start + command.elem_count * INDEX_BYTES]
            )
            geom = Geom(data)
            geom.add_primitive(primitive)
            geom.set_bounds(OmniBoundingVolume())
            node = GeomNode("part")
            node.add_geom(geom)
            node.set_bounds(OmniBoundingVolume())
            node.set_final(True)
            path = self._drawing.attach_new_node(node)
            path.set_attrib(
                ScissorAttrib.make(
                    left / width, right / width, 1.0 - bottom / height, 1.0 - top / height
                )
            )
            texture = self._textures.get(command.get_tex_id())
            if texture is not None:
                path.set_shader_input("atlas", texture)

    def _update_textures(self) -> None:
        """Take over what has changed in the pictures of the glyphs.

        ImGui's own list of them (`data.textures`) is not read. On Windows it has the same Python
        type as `data.cmd_lists`, whichever was read first, so that only one of both can be.
        """
        status = imgui.ImTextureStatus
        item = imgui.get_io().fonts.tex_data
        if item.status == status.want_create:
            texture = Texture("atlas")
            texture.set_minfilter(SamplerState.FT_linear)
            texture.set_magfilter(SamplerState.FT_linear)
            item.set_tex_id(self._next_texture)
            self._textures[self._next_texture] = texture
            self._glyphs.append(item)
            self._next_texture += 1
        for item in tuple(self._glyphs):
            if item.status in (status.want_create, status.want_updates):
                texture = self._textures[item.tex_id]
                texture.setup_2d_texture(
                    item.width, item.height, Texture.T_unsigned_byte, Texture.F_rgba
                )
                pixels = np.asarray(item.get_pixels_array()).reshape(item.height, item.width, 4)
                texture.set_ram_image(np.ascontiguousarray(pixels[..., [2, 1, 0, 3]]).tobytes())
                item.set_status(status.ok)
                self._last = ()
            elif item.status == status.want_destroy and item.unused_frames > 0:
                self._glyphs.remove(item)  # ImGui frees it from now on
                self._textures.pop(item.tex_id, None)
                item.set_tex_id(0)
                item.set_status(status.destroyed)

    def add_picture(self, picture: Picture) -> int:
        """Upload a BGR picture `[h, w, 3]` uint8; return its ImGui texture id."""
        height, width = picture.shape[:2]
        opaque = np.full((height, width, 4), 255, dtype=np.uint8)
        opaque[..., :3] = picture
        texture = Texture("picture")
        texture.set_minfilter(SamplerState.FT_linear)
        texture.set_magfilter(SamplerState.FT_linear)
        texture.setup_2d_texture(width, height, Texture.T_unsigned_byte, Texture.F_rgba)
        texture.set_ram_image(opaque.tobytes())
        number = self._next_texture
        self._textures[number] = texture
        self._next_texture += 1
        return number

    def close(self) -> None:
        """Free ImGui's and ImPlot's contexts."""
        self._glyphs.clear()  # they are the context's
        implot.destroy_context(self.plots)
        imgui.destroy_context(self.context)


def _vertex_format() -> GeomVertexFormat:
    array = GeomVertexArrayFormat()
    array.add_column(InternalName.get_vertex(), 2, Geom.NT_float32, Geom.C_point)
    array.add_column(InternalName.get_texcoord(), 2, Geom.NT_float32, Geom.C_texcoord)
    array.add_column(InternalName.get_color(), 4, Geom.NT_uint8, Geom.C_color)
    result = GeomVertexFormat()
    result.add_array(array)
    return GeomVertexFormat.register_format(result)


FIRST_PASSES = 9  # new windows are sized in their first
GROWING_PASSES = 3  # of one frame, until a floating panel has the room that it needs
MARK_PASSES = 2  # of one frame, after an edit by a panel moved what is marked
MOST_PASSES = 200  # of one frame, however much was typed in it
SOFTWARE_INTERVAL = 0.15  # seconds between drawings of the panels where the processor draws


@dataclass(eq=False)
class PanelLayer:
    """Lays out the panels when something has changed and renders them on top of the 3D view.

    Args:
        display: the window.
        backend: Dear ImGui for this window.
        draw_all: lays out all panels once.
        watched: called each frame with the time in seconds; a change of its result causes a redraw.
        is_growing: returns whether a floating panel had less space than it needs.
        is_settling: returns whether the arrangement of the panels is not final yet.
        is_rearranged: returns whether the arrangement is new and must be drawn at once.
        marked: returns values that change with the place of each mark over the view. After a change
            the panels are laid out in the same frame, so that marks do not lag behind objects.
    """

    display: Display
    backend: ImGuiBackend
    draw_all: Callable[[], object]
    watched: Callable[[float], object]
    is_growing: Callable[[], bool]
    is_settling: Callable[[], bool]
    is_rearranged: Callable[[], bool]
    marked: Callable[[], object] = tuple

    _marks: object = field(default=(), init=False)
    _drawn_at = 0.0
    _is_wanted = True
    _is_renewed = False
    _repeated = 0  # how often the next drawing is laid out, at least
    _is_new = False  # laid out anew since the layer was drawn
    _seen: object = field(default=(), init=False)

    @property
    def has_drawn(self) -> bool:
        """Whether the panels were laid out at least once."""
        return self._drawn_at != 0.0

    def refresh(self) -> None:
        """Lay out the panels at the next drawing, even if the last one was very recent."""
        self._is_wanted = True

    def repeat(self, passes: int) -> None:
        """Lay out the panels several times at the next drawing, as a moving focus needs it.

        Args:
            passes: number of times, at least.
        """
        self._is_wanted, self._repeated = True, max(self._repeated, passes)

    def renew(self) -> None:
        """Repeat the layout at the next drawing until new windows have their full size."""
        self._is_wanted = self._is_renewed = True

    def is_due(self) -> bool:
        """Return whether the panels are to be laid out now."""
        if self._is_wanted or not self.has_drawn or self.is_rearranged():
            return True
        if self.marked() != self._marks:
            return True
        now = time.monotonic()
        if now - self._drawn_at < (SOFTWARE_INTERVAL if self.display.is_software else 1 / 60):
            return False
        seen = self.watched(now)
        is_changed, self._seen = seen != self._seen, seen
        return is_changed

    def draw(self, wall: float, *, force: bool) -> bool:
        """Lay out the panels and render them.

        Args:
            wall: real time since the last frame, seconds.
            force: whether to render everything, even if nothing has changed.

        Returns:
            Whether the picture has changed.
        """
        is_renewed = force or self._is_renewed or not self.has_drawn
        least = max(1, self._repeated, FIRST_PASSES if is_renewed else 1)
        self._is_wanted = self._is_renewed = False
        self._repeated = 0
        self.lay_out(wall, least=least, force=force)
        is_new, self._is_new = self._is_new, False
        self.display.ui_buffer.set_active(is_new)
        return is_new

    def lay_out(self, wall: float = 0.0, *, least: int = 1, force: bool = False) -> None:
        """Lay out the panels, repeatedly if needed, until all input is processed.

        A new arrangement is laid out until it is final, so that no picture shows it half done.

        Args:
            wall: seconds since the last frame; used at the first layout only.
            least: smallest number of repetitions.
            force: whether to render even if nothing has changed.
        """
        now = time.monotonic()
        elapsed = now - self._drawn_at if self.has_drawn else wall
        self._drawn_at = now
        count = 0
        while (
            count < least
            or (self.is_growing() and count < GROWING_PASSES)
            or (count < MARK_PASSES and self.marked() != self._marks)
            or (count < MOST_PASSES and (self.backend.has_unseen or self.is_settling()))
        ):
            self.backend.begin(0.0 if count else elapsed)
            self._marks = self.marked()
            state = balance()
            try:
                self.draw_all()
            finally:
                restore(state)
                self._is_new = self.backend.end(force=force) or self._is_new
            count += 1
        if self.backend.hides_new:
            self.refresh()  # nothing else might happen until it is seen
