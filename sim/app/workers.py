"""Workers: where some copies of a scene are stepped for a `VectorWorld`.

A `LocalWorker` steps them in this process. A `ProcessWorker` has a child process, which writes into
shared memory. A `RayWorker` has an actor of a Ray cluster: actions are sent to it, and observations
and rewards are sent back.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

import numpy as np

from base.errors import GoishiError, UsageError, WorkerLostError
from base.worker.calls import (
    END_SECONDS,
    OPEN_SECONDS,
    Answer,
    CallProcess,
    CallTable,
    answer_of,
    error_of,
    result_of,
)
from sim.app.episodes import Episodes, SceneAgents
from sim.app.serving import MAIN, Options, serve_batch
from sim.app.world_batch import Array, ArrayLayout, CopyFault, WorldBatch

SHARED = Path("/dev/shm")  # memory, where the system has it; a temporary folder else


def shared_memory(size: int) -> tuple[Path, mmap.mmap]:
    """Return a file of so many bytes, in memory where the system has that, and its content.

    Raises:
        GoishiError: there is no room for it.
    """
    folder = SHARED if os.access(SHARED, os.W_OK) else Path(tempfile.gettempdir())
    handle, name = tempfile.mkstemp(prefix="goishi-", dir=folder)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)  # here it says where there is no room
        else:
            os.ftruncate(handle, size)
        return Path(name), mmap.mmap(handle, size)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise GoishiError(
            f"shared memory: expected room for {size:,} bytes in {folder}, found: {error.strerror}"
        ) from None
    finally:
        os.close(handle)


Arrays = dict[str, Array]
Outcome = tuple[list[tuple[int, GoishiError]], Mapping[int, Mapping[str, object]]]
"""Faults and infos of agents, by row; rows are counted from the worker's first."""
SEEN: Final = "observation"
"""Prefixes of the names of arrays that only the copies write."""


