"""Actors on a Ray cluster: lots are its tasks, networks travel through its object store.

A lot whose machine is lost is played again elsewhere, and is the same lot: what was finished stays.
"""

from __future__ import annotations

import dataclasses
import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from ai.curriculum.actors import ONE_THREAD, ActorError, Order, play_timed
from ai.runs.cluster import joined

T = TypeVar("T")
RETRIES: Final = 4
"""How often a lot is begun anew whose process or machine was lost."""


class RayActors:
    """The cores of a cluster, each process with one thread; joined at once."""

    def __init__(self, address: str | None = None, *, retries: int = RETRIES) -> None:
        """Join a cluster.

        Args:
            address: of one that runs; None: see `ai.runs.cluster.joined`.
            retries: how often an order is begun anew whose process or machine was lost.

        Raises:
            UsageError: the package ray is missing, or there is no such cluster.
        """
        self.cpu_seconds = 0.0
        self._closing = ExitStack()
        self._ray: Any = self._closing.enter_context(joined(address, environment=ONE_THREAD))
        self._retries = retries
        self._task: Any = self._ray.remote(num_cpus=1, max_retries=retries)(_play_with)
        self._stored: dict[str, Any] = {}

    def played(self, orders: Sequence[Order[T]]) -> Iterator[tuple[int, T]]:
        """Play orders; see `Actors.played`.

        Raises:
            ActorError: a lot was begun `retries` times more and ended with its process each time.
        """
        ray = self._ray
        places: dict[Any, int] = {}
        kept: dict[str, Any] = {}
        for place, order in enumerate(orders):
            files = {str(path): self._reference(path, kept) for path in files_of(order)}
            places[self._task.remote(order, files)] = place
        self._stored = kept
        waiting = list(places)
        try:
            while waiting:
                done, waiting = ray.wait(waiting, num_returns=1)
                found, seconds = cast("tuple[T, float]", ray.get(done[0]))
                self.cpu_seconds += seconds
                yield places[done[0]], found
        except (
            ray.exceptions.WorkerCrashedError,
            ray.exceptions.NodeDiedError,
            ray.exceptions.ObjectLostError,
            ray.exceptions.OutOfMemoryError,
        ):
            times = "1 time" if self._retries == 0 else f"{self._retries + 1} times"
            raise ActorError(
                f"an actor's process on the cluster ended amid its games, {times}; "
                "go on with --resume"
            ) from None
        finally:
            for reference in waiting:
                ray.cancel(reference, force=True)

    def _reference(self, path: Path, kept: dict[str, Any]) -> Any:
        """Return a file's content in the object store; the same content is put there once."""
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if digest not in kept:
            stored = self._stored.get(digest)
            kept[digest] = self._ray.put(content) if stored is None else stored
        return kept[digest]

    def close(self) -> None:
        """Leave the cluster; see `Actors.close`."""
        self._stored = {}
        self._closing.close()


def files_of(order: object) -> list[Path]:
    """Return the files that an order names: its fields that are paths."""
    return list(_paths(order).values())


def with_files(order: T, files: Mapping[str, bytes], folder: Path) -> T:
    """Return an order that names copies in a folder in place of its files.

    Args:
        order: a dataclass.
        files: content by path, of all files of the order.
        folder: where the copies are written.
    """
    changes = {}
    for name, path in _paths(order).items():
        changes[name] = folder / f"{name}{path.suffix}"
        changes[name].write_bytes(files[str(path)])
    return cast("T", dataclasses.replace(cast("Any", order), **changes))


def _paths(order: object) -> dict[str, Path]:
    fields = dataclasses.fields(cast("Any", order))
    values = {field.name: getattr(order, field.name) for field in fields}
    return {name: value for name, value in values.items() if isinstance(value, Path)}


def _play_with(order: Order[T], references: Mapping[str, Any]) -> tuple[T, float]:
    """Play an order on a machine of the cluster, that has none of its files."""
    import ray

    contents = dict(zip(references, ray.get(list(references.values())), strict=True))
    with tempfile.TemporaryDirectory(prefix="goishi-") as name:
        return play_timed(with_files(order, contents, Path(name)))
