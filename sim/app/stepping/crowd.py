"""Copies of a scene in arrays, in this process or spread over several."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError, WorkerLostError
from base.schema import OptionValue
from sim.app.copies import Layout
from sim.app.episodes import MOST_SEEDS
from sim.app.stepping.child import Child, error_of
from sim.app.stepping.far_part import FarPart, check_room
from sim.app.stepping.memory import shared_memory
from sim.app.stepping.team_copies import COPIES, layout_of
from sim.core.script.spaces import PlainSpace

Array = npt.NDArray[Any]
Options = dict[str, OptionValue]
Outcome = tuple[list[tuple[int, GoishiError]], dict[int, Mapping[str, object]]]
"""What failed, by row, and what agents told."""
LAYOUTS: dict[str, Callable[[int, tuple[Any, ...]], Layout]] = {
    "copies": lambda rows, about: Layout.of_spaces(rows, *about[:2]),
    "teams": lambda rows, about: layout_of(rows, about[2]),
}
"""The arrays of so many copies, by what they say of themselves."""


class Part(Protocol):
    """Some copies of a scene, and where they are stepped.

    Attributes:
        rows: the first and the one behind the last, of all.
    """

    rows: slice

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Begin an episode in the chosen copies."""

    def begin_step(self) -> None:
        """Step all copies by the actions in the arrays."""

    def finish(self) -> Outcome:
        """Wait until that is done; rows are counted from the part's first."""

    def close(self) -> None:
        """End them."""


class HerePart:
    """Copies in this process."""

    def __init__(self, scene: Path, rows: slice, options: Options, kind: str) -> None:
        self.rows = rows
        self.copies = COPIES[kind](scene, rows.stop - rows.start, options=options)
        self.about = self.copies.about
        self._outcome: Outcome = ([], {})

    def wait(self) -> None:
        """Do nothing: they are open."""

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Begin an episode in the chosen copies."""
        faults = self.copies.reset(seeds, chosen)
        self._outcome = [(fault.row, fault.error) for fault in faults], self.copies.infos

    def begin_step(self) -> None:
        """Step all copies by the actions in the arrays."""
        faults = self.copies.step()
        self._outcome = [(fault.row, fault.error) for fault in faults], self.copies.infos

    def finish(self) -> Outcome:
        """Return what came of it."""
        return self._outcome

    def close(self) -> None:
        """End the scenes."""
        self.copies.close()


class ChildPart:
    """Copies in a child process, which writes to shared memory; one that dies is replaced."""

    def __init__(
        self, scene: Path, rows: slice, options: Options, number: int, kind: str, *, is_drawn: bool
    ) -> None:
        self.rows = rows
        self.core: int | None = None
        self._scene, self._options, self._how = scene, options, (kind, is_drawn)
        self._name = f"worker {number} (copies {rows.start} to {rows.stop - 1})"
        self._use: tuple[Layout, str] | None = None
        self.child = self._start()

    def _start(self) -> Child:
        count = self.rows.stop - self.rows.start
        return Child(self._name, "copies", str(self._scene), count, self._options, *self._how)

    @property
    def about(self) -> Any:
        """What the copies say of themselves, once they are open; see `Child.about`."""
        return self.child.about

    def wait(self) -> None:
        """Wait until the child has opened its scenes.

        Raises:
            GoishiError: it cannot.
        """
        _ = self.child.about

    def stay_on(self, core: int) -> None:
        """Keep the child, and whatever replaces it, on one of the processor's cores.

        Where the children are as many as the cores, Linux else lets two of them take turns on one
        core, for milliseconds of each step, while another is free. The child must be open: what
        counts the cores as it is loaded, as NumPy does, then finds as many as in any other process,
        and rounds alike.
        """
        self.core = core
        with contextlib.suppress(OSError):  # it has ended, as is told when it is asked
            os.sched_setaffinity(self.child.pid, {core})

    def use(self, layout: Layout, file: Path) -> None:
        """Let the child write into its rows of the arrays in a file."""
        self._use = layout, str(file)
        self.child.ask("use", layout.columns, layout.rows, str(file), self.rows.start)

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Begin an episode in the chosen copies."""
        self._send("reset", list(seeds), list(chosen))

    def begin_step(self) -> None:
        """Step all copies by the actions in the arrays."""
        self._send("step")

    def finish(self) -> Outcome:
        """Wait for the child."""
        lost: GoishiError
        try:
            if self._lost is not None:
                raise self._lost
            faults, infos = self.child.receive()
        except WorkerLostError as error:
            lost = error
        else:
            return [(row, error_of(*fault[1:])) for row, fault in faults], infos
        self._replace()
        return [(0, lost)], {}

    def close(self) -> None:
        """End the child."""
        self.child.close()

    _lost: WorkerLostError | None = None

    def _send(self, method: str, *arguments: object) -> None:
        self._lost = None
        try:
            self.child.send(method, *arguments)
        except WorkerLostError as error:
            self._lost = error

    def _replace(self) -> None:
        """Start another child, whose copies begin anew at their next step."""
        self.child.close()
        self.child = self._start()
        self.wait()
        if self.core is not None:
            self.stay_on(self.core)
        if self._use is not None:
            self.use(self._use[0], Path(self._use[1]))


