"""Copies of a scene in an actor of a Ray cluster: actions go there, what was seen comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError, UsageError, WorkerLostError, plain_error
from base.schema import OptionValue
from sim.app.copies import Column, Layout
from sim.app.serving import Methods, serve_copies
from sim.app.stepping.child import error_of
from sim.app.stepping.memory import shared_memory

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
SEEN: Final = "observation"
"""How the arrays begin that only the copies write to."""
OPENING: Final = 600.0
"""Seconds in which an actor must find a core and open its scenes."""
PATIENCE: Final = 10.0
"""Seconds that an actor has for its end."""


class FarCopies:
    """The copies, in the actor's process; the machine has Goishi and the scene's project."""

    def __init__(self) -> None:
        self._methods: Methods = {}
        self._arrays: Arrays = {}
        self._count = 0

    def open(
        self, scene: str, count: int, options: dict[str, OptionValue], kind: str, is_drawn: bool
    ) -> tuple[object, ...]:
        """Open the scenes; return `("ok", about)`, or an error as `sim.app.serving` has it."""
        try:
            self._methods = serve_copies(scene, count, options, kind, is_drawn)
        except Exception as error:  # whoever asked is told
            return plain_error(error)
        self._count = count
        return "ok", self._methods["about"]()

    def use(self, columns: Sequence[Column]) -> tuple[object, ...]:
        """Make the arrays that the copies write to; see `open` for what is returned."""
        layout = Layout(self._count, tuple(columns))
        try:
            file, memory = shared_memory(layout.size)
            try:
                self._methods["use"](layout.columns, layout.rows, str(file), 0)
            finally:
                file.unlink()
        except Exception as error:  # whoever asked is told
            return plain_error(error)
        self._arrays = layout.arrays(memory)
        return "ok", None

    def call(self, method: str, given: Arrays, *arguments: object) -> tuple[object, ...]:
        """Reset or step with these arrays; return what came of it, and all arrays, as `open`."""
        for name, values in given.items():
            self._arrays[name][...] = values
        try:
            told: Any = self._methods[method](*arguments)
        except Exception as error:  # whoever asked is told
            return plain_error(error)
        return "ok", (told, {name: array.copy() for name, array in self._arrays.items()})

    def close(self) -> None:
        """End the scenes."""
        if self._methods:
            self._methods["close"]()


class FarPart:
    """Some copies in an actor of a cluster; one that is lost is replaced, elsewhere if need be.

    Args:
        ray: the package, joined to the cluster.
        scene: its file, at the same place on each machine.
        rows: of these copies, among all.
        options: those that the scene's scripts declare.
        number: of the part, for its name.
        kind: "copies" of one agent, or "teams".
        is_drawn: whether the scene is drawn there.
    """

    def __init__(
        self,
        ray: ModuleType,
        scene: Path,
        rows: slice,
        options: dict[str, OptionValue],
        number: int,
        kind: str,
        *,
        is_drawn: bool,
    ) -> None:
        self.rows = rows
        self._ray = ray
        self._opening = (str(scene), rows.stop - rows.start, options, kind, is_drawn)
        self._name = f"actor {number} (copies {rows.start} to {rows.stop - 1})"
        self._columns: Sequence[Column] | None = None
        self._arrays: Arrays = {}
        self._pending: Any = None
        self._about: Any = None
        self._start()

    def _start(self) -> None:
        self._about = None
        self._actor: Any = self._ray.remote(num_cpus=1)(FarCopies).remote()
        self._opened: Any = self._actor.open.remote(*self._opening)

    @property
    def about(self) -> Any:
        """What the copies say of themselves, once they are open.

        Raises:
            GoishiError: they cannot be opened.
            WorkerLostError: the actor has ended.
        """
        if self._about is None:
            self._about = self._answer(self._opened, OPENING)
        return self._about

    def wait(self) -> None:
        """Wait until the scenes are open; see `about`."""
        _ = self.about

    def use(self, layout: Layout, arrays: Mapping[str, Array]) -> None:
        """Take actions from, and write to, the part's rows of these arrays from now on."""
        self._columns = layout.columns
        self._arrays = {name: array[self.rows] for name, array in arrays.items()}
        self._answer(self._actor.use.remote(self._columns))

    def begin_reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> None:
        """Begin an episode in the chosen copies."""
        self._begin("reset", list(seeds), list(chosen))

    def begin_step(self) -> None:
        """Step all copies by the actions in the arrays."""
        self._begin("step")

    def _begin(self, method: str, *arguments: object) -> None:
        given = {
            name: np.array(array)
            for name, array in self._arrays.items()
            if method == "reset" or not name.startswith(SEEN)  # rows that are not reset stay
        }
        self._pending = self._actor.call.remote(method, given, *arguments)

    def finish(self) -> tuple[list[tuple[int, GoishiError]], dict[int, Mapping[str, object]]]:
        """Wait until that is done; see `Part.finish`."""
        try:
            (faults, infos), arrays = self._answer(self._pending)
        except WorkerLostError as error:
            self._replace()
            return [(0, error)], {}
        for name, array in self._arrays.items():
            array[...] = arrays[name]
        return [(row, error_of(*fault[1:])) for row, fault in faults], infos

    def _answer(self, reference: Any, seconds: float | None = None) -> Any:
        """Return what an actor answers, within so many seconds.

        Raises:
            GoishiError: what was raised there, or there is no free core for the actor.
            WorkerLostError: it has ended.
        """
        try:
            kind, *rest = self._ray.get(reference, timeout=seconds)
        except self._ray.exceptions.RayActorError:
            raise WorkerLostError(
                f"{self._name}: expected an answer, found that its process or its machine was lost"
            ) from None
        except self._ray.exceptions.GetTimeoutError:
            raise GoishiError(
                f"{self._name}: expected a free core of the cluster, found none within "
                f"{seconds:g} s"
            ) from None
        if kind != "ok":
            raise error_of(*rest)
        return rest[0]

    def _replace(self) -> None:
        """Start another actor, whose copies begin anew at their next step."""
        self._start()
        self.wait()
        if self._columns is not None:
            self._answer(self._actor.use.remote(self._columns))

    def close(self) -> None:
        """End the actor. May be called twice."""
        with suppress(Exception):  # the cluster may be gone
            self._ray.get(self._actor.close.remote(), timeout=PATIENCE)
        with suppress(Exception):
            self._ray.kill(self._actor)


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
