"""Actors: what plays batches of games, here, in processes, or on a Ray cluster.

An actor is a process that plays one batch after the other. The number of actors has no influence on
the games. On a cluster, batches are Ray tasks and networks travel through its object store. A batch
whose machine is lost is played again elsewhere, with the same result.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, cast

from ai.runs.cluster import joined
from base.errors import GoishiError
from base.interruption import ignore_terminal
from base.temporary import own_prefix
from base.worker.chatter import hide_chatter
from base.worker.process import be_nice
from base.worker.starting import safe_start, started_safely

NICE: Final = 5
ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""Environment variables that limit an actor to one thread.

With more threads, sums would be slightly different.
"""

R = TypeVar("R", covariant=True)
T = TypeVar("T")


class GameOrder(Protocol[R]):
    """Protocol of a batch of games that an actor can play."""

    def play(self) -> R:
        """Play the games and return the result."""


class Actors(Protocol):
    """Protocol of a group of actors, which play several batches of games at a time.

    Attributes:
        cpu_seconds: CPU time that their processes have used so far.
    """

    cpu_seconds: float

    def played(self, orders: Sequence[GameOrder[T]]) -> Iterator[tuple[int, T]]:
        """Play batches of games; yield each result as soon as it is there.

        Args:
            orders: the batches.

        Yields:
            The index of a batch in `orders`, and its result.
        """

    def close(self) -> None:
        """End all processes; may be called twice."""


class ActorError(GoishiError):
    """An actor process ended during its games, for example because it was killed."""


class OwnProcess:
    """Plays batches in this process, without actor processes.

    For tests, and where no process can be started.
    """

    cpu_seconds = 0.0

    def played(self, orders: Sequence[GameOrder[T]]) -> Iterator[tuple[int, T]]:
        """Play one batch after the other in this process; see `Actors.played`."""
        for place, order in enumerate(orders):
            yield place, order.play()

    def close(self) -> None:
        """Do nothing."""


class LocalActors:
    """Actors that are processes of this machine with one thread each.

    They are started when the first batches are played.
    """

    def __init__(self, jobs: int) -> None:
        """Set the number of processes, `jobs`; none is started yet."""
        self.cpu_seconds = 0.0
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._processes: set[BaseProcess] = set()
        self._is_busy = False

    def played(self, orders: Sequence[GameOrder[T]]) -> Iterator[tuple[int, T]]:
        """Play batches in the processes; see `Actors.played`.

        Raises:
            ActorError: a process ended, for example because it was killed.
        """
        if self._pool is None:
            with safe_start():
                self._pool = ProcessPoolExecutor(
                    self._jobs, mp_context=get_context("spawn"), initializer=_settle
                )
        others = set(active_children())
        with _environment(), safe_start():  # submitting is what starts the processes
            places: dict[Future[tuple[T, float]], int] = {
                self._pool.submit(play_timed, order): place for place, order in enumerate(orders)
            }
        self._processes |= set(active_children()) - others
        self._is_busy = True
        try:
            for future in as_completed(places):
                found, seconds = future.result()
                self.cpu_seconds += seconds
                yield places[future], found
            self._is_busy = False
        except BrokenProcessPool:
            self.close()
            raise ActorError(
                "an actor's process ended amid its games; go on with --resume"
            ) from None
        finally:
            for future in places:
                future.cancel()

    def close(self) -> None:
        """End the processes without waiting for games in progress."""
        if self._is_busy:
            for process in self._processes:
                process.terminate()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def play_timed(order: GameOrder[T]) -> tuple[T, float]:
    """Play a batch; return its result and the CPU seconds that it took."""
    before = time.process_time()
    return order.play(), time.process_time() - before


def _settle() -> None:
    """Set up an actor process: it ignores Ctrl+C, and ends as soon as its parent process ends."""
    ignore_terminal()
    started_safely()
    hide_chatter()
    be_nice(NICE)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel, os._exit), daemon=True).start()


def _end_with(sentinel: int, end: Callable[[int], None]) -> None:
    wait([sentinel])
    end(1)


@contextmanager
def _environment() -> Iterator[None]:
    """Context manager: processes that are started in its block get the variables `ONE_THREAD`."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


RETRIES: Final = 4
"""Number of times that a batch is restarted if its process or machine is lost."""


class RayActors:
    """Actors on the cores of a Ray cluster, each a process with one thread."""

    def __init__(self, address: str | None = None, *, retries: int = RETRIES) -> None:
        """Join a cluster.

        Args:
            address: address of a running cluster; None: see `ai.runs.cluster.joined`.
            retries: number of times that an order is restarted if its process or machine is lost.

        Raises:
            UsageError: the package ray is missing, or there is no such cluster.
        """
        self.cpu_seconds = 0.0
        self._closing = ExitStack()
        self._ray: Any = self._closing.enter_context(joined(address, environment=ONE_THREAD))
        self._retries = retries
        self._task: Any = self._ray.remote(num_cpus=1, max_retries=retries)(_play_with)
        self._stored: dict[str, Any] = {}

    def played(self, orders: Sequence[GameOrder[T]]) -> Iterator[tuple[int, T]]:
        """Play batches on the cluster; see `Actors.played`.

        Raises:
            ActorError: a batch was restarted `retries` times, and each time its process ended.
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
        """Return a reference to a file's content in the cluster's object store.

        The content is stored there if it is not yet.

        Args:
            path: path of the file.
            kept: references by the content's hash; that of the file is added.
        """
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
    """Return the paths of the files that a batch needs.

    These are all its fields that hold a path.
    """
    return list(_paths(order).values())


def with_files(order: T, files: Mapping[str, bytes], folder: Path) -> T:
    """Write a batch's files into a folder; return the same batch with the paths of these copies.

    Args:
        order: the batch, a dataclass.
        files: content of each of its files, by path.
        folder: folder for the copies.
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


def _play_with(order: GameOrder[T], references: Mapping[str, Any]) -> tuple[T, float]:
    """Play a batch on a machine of the cluster; its files come from the object store.

    Args:
        order: the batch.
        references: reference to the content of each of its files, by path.

    Returns:
        The result of the batch, and the CPU seconds that it took.
    """
    import ray

    contents = dict(zip(references, ray.get(list(references.values())), strict=True))
    with tempfile.TemporaryDirectory(prefix=own_prefix()) as name:
        return play_timed(with_files(order, contents, Path(name)))
