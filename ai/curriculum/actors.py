"""Actors: processes that play lots. Any number of them, the same games."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Final, Protocol, TypeVar

from base.errors import GoishiError
from base.worker.process import be_nice

NICE: Final = 5
ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}  # fmt: skip
"""Set for actors, at any number of them: sums of more threads are other numbers."""

R = TypeVar("R", covariant=True)
T = TypeVar("T")


class Order(Protocol[R]):
    """What an actor can be asked."""

    def play(self) -> R:
        """Play, and return what was found."""


class Actors(Protocol):
    """Plays orders, several at a time.

    Attributes:
        cpu_seconds: processor time that other processes have spent so far.
    """

    cpu_seconds: float

    def played(self, orders: Sequence[Order[T]]) -> Iterator[tuple[int, T]]:
        """Yield the place of each order, and what was found, as they end."""

    def close(self) -> None:
        """End; may be called twice."""


class ActorError(GoishiError):
    """An actor ended amid its games, such as one that was killed."""


class OwnProcess:
    """Plays in this process, in turn: for tests, and where no processes can be started."""

    cpu_seconds = 0.0

    def played(self, orders: Sequence[Order[T]]) -> Iterator[tuple[int, T]]:
        """Play one order after the other; see `Actors.played`."""
        for place, order in enumerate(orders):
            yield place, order.play()

    def close(self) -> None:
        """Do nothing."""


class LocalActors:
    """Processes of this machine, each with one thread; started at the first order."""

    def __init__(self, jobs: int) -> None:
        """Prepare `jobs` processes."""
        self.cpu_seconds = 0.0
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._processes: set[BaseProcess] = set()
        self._is_busy = False

    def played(self, orders: Sequence[Order[T]]) -> Iterator[tuple[int, T]]:
        """Play orders; see `Actors.played`.

        Raises:
            ActorError: an actor was killed.
        """
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._jobs, mp_context=get_context("spawn"), initializer=_settle
            )
        others = set(active_children())
        with _environment():  # submitting is what starts the processes
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
        """End the processes; those that are amid games are not waited for."""
        if self._is_busy:
            for process in self._processes:
                process.terminate()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def play_timed(order: Order[T]) -> tuple[T, float]:
    """Return what an order finds, and the processor time that it took."""
    before = time.process_time()
    return order.play(), time.process_time() - before


def _settle() -> None:
    """Begin an actor: Ctrl+C is its parent's to handle, and it ends when that has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    be_nice(NICE)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel, os._exit), daemon=True).start()


def _end_with(sentinel: int, end: Callable[[int], None]) -> None:
    wait([sentinel])
    end(1)


@contextmanager
def _environment() -> Iterator[None]:
    """Let processes that start here see `ONE_THREAD`."""
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


__all__ = ["ActorError", "Actors", "LocalActors", "Order", "OwnProcess", "play_timed"]
