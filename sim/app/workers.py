"""Workers: where some copies of a scene are stepped for a `VectorWorld`.

A `LocalWorker` steps them in this process. A `ProcessWorker` has a child process, which writes into
shared memory. A `RayWorker` has an actor of a Ray cluster: actions are sent to it, and observations
and rewards are sent back.
"""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

import numpy as np

from base.errors import GoishiError, UsageError, WorkerLostError
from base.shared_memory import shared_memory
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

Arrays = dict[str, Array]
Outcome = tuple[list[tuple[int, GoishiError]], Mapping[int, Mapping[str, object]]]
"""Result of a reset or step: a list of (copy, error), and an agent's `info` by copy.

Copies are numbered from the first copy of the worker.
"""
SEEN: Final = "observation"
"""Beginning of the names of arrays with observations; only the copies write to these arrays."""


class Worker(Protocol):
    """Steps a range of the copies of a scene; the interface that `VectorWorld` uses.

    Attributes:
        rows: range of the copies among all copies; its stop is not included.
    """

    rows: slice

    @property
    def about(self) -> SceneAgents:
        """Facts about the agents; reading it waits until the copies are open.

        Raises:
            GoishiError: the copies cannot be opened.
        """

    def use(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Set the arrays from which actions are read and to which results are written.

        Args:
            arrays: arrays of all copies, by name; the worker uses its own rows.
            file: file of the shared memory that holds the arrays; None if it is not shared.
            layout: positions of the arrays in this memory.
        """

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Start to reset some of the copies, without waiting.

        Args:
            seeds: per copy, the seed with which the scene is opened again; None to keep it as it
                is.
            chosen: per copy, whether to reset it.
        """

    def begin_step(self) -> None:
        """Start to step all copies by the actions in the arrays, without waiting."""

    def finish(self) -> Outcome:
        """Wait until the reset or step is done, and return its errors and infos; see `Outcome`."""

    def close(self) -> None:
        """End the copies. May be called twice."""


class LocalWorker:
    """Steps copies in this process.

    Args:
        scene: path of the scene file.
        rows: range of the copies among all copies.
        options: values of the options that the scene's scripts declare, by name.
    """

    def __init__(self, scene: Path, rows: slice, options: Options) -> None:
        self.rows = rows
        self._batch = WorldBatch(
            lambda: Episodes.of_scene(scene, options=options), rows.stop - rows.start
        )
        self._faults: list[CopyFault] = []

    @property
    def about(self) -> SceneAgents:
        """Facts about the scene's agents."""
        return self._batch.about

    def use(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Set the arrays from which actions are read and to which results are written.

        Args:
            arrays: arrays of the copies, by name.
            file: ignored; nothing is shared.
            layout: ignored likewise.
        """
        self._batch.use(arrays)

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Reset some of the copies; returns when this is done. See `Worker.begin_reset`."""
        self._faults = self._batch.reset(seeds, chosen)

    def begin_step(self) -> None:
        """Step all copies with the actions in the arrays; returns when this is done."""
        self._faults = self._batch.step()

    def finish(self) -> Outcome:
        """Return the errors and infos of the last reset or step; see `Outcome`."""
        return [(fault.row, fault.error) for fault in self._faults], self._batch.infos

    def close(self) -> None:
        """End the scenes."""
        self._batch.close()


class _DistantWorker(ABC):
    """Steps copies in another process; if it is lost, a new one opens the copies again."""

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
        """Facts about the agents; reading it waits until the copies are open."""

    @abstractmethod
    def _share(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Make the other process use arrays for actions and results.

        Args:
            arrays: arrays of all copies, by name; the worker uses its own rows.
            file: file of the shared memory that holds the arrays; None if it is not shared.
            layout: positions of the arrays in this memory.
        """

    @abstractmethod
    def _send(self, call: str, *arguments: object) -> None:
        """Ask the other process for a reset or a step, without waiting.

        Args:
            call: "reset" or "step".
            *arguments: arguments of this call.

        Raises:
            WorkerLostError: the other process has ended.
        """

    @abstractmethod
    def _receive(self) -> tuple[list[tuple[int, Answer]], Mapping[int, Mapping[str, object]]]:
        """Wait for the result of a reset or step.

        Returns:
            A pair: a list of (copy, answer that describes an error), and an agent's `info` by copy.

        Raises:
            WorkerLostError: the other process has ended.
        """

    @abstractmethod
    def close(self) -> None:
        """End the copies. May be called twice."""

    def use(self, arrays: Mapping[str, Array], file: Path | None, layout: ArrayLayout) -> None:
        """Read actions from, and write results to, these arrays from now on; see `Worker.use`."""
        self._used = arrays, file, layout
        self._share(*self._used)

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Start to reset some of the copies, without waiting; see `Worker.begin_reset`."""
        self._begin("reset", list(seeds), list(chosen))

    def begin_step(self) -> None:
        """Start to step all copies with the actions in the arrays, without waiting."""
        self._begin("step")

    def _begin(self, call: str, *arguments: object) -> None:
        self._lost = None
        try:
            self._send(call, *arguments)
        except WorkerLostError as error:
            self._lost = error

    def finish(self) -> Outcome:
        """Wait until the reset or step is done, and return its errors and infos; see `Outcome`.

        If the other process has ended, a new one is started. Then the result has one error only, a
        WorkerLostError.
        """
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
    """Steps copies in a child process, which writes results to shared memory.

    Args:
        scene: path of the scene file.
        rows: range of the copies among all copies.
        options: values of the options that the scene's scripts declare, by name.
        number: number of the worker, from 0, for error messages.
        is_drawn: whether the scene has a picture.

    Attributes:
        process: the child process.
        core: processor core on which the child runs; None for any.
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
        """Facts about the agents; reading it waits until the copies are open."""
        return SceneAgents(*self.process.about)

    def stay_on(self, core: int) -> None:
        """Keep the child process, and any replacement of it, on one processor core.

        With as many children as cores, Linux may otherwise let two of them share a core for
        milliseconds of each step while another core is free.

        Call it only when the child has opened its copies. NumPy and other libraries count the cores
        when they are loaded. They must find as many as in other processes, so that rounding is the
        same.

        Args:
            core: number of the core.
        """
        self.core = core
        if hasattr(os, "sched_setaffinity"):
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
        ray: the package `ray`, connected to the cluster.
        scene: path of the scene file. On the actor's machine, Goishi and the project must have the
            same paths.
        rows: range of the copies among all copies.
        options: values of the options that the scene's scripts declare, by name.
        number: number of the worker, from 0, for error messages.
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
        """Facts about the agents; reading it waits until the copies are open.

        Raises:
            GoishiError: the copies cannot be opened.
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
        """Return an actor's answer.

        Args:
            reference: Ray's reference to the answer.
            seconds: maximum time to wait; None for no limit.

        Raises:
            GoishiError: the call raised this error, or there is no free core for the actor.
            WorkerLostError: the actor has ended.
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
    """The copies in the actor's process, as called by a `RayWorker`.

    Each method returns ("ok", value), or "error" with a description; see `base.worker.calls`.
    """

    def __init__(self) -> None:
        self._table = CallTable({"open": self._open})
        self._arrays: Arrays = {}

    def open(self, *arguments: Any) -> Answer:
        """Open the copies.

        Args:
            *arguments: arguments of `serve_batch`.

        Returns:
            An answer with facts about the agents; see `SceneAgents`.
        """
        return self._table.answer("open", arguments)

    def use(self) -> Answer:
        """Create the arrays that hold actions and results of the copies.

        Returns:
            An answer without a value, or with an error.
        """
        try:
            layout = ArrayLayout.of_spaces(self._count, self._about.spaces)
            file, memory = shared_memory(layout.size)
            try:
                self._table.call("use", (str(file.path), layout.rows, 0))
            finally:
                file.close()
        except Exception as error:  # whoever asked is told
            return answer_of(error)
        self._arrays = layout.arrays(memory)
        return "ok", None

    def call(self, name: str, given: Arrays, *arguments: object) -> Answer:
        """Run a reset or step.

        Args:
            name: "reset" or "step".
            given: new content for some of the arrays, by name.
            *arguments: arguments of the call.

        Returns:
            An answer with the result of the call and a copy of all arrays.
        """
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
    """Check that a cluster has a core for each actor; without one an actor would never start.

    Args:
        ray: the package `ray`, connected to the cluster.
        actors: number of actors.

    Raises:
        UsageError: there are fewer cores than actors.
    """
    cores = int(ray.cluster_resources().get("CPU", 0))
    if actors > cores:
        raise UsageError(
            f"--backend ray: expected a cluster with a core for each of {actors} actors, "
            f"found {cores}"
        )


def spread(workers: Sequence[ProcessWorker]) -> None:
    """On Linux, keep each worker's process on a core of its own.

    This is done only if there are as many workers as cores.
    """
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if 1 < len(cores) == len(workers):
            for worker, core in zip(workers, cores, strict=True):
                worker.stay_on(core)
