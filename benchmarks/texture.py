"""What a picture of 1024 x 1024 pixels that changes in every frame costs the main thread.

    python -m benchmarks.texture [--frames N] [--size PIXELS]

Each frame gives a texture other pixels, then draws a small quad with it into an offscreen buffer,
so that the driver really takes them. Prints the milliseconds of two things: "hand over", which is
ours, and "driver", the frame in which OpenGL copies the pixels (less a frame that takes none). The
baseline, in turn in the same process, is the plain way of Panda3D: `Texture.set_ram_image_as(bytes,
"BGR")` of a flipped copy, and smaller copies made by the driver.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from panda3d.core import Camera, CardMaker, NodePath, OrthographicLens, SamplerState, Texture

from benchmarks.console import machine, parser_of, verdict
from sim.core.canvas.canvas import Canvas, Picture
from sim.render.materials.painting import CanvasPainter
from sim.render.materials.textures import fill_texture, make_texture
from sim.render.window.display import Display

GOAL = 3.0  # milliseconds of the main thread, at 1024 pixels


def main() -> None:
    """Run the benchmark."""
    options = parser_of(__doc__, frames=120, size=1024).parse_args()
    display = Display(size=(64, 64), offscreen=True)
    print(machine(display.renderer))
    size = options.size
    cases: dict[str, tuple[Any, Callable[[Any, Picture], None]]] = {
        "Goishi": (make_texture("ours", np.zeros((size, size, 3), np.uint8)), fill_texture),
        "plain Panda3D": (_plain_texture(size), _plain_fill),
    }
    benches = {
        name: Bench(display, texture, fill, number)
        for number, (name, (texture, fill)) in enumerate(cases.items())
    }
    for number in range(options.frames):
        picture = np.full((size, size, 3), number % 251, np.uint8)
        for bench in benches.values():
            bench.step(picture)
    totals: dict[str, float] = {}
    for name, bench in benches.items():
        own, driver = statistics.median(bench.own), statistics.median(bench.driver)
        totals[name] = own + driver
        print(
            f"{name:>14}: hand over {own:.2f} ms, driver {driver:.2f} ms, both {own + driver:.2f}"
        )
    ours = statistics.median(benches["Goishi"].own)
    ratio = totals["Goishi"] / totals["plain Panda3D"]
    own = ours / statistics.median(benches["plain Panda3D"].own)
    print(f"{size} x {size}: Goishi / plain Panda3D: {ratio:.2f} in all, {own:.2f} to hand over")
    if size == 1024:
        print(f"goal: {GOAL:g} ms of the main thread to hand over: {verdict(ours <= GOAL)}")
    _print_drawing(size, options.frames)
    display.close()


class Bench:
    """One way to change a texture, with the buffer that draws it."""

    def __init__(
        self, display: Display, texture: Any, fill: Callable[[Any, Picture], None], number: int
    ) -> None:
        self.display, self.texture, self.fill = display, texture, fill
        self.own: list[float] = []
        self.driver: list[float] = []
        card = CardMaker("card")
        card.set_frame(-1, 1, -1, 1)
        node = NodePath(card.generate())
        node.set_texture(texture)
        self.buffer = display.make_buffer(f"bench {number}", (64, 64), Texture(), sort=-40)
        self.buffer.set_active(False)
        camera = node.attach_new_node(Camera("camera", OrthographicLens()))
        camera.set_y(-5)
        self.buffer.make_display_region().set_camera(camera)

    def step(self, picture: Picture) -> None:
        """Change the texture and draw with it; then draw again, to know what that alone costs."""
        self.buffer.set_active(True)
        begun = time.perf_counter()
        self.fill(self.texture, picture)
        filled = time.perf_counter()
        self.display.engine.render_frame()
        drawn = time.perf_counter()
        self.display.engine.render_frame()
        idle = time.perf_counter() - drawn
        self.buffer.set_active(False)
        self.own.append((filled - begun) * 1000.0)
        self.driver.append(max(0.0, drawn - filled - idle) * 1000.0)


def _plain_texture(size: int) -> Any:
    texture = Texture("plain")
    texture.setup_2d_texture(size, size, Texture.T_unsigned_byte, Texture.F_rgb)
    texture.set_minfilter(SamplerState.FT_linear_mipmap_linear)
    return texture


def _plain_fill(texture: Any, picture: Picture) -> None:
    texture.set_ram_image_as(np.ascontiguousarray(picture[::-1]).tobytes(), "BGR")


def _print_drawing(size: int, frames: int) -> None:
    """Print what drawing a chart on a canvas of that size costs."""
    painter = CanvasPainter(lambda: None)  # type: ignore[arg-type, return-value]
    canvas = Canvas((size, size), painter=lambda: painter)
    wave = np.sin(np.linspace(0.0, 20.0, 1_000))
    area = (size * 0.1, size * 0.1, size * 0.8, size * 0.8)
    found: list[float] = []
    for number in range(frames):
        begun = time.perf_counter()
        canvas.clear()
        canvas.grid(area, -1.0, 1.0)
        canvas.plot(np.roll(wave, number), area, (0.4, 0.7, 1.0), low=-1.0, high=1.0)
        canvas.text("Frame time 16.7 ms", (size * 0.1, size * 0.07), size=size / 24)
        found.append((time.perf_counter() - begun) * 1000.0)
    print(
        f"drawing a chart (clear, grid, 1,000 points, text): {statistics.median(found):.2f} ms "
        f"(least {min(found):.2f})"
    )


if __name__ == "__main__":
    main()
