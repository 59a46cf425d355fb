"""What the status bar says of every frame: milliseconds, and fixed steps a second."""

from __future__ import annotations

from typing import Final

GAUGED_SECONDS: Final = 1.0
FELT_SHARE: Final = 0.2
"""Of a frame's time: what changes by less is shown as it was, so that rest draws nothing."""
FELT_SECONDS: Final = 0.0005
FELT_STEPS: Final = 0.03


class FrameGauge:
    """Means of the frames of one second after the other.

    Attributes:
        frame_seconds: what a frame takes, without its wait for the next; None before it is known.
        steps_per_second: fixed steps in a second of wall time.
        revision: grows when one of them becomes different enough to be shown anew.
    """

    def __init__(self) -> None:
        self.frame_seconds: float | None = None
        self.steps_per_second = 0.0
        self.revision = 0
        self.restart()

    def restart(self) -> None:
        """Forget the second under way: time stands still."""
        self._wall = self._busy = 0.0
        self._frames = self._steps = 0

    def add(self, wall: float, busy: float, steps: int) -> None:
        """Count a frame.

        Args:
            wall: seconds since the frame before began.
            busy: seconds that the frame took.
            steps: fixed steps that it ran.
        """
        self._wall += wall
        self._busy += busy
        self._frames += 1
        self._steps += steps
        if self._wall >= GAUGED_SECONDS:
            self._show(self._busy / self._frames, self._steps / self._wall)
            self.restart()

    def text(self, *, paused: bool) -> str:
        """Return both figures; "" before they are known."""
        if self.frame_seconds is None:
            return ""
        steps = 0.0 if paused else self.steps_per_second
        return f"{1000.0 * self.frame_seconds:.1f} ms  ·  {steps:,.0f} steps/s"

    def _show(self, seconds: float, steps: float) -> None:
        shown = self.frame_seconds
        is_other = shown is None or abs(seconds - shown) > max(FELT_SECONDS, FELT_SHARE * shown)
        shown_steps = self.steps_per_second
        if is_other or abs(steps - shown_steps) > max(1.0, FELT_STEPS * shown_steps):
            self.frame_seconds, self.steps_per_second = seconds, steps
            self.revision += 1
