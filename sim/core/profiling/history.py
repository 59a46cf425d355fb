"""The latest frames, and what their callbacks add up to."""

from __future__ import annotations

from collections import deque
from typing import Final

from sim.core.profiling.spans import Frame, Label

KEPT_FRAMES: Final = 300
KEPT_SPANS: Final = 400_000
"""Of all frames together; fewer frames are kept where each has many."""
Times = dict[Label, tuple[float, int]]


class FrameHistory:
    """Keeps the latest frames; a few hundred, or fewer where a frame has thousands of callbacks.

    Attributes:
        frames: the kept ones, the latest last.
        revision: grows with each change.
    """

    def __init__(self, most: int = KEPT_FRAMES, most_spans: int = KEPT_SPANS) -> None:
        self.frames: deque[Frame] = deque()
        self.revision = 0
        self._most, self._most_spans = most, most_spans
        self._spans = 0
        self._sums: Times = {}
        self._summed: deque[Times] = deque()  # of the first frames
        self._unsummed: deque[Frame] = deque()  # of the others

    def add(self, frame: Frame) -> None:
        """Keep a frame; the oldest ones go."""
        self.revision += 1
        self.frames.append(frame)
        self._unsummed.append(frame)
        self._spans += len(frame.labels)
        is_full = len(self.frames) > self._most
        while is_full or (self._spans > self._most_spans and len(self.frames) > 1):
            self._drop()
            is_full = False

    def clear(self) -> None:
        """Forget all frames."""
        self.revision += 1
        self._spans = 0
        for kept in (self.frames, self._sums, self._summed, self._unsummed):
            kept.clear()

    def times(self) -> Times:
        """Return seconds and calls of each callback over all kept frames."""
        while self._unsummed:
            found = self._unsummed.popleft().own_seconds()
            self._summed.append(found)
            self._count(found, 1)
        return self._sums

    def _drop(self) -> None:
        frame = self.frames.popleft()
        self._spans -= len(frame.labels)
        if self._summed:
            self._count(self._summed.popleft(), -1)
        else:
            self._unsummed.popleft()

    def _count(self, times: Times, sign: int) -> None:
        sums = self._sums
        for label, (seconds, calls) in times.items():
            before, count = sums.get(label, (0.0, 0))
            if count + sign * calls:
                sums[label] = (before + sign * seconds, count + sign * calls)
            else:
                sums.pop(label, None)
