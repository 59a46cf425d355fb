"""Copies of a scene, stepped together in this process or spread over several."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from base.errors import GoishiError, WorkerLostError
from base.shared_memory import shared_memory
from sim.app.episodes import MOST_SEEDS
from sim.app.serving import Options
from sim.app.workers import (
    LocalWorker,
    Outcome,
    ProcessWorker,
    RayWorker,
    Worker,
    check_room,
    spread,
)
from sim.app.world_batch import ArrayLayout
from sim.core.script.spaces import PlainSpace


class VectorWorld:
    """Independent copies of a scene, whose actions and results are in shared arrays.

    A scene with a CameraSensor must be drawn, so each of its copies has a process of its own.

    Args:
        scene: path of the scene file.
        count: number of copies, N.
        workers: number of processes that step the copies; 0 to step them in this process.
        options: values of the options that the scene's scripts declare, by name.
        cluster: the package `ray`, connected to a cluster in which the workers then run as actors;
            `workers` is at least 1. None to run workers on this machine.

    Attributes:
        count: number of copies, N.
        workers: the workers; each steps a range of the copies.
        arrays: arrays by name, with one row per copy; see `ArrayLayout.of_spaces`.
        file: file of the memory shared with worker processes; None without such workers.

    Raises:
        UsageError: the scene has no agent.
        GoishiError: the scene cannot be opened.
    """

    def __init__(
        self,
        scene: Path,
        count: int,
        workers: int = 0,
        options: Options | None = None,
        cluster: ModuleType | None = None,
    ) -> None:
        self.count = count
        self.workers: list[Worker] = []
        self.file: Path | None = None
        self._cluster = cluster
        self._closing = contextlib.ExitStack()
        try:
            self._open(scene, workers, options or {})
            if self._about.needs_picture:  # nothing is seen where nothing is drawn
                self._closing.close()
                self._open(scene, count, options or {}, is_drawn=True)
            self._share()
        except BaseException:
            self._closing.close()
            raise

    def _open(self, scene: Path, workers: int, options: Options, *, is_drawn: bool = False) -> None:
        """Open all copies, with the workers in parallel.

        Args:
            scene: path of the scene file.
            workers: number of workers; 0 for this process.
            options: values of the options that the scene's scripts declare, by name.
            is_drawn: whether the scene has a picture.
        """
        self.workers.clear()
        if self._cluster is not None:
            check_room(self._cluster, workers)
        parts = max(1, workers)
        bounds = [self.count * number // parts for number in range(parts + 1)]
        for number in range(parts):
            rows = slice(bounds[number], bounds[number + 1])
            worker: Worker
            if not workers:
                worker = LocalWorker(scene, rows, options)
            elif self._cluster is None:
                worker = ProcessWorker(scene, rows, options, number, is_drawn=is_drawn)
            else:
                worker = RayWorker(self._cluster, scene, rows, options, number, is_drawn=is_drawn)
            self._closing.callback(worker.close)
            self.workers.append(worker)
        known = [worker.about for worker in self.workers]  # waits for all of them
        self._about = known[0]
        if not is_drawn:
            spread(self._processes)

    @property
    def _processes(self) -> list[ProcessWorker]:
        return [worker for worker in self.workers if isinstance(worker, ProcessWorker)]

    def _share(self) -> None:
        """Create the arrays and hand them to all workers.

        With worker processes on this machine the arrays are in shared memory.
        """
        layout = ArrayLayout.of_spaces(self.count, self._about.spaces)
        if self._processes:
            file, memory = shared_memory(layout.size)
            self._closing.callback(weakref.finalize(self, file.close))
            self.file = file.path
            self.arrays = layout.arrays(memory)
        else:
            self.arrays = layout.arrays(bytearray(layout.size))
        for worker in self.workers:
            worker.use(self.arrays, self.file, layout)

    @property
    def names(self) -> list[str]:
        """The agents' names."""
        return self._about.names

    @property
    def teams(self) -> list[str]:
        """The team of each agent, empty for none."""
        return self._about.teams

    @property
    def spaces(self) -> list[tuple[PlainSpace, PlainSpace]]:
        """Observation and action space of each agent, as plain values."""
        return self._about.spaces

    def reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> Outcome:
        """Begin an episode in some of the copies.

        Args:
            seeds: per copy, the seed with which the scene is opened again; None to keep it as it
                is.
            chosen: per copy, whether to reset it.

        Returns:
            A pair: a list of (copy, exception), and a dict with the agent's `info` by copy. The
            dict is empty if a scene has several agents.
        """
        for worker in self.workers:
            worker.begin_reset(seeds[worker.rows], chosen[worker.rows])
        return self._finish()

    def step(self) -> Outcome:
        """Step all copies with the actions in the arrays; the results are written to the arrays.

        Returns:
            A pair: a list of (copy, exception), and a dict with the agent's `info` by copy. The
            dict is empty if a scene has several agents.
        """
        for worker in self.workers:
            worker.begin_step()
        return self._finish()

    def begin(self, seed: int) -> None:
        """Open all copies again and begin an episode in each; the arrays hold the observations.

        Args:
            seed: seed of the first copy; each further copy has a seed higher by 1.

        Raises:
            WorldError: a script failed.
            WorkerLostError: a worker process has ended; a new one has replaced it.
        """
        seeds = [(seed + row) % MOST_SEEDS for row in range(self.count)]
        self.arrays["decides"][...] = False
        raise_first(self.reset(seeds, [True] * self.count)[0])

    def advance(self) -> None:
        """Step every copy with the actions in the arrays, and write the results to the arrays.

        Raises:
            WorldError: a script failed.
            WorkerLostError: a worker has ended; a new one has replaced it.
        """
        raise_first(self.step()[0])

    def close(self) -> None:
        """End the scenes and the workers. May be called twice."""
        self._closing.close()

    def _finish(self) -> Outcome:
        faults: list[tuple[int, GoishiError]] = []
        infos: dict[int, Mapping[str, object]] = {}
        for worker in self.workers:
            found, told = worker.finish()
            first = worker.rows.start
            faults += [(first + row, error) for row, error in found]
            infos.update({first + row: info for row, info in told.items()})
        return faults, infos


def open_vector_world(scene: str, count: int) -> VectorWorld:
    """Open copies of a scene in this process; learners find this function by its name.

    Args:
        scene: path of the scene file.
        count: number of copies.

    Raises:
        GoishiError: the scene cannot be opened.
    """
    return VectorWorld(Path(scene), count)


def raise_first(faults: Sequence[tuple[int, GoishiError]]) -> None:
    """Raise the first of some errors; the message names the copy and how many more there are.

    Args:
        faults: pairs of copy and error; if there are none, nothing happens.

    Raises:
        GoishiError: there is at least one error.
    """
    if not faults:
        return
    row, error = faults[0]
    where = "" if isinstance(error, WorkerLostError) else f"copy {row}: "
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    error.args = (f"{where}{error}{more}",)
    raise error
