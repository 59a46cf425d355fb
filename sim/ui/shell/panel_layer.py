"""The layer of the panels: laid out anew where what they show has changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sim.render.window.display import Display
from sim.ui.shell.backend import ImGuiBackend
from sim.ui.widgets.guarded import balance, restore

FIRST_PASSES = 9  # new windows are sized in their first
GROWING_PASSES = 3  # of one frame, until a floating panel has the room that it needs
MOST_PASSES = 200  # of one frame, however much was typed in it
SOFTWARE_INTERVAL = 0.15  # seconds between drawings of the panels where the processor draws


@dataclass(eq=False)
class PanelLayer:
    """Lays out the panels when there is something new, and draws them into the display's layer.

    Args:
        display: the window.
        backend: Dear ImGui in it.
        draw_all: lays out all panels once.
        watched: returns values whose change requires a redraw, given the seconds of the wall's
            clock; asked each frame.
        is_growing: whether a floating panel had less room than it needs.
        is_settling: whether the arrangement is still to take its place.
        is_rearranged: whether there is a new arrangement: it is drawn at once.
    """

    display: Display
    backend: ImGuiBackend
    draw_all: Callable[[], object]
    watched: Callable[[float], object]
    is_growing: Callable[[], bool]
    is_settling: Callable[[], bool]
    is_rearranged: Callable[[], bool]

    _drawn_at = 0.0
    _is_wanted = True
    _is_renewed = False
    _is_new = False  # laid out anew since the layer was drawn
    _seen: object = field(default=(), init=False)

    @property
    def has_drawn(self) -> bool:
        """Whether the panels were laid out at least once."""
        return self._drawn_at != 0.0

    def refresh(self) -> None:
        """Lay the panels out at the next drawing, however short ago the last one was."""
        self._is_wanted = True

    def renew(self) -> None:
        """Lay out new windows in full size at the next drawing."""
        self._is_wanted = self._is_renewed = True

    def is_due(self) -> bool:
        """Return whether the panels are to be laid out now."""
        if self._is_wanted or not self.has_drawn or self.is_rearranged():
            return True
        now = time.monotonic()
        if now - self._drawn_at < (SOFTWARE_INTERVAL if self.display.is_software else 1 / 60):
            return False
        seen = self.watched(now)
        is_changed, self._seen = seen != self._seen, seen
        return is_changed

    def draw(self, wall: float, *, force: bool) -> bool:
        """Lay out the panels and draw them; return whether the layer looks different.

        Args:
            wall: seconds since the frame before.
            force: draw all, even where nothing has changed.
        """
        is_renewed = force or self._is_renewed or not self.has_drawn
        self._is_wanted = self._is_renewed = False
        self.lay_out(wall, least=FIRST_PASSES if is_renewed else 1, force=force)
        is_new, self._is_new = self._is_new, False
        self.display.ui_buffer.set_active(is_new)
        return is_new

    def lay_out(self, wall: float = 0.0, *, least: int = 1, force: bool = False) -> None:
        """Lay out the panels, at least `least` times, until they have processed all input.

        A new arrangement is laid out until it stands: no picture shows half of it.
        """
        now = time.monotonic()
        elapsed = now - self._drawn_at if self.has_drawn else wall
        self._drawn_at = now
        count = 0
        while (
            count < least
            or (self.is_growing() and count < GROWING_PASSES)
            or (count < MOST_PASSES and (self.backend.has_unseen or self.is_settling()))
        ):
            self.backend.begin(0.0 if count else elapsed)
            state = balance()
            try:
                self.draw_all()
            finally:
                restore(state)
                self._is_new = self.backend.end(force=force) or self._is_new
            count += 1
