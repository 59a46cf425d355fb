"""A tape: the recorded moments of a scene, each stored as its differences from the one before.

An object that does not move takes no memory. A number is stored only where its bits changed, so
every moment is restored exactly.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from base.errors import FieldError
from sim.core.scene.object_state import ABSENT, ObjectState
from sim.core.scene.scene import SceneObject

EXPECTED = "numbers, texts, arrays, lists, sets or dicts of them"
SIMPLE = (type(None), bool, int, float, complex, str, bytes)
DEEPEST = 30
ENTRY = 64
"""Approximate bytes of a small value."""


def frozen(value: object, where: str, depth: int = 0) -> object:
    """Return a deep copy of a plain value, so that later changes do not affect the recording.

    Args:
        value: a number, text, array, or a list, tuple, set or dict of these.
        where: name of the value in error messages.
        depth: present nesting depth; leave at 0.

    Raises:
        FieldError: a part of the value is something else, or it is nested too deeply.
    """
    kind = type(value)
    if kind in SIMPLE:
        return value
    if depth > DEEPEST:
        raise FieldError(where, expected=f"at most {DEEPEST} levels", found="more")
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.copy()
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return value
    if isinstance(value, list):
        return [frozen(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, tuple) and kind is tuple:
        return tuple(frozen(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value))
    if isinstance(value, set | frozenset):
        items = {frozen(item, where, depth + 1) for item in value}
        return items if isinstance(value, set) else frozenset(items)
    if isinstance(value, Mapping):
        return {
            frozen(key, where, depth + 1): frozen(item, f"{where}[{key!r:.40}]", depth + 1)
            for key, item in value.items()
        }
    raise FieldError(where, expected=EXPECTED, found=f"{kind.__name__} {value!r:.60}")


def weight(value: object) -> int:
    """Return approximately how many bytes of memory a plain value takes."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes) + ENTRY
    if isinstance(value, str | bytes):
        return len(value) + ENTRY
    if isinstance(value, Mapping):
        return ENTRY + sum(weight(key) + weight(item) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ENTRY + 8 * len(value) + sum(weight(item) for item in value if type(item) is not str)
    return ENTRY


Numbers = npt.NDArray[np.float64]
Index = npt.NDArray[np.int32]
Key = tuple[str, ...]
"""Key of a recorded value, such as `("field", component id, name)` or `("children", object id)`."""
MarkKind = Literal["warning", "error", "episode"]
EVERY: Final = 64  # moments between two that are kept whole while one looks back


class PastObject(NamedTuple):
    """One object at a recorded moment.

    Attributes:
        source: the object itself, or its state if the recording was read from a file.
        row: row of its transform in the moment's array "transforms".
        enabled: whether it was itself enabled, whatever its parents were.
        visible: whether it was itself visible, whatever its parents were.
    """

    source: SceneObject | ObjectState
    row: int
    enabled: bool
    visible: bool


@dataclass(frozen=True)
class Mark:
    """An event in the recording that the timeline shows.

    Attributes:
        kind: "warning", "error" or "episode" (the end of an episode).
        time: scene time of the event, seconds.
        text: text shown to the user.
        begun: scene time at which the episode began, seconds; equals `time` for other kinds.
        episode: number of the episode that ended; 0 for other kinds and in a file.
    """

    kind: MarkKind
    time: float
    text: str
    begun: float
    episode: int = 0


class ConsoleLine(NamedTuple):
    """A recorded line of the console.

    Attributes:
        time: scene time at which it was written, seconds.
        level: its level, such as "warning".
        text: its text.
    """

    time: float
    level: str
    text: str


class ArrayDifference(NamedTuple):
    """The differences between two arrays of numbers.

    Attributes:
        size: length of the second array.
        places: indices of the changed numbers, `[k]`.
        numbers: their new values, `[k]`.
    """

    size: int
    places: Index
    numbers: Numbers


@dataclass(slots=True)
class Step:
    """The differences between a moment and the previous one.

    Attributes:
        time: scene time of the moment, seconds.
        cells: changed numbers by name of the array.
        values: changed values by key; `ABSENT` for removed ones.
        marks: events at this moment.
        lines: console lines written at this moment.
        bytes: approximate memory that the step takes.
    """

    time: float
    cells: dict[str, ArrayDifference] = field(default_factory=dict)
    values: dict[Key, object] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    lines: tuple[ConsoleLine, ...] = ()
    bytes: int = 0


@dataclass(slots=True)
class Moment:
    """The complete recorded state of a scene at one time.

    Attributes:
        time: scene time, seconds.
        arrays: flat arrays of numbers by name, such as "transforms".
        values: all recorded values that are not in the arrays, by key; see `Key`.
    """

    time: float = 0.0
    arrays: dict[str, Numbers] = field(default_factory=dict)
    values: dict[Key, object] = field(default_factory=dict)

    def copy(self) -> Moment:
        """Return a copy; the values in it are shared, as nobody changes them."""
        arrays = {name: numbers.copy() for name, numbers in self.arrays.items()}
        return Moment(self.time, arrays, dict(self.values))

    def apply(self, step: Step) -> None:
        """Change this moment to the next one by applying the differences."""
        self.time = step.time
        for name, cells in step.cells.items():
            numbers = resized(self.arrays.get(name, np.empty(0)), cells.size)
            numbers[cells.places] = cells.numbers
            self.arrays[name] = numbers
        for key, value in step.values.items():
            if value is ABSENT:
                self.values.pop(key, None)
            else:
                self.values[key] = value

    def objects(self) -> dict[str, PastObject]:
        """Return the objects at this moment, by their ids."""
        return {
            key[1]: value for key, value in self.values.items() if isinstance(value, PastObject)
        }

    def children(self) -> dict[str, tuple[str, ...]]:
        """Return the ids of each object's children in order, by id of the object.

        The key "" has the objects without a parent.
        """
        return {key[1]: texts(value) for key, value in self.values.items() if key[0] == "children"}


def texts(value: object) -> tuple[str, ...]:
    """Return a recorded value as a tuple of texts; empty if it is no tuple."""
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def resized(numbers: Numbers, size: int) -> Numbers:
    """Return an array cut or filled with zeros to a size; the array itself if it has that size."""
    if len(numbers) == size:
        return numbers
    made = np.zeros(size)
    made[: min(size, len(numbers))] = numbers[:size]
    return made


def difference(
    before: Numbers, now: Numbers, last: Index | None
) -> tuple[ArrayDifference | None, int]:
    """Return the differences between two arrays, and the memory that storing them takes.

    Args:
        before: flat array of any size.
        now: flat array of any size.
        last: indices of the previous difference. If they are equal to the new ones, they are used
            again and take no further memory. None if there is no previous difference.

    Returns:
        The difference, or None if the arrays are equal, and its memory in bytes.
    """
    base = resized(before, len(now))
    changed = np.flatnonzero(base.view(np.int64) != now.view(np.int64)).astype(np.int32)
    if not len(changed) and len(before) == len(now):
        return None, 0
    numbers = now[changed]
    if last is not None and np.array_equal(last, changed):
        return ArrayDifference(len(now), last, numbers), int(numbers.nbytes) + ENTRY
    return ArrayDifference(len(now), changed, numbers), int(numbers.nbytes + changed.nbytes) + ENTRY


class Tape:
    """Recorded moments in the order of time: the first complete, the others as differences.

    Attributes:
        first: the oldest moment.
        steps: differences, each leading to the next moment.
        bytes: approximate memory that the steps take.
        revision: increases with each change.
    """

    def __init__(self, first: Moment, steps: list[Step] | None = None) -> None:
        self.first = first
        self.steps = list(steps or ())
        self.bytes = sum(step.bytes for step in self.steps)
        self.revision = 0
        self._whole: dict[int, Moment] = {}
        self._at: tuple[int, Moment] | None = None

    def __len__(self) -> int:
        return 1 + len(self.steps)

    def time_of(self, index: int) -> float:
        """Return the scene time of a moment, seconds."""
        return self.steps[index - 1].time if index else self.first.time

    @property
    def begin(self) -> float:
        """Scene time of the oldest moment, seconds."""
        return self.first.time

    @property
    def end(self) -> float:
        """Scene time of the latest moment, seconds."""
        return self.time_of(len(self) - 1)

    @property
    def span(self) -> float:
        """Seconds of scene time from the oldest moment to the latest."""
        return self.end - self.begin

    def index_at(self, time: float) -> int:
        """Return the number of the latest moment that is not after a scene time."""
        return min(
            bisect.bisect_right(self.steps, time + 1e-9, key=lambda step: step.time),
            len(self.steps),
        )

    def moment(self, index: int) -> Moment:
        """Return the moment with an index.

        Do not change it. It is valid only until the next call.

        Args:
            index: index of the moment, 0 for the oldest.

        Raises:
            IndexError: there is no such moment.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"moment: expected 0 to {len(self) - 1}, found {index}")
        start = max((known for known in self._whole if known <= index), default=0)
        if self._at is not None and start <= self._at[0] <= index:
            start, found = self._at
        else:
            found = self._whole.get(start, self.first).copy()
        while start < index:
            found.apply(self.steps[start])
            start += 1
            if start % EVERY == 0 and start not in self._whole:
                self._whole[start] = found.copy()
        self._at = (index, found)
        return found

    def marks(self) -> list[Mark]:
        """Return all marks."""
        return [mark for step in self.steps for mark in step.marks]

    def lines(self, index: int) -> list[ConsoleLine]:
        """Return the lines of the console up to a moment."""
        return [line for step in self.steps[:index] for line in step.lines]

    # -- growing and shrinking ----------------------------------------------------------------

    def append(self, step: Step) -> None:
        """Add a moment at the end."""
        step.bytes += 2 * ENTRY + sum(ENTRY + weight(value) for value in step.values.values())
        step.bytes += sum(ENTRY + len(line.text) for line in step.lines)
        self.steps.append(step)
        self.bytes += step.bytes
        self._note()

    def drop(self, count: int) -> None:
        """Delete the oldest `count` moments."""
        for step in self.steps[:count]:
            self.first.apply(step)
            self.bytes -= step.bytes
        del self.steps[:count]
        self._note()

    def cut(self, index: int) -> None:
        """Delete all moments after the one with an index."""
        self.bytes -= sum(step.bytes for step in self.steps[index:])
        del self.steps[index:]
        self._note()

    def part(self, begin: int, end: int) -> Tape:
        """Return a new tape of a range of moments.

        Args:
            begin: index of the first moment.
            end: index of the last moment, included.
        """
        return Tape(self.moment(begin).copy(), self.steps[begin:end])

    def settle(self) -> None:
        """Free the memory of complete moments that were stored for quick access."""
        self._whole.clear()
        self._at = None

    def _note(self) -> None:
        self.revision += 1
        self.settle()
