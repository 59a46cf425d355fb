"""Playback of one clip, and the wait for its end."""

from __future__ import annotations

import math

from sim.core.tasks.waits import Wait


class Playing:
    """Playback state of one clip.

    Attributes:
        time: seconds from the clip's start.
        is_over: it reached its end, or was replaced.
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
        """Advance by `dt` seconds; `duration` is the clip's, in seconds."""
        self.time += dt * self.speed
        if self.loop and duration > 0.0:
            self.time = math.fmod(self.time, duration)
            self.time += duration if self.time < 0.0 else 0.0
        elif not 0.0 <= self.time < duration or duration <= 0.0:
            self.finish(duration)

    def finish(self, duration: float) -> None:
        """Jump to the end of the clip, `duration` seconds."""
        self.time = duration if self.speed >= 0.0 else 0.0
        self.is_over = self.is_complete = True


class PlayingEnd(Wait):
    """Waits until a clip has ended or was replaced; the result is True when it ended."""

    def __init__(self, playing: Playing) -> None:
        self.playing = playing

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the clip has ended; always true when time is instant."""
        if instant and not self.playing.is_over:
            self.playing.is_complete = True
        return self.playing.is_over or instant

    def result(self) -> bool:
        """Return whether the clip was played to its end."""
        return self.playing.is_complete
