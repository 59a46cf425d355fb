"""The playback of clips: one clip's time, the wait for its end, and the cross-fade to it."""

from __future__ import annotations

import math

from sim.core.assets.animation.poses import Pose
from sim.core.tasks.waits import Wait


class Playing:
    """Playback state of one clip.

    Attributes:
        clip: name of the clip.
        loop: whether it starts again after its end.
        speed: speed factor; negative plays backwards.
        time: seconds from the clip's start.
        is_over: whether playback has ended, at the clip's end or because another clip replaced it.
        is_complete: whether the clip was played to its end.
    """

    def __init__(self, clip: str, *, loop: bool, speed: float) -> None:
        self.clip = clip
        self.loop = loop
        self.speed = speed
        self.time = 0.0
        self.is_over = False
        self.is_complete = False

    def advance(self, dt: float, duration: float) -> None:
        """Advance the playback time; it wraps around in a loop and else stops at the clip's end.

        Args:
            dt: seconds to advance, before the speed factor.
            duration: duration of the clip, seconds.
        """
        self.time += dt * self.speed
        if self.loop and duration > 0.0:
            self.time = math.fmod(self.time, duration)
            self.time += duration if self.time < 0.0 else 0.0
        elif not 0.0 <= self.time < duration or duration <= 0.0:
            self.finish(duration)

    def goes_on_as(self, clip: str, *, loop: bool, speed: float) -> bool:
        """Return whether the clip is playing already in the way that is asked for.

        Args:
            clip: name of the clip.
            loop: whether it shall start again after its end.
            speed: its speed; only the direction counts.
        """
        is_same = (self.clip, self.loop) == (clip, loop)
        return is_same and not self.is_over and (self.speed < 0.0) == (speed < 0.0)

    def finish(self, duration: float) -> None:
        """Jump to the clip's end (or its start if played backwards); mark playback as complete.

        Args:
            duration: duration of the clip, seconds.
        """
        self.time = duration if self.speed >= 0.0 else 0.0
        self.is_over = self.is_complete = True


class PlayingEnd(Wait):
    """Wait that ends when a clip ends or is replaced; its result is True only if the clip ended."""

    def __init__(self, playing: Playing) -> None:
        self.playing = playing

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether playback of the clip is over; always True when waits pass instantly.

        Args:
            now: present time, unused.
            instant: whether waits end at once; the clip then counts as played to its end.
        """
        if instant and not self.playing.is_over:
            self.playing.is_complete = True
        return self.playing.is_over or instant

    def result(self) -> bool:
        """Return whether the clip was played to its end."""
        return self.playing.is_complete


class Crossfade:
    """Smooth transition from one pose to the current clip, with ease-in and ease-out.

    Attributes:
        origin: pose to fade from; None while no fade is running.
    """

    def __init__(self) -> None:
        self.origin: Pose | None = None
        self._seconds = 0.0
        self._passed = 0.0

    def begin(self, origin: Pose | None, seconds: float) -> None:
        """Start a fade from the pose `origin` that lasts `seconds`.

        If `origin` is None or `seconds` is 0, there is no fade: the new clip shows at once.
        """
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
        """Weight of the new clip in the pose, 0 to 1, with ease-in and ease-out; 1 if no fade."""
        if self.origin is None:
            return 1.0
        share = self._passed / self._seconds
        return share * share * (3.0 - 2.0 * share)