class Crowd:
    """Copies of a scene with one agent, each a world of its own, and their arrays.

    A scene with a CameraSensor is drawn, and then each copy has a process of its own.

    Args:
        scene: its file.
        count: copies.
        workers: processes that step them; 0 is this one.
        options: those that the scene's scripts declare, by name.
        cluster: the package ray, joined to a cluster whose actors are the workers, at least one;
            None: they are processes of this machine.

    Attributes:
        parts: the copies by process.
        about: what the copies say of themselves.
        arrays: one row a copy, by name: see `Layout`.
        file: the memory that workers share, None without workers.

    Raises:
        UsageError: the scene has no agent or several.
        GoishiError: it cannot be opened.
    """

    KIND: ClassVar[str] = "copies"

    def __init__(
        self,
        scene: Path,
        count: int,
        workers: int,
        options: Options,
        cluster: ModuleType | None = None,
    ) -> None:
        self.count = count
        self._cluster = cluster
        self.parts: list[HerePart | ChildPart | FarPart] = []
        self.file: Path | None = None
        self._closing = contextlib.ExitStack()
        try:
            self._open(scene, workers, options)
        except BaseException:
            self._closing.close()
            raise

    def _open(self, scene: Path, workers: int, options: Options) -> None:
        self.about = self._open_parts(scene, workers, options)
        if self.about[-1]:  # nothing is seen where nothing is drawn
            self._closing.close()
            self.about = self._open_parts(scene, self.count, options, is_drawn=True)
        self._share(LAYOUTS[self.KIND](self.count, self.about))

    def _open_parts(
        self, scene: Path, workers: int, options: Options, *, is_drawn: bool = False
    ) -> tuple[Any, ...]:
        """Open all copies; return what they say of themselves."""
        self.parts.clear()
        if self._cluster is not None:
            check_room(self._cluster, workers)
        bounds = np.linspace(0, self.count, max(1, workers) + 1).astype(int).tolist()
        for number in range(max(1, workers)):
            rows = slice(bounds[number], bounds[number + 1])
            part = self._new_part(scene, rows, options, number if workers else None, is_drawn)
            self._closing.callback(part.close)
            self.parts.append(part)
        for part in self.parts:  # they open their scenes side by side
            part.wait()
        if not is_drawn:
            spread([part for part in self.parts if isinstance(part, ChildPart)])
        about: tuple[Any, ...] = self.parts[0].about
        return about

    def _new_part(
        self, scene: Path, rows: slice, options: Options, number: int | None, is_drawn: bool
    ) -> HerePart | ChildPart | FarPart:
        """Begin to open some copies: in this process where they have no number."""
        if number is None:
            return HerePart(scene, rows, options, self.KIND)
        if self._cluster is None:
            return ChildPart(scene, rows, options, number, self.KIND, is_drawn=is_drawn)
        return FarPart(self._cluster, scene, rows, options, number, self.KIND, is_drawn=is_drawn)

    @property
    def spaces(self) -> tuple[PlainSpace, PlainSpace]:
        """Observation and action space, as plain values."""
        sees, acts = self.about[:2]
        return sees, acts

    def _share(self, layout: Layout) -> None:
        """Make the arrays, in memory that the workers see."""
        children = [part for part in self.parts if isinstance(part, ChildPart)]
        if children:
            self.file, memory = shared_memory(layout.size)
            self._closing.callback(weakref.finalize(self, self.file.unlink, missing_ok=True))
            self.arrays = layout.arrays(memory)
            for child in children:
                child.use(layout, self.file)
            return
        self.arrays = layout.arrays(bytearray(layout.size))
        for part in self.parts:
            if isinstance(part, HerePart):
                part.copies.use(self.arrays)
            elif not isinstance(part, ChildPart):
                part.use(layout, self.arrays)

    def reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> Outcome:
        """Begin an episode in the chosen copies; return what failed and what agents told."""
        for part in self.parts:
            part.begin_reset(seeds[part.rows], chosen[part.rows])
        return self._finish()

    def step(self) -> Outcome:
        """Step all copies by the actions in the arrays; return the same."""
        for part in self.parts:
            part.begin_step()
        return self._finish()

    def begin(self, seed: int) -> Array:
        """Open every scene anew and begin an episode; return the observations, a row a copy.

        Args:
            seed: of the first copy; the next has one more, and so on.

        Raises:
            WorldError: a script failed.
            WorkerLostError: a worker has ended; another has taken its place.
        """
        seeds = [(seed + row) % MOST_SEEDS for row in range(self.count)]
        raise_first(self.reset(seeds, [True] * self.count)[0])
        return self._observations.copy()

    def act(self, actions: Array) -> tuple[Array, Array, Array, Array]:
        """Step every copy; return observations, rewards, what has ended, what was cut off.

        After the end of an episode the next step begins another, its action left aside.

        Args:
            actions: a row a copy.

        Raises:
            WorldError: a script failed.
            WorkerLostError: a worker has ended; another has taken its place.
        """
        arrays = self.arrays
        arrays["action"][...] = actions
        raise_first(self.step()[0])
        return (
            self._observations.copy(), arrays["reward"].copy(), arrays["terminated"].copy(),
            arrays["truncated"].copy(),
        )  # fmt: skip

    @property
    def _observations(self) -> Array:
        return self.arrays["observation"]

    def close(self) -> None:
        """End the scenes and the workers. May be called twice."""
        self._closing.close()

    def _finish(self) -> Outcome:
        faults: list[tuple[int, GoishiError]] = []
        infos: dict[int, Mapping[str, object]] = {}
        for part in self.parts:
            found, told = part.finish()
            first = part.rows.start
            faults += [(first + row, error) for row, error in found]
            infos.update({first + row: info for row, info in told.items()})
        return faults, infos


def spread(children: Sequence[ChildPart]) -> None:
    """Keep each child on a core of its own where they are as many as the cores (Linux)."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if 1 < len(cores) == len(children):
            for child, core in zip(children, cores, strict=True):
                child.stay_on(core)


def open_crowd(scene: str, count: int) -> Crowd:
    """Return copies of a scene in this process, for a learner that is told of this function.

    Raises:
        GoishiError: it cannot be opened.
    """
    return Crowd(Path(scene), count, 0, {})


def raise_first(faults: Sequence[tuple[int, GoishiError]]) -> None:
    """Raise the first of the errors, where there are any; say which copy, and how many more.

    Raises:
        GoishiError: there are some.
    """
    if not faults:
        return
    row, error = faults[0]
    where = "" if isinstance(error, WorkerLostError) else f"copy {row}: "
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    error.args = (f"{where}{error}{more}",)
    raise error
