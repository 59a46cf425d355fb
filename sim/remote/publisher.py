"""Publishes snapshots of the scene at the ends of frames, for the threads that answer programs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Protocol, cast

from base import wire
from base.errors import GoishiError
from sim.core.scene.fields import collect_fields
from sim.core.scene.scene import ComponentSlot, Scene
from sim.remote.reads import COMPONENT, LINES, LOOKS
from sim.remote.snapshot import Key, NotPublishedError, Snapshot, Structure, freeze

if TYPE_CHECKING:
    from sim.core.tasks.clock import Clock

READS: Final = (
    "about", "time", "find", "objects", "read_object", "component", "fields", "read_field",
    "read_many", "metrics", "metric", "console",
)  # fmt: skip
"""Calls that change nothing and that snapshots answer."""
BATCH: Final = ("kinds", "ids", "keys")
"""Names of the arguments of a batch."""
SHARE: Final = 0.05
"""Greatest share of the main thread's time for snapshots while nobody reads."""
READING_SHARE: Final = 0.2
"""Greatest share of the main thread's time for snapshots while a program reads."""
READING_SECONDS: Final = 1.0
"""Seconds after a read for which a program counts as reading."""
LEAST_SECONDS: Final = 0.001
"""Seconds for the values of a snapshot that nobody has asked for yet, at least."""
LARGE: Final = 1000
"""Size of an array from which on snapshots hold it only if it was asked for."""
KEPT_SECONDS: Final = 5.0
"""Seconds for which a value that was asked for is part of each snapshot."""
KEPT_SNAPSHOTS: Final = 3
"""Number of snapshots of which it is part at least."""
MOST_WANTED: Final = 20_000
"""Greatest number of values that are kept because they were asked for."""


class LiveReads(Protocol):
    """Reads the values that snapshots keep, on the main thread."""

    def read(self, key: Key) -> object:
        """Return the present value.

        Raises:
            GoishiError: it cannot be read.
        """

    def facts(self) -> Mapping[str, object]:
        """Return the results of the calls without arguments."""


class Publisher:
    """Publishes snapshots of a scene.

    Each holds where all objects are, their names and the tree. Of the values of fields it holds
    those that programs asked for lately, and as many others as `SHARE` of the time allows. So it
    holds all of them where frames are slow, which is where waiting for a frame would be long. Where
    frames are so quick that snapshots would take too much of them, there is none: programs then
    wait for the end of such a frame.

    Args:
        scene: the scene.
        clock: its clock.
        live: reads values of the scene.

    Attributes:
        snapshot: that of the latest frame, for any thread; None if there is none, or if the scene
            has changed since.
    """

    def __init__(self, scene: Scene, clock: Clock, live: LiveReads) -> None:
        self.snapshot: Snapshot | None = None
        self._scene, self._clock, self._live = scene, clock, live
        self._structure: Structure | None = None
        self._slots: list[ComponentSlot] = []
        self._wanted: dict[Key, tuple[float, int]] = {}
        self._count = 0
        self._asked = -math.inf
        self._has_missed = False
        self._ended = time.perf_counter()
        self._cost = 0.0

    @property
    def frame(self) -> int:
        """Number of the latest frame."""
        return self._clock.frame

    def read(self, name: str, arguments: Mapping[str, object]) -> tuple[object, int]:
        """Answer a call from the latest snapshot; for any thread.

        Args:
            name: one of `READS`.
            arguments: its arguments, which fit.

        Returns:
            The result, and the number of the frame.

        Raises:
            NotPublishedError: there is no snapshot, or it does not hold this.
            PublishedError: reading it failed; it names the frame.
        """
        snapshot = self.snapshot
        if snapshot is None:
            raise NotPublishedError
        try:
            found = getattr(snapshot, name)(**arguments)
        except NotPublishedError:
            self._has_missed = True
            raise
        except GoishiError as error:
            raise PublishedError(error, snapshot.frame) from None
        return found, snapshot.frame

    def want(self, name: str, arguments: Mapping[str, object]) -> None:
        """Note that a program has asked for values, so that the next snapshots hold them.

        Args:
            name: one of `READS`.
            arguments: its arguments, which fit.
        """
        now = self._asked = time.monotonic()
        for key in _keys_of(name, arguments):
            if len(self._wanted) < MOST_WANTED:
                self._wanted[key] = (now, self._count)

    def forget(self) -> None:
        """Withdraw the latest snapshot, because the scene has changed since."""
        self.snapshot = None

    def publish(self) -> None:
        """Publish a snapshot of the scene as it is; none if that would cost too much time."""
        begun = time.perf_counter()
        passed = begun - self._ended
        is_reading = time.monotonic() - self._asked < READING_SECONDS
        share = READING_SHARE if is_reading else SHARE
        if self._cost > share * passed and not self._has_missed:
            self.snapshot = None
            return
        self._has_missed = False
        scene = freeze(self._scene, self._structure)
        if scene.structure is not self._structure:
            self._structure = scene.structure
            self._slots = self._scene.components()
        values = {key: self.value(key) for key in self._still_wanted()}
        self._cost = time.perf_counter() - begun
        latest = begun + max(self._cost + LEAST_SECONDS, SHARE * passed)
        for key in _offered_keys(self._scene, self._slots):
            if time.perf_counter() > latest:
                break
            if key not in values:
                values[key] = self.value(key)
        self._count += 1
        self.snapshot = Snapshot(self._clock.frame, scene, self._live.facts(), values)
        self._ended = time.perf_counter()

    def _still_wanted(self) -> list[Key]:
        """Return the values that programs asked for lately; drop the others."""
        now, wanted = time.monotonic(), self._wanted.copy()  # other threads add to it
        for key, (asked, count) in wanted.items():
            if now - asked > KEPT_SECONDS and self._count - count > KEPT_SNAPSHOTS:
                self._wanted.pop(key, None)
        return list(self._wanted.copy())

    def value(self, key: Key) -> object:
        """Return a copy of a present value, or the error that reading it raised.

        Args:
            key: what the value is of.
        """
        try:
            return wire.copied(self._live.read(key), key[0])
        except GoishiError as error:
            return error


