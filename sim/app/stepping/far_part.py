"""Copies of a scene in an actor of a Ray cluster: actions go there, what was seen comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError, WorkerLostError
from base.schema import OptionValue
from sim.app.copies import Column, Layout
from sim.app.serving import Methods, serve_copies
from sim.app.serving import error_of as told_error
from sim.app.stepping.child import error_of
from sim.app.stepping.memory import shared_memory

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
Told = tuple[list[tuple[int, tuple[Any, ...]]], dict[int, Mapping[str, object]]]
"""Faults by row as plain values, and what agents told."""
SEEN: Final = "observation"
"""How the arrays begin that only the copies write to."""


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
            return told_error(error)
        self._count = count
        return "ok", self._methods["about"]()

    def use(self, columns: Sequence[Column]) -> None:
        """Make the arrays that the copies write to."""
        layout = Layout(self._count, tuple(columns))
        file, memory = shared_memory(layout.size)
        self._methods["use"](layout.columns, layout.rows, str(file), 0)
        file.unlink()
        self._arrays = layout.arrays(memory)

    def call(self, method: str, given: Arrays, *arguments: object) -> tuple[Told, Arrays]:
        """Reset or step with these arrays; return what came of it, and all arrays."""
        for name, values in given.items():
            self._arrays[name][...] = values
        told: Any = self._methods[method](*arguments)
        return told, {name: array.copy() for name, array in self._arrays.items()}


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
            kind, *rest = self._answer(self._opened)
            if kind != "ok":
                raise error_of(*rest)
            self._about = rest[0]
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
            if not name.startswith(SEEN)
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

    def _answer(self, reference: Any) -> Any:
        """Return what an actor answers.

        Raises:
            WorkerLostError: it has ended.
        """
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayActorError:
            raise WorkerLostError(
                f"{self._name}: expected an answer, found that its process or its machine was lost"
            ) from None

    def _replace(self) -> None:
        """Start another actor, whose copies begin anew at their next step."""
        self._start()
        self.wait()
        if self._columns is not None:
            self._answer(self._actor.use.remote(self._columns))

    def close(self) -> None:
        """End the actor. May be called twice."""
        with suppress(Exception):  # the cluster may be gone
            self._ray.kill(self._actor)
