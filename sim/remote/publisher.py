"""Publishes snapshots of the scene at the ends of frames, for the threads that answer programs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Protocol, cast

from base import wire
from base.errors import GoishiError
from sim.core.scene.scene import Scene
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
"""Greatest share of the main thread's time for snapshots."""
LEAST_SECONDS: Final = 0.001
"""Seconds for the values of a snapshot that nobody has asked for yet, at least."""
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
    holds all of them where frames are slow, which is where waiting for a frame would be long.

    Args:
        scene: the scene.
        clock: its clock.
        live: reads values of the scene.

    Attributes:
        snapshot: the latest one, for any thread; None if the scene has changed since, or if nobody
            is connected.
    """

    def __init__(self, scene: Scene, clock: Clock, live: LiveReads) -> None:
        self.snapshot: Snapshot | None = None
        self._scene, self._clock, self._live = scene, clock, live
        self._structure: Structure | None = None
        self._stored: list[Key] = []
        self._wanted: dict[Key, tuple[float, int]] = {}
        self._count = 0
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
        except GoishiError as error:
            raise PublishedError(error, snapshot.frame) from None
        return found, snapshot.frame

    def want(self, name: str, arguments: Mapping[str, object]) -> None:
        """Note that a program has asked for values, so that the next snapshots hold them.

        Args:
            name: one of `READS`.
            arguments: its arguments, which fit.
        """
        now = time.monotonic()
        for key in _keys_of(name, arguments):
            if len(self._wanted) < MOST_WANTED:
                self._wanted[key] = (now, self._count)

    def forget(self) -> None:
        """Withdraw the latest snapshot, because the scene has changed since."""
        self.snapshot = None

    def publish(self) -> None:
        """Publish a snapshot of the scene as it is; do nothing while that would cost too much."""
        begun = time.perf_counter()
        passed = begun - self._ended
        if passed * SHARE < self._cost * (1.0 - SHARE):
            return
        scene = freeze(self._scene, self._structure)
        if scene.structure is not self._structure:
            self._structure = scene.structure
            self._stored = _stored_keys(self._scene)
        values = {key: self._value(key) for key in self._still_wanted()}
        self._cost = time.perf_counter() - begun
        latest = begun + max(self._cost + LEAST_SECONDS, SHARE * passed)
        for key in self._stored:
            if time.perf_counter() > latest:
                break
            if key not in values:
                values[key] = self._value(key)
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

    def _value(self, key: Key) -> object:
        """Return a copy of a value, or the error that reading it raised."""
        try:
            return wire.copied(self._live.read(key), key[0])
        except GoishiError as error:
            return error


def _stored_keys(scene: Scene) -> list[Key]:
    """Return the stored fields of all components, and the looks of all objects."""
    fields: list[Key] = [
        ("read_field", slot.id, name) for slot in scene.components() for name in slot.values
    ]
    looks: list[Key] = [("read_object", item, look) for item in scene.objects for look in LOOKS]
    return [*fields, *looks]


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


class PublishedError(Exception):
    """A snapshot's answer to a call is an error.

    Args:
        error: the error.
        frame: number of the frame.
    """

    def __init__(self, error: GoishiError, frame: int) -> None:
        super().__init__(error, frame)
        self.error, self.frame = error, frame
