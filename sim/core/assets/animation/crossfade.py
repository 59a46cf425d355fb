"""Cross-fade from one pose to the clip that is played next."""

from __future__ import annotations

from sim.core.assets.animation.poses import Pose


class Crossfade:
    """Blends from a pose to the next within some seconds, with ease-in and ease-out.

    Attributes:
        origin: pose to fade from, None while there is no fade.
    """

    def __init__(self) -> None:
        self.origin: Pose | None = None
        self._seconds = 0.0
        self._passed = 0.0

    def begin(self, origin: Pose | None, seconds: float) -> None:
        """Start a fade from a pose; None or zero seconds means no fade."""
        self.origin = origin if seconds > 0.0 else None
        self._seconds, self._passed = seconds, 0.0

    def end(self) -> None:
        """End the fade at once."""
        self.origin = None

    def advance(self, dt: float) -> None:
        """Advance the fade by `dt` seconds."""
        self._passed += dt
        if self._passed >= self._seconds:
            self.origin = None

    @property
    def share(self) -> float:
        """Progress of the fade, 0 to 1."""
        if self.origin is None:
            return 1.0
        share = self._passed / self._seconds
        return share * share * (3.0 - 2.0 * share)


__all__ = ["Crossfade"]