class Worker(Protocol):
    """Steps some copies of a scene.

    Attributes:
        rows: the first and the one behind the last, of all.
    """

    rows: slice

    @property
    def about(self) -> SceneAgents:
        """What is known of the agents, once the copies are open: it waits for that.

        Raises:
            GoishiError: they cannot be opened.
        """

    def use(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Read actions from, and write results to, the worker's rows of these arrays from now on.

        Args:
            arrays: those of all copies.
            file: the shared memory that they lie in; None for none.
            layout: how they lie there.
        """

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Start to reset the chosen copies, without waiting."""

    def begin_step(self) -> None:
        """Start to step all copies by the actions in the arrays, without waiting."""

    def finish(self) -> Outcome:
        """Wait until the reset or step is done."""

    def close(self) -> None:
        """End the copies. May be called twice."""


class LocalWorker:
    """Steps copies in this process.

    Args:
        scene: its file.
        rows: which of all copies these are.
        options: those that the scene's scripts declare, by name.
    """

    def __init__(self, scene: Path, rows: slice, options: Options) -> None:
        self.rows = rows
        self._batch = WorldBatch(
            lambda: Episodes.of_scene(scene, options=options), rows.stop - rows.start
        )
        self._faults: list[CopyFault] = []

    @property
    def about(self) -> SceneAgents:
        """What is known of the agents."""
        return self._batch.about

    def use(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Read actions from, and write results to, these arrays from now on."""
        self._batch.use(arrays)

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Begin an episode in the chosen copies."""
        self._faults = self._batch.reset(seeds, chosen)

    def begin_step(self) -> None:
        """Step all copies by the actions in the arrays."""
        self._faults = self._batch.step()

    def finish(self) -> Outcome:
        """Return the outcome of the reset or step."""
        return [(fault.row, fault.error) for fault in self._faults], self._batch.infos

    def close(self) -> None:
        """End the scenes."""
        self._batch.close()


class _DistantWorker(ABC):
    """Steps copies elsewhere; where they are lost, others take their place and begin anew."""

    def __init__(self, rows: slice) -> None:
        self.rows = rows
        self._used: tuple[Mapping[str, Array], Path | None, ArrayLayout] | None = None
        self._lost: WorkerLostError | None = None
        self._start()

    @abstractmethod
    def _start(self) -> None:
        """Begin to open the copies."""

    @property
    @abstractmethod
    def about(self) -> SceneAgents:
        """What is known of the agents, once the copies are open."""

    @abstractmethod
    def _share(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Let the copies use these arrays."""

    @abstractmethod
    def _send(self, call: str, *arguments: object) -> None:
        """Ask for a reset or a step.

        Raises:
            WorkerLostError: the copies are lost.
        """

    @abstractmethod
    def _receive(self) -> tuple[list[tuple[int, Answer]], Mapping[int, Mapping[str, object]]]:
        """Wait for the outcome; faults are answers, too.

        Raises:
            WorkerLostError: the copies are lost.
        """

    @abstractmethod
    def close(self) -> None:
        """End the copies. May be called twice."""

    def use(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Read actions from, and write results to, these arrays from now on; see `Worker.use`."""
        self._used = arrays, file, layout
        self._share(*self._used)

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Begin an episode in the chosen copies."""
        self._begin("reset", list(seeds), list(chosen))

    def begin_step(self) -> None:
        """Step all copies by the actions in the arrays."""
        self._begin("step")

    def _begin(self, call: str, *arguments: object) -> None:
        self._lost = None
        try:
            self._send(call, *arguments)
        except WorkerLostError as error:
            self._lost = error

    def finish(self) -> Outcome:
        """Wait until the reset or step is done; lost copies are a single fault."""
        try:
            if self._lost is not None:
                raise self._lost
            faults, infos = self._receive()
        except WorkerLostError as error:
            lost = error
        else:
            return [(row, error_of(answer)) for row, answer in faults], infos
        self.close()
        self._start()
        _ = self.about  # waits until they are open
        if self._used is not None:
            self._share(*self._used)
        return [(0, lost)], {}


class ProcessWorker(_DistantWorker):
    """Steps copies in a child process, which writes into shared memory.

    Args:
        scene: its file.
        rows: which of all copies these are.
        options: those that the scene's scripts declare, by name.
        number: of the worker, from 0.
        is_drawn: whether the scene has a picture.

    Attributes:
        process: the child.
        core: of the processor, which it keeps to; None: any.
    """

    def __init__(
        self, scene: Path, rows: slice, options: Options, number: int, *, is_drawn: bool
    ) -> None:
        self.core: int | None = None
        self._opening = ("batch", str(scene), rows.stop - rows.start, options, is_drawn)
        self._name = f"worker {number} (copies {rows.start} to {rows.stop - 1})"
        super().__init__(rows)

    def _start(self) -> None:
        self.process = CallProcess(self._name, MAIN, *self._opening)

    @property
    def about(self) -> SceneAgents:
        """What is known of the agents, once the copies are open; see `CallProcess.about`."""
        return SceneAgents(*self.process.about)

    def stay_on(self, core: int) -> None:
        """Keep the child, and whatever replaces it, on one of the processor's cores.

        With as many children as cores, Linux may otherwise let two of them share a core for
        milliseconds of each step while another core is free. Call it only when the child is open:
        NumPy and others count the cores when they are loaded, and must find as many as in any other
        process, so that they round alike.
        """
        self.core = core
        with contextlib.suppress(OSError):  # it has ended, as is told when it is asked
            os.sched_setaffinity(self.process.pid, {core})

    def _share(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        if self.core is not None:
            self.stay_on(self.core)
        self.process.ask("use", str(file), layout.rows, self.rows.start)

    def _send(self, call: str, *arguments: object) -> None:
        self.process.send(call, *arguments)

    def _receive(self) -> tuple[list[tuple[int, Answer]], Mapping[int, Mapping[str, object]]]:
        faults, infos = self.process.receive()
        return faults, infos

    def close(self) -> None:
        """End the child."""
        self.process.close()


class RayWorker(_DistantWorker):
    """Steps copies in an actor of a Ray cluster.

    Args:
        ray: the package, joined to the cluster.
        scene: its file; the machine has Goishi and the scene's project at the same place.
        rows: which of all copies these are.
        options: those that the scene's scripts declare, by name.
        number: of the worker, from 0.
        is_drawn: whether the scene has a picture.
    """

    def __init__(
        self,
        ray: ModuleType,
        scene: Path,
        rows: slice,
        options: Options,
        number: int,
        *,
        is_drawn: bool,
    ) -> None:
        self._ray = ray
        self._opening = (str(scene), rows.stop - rows.start, options, is_drawn)
        self._name = f"actor {number} (copies {rows.start} to {rows.stop - 1})"
        self._arrays: Arrays = {}
        self._pending: Any = None
        super().__init__(rows)

    def _start(self) -> None:
        self._about: SceneAgents | None = None
        self._actor: Any = self._ray.remote(num_cpus=1)(RayBatch).remote()
        self._opened: Any = self._actor.open.remote(*self._opening)

    @property
    def about(self) -> SceneAgents:
        """What is known of the agents, once the copies are open.

        Raises:
            GoishiError: they cannot be opened.
            WorkerLostError: the actor has ended.
        """
        if self._about is None:
            self._about = SceneAgents(*self._result(self._opened, OPEN_SECONDS))
        return self._about

    def _share(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        self._arrays = {name: array[self.rows] for name, array in arrays.items()}
        self._result(self._actor.use.remote())

    def _send(self, call: str, *arguments: object) -> None:
        given = {
            name: np.array(array)
            for name, array in self._arrays.items()
            if call == "reset" or not name.startswith(SEEN)  # rows that are not reset stay
        }
        self._pending = self._actor.call.remote(call, given, *arguments)

    def _receive(self) -> tuple[list[tuple[int, Answer]], Mapping[int, Mapping[str, object]]]:
        (faults, infos), arrays = self._result(self._pending)
        for name, array in self._arrays.items():
            array[...] = arrays[name]
        return faults, infos

    def _result(self, reference: Any, seconds: float | None = None) -> Any:
        """Return what an actor answers, within so many seconds.

        Raises:
            GoishiError: what was raised there, or there is no free core for the actor.
            WorkerLostError: it has ended.
        """
        try:
            answer = self._ray.get(reference, timeout=seconds)
        except self._ray.exceptions.RayActorError:
            raise WorkerLostError(
                f"{self._name}: expected an answer, found that its process or its machine was lost"
            ) from None
        except self._ray.exceptions.GetTimeoutError:
            raise GoishiError(
                f"{self._name}: expected a free core of the cluster, found none within "
                f"{seconds:g} s"
            ) from None
        return result_of(answer)

    def close(self) -> None:
        """End the actor. May be called twice."""
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._ray.get(self._actor.close.remote(), timeout=END_SECONDS)
        with contextlib.suppress(Exception):
            self._ray.kill(self._actor)


class RayBatch:
    """The copies, in the actor's process; what it returns are answers, see `base.worker.calls`."""

    def __init__(self) -> None:
        self._table = CallTable({"open": self._open})
        self._arrays: Arrays = {}

    def open(self, *arguments: Any) -> Answer:
        """Open the scenes, as `serve_batch` does; the answer says what is known of the agents."""
        return self._table.answer("open", arguments)

    def use(self) -> Answer:
        """Make the arrays that the copies write to."""
        try:
            layout = ArrayLayout.of_spaces(self._count, self._about.spaces)
            file, memory = shared_memory(layout.size)
            try:
                self._table.call("use", (str(file), layout.rows, 0))
            finally:
                file.unlink()
        except Exception as error:  # whoever asked is told
            return answer_of(error)
        self._arrays = layout.arrays(memory)
        return "ok", None

    def call(self, name: str, given: Arrays, *arguments: object) -> Answer:
        """Reset or step with these arrays; return the outcome and all arrays."""
        for key, values in given.items():
            self._arrays[key][...] = values
        kind, *rest = self._table.answer(name, arguments)
        if kind == "ok":
            rest = [(rest[0], {key: array.copy() for key, array in self._arrays.items()})]
        return kind, *rest

    def close(self) -> None:
        """End the scenes."""
        self._table.answer("close")

    def _open(self, scene: str, count: int, options: Options, is_drawn: bool) -> object:
        self._table = CallTable(serve_batch(scene, count, options, is_drawn))
        about: Any = self._table.call("about")
        self._count, self._about = count, SceneAgents(*about)
        return about


def check_room(ray: ModuleType, actors: int) -> None:
    """Check that a cluster has a core for each actor; else some would wait for ever.

    Raises:
        UsageError: it has fewer.
    """
    cores = int(ray.cluster_resources().get("CPU", 0))
    if actors > cores:
        raise UsageError(
            f"--backend ray: expected a cluster with a core for each of {actors} actors, "
            f"found {cores}"
        )


def spread(workers: Sequence[ProcessWorker]) -> None:
    """Keep each child on a core of its own where they are as many as the cores (Linux)."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if 1 < len(cores) == len(workers):
            for worker, core in zip(workers, cores, strict=True):
                worker.stay_on(core)
