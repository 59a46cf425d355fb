"""One clip that is played, and the wait for its end."""

from __future__ import annotations

import math

from sim.core.tasks.waits import Wait


class Playing:
    """One clip that is played.

    Attributes:
        time: seconds from the clip's start.
        is_over: it reached its end, or something else took its place.
        is_complete: it reached its end.
    """

    def __init__(self, clip: str, *, loop: bool, speed: float) -> None:
        self.clip = clip
        self.loop = loop
        self.speed = speed
        self.time = 0.0
        self.is_over = False
        self.is_complete = False

    def advance(self, dt: float, duration: float) -> None:
        """Let `dt` seconds of the scene pass."""
        self.time += dt * self.speed
        if self.loop and duration > 0.0:
            self.time = math.fmod(self.time, duration)
            self.time += duration if self.time < 0.0 else 0.0
        elif not 0.0 <= self.time < duration or duration <= 0.0:
            self.finish(duration)

    def finish(self, duration: float) -> None:
        """Go to the end at once."""
        self.time = duration if self.speed >= 0.0 else 0.0
        self.is_over = self.is_complete = True


class PlayingEnd(Wait):
    """Over when a clip has ended, or was replaced; gives whether it ended by itself."""

    def __init__(self, playing: Playing) -> None:
        self.playing = playing

    def ready(self, now: float, instant: bool) -> bool:
        """Whether the clip has ended; at once when time is instant."""
        if instant and not self.playing.is_over:
            self.playing.is_complete = True
        return self.playing.is_over or instant

    def result(self) -> bool:
        """Whether it was played to its end."""
        return self.playing.is_complete
