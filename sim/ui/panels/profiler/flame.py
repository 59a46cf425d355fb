"""One frame as a flame graph: phases above, what ran within them below."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from sim.core.profiling.spans import Bar, Frame
from sim.ui.panels.profiler.phase_colors import LETTERS, SHADES, packed_tones
from sim.ui.theme.texts import cut
from sim.ui.theme.theme import Theme

LEAST_WIDTH: Final = 1.5  # pixels; narrower neighbours are drawn as one
NAMED_WIDTH: Final = 26.0  # unscaled pixels of a bar with a name on it


class FlameGraph:
    """Draws a frame, a click on a bar shows it as wide as there is room.

    Attributes:
        whole: nothing is magnified.
    """

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._bars: list[Bar] = []
        self._range = (0.0, 0.0)

    @property
    def whole(self) -> bool:
        """Whether all of the frame is shown."""
        return self._frame is None or self._range == (self._frame.begun, self._frame.ended)

    def show_whole(self) -> None:
        """Show all of the frame again."""
        if self._frame is not None:
            self._range = (self._frame.begun, self._frame.ended)

    def height(self, frame: Frame) -> float:
        """Return the pixels that all rows of a frame take."""
        self._take(frame)
        return self._row * (1 + max((bar.depth for bar in self._bars), default=0))

    def draw(self, theme: Theme, frame: Frame) -> Bar | None:
        """Draw a frame as wide as there is room; return a component's bar that is double-clicked.

        Args:
            theme: colours and scale.
            frame: the one to draw.
        """
        self._take(frame)
        origin = imgui.get_cursor_screen_pos()
        width = max(1.0, imgui.get_content_region_avail().x)
        imgui.invisible_button("flame", imgui.ImVec2(width, max(1.0, self.height(frame))))
        is_hovered = imgui.is_item_hovered()
        self._draw_bars(theme, origin, width)
        if not is_hovered:
            return None
        if imgui.is_mouse_clicked(1):
            self.show_whole()
        bar = self._bar_at(origin, width)
        if bar is None:
            return None
        self._tell(theme, frame, bar)
        if imgui.is_mouse_double_clicked(0) and bar.label.slot_id:
            return bar
        if imgui.is_item_clicked() and bar.ended > bar.begun:
            self._range = (bar.begun, bar.ended)
        return None

    @property
    def _row(self) -> float:
        return imgui.get_text_line_height() + 2.0

    def _take(self, frame: Frame) -> None:
        """Take another frame, and show all of it."""
        if frame is not self._frame:
            self._frame, self._bars = frame, frame.bars()
            self.show_whole()

    def _place(self, moment: float, left: float, width: float) -> float:
        begun, ended = self._range
        share = (moment - begun) / max(ended - begun, 1e-9)
        return left + width * min(1.0, max(0.0, share))

    def _draw_bars(self, theme: Theme, origin: imgui.ImVec2, width: float) -> None:
        canvas = imgui.get_window_draw_list()
        tones = [packed_tones(theme.name, shade) for shade in SHADES]
        begun, ended = self._range
        phases = [bar for bar in self._bars if bar.depth == 0]
        around = 0  # number of the phase that a bar is in
        covered: dict[int, float] = {}  # right end of what is drawn, by depth
        for number, bar in enumerate(self._bars):
            if bar.ended <= begun or bar.begun >= ended:
                continue
            if bar.depth:
                while around + 1 < len(phases) and phases[around + 1].begun <= bar.begun:
                    around += 1
            left = self._place(bar.begun, origin.x, width)
            right = self._place(bar.ended, origin.x, width)
            if right - left < LEAST_WIDTH:
                if left - covered.get(bar.depth, -1e9) < LEAST_WIDTH:
                    continue  # its neighbour is drawn in its place
                right = left + LEAST_WIDTH
            covered[bar.depth] = right
            phase = phases[around].label.phase if bar.depth and phases else bar.label.phase
            low = imgui.ImVec2(left, origin.y + bar.depth * self._row)
            high = imgui.ImVec2(max(left + 1.0, right - 1.0), low.y + self._row - 1.0)
            canvas.add_rect_filled(low, high, tones[number % len(tones)][phase])
            if right - left >= theme.px(NAMED_WIDTH):
                text = cut(name_of(bar), right - left - theme.px(6))
                canvas.add_text(imgui.ImVec2(left + theme.px(3), low.y), LETTERS, text)

    def _bar_at(self, origin: imgui.ImVec2, width: float) -> Bar | None:
        mouse = imgui.get_mouse_pos()
        begun, ended = self._range
        moment = begun + (mouse.x - origin.x) / width * (ended - begun)
        reach = LEAST_WIDTH / width * (ended - begun)  # of what is drawn wider than it is
        depth = int((mouse.y - origin.y) / self._row)
        near = [
            bar for bar in self._bars
            if bar.depth == depth and bar.begun - reach <= moment <= bar.ended + reach
        ]  # fmt: skip
        inside = [bar for bar in near if bar.begun <= moment <= bar.ended]
        return max(inside or near, key=lambda bar: bar.ended - bar.begun, default=None)

    def _tell(self, theme: Theme, frame: Frame, bar: Bar) -> None:
        if not imgui.begin_tooltip():
            return
        seconds = bar.ended - bar.begun
        share = seconds / frame.seconds if frame.seconds else 0.0
        imgui.text(name_of(bar))
        if bar.label.object:
            imgui.text_colored(theme.vector("muted"), bar.label.object)
        imgui.text(f"{1000.0 * seconds:.3f} ms  ·  {share:.1%} of the frame")
        hints = ["Click: magnify"]
        hints += [] if self.whole else ["Right click: the whole frame"]
        hints += ["Double click: open the script"] if bar.label.slot_id else []
        imgui.text_colored(theme.vector("muted"), "\n".join(hints))
        imgui.end_tooltip()


def name_of(bar: Bar) -> str:
    """Return what a bar is called: its step, or class and callback."""
    label = bar.label
    return f"{label.component}.{label.name}" if label.slot_id else label.name
