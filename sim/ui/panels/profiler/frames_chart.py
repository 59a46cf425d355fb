"""Frames over time: a bar each, its phases stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import imgui

from sim.core.profiling.spans import Frame, Phase
from sim.ui.panels.profiler.phase_colors import packed_tones
from sim.ui.theme.theme import Theme

HEIGHT: Final = 44.0  # unscaled pixels, at least
STEP: Final = 4.0  # from one bar to the next
TOPS: Final[tuple[int, ...]] = (
    1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000,
)  # fmt: skip
"""What the upper edge may stand for, milliseconds."""
USUAL: Final = 0.95
"""Share of the frames that are as long as the scale, at most."""
SMOOTH: Final = 1000.0 / 60.0
"""Milliseconds of a frame where there are sixty a second."""


class FramesChart:
    """Draws the latest frames, and tells which of them is clicked."""

    def __init__(self) -> None:
        self._phases: dict[int, dict[Phase, float]] = {}  # by the frame's number

    def draw(
        self, theme: Theme, frames: Sequence[Frame], shown: Frame | None, height: float
    ) -> Frame | None:
        """Draw as many of the latest frames as there is room for; return one that is clicked.

        There is one at least.

        Args:
            theme: colours and scale.
            frames: the oldest first.
            shown: the one that is marked.
            height: pixels.
        """
        origin = imgui.get_cursor_screen_pos()
        width = imgui.get_content_region_avail().x
        is_pressed = imgui.invisible_button("frames", imgui.ImVec2(max(1.0, width), height))
        canvas = imgui.get_window_draw_list()
        end = imgui.ImVec2(origin.x + width, origin.y + height)
        canvas.add_rect_filled(origin, end, theme.packed("plot"), theme.px(3))
        step = theme.px(STEP)
        visible = list(frames)[-max(1, int(width / step)) :]
        longest = sorted(frame.seconds for frame in visible)
        top = top_of(1000.0 * longest[int(USUAL * (len(longest) - 1))])
        canvas.push_clip_rect(origin, end, True)  # a rare frame may be longer than the scale
        self._draw_bars(theme, visible, shown, (origin.x, end.y), height / top)
        canvas.pop_clip_rect()
        self._draw_scale(theme, top, origin, end)
        number = int((imgui.get_mouse_pos().x - origin.x) / step)
        frame = visible[min(max(0, number), len(visible) - 1)]  # the last one right of all
        if number < len(visible) and imgui.is_item_hovered():
            self._tell(theme, frame)
        return frame if is_pressed else None

    def _draw_bars(
        self,
        theme: Theme,
        visible: list[Frame],
        shown: Frame | None,
        corner: tuple[float, float],
        pixels: float,
    ) -> None:
        """Draw the bars from their lower left corner, so many pixels a millisecond."""
        canvas, tones = imgui.get_window_draw_list(), packed_tones(theme.name)
        step = theme.px(STEP)
        gap = max(1.0, theme.px(1))
        known, self._phases = self._phases, {}
        for number, frame in enumerate(visible):
            phases = known.get(frame.number) or frame.phases
            self._phases[frame.number] = phases
            left, bottom = corner[0] + number * step, corner[1]
            if frame is shown:
                high = bottom - pixels * 1000.0 * frame.seconds
                canvas.add_rect_filled(
                    imgui.ImVec2(left - gap, high - theme.px(4)),
                    imgui.ImVec2(left + step, bottom),
                    theme.packed("text"),
                )
            for phase, tone in tones.items():
                high = 1000.0 * phases.get(phase, 0.0) * pixels
                if high >= 0.3:
                    canvas.add_rect_filled(
                        imgui.ImVec2(left, bottom - high), imgui.ImVec2(left + step - gap, bottom),
                        tone,
                    )  # fmt: skip
                    bottom -= high

    def _draw_scale(self, theme: Theme, top: int, low: imgui.ImVec2, high: imgui.ImVec2) -> None:
        """Write what the upper edge stands for, and draw the line of sixty frames a second."""
        canvas = imgui.get_window_draw_list()
        text = f"{top} ms"
        size = imgui.calc_text_size(text)
        room = theme.px(3)
        canvas.add_rect_filled(
            low, imgui.ImVec2(low.x + size.x + 2 * room, low.y + size.y), theme.packed("plot", 0.8)
        )
        canvas.add_text(imgui.ImVec2(low.x + room, low.y), theme.packed("muted"), text)
        if top > SMOOTH:
            line = high.y - (high.y - low.y) * SMOOTH / top
            canvas.add_line(
                imgui.ImVec2(low.x, line), imgui.ImVec2(high.x, line), theme.packed("text", 0.45)
            )

    def _tell(self, theme: Theme, frame: Frame) -> None:
        """Say in a tooltip what a frame was spent on."""
        if not imgui.begin_tooltip():
            return
        imgui.text(f"frame {frame.number}  ·  {1000.0 * frame.seconds:.2f} ms")
        for phase, seconds in sorted(frame.phases.items(), key=lambda item: -item[1]):
            imgui.text_colored(theme.vector("muted"), f"{1000.0 * seconds:8.2f} ms  {phase}")
        imgui.text_colored(theme.vector("muted"), "Click: hold the recording and look at it")
        imgui.end_tooltip()


def top_of(milliseconds: float) -> int:
    """Return what the upper edge of the chart stands for, milliseconds.

    >>> top_of(3.2), top_of(17.0), top_of(90000.0)
    (5, 20, 5000)
    """
    return next((top for top in TOPS if top >= milliseconds), TOPS[-1])