def _offered_keys(scene: Scene, slots: Iterable[ComponentSlot]) -> Iterator[Key]:
    """Yield what a program may ask for next.

    These are the fields of all components, the looks of all objects, and other public values of
    scripts that are small and plain.

    Args:
        scene: the scene.
        slots: all its components.
    """
    loaded = [slot for slot in slots if slot.instance is not None]
    for slot in loaded:
        for name in collect_fields(type(slot.instance)):
            yield "read_field", slot.id, name
    for item in scene.objects:
        for look in LOOKS:
            yield "read_object", item, look
    for slot in loaded:
        for name, value in list(vars(slot.instance).items()):
            is_small = type(value) in wire.PLAIN or getattr(value, "size", LARGE) < LARGE
            if is_small and not name.startswith("_"):
                yield "read_field", slot.id, name


def _keys_of(name: str, arguments: Mapping[str, object]) -> list[Key]:
    """Return the values that a call reads, without those that every snapshot holds.

    Args:
        name: name of the call.
        arguments: its arguments, which fit.
    """
    match name:
        case "read_many":
            kinds, ids, keys = (cast("list[str]", arguments[key]) for key in BATCH)
            return [
                ("read_field" if kind == COMPONENT else "read_object", item, key)
                for kind, item, key in zip(kinds, ids, keys, strict=False)
                if kind == COMPONENT or key in LOOKS
            ]
        case "read_object":
            key = str(arguments["key"])
            return [(name, str(arguments["id"]), key)] if key in LOOKS else []
        case "read_field":
            return [(name, str(arguments["component"]), str(arguments["name"]))]
        case "fields":
            return [(name, str(arguments["component"]), "")]
        case "metric":
            return [(name, str(arguments["name"]), "")]
        case "console":
            return [(name, str(arguments.get("last", LINES)), "")]
        case "metrics":
            return [(name, "", "")]
        case _:
            return []


def mirrored_key(name: str, arguments: Mapping[str, object]) -> Key | None:
    """Return what a call reads if that is a single value that can be mirrored; None otherwise.

    Args:
        name: name of the call.
        arguments: its arguments, which fit.
    """
    match name:
        case "read_object":
            return name, str(arguments["id"]), str(arguments["key"])
        case "read_field":
            return name, str(arguments["component"]), str(arguments["name"])
        case "time":
            return name, "", ""
        case _:
            return None


class PublishedError(Exception):
    """A snapshot's answer to a call is an error.

    Args:
        error: the error.
        frame: number of the frame.
    """

    def __init__(self, error: GoishiError, frame: int) -> None:
        super().__init__(error, frame)
        self.error, self.frame = error, frame
