"""The times of the latest frames: for the profiler's panel, and for the file of `--profile`."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from base.errors import GoishiError
from sim.core.profiling.spans import Frame, SpanLabel
from sim.core.profiling.trace_file import TraceFile

if TYPE_CHECKING:
    from sim.core.profiling.profiler import Profiler
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console
    from sim.core.tasks.clock import Clock


KEPT_FRAMES: Final = 300
KEPT_SPANS: Final = 400_000
"""Maximum number of spans (timed calls) in all kept frames; beyond it, frames are dropped."""
Times = dict[SpanLabel, tuple[float, int]]


class FrameHistory:
    """Keeps the recorded times of the latest frames and their sums.

    Keeps a few hundred frames; fewer if each frame has thousands of timed calls.

    Attributes:
        frames: the kept frames, the latest last.
        revision: counter that grows with each change.
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
        """Add a frame; the oldest ones are dropped."""
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
        """Return by label the seconds and the number of calls, summed over all kept frames.

        The seconds of a call leave out the calls inside it. The dict is updated later; do not
        change it.
        """
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


FAILED = 1


@dataclass(eq=False)
class Profiling:
    """Records frame times for the profiler's panel while it is open, and for a trace file.

    Attributes:
        history: the latest frames, for the panel.
        is_paused: whether recording is paused while the user inspects a frame.
        chosen: the frame that the user inspects; None for the latest.
    """

    profiler: Profiler
    clock: Clock
    console: Console
    run: RunContext
    history: FrameHistory = field(default_factory=FrameHistory, init=False)
    is_paused: bool = field(default=False, init=False)
    chosen: Frame | None = field(default=None, init=False)
    _is_watched = False
    _file: TraceFile | None = field(default=None, init=False)

    @property
    def shown(self) -> Frame | None:
        """The inspected frame, or the latest; None if there is none."""
        if self.chosen is not None:
            return self.chosen
        return self.history.frames[-1] if self.history.frames else None

    def watch(self, is_watched: bool) -> None:
        """Start or stop recording the latest frames; recorded frames stay."""
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self._follow()

    def pause(self, number: int | None = None) -> None:
        """Pause recording and inspect a frame.

        Args:
            number: number of a recorded frame; None for the latest.

        Raises:
            LookupError: that frame is not recorded.
        """
        frames = self.history.frames
        if number is not None:
            found = next((frame for frame in frames if frame.number == number), None)
            if found is None:
                known = f"{frames[0].number} to {frames[-1].number}" if frames else "none"
                raise LookupError(f"expected a recorded frame ({known}), found {number}")
            self.chosen = found
        self.is_paused = True
        self._follow()

    def resume(self) -> None:
        """Resume recording with an empty history, because frames in between are missing."""
        self.is_paused = False
        self.chosen = None
        self.history.clear()
        self._follow()

    def write_to(self, path: Path, title: str) -> None:
        """Write a trace in Chrome's format, from the next frame until `close`.

        Args:
            path: path of the file; an existing file is replaced.
            title: name of the process in the trace.

        Raises:
            UsageError: the file cannot be written.
        """
        self._file = TraceFile(path, title)
        self.profiler.listen(self._write)

    def close(self) -> None:
        """Write the remaining frames, including an unfinished one, and close the trace file.

        Further calls do nothing.

        Raises:
            GoishiError: the file cannot be written.
        """
        if self._file is None:
            return
        self.profiler.end(self.clock.frame, self.clock.tick.fixed_steps)
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _write(self, frame: Frame) -> None:
        if self._file is None:
            return
        try:
            self._file.write(frame)
        except GoishiError as error:
            self._file = None
            self.console.error(str(error))
            self.run.finish(FAILED)

    def _follow(self) -> None:
        profiler = self.profiler
        if self._is_watched and not self.is_paused:
            profiler.listen(self.history.add)
        else:
            profiler.unlisten(self.history.add)
