"""Measures frames: their mean times always, and the time of each phase and callback on demand."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable
from typing import Final, cast

from base.language.wording import tr
from sim.core.profiling.spans import Frame, Span, SpanLabel, WorkerSpan

Hears = Callable[[Frame], object]
Put = Callable[[tuple[SpanLabel | float, ...]], object]


class Profiler:
    """Measures phases and callbacks on the main thread, and passes each frame to the listeners.

    Listeners are functions that `listen` adds. Without any, `is_on` is False: `mark` does nothing,
    and scripts are called without measuring.

    Attributes:
        is_on: whether the present frame is recorded.
        put: adds the span of a callback, given a tuple of its label, begin and end (seconds of
            `time.perf_counter`). It is faster than `add`, for code with many spans.
    """

    def __init__(self) -> None:
        self.is_on = False
        self._hearers: list[Hears] = []
        self._labels: dict[tuple[str, str], SpanLabel] = {}
        self._revision = -1
        self._begun = self._marked = 0.0
        self._marks: list[Span] = []
        self._spans: list[SpanLabel | float] = []  # of each: the label, the begin, the end
        self.put: Put = self._spans.extend
        self._answers: list[WorkerSpan] = []
        self._busy_until: dict[int, float] = {}  # by the worker's process

    def listen(self, hears: Hears) -> None:
        """Call a function with each measured frame, from the next frame on.

        Args:
            hears: the function; it is called with the `Frame`.
        """
        if hears not in self._hearers:
            self._hearers.append(hears)

    def unlisten(self, hears: Hears) -> None:
        """Stop calling a function with each frame.

        Args:
            hears: the function; nothing happens if it was not added by `listen`.
        """
        self._hearers = [item for item in self._hearers if item != hears]

    # -- a frame ------------------------------------------------------------------------------

    def begin(self, now: float, revision: int = 0) -> None:
        """Begin a frame.

        Args:
            now: seconds of `time.perf_counter`.
            revision: a number that changes with the scene's objects and components. When it
                changes, all labels are forgotten.
        """
        self.is_on = bool(self._hearers)
        if not self.is_on:
            return
        self._begun = self._marked = now
        for kept in (self._marks, self._spans, self._answers):
            kept.clear()
        if revision != self._revision:
            self._revision = revision
            self._labels.clear()

    def mark(self, label: SpanLabel, ended: float | None = None) -> None:
        """Record a phase that ends now: it began at the last mark, or with the frame.

        Args:
            label: label of the phase.
            ended: when the phase ended, in seconds of `time.perf_counter`; None for now.
        """
        if self.is_on:
            now = time.perf_counter() if ended is None else ended
            self._marks.append(Span(label, self._marked, now))
            self._marked = now

    def end(self, number: int, fixed_steps: int) -> None:
        """End the frame and pass it to the listeners.

        Call it for a frame that was interrupted, too.

        Args:
            number: number of the frame.
            fixed_steps: number of fixed steps that ran in it.
        """
        if not self.is_on:
            return
        self.is_on = False
        labels = tuple(cast(list[SpanLabel], self._spans[::3]))
        begins, ends = (array("d", cast(list[float], self._spans[first::3])) for first in (1, 2))
        marks, answers, now = tuple(self._marks), tuple(self._answers), time.perf_counter()
        frame = Frame(number, self._begun, now, fixed_steps, marks, labels, begins, ends, answers)
        for hears in list(self._hearers):
            hears(frame)

    # -- callbacks ----------------------------------------------------------------------------

    def label(self, slot_id: str, callback: str) -> SpanLabel | None:
        """Return the stored label of a component's callback.

        Args:
            slot_id: id of the component.
            callback: name of the callback, such as "update".

        Returns:
            The label; None if `learn` has not stored it.
        """
        return self._labels.get((slot_id, callback))

    def learn(self, label: SpanLabel) -> SpanLabel:
        """Store the label of a component's callback.

        Args:
            label: the label.

        Returns:
            The label that was stored first for this callback, which is this one if there was none.
        """
        return self._labels.setdefault((label.slot_id, label.name), label)

    def add(self, label: SpanLabel, begun: float) -> None:
        """Add the span of a callback that ends now.

        Args:
            label: label of the callback.
            begun: when the callback began, in seconds of `time.perf_counter`.
        """
        self.put((label, begun, time.perf_counter()))

    # -- workers ------------------------------------------------------------------------------

    def answered(self, worker: str, process: int, asked: float) -> None:
        """Record the time that a worker spent on an answer, which is handled now.

        A worker handles one request at a time, so this time begins after its previous answer.

        Args:
            worker: name of the worker.
            process: process id of the worker.
            asked: when the request was sent, in seconds of `time.perf_counter`.
        """
        if not self.is_on:
            return
        now = time.perf_counter()
        begun = max(asked, self._busy_until.get(process, asked))
        self._busy_until[process] = now
        self._answers.append(WorkerSpan(worker, process, begun, now))


GAUGED_SECONDS: Final = 1.0
FELT_SHARE: Final = 0.2
"""Smallest relative change of the frame time for which the shown text is updated."""
FELT_SECONDS: Final = 0.0005
FELT_STEPS: Final = 0.03


class FrameGauge:
    """Mean frame time and step rate, each over about a second.

    Attributes:
        frame_seconds: mean time of a frame without the wait for the next; None until it is known.
        steps_per_second: fixed steps per second of wall time.
        revision: increases when a figure changed enough to be shown again.
    """

    def __init__(self) -> None:
        self.frame_seconds: float | None = None
        self.steps_per_second = 0.0
        self.revision = 0
        self.restart()

    def restart(self) -> None:
        """Discard the measurements of the present second, for example after a pause."""
        self._wall = self._busy = 0.0
        self._frames = self._steps = 0

    def add(self, wall: float, busy: float, steps: int) -> None:
        """Count a frame.

        Args:
            wall: seconds since the previous frame began.
            busy: seconds that the frame took, without the wait for the next.
            steps: number of fixed steps that it ran.
        """
        self._wall += wall
        self._busy += busy
        self._frames += 1
        self._steps += steps
        if self._wall >= GAUGED_SECONDS:
            self._show(self._busy / self._frames, self._steps / self._wall)
            self.restart()

    def text(self, *, paused: bool) -> str:
        """Return both figures as text for the status bar; "" before they are known.

        Args:
            paused: whether the scene is paused; 0 steps per second are shown.
        """
        if self.frame_seconds is None:
            return ""
        steps = 0.0 if paused else self.steps_per_second
        return tr("{milliseconds:.1f} ms  ·  {steps:,.0f} steps/s").format(
            milliseconds=1000.0 * self.frame_seconds, steps=steps
        )

    def _show(self, seconds: float, steps: float) -> None:
        shown = self.frame_seconds
        is_other = shown is None or abs(seconds - shown) > max(FELT_SECONDS, FELT_SHARE * shown)
        shown_steps = self.steps_per_second
        if is_other or abs(steps - shown_steps) > max(1.0, FELT_STEPS * shown_steps):
            self.frame_seconds, self.steps_per_second = seconds, steps
            self.revision += 1
