"""Spans of time in a frame, and their sums."""

from __future__ import annotations

import enum
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Phase(enum.StrEnum):
    """A part of the engine's work in a frame."""

    INPUT = "input"
    WORKERS = "workers"
    """Handling the answers of worker processes."""
    SCRIPTS = "scripts"
    COROUTINES = "coroutines"
    PHYSICS = "physics"
    CLIPS = "clips"
    """Computing the poses of models that have joints."""
    CULLING = "culling"
    """Finding what the cameras see, for the picture on the screen."""
    DRAWING = "drawing"
    """Drawing the picture and the HUD, after applying the scene's changes."""
    PANELS = "panels"
    REST = "rest"
    """Everything else: saved files, loaded models, new and removed objects, recordings."""


@dataclass(frozen=True, slots=True, eq=False)
class SpanLabel:
    """What a span measures.

    Attributes:
        name: name of the engine's step, or of a component's callback, such as "update".
        phase: phase of the frame. For a callback it does not count; the callback belongs to the
            phase during which it runs.
        object: path of the component's object; "" for a step of the engine.
        component: name of the component's class; "" for a step of the engine.
        slot_id: id of the component; "" for a step of the engine.
    """

    name: str
    phase: Phase
    object: str = ""
    component: str = ""
    slot_id: str = ""


class Span(NamedTuple):
    """What was measured, and when it began and ended, in seconds of `time.perf_counter`."""

    label: SpanLabel
    begun: float
    ended: float


class Bar(NamedTuple):
    """A span as a bar of a flame graph.

    Attributes:
        label: what was measured.
        begun: when it began, in seconds of `time.perf_counter`.
        ended: when it ended, in the same unit.
        depth: 0 for a phase, 1 and more for callbacks inside it.
    """

    label: SpanLabel
    begun: float
    ended: float
    depth: int


class WorkerSpan(NamedTuple):
    """The time that a worker process spent on one answer.

    Attributes:
        worker: name of the worker.
        process: its process id.
        begun: when work could begin, in seconds of `time.perf_counter`. By then the request was
            sent and the previous one answered.
        ended: when the answer was handled on the main thread, in the same unit.
    """

    worker: str
    process: int
    begun: float
    ended: float


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Measured times of one frame; all times are seconds of `time.perf_counter`.

    Attributes:
        number: number of the frame, from the clock.
        begun: when it began.
        ended: when it ended; the wait for the next frame is not part of it.
        fixed_steps: number of fixed steps that ran in it.
        marks: the phases one after the other, without gaps.
        labels: labels of the callbacks, in the order in which they ended.
        begins: when each callback began.
        ends: when each callback ended.
        answers: answers of workers that were handled in this frame.
    """

    number: int
    begun: float
    ended: float
    fixed_steps: int
    marks: tuple[Span, ...]
    labels: tuple[SpanLabel, ...]
    begins: array[float]
    ends: array[float]
    answers: tuple[WorkerSpan, ...] = ()

    @property
    def seconds(self) -> float:
        """Duration of the frame, seconds."""
        return self.ended - self.begun

    @property
    def phases(self) -> dict[Phase, float]:
        """Seconds of each phase of the frame."""
        found: dict[Phase, float] = {}
        for label, begun, ended in self.marks:
            found[label.phase] = found.get(label.phase, 0.0) + ended - begun
        return found

    def in_order(self) -> Iterator[Span]:
        """Yield the callbacks' spans by begin time; an enclosing span precedes the inner ones."""
        begins, ends = np.frombuffer(self.begins), np.frombuffer(self.ends)
        order = np.lexsort((-np.arange(len(ends)), -ends, begins))
        for number in order.tolist():
            yield Span(self.labels[number], self.begins[number], self.ends[number])

    def bars(self) -> list[Bar]:
        """Return the bars of the flame graph: the phases, then the callbacks, outer ones first."""
        found = [Bar(label, begun, ended, 0) for label, begun, ended in self.marks]
        around: list[float] = []  # ends of those that the next one may be in
        for label, begun, ended in self.in_order():
            while around and around[-1] <= begun:
                around.pop()
            around.append(ended)
            found.append(Bar(label, begun, ended, len(around)))
        return found

    def own_seconds(self) -> dict[SpanLabel, tuple[float, int]]:
        """Return how long and how often each callback ran in the frame.

        Returns:
            Seconds and number of calls, by label. The seconds leave out other callbacks that ran
            inside the callback.
        """
        found: dict[SpanLabel, tuple[float, int]] = {}
        closed: list[tuple[float, float]] = []  # begin and seconds of spans that are in no other
        for label, begun, ended in zip(self.labels, self.begins, self.ends, strict=True):
            took = own = ended - begun
            while closed and closed[-1][0] >= begun:
                own -= closed.pop()[1]
            closed.append((begun, took))
            before, count = found.get(label, (0.0, 0))
            found[label] = (before + own, count + 1)
        return found


class Share(NamedTuple):
    """Time per frame of a component, or of all components of a class.

    Attributes:
        title: name of the component's class.
        object: path of the component's object. For a class: text with the number of objects.
        slot_id: id of the component. For a class: id of one of its components.
        seconds: seconds per frame, without other components' callbacks that ran inside.
        calls: calls per frame.
        callbacks: seconds per frame of each callback, the slowest first.
    """

    title: str
    object: str
    slot_id: str
    seconds: float
    calls: float
    callbacks: Mapping[str, float]


def dearest(
    times: Mapping[SpanLabel, tuple[float, int]], frames: int, most: int, *, by_class: bool = False
) -> list[Share]:
    """Return the components or classes that take the most time, the slowest first.

    Args:
        times: seconds and number of calls of each callback, summed over all recorded frames.
        frames: number of recorded frames.
        most: maximum number of entries to return.
        by_class: True for one entry per class of components, False for one per component.
    """
    members: dict[str, list[SpanLabel]] = {}
    for label in times:
        if label.slot_id:
            members.setdefault(label.component if by_class else label.slot_id, []).append(label)
    sums = {key: sum(times[label][0] for label in labels) for key, labels in members.items()}
    chosen = sorted(sums, key=lambda key: -sums[key])[:most]
    return [_share(members[key], times, max(1, frames), by_class=by_class) for key in chosen]


def _share(
    labels: list[SpanLabel],
    times: Mapping[SpanLabel, tuple[float, int]],
    frames: int,
    *,
    by_class: bool,
) -> Share:
    callbacks: dict[str, float] = {}
    for label in labels:
        callbacks[label.name] = callbacks.get(label.name, 0.0) + times[label][0] / frames
    count = len({label.slot_id for label in labels})
    named = labels[-1]  # the latest: an object may have been moved
    return Share(
        named.component,
        f"{count} object{'s' if count > 1 else ''}" if by_class else named.object,
        named.slot_id,
        sum(callbacks.values()),
        sum(times[label][1] for label in labels) / frames,
        dict(sorted(callbacks.items(), key=lambda item: -item[1])),
    )
