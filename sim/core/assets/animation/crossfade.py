"""The way from one pose to what is played next."""

from __future__ import annotations

from sim.core.assets.animation.poses import Pose


class Crossfade:
    """Leads over from a pose within some seconds, slowly at both ends.

    Attributes:
        origin: the pose that it comes from, None where nothing is led over.
    """

    def __init__(self) -> None:
        self.origin: Pose | None = None
        self._seconds = 0.0
        self._passed = 0.0

    def begin(self, origin: Pose | None, seconds: float) -> None:
        """Lead over from a pose; from None, or within no time, nothing is led over."""
        self.origin = origin if seconds > 0.0 else None
        self._seconds, self._passed = seconds, 0.0

    def end(self) -> None:
        """Be at the end at once."""
        self.origin = None

    def advance(self, dt: float) -> None:
        """Let `dt` seconds of the scene pass."""
        self._passed += dt
        if self._passed >= self._seconds:
            self.origin = None

    @property
    def share(self) -> float:
        """How much of the way it has gone, 0 to 1."""
        if self.origin is None:
            return 1.0
        share = self._passed / self._seconds
        return share * share * (3.0 - 2.0 * share)


__all__ = ["Crossfade"]
