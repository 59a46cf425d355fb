"""A curved wall of screens: OpenCV draws a live chart on each, two buttons lie over the view."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any

import numpy as np

from sim import Canvas, HudCanvas, SceneObject, Script, field

WIDTH, HEIGHT, LOW, GAP = 3.2, 2.0, 0.95, 0.16  # of and around a screen, metres
SCREEN, AREA, CONTROLS = (640, 400), (84, 80, 524, 286), (400, 60)  # pixels; AREA: of a chart
SLAB = {"color": [0.17, 0.165, 0.16], "roughness": 0.7}
GLOW = {"color": [1.0, 0.6, 0.2], "emission": 0.7}
BLUE, AMBER, GREEN = (0.38, 0.70, 1.0), (0.97, 0.66, 0.25), (0.45, 0.82, 0.55)
CHARTS = (
    ("Sum of four sines", "waves"), ("Heat map", "heat"), ("Normal draws", "histogram"),
    ("Frame time, ms", "frame_times"), ("Two swings", "swings"), ("Levels", "levels"),
)  # fmt: skip


class ChartWall(Script):
    """Builds the wall, and redraws one screen in each frame."""

    turn: float = field(24.0, min=0, max=60, unit="deg", help="Angle of the side walls at a start")

    def start(self) -> None:
        self.is_paused, self.next = False, 0
        self.draws = self.shares = np.zeros(0)
        self.times, self.seen = deque([0.0] * 120, maxlen=120), time.perf_counter()  # of frames
        self.screens = [self.build_screen(*divmod(number, 3)) for number in range(len(CHARTS))]
        self.paint_floor()
        self.controls = self.hud.canvas(
            "controls", size=CONTROLS, anchor="bottom-right", draw=self.draw_controls
        )
        self.begin()

    def update(self, dt: float) -> None:
        before, self.seen = self.seen, time.perf_counter()
        self.times.append((self.seen - before) * 1000.0)
        if not self.is_paused:
            self.now += dt
            self.draws = np.append(self.draws, self.rng.normal(0.0, 1.0, 12))[-20_000:]
            self.shares = np.clip(self.shares + self.rng.normal(0.0, 0.02, 9), 0.05, 1.0)
            self.draw_screen(self.next)
            self.next = (self.next + 1) % len(CHARTS)

    def begin(self) -> None:
        """Draw new random data, and show it."""
        self.now = 0.0
        self.sines = self.rng.uniform((0.35, 0.5), (1.0, 3.2), (4, 2))  # strength, speed
        self.draws = self.rng.normal(0.0, 1.0, 400)
        self.spots = self.rng.uniform(0.2, 0.8, (3, 2))
        self.shares = self.rng.uniform(0.2, 1.0, 9)
        for number in range(len(CHARTS)):
            self.draw_screen(number)

    def toggle(self) -> None:
        """Pause or resume the charts."""
        self.is_paused = not self.is_paused
        self.controls.redraw()

    def draw_controls(self, canvas: HudCanvas) -> None:
        canvas.rectangle((0, 0, *CONTROLS), (0.07, 0.065, 0.06, 0.85), radius=10)
        canvas.text("Chart wall", (18, 30), size=19, weight=600, valign="middle")
        label = "Resume" if self.is_paused else "Pause"
        canvas.button(label, (134, 10, 112, 40), self.toggle, is_on=self.is_paused)
        canvas.button("New numbers", (256, 10, 134, 40), self.begin)

    def draw_screen(self, number: int) -> None:
        title, kind = CHARTS[number]
        canvas = self.screens[number].canvas
        canvas.clear()
        canvas.text(title, (28, 50), size=32, weight=600)
        note = getattr(self, f"draw_{kind}")(canvas)
        canvas.text(note, (SCREEN[0] - 28, 50), (1, 1, 1, 0.6), size=26, align="right")

    def draw_waves(self, canvas: Canvas) -> str:
        at = np.linspace(0.0, 12.0, 400) + self.now
        total = sum(strength * np.sin(speed * at) for strength, speed in self.sines)
        canvas.grid(AREA, -4, 4, size=22)
        canvas.plot(total, AREA, BLUE, low=-4, high=4, width=4, fill=0.22)
        return f"{self.now:.1f} s"

    def draw_heat(self, canvas: Canvas) -> str:
        y, x = np.mgrid[0:36, 0:64] / np.array([36.0, 64.0])[:, None, None]
        spots = self.spots + 0.14 * np.sin(self.now * np.array([[0.7, 1.1], [1.3, 0.6], [0.9, 2]]))
        heat = sum(np.exp(-30 * ((x - wide) ** 2 + (y - down) ** 2 / 2)) for wide, down in spots)
        canvas.heat_map(heat, (32, 80, 576, 288), low=0, high=1.3, is_smooth=True)
        return "36 × 64"

    def draw_histogram(self, canvas: Canvas) -> str:
        counts, edges = np.histogram(self.draws, bins=32, range=(-3.2, 3.2), density=True)
        curve = np.exp(-(np.linspace(edges[0], edges[-1], 120) ** 2) / 2) / math.sqrt(2 * math.pi)
        canvas.grid(AREA, 0, 0.5, size=22)
        canvas.bars(counts, AREA, AMBER, low=0, high=0.5, gap=0.15)
        canvas.plot(curve, AREA, (1, 1, 1, 0.9), low=0, high=0.5, width=3)
        return f"{len(self.draws):,}"

    def draw_frame_times(self, canvas: Canvas) -> str:
        high = max(40.0, 1.4 * float(np.quantile(self.times, 0.96)))
        canvas.grid(AREA, 0, high, size=22)
        canvas.plot(self.times, AREA, GREEN, low=0, high=high, width=3, fill=0.2)
        canvas.plot([16.7], AREA, AMBER, low=0, high=high)  # 60 frames a second
        return f"{self.times[-1]:.0f}"

    def draw_swings(self, canvas: Canvas) -> str:
        at = self.now * 0.8 - np.linspace(4.0, 0.0, 241)
        places = np.column_stack([320 + 250 * np.sin(2.0 * at), 226 + 130 * np.sin(3.1 * at)])
        for first in range(0, 240, 20):  # what is older is fainter
            canvas.polyline(places[first : first + 21], (*BLUE, (first + 20) / 240), width=4)
        canvas.circle(places[-1], 11, AMBER)
        return "2 : 3.1"

    def draw_levels(self, canvas: Canvas) -> str:
        for row, share in enumerate(self.shares):
            canvas.rectangle((32, 84 + row * 32, 576, 22), (1, 1, 1, 0.08), radius=6)
            color = AMBER if share > 0.8 else GREEN
            canvas.rectangle((32, 84 + row * 32, 576 * share, 22), color, radius=6)
        return f"{self.shares.mean():.0%}"

    def build_screen(self, row: int, column: int) -> SceneObject:
        """Create one screen; the upper row first, each with its column's slab."""
        side, angle, half = column - 1, math.radians(self.turn), WIDTH / 2 + GAP
        z = LOW + HEIGHT / 2 + (1 - row) * (HEIGHT + GAP)
        at = (side * half * (1 + math.cos(angle)), -abs(side) * half * math.sin(angle), z)
        screen = self.put("plane", [WIDTH, HEIGHT], {"unlit": True}, self.object, at)
        screen.transform.rotation = (-side * self.turn, 90.0, 0.0)
        screen.canvas.resize(*SCREEN, background=(0.04, 0.045, 0.055))
        if row == 0:
            high = z + HEIGHT / 2 + GAP
            self.put("box", [2 * half + 0.02, high, 0.2], SLAB, screen, (0, high / 2 - z, -0.11))
            self.put("box", [2 * half, 0.03, 0.02], GLOW, screen, (0, 0.5 - z, -0.01))
        return screen

    def paint_floor(self) -> None:
        y, x = np.mgrid[-1:1:512j, -1:1:512j]  # a pool of light in front of the wall
        light = np.exp(-32 * (x**2 + (y - 0.1) ** 2))[..., None]
        floor = self.put("plane", [90, 90], {"unlit": True}, self.object, (0, 0, 0)).canvas
        floor.pixels[:] = (24, 26, 28) + light * (34, 40, 46)

    def put(self, kind: str, size: Any, look: Any, parent: SceneObject, at: Any) -> SceneObject:
        model = {"builtin": kind, "size": size}
        part = self.scene.spawn("Part", model=model, material=look, parent=parent, position=at)
        part.casts_shadow = False
        return part
