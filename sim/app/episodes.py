"""Episodes of a scene's agents, stepped from outside: what every environment is made of."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from base.errors import GoishiError, UsageError
from base.schema import OptionValue
from sim.app.factories import PhysicsMaker, open_physics
from sim.app.world import open_unseen
from sim.core.components.sensors import CameraSensor
from sim.core.files.scene_file import find_project, load
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.agents import Seat
from sim.core.host.script_host import ScriptHost
from sim.core.script.spaces import Value, take_action

MOST_SEEDS = 2**31


class Stepped(Protocol):
    """A scene that runs and is stepped from outside."""

    host: ScriptHost

    def awake(self) -> None:
        """Awake and start its scripts."""

    def frame(self) -> None:
        """Run one frame, which is one fixed step."""

    def raise_failure(self) -> None:
        """Raise what a script has raised first since the last call, if one has."""

    def close(self) -> None:
        """End it."""


OpenWorld = Callable[[int | None, Path], Stepped]
"""Opens the scene with a seed, None for the scene's own, and an empty folder for its files."""


class _Files:
    """A temporary folder for what a scene's scripts write; it goes with this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="goishi-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    @property
    def is_empty(self) -> bool:
        """Whether it is there and holds nothing."""
        return self.path.is_dir() and not any(self.path.iterdir())


class ResetNeededError(GoishiError):
    """An environment is stepped where no episode runs."""


class Episodes:
    """Episodes of all agents of one scene.

    A seed opens the scene anew, so that what follows depends on the seed and the actions alone;
    without one the next episode begins in the scene as it is.

    Attributes:
        world: the scene that runs now.
        seats: its agents, in the scene's order.

    Raises:
        UsageError: the scene has no agent, or its agents do not decide at the same time.
        WorldError: a script failed.
    """

    def __init__(self, open_world: OpenWorld) -> None:
        self._open_world = open_world
        self._files = _Files()
        self._is_sound = False
        self._is_begun = False
        self._is_closed = False
        self.seats: list[Seat] = []
        try:
            self._open(None)
        except BaseException:
            self._files.remove()
            raise

    @classmethod
    def of_scene(
        cls,
        scene: Path,
        watchdog: Watchdog | None = None,
        options: Mapping[str, OptionValue] | None = None,
        physics_maker: PhysicsMaker = open_physics,
    ) -> Episodes:
        """Open a scene's file, without a picture.

        Args:
            scene: the file.
            watchdog: breaks calls of scripts that do not end; None for nobody.
            options: values of the options that its scripts declare, by name.
            physics_maker: makes the simulation of its bodies.

        Raises:
            SceneFileError: the file is invalid.
            UsageError: it has no agent.
            WorldError: a script failed.
        """
        path = scene.resolve()
        document = load(path, project=find_project(path))
        return cls(
            lambda seed, files: open_unseen(
                document, path, seed, files, watchdog, options, physics_maker
            )
        )

    @property
    def names(self) -> list[str]:
        """The agents' names: of their objects, or their paths where two have the same name."""
        names = [seat.slot.object.name for seat in self.seats]
        if len(set(names)) < len(names):
            names = [seat.slot.object.path for seat in self.seats]
        if len(set(names)) < len(names):
            names = [f"{name} {seat.slot.id}" for name, seat in zip(names, self.seats, strict=True)]
        return names

    @property
    def needs_picture(self) -> bool:
        """Whether an agent's scene has a CameraSensor, which reads only where it is drawn."""
        return any(
            isinstance(slot.instance, CameraSensor) for slot in self.world.host.scene.components()
        )

    @property
    def teams(self) -> list[str]:
        """The team of each agent, empty for none."""
        return [seat.agent.team for seat in self.seats]

    @property
    def rate(self) -> float:
        """Decisions a second of scene time."""
        every = self.seats[0].agent.decision_every
        return 1.0 / (self.world.host.clock.fixed_dt * every)

    def reset(self, seed: int | None = None) -> list[Value]:
        """Begin an episode; return what each agent observes.

        Args:
            seed: opens the scene anew with it.

        Raises:
            WorldError: a script failed.
            UsageError: the agents are no longer those that there were, or it is closed.
        """
        if self._is_closed:
            raise UsageError("reset: expected an open environment, found a closed one")
        if seed is not None or not self._is_sound:
            any_seed = int(np.random.default_rng().integers(MOST_SEEDS))
            self._reopen(any_seed if seed is None else seed)
        self._is_sound = False
        self.world.host.agents.begin()
        self.world.raise_failure()
        self._is_sound = self._is_begun = True
        return [seat.observation for seat in self.seats]

    def step(self, actions: Sequence[object]) -> list[Seat]:
        """Let the agents act and go on to their next decision; return their seats.

        Args:
            actions: one an agent, in the order of `seats`; None for those whose episode is over.

        Raises:
            FieldError: an action is none of its space; nothing has happened.
            ResetNeededError: no episode runs.
            WorldError: a script failed; a `reset` begins anew.
        """
        if not self._is_sound or not self._is_begun or all(seat.is_over for seat in self.seats):
            raise ResetNeededError("step: expected an episode that runs, found none: call reset()")
        taken = [
            None if seat.is_over else take_action(seat.acts, action, seat.acting)
            for seat, action in zip(self.seats, actions, strict=True)
        ]
        for seat, value in zip(self.seats, taken, strict=True):
            seat.given = value
        agents, frame = self.world.host.agents, self.world.frame
        self._is_sound = False  # a failure leaves the scene as it fell
        frame()
        while not agents.awaits_actions:
            frame()
        self._is_sound = True
        return self.seats

    def step_one(self, action: object) -> Seat:
        """Do what `step` does, for a scene with one agent.

        Raises:
            FieldError: the action is none of its space; nothing has happened.
            ResetNeededError: no episode runs.
            WorldError: a script failed; a `reset` begins anew.
        """
        self._check_runs()
        seat = self.seats[0]
        return self._go_on(take_action(seat.acts, action, seat.acting))

    def step_taken(self, action: Value) -> Seat:
        """Do what `step_one` does, with an action that its space has taken already.

        Raises:
            ResetNeededError: no episode runs.
            WorldError: a script failed; a `reset` begins anew.
        """
        self._check_runs()
        return self._go_on(action)

    def _check_runs(self) -> None:
        if self.seats[0].is_over or not self._is_sound or not self._is_begun:
            raise ResetNeededError("step: expected an episode that runs, found none: call reset()")

    def _go_on(self, action: Value) -> Seat:
        """Let the agent of a scene with one agent act, and go on to its next decision."""
        seat = self.seats[0]
        seat.given = action
        frame = self.world.frame
        self._is_sound = False
        frame()
        while seat.left and not seat.is_over:
            frame()
        self._is_sound = True
        return seat

    def close(self) -> None:
        """End the scene. May be called twice."""
        self._is_closed, self._is_sound = True, False
        self.world.close()
        self._files.remove()

    def _reopen(self, seed: int) -> None:
        self._is_sound = self._is_begun = False
        self.world.close()
        known = [(seat.slot.id, repr(seat.sees), repr(seat.acts)) for seat in self.seats]
        self._open(seed)
        found = [(seat.slot.id, repr(seat.sees), repr(seat.acts)) for seat in self.seats]
        if known != found:
            self._is_sound = False
            raise UsageError(
                f"{self._path}: expected the same agents at each reset, "
                f"found {len(found)} instead of {len(known)}, or other spaces"
            )

    def _open(self, seed: int | None) -> None:
        if not self._files.is_empty:  # a scene begins with nothing learnt
            self._files.remove()
            self._files = _Files()
        self.world = self._open_world(seed, self._files.path)
        try:
            self._take_seats()
        except BaseException:
            self.world.close()
            raise
        self._is_sound = True

    def _take_seats(self) -> None:
        self.world.awake()
        agents = self.world.host.agents
        agents.is_steered = True
        agents.collect(self.world.host.scene.components())
        self.world.raise_failure()
        self.seats = agents.seats
        if not self.seats:
            raise UsageError(
                f"{self._path}: expected a script of the class Agent that runs, found none"
            )
        pace = {seat.agent.decision_every for seat in self.seats}
        if len(pace) > 1:
            raise UsageError(
                f"{self._path}: expected one decision_every for all agents, found {sorted(pace)}"
            )

    @property
    def _path(self) -> str:
        return self.world.host.run.scene_path.name
