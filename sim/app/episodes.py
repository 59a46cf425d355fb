"""Episodes of a scene's agents, stepped by a learner; all environments are built on this."""

from __future__ import annotations

import logging
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from base.errors import ResetNeededError, UsageError
from base.schema import OptionValue
from base.temporary import unused_folder
from sim.app.world import PhysicsMaker, open_physics, open_unseen
from sim.core.components.sensors import CameraSensor
from sim.core.files.scene_file import find_project, load
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.agents import AgentEpisode, Agents
from sim.core.project.run_context import RunContext
from sim.core.rewind.recorder import saves_state
from sim.core.rewind.restoring import packed, stateless, unpacked
from sim.core.rewind.tape import Moment
from sim.core.scene.scene import Scene
from sim.core.script.spaces import PlainSpace, Value, plain_space, validate_action
from sim.core.tasks.clock import Clock

log = logging.getLogger("goishi")

MOST_SEEDS = 2**31


class Stepped(Protocol):
    """A running scene that a program steps; the interface that `Episodes` uses."""

    scene: Scene
    clock: Clock
    agents: Agents
    run_context: RunContext

    def awake(self) -> None:
        """Call `awake` and `start` of the scene's scripts, before the first frame."""

    def frame(self) -> None:
        """Run one frame, which is one fixed step."""

    def moment(self) -> Moment:
        """Return the scene as it is now."""

    def continue_from(self, moment: Moment) -> None:
        """Continue the scene from a recorded moment."""

    def raise_failure(self) -> None:
        """Raise a script's first error since the last call, if there was one."""

    def close(self) -> None:
        """End the scene's scripts and free what it uses."""


OpenWorld = Callable[[int | None, Path], Stepped]
"""A function that opens a scene.

Its arguments are a seed (None for the scene's own) and an empty folder for the scene's files.
"""


class _Files:
    """A temporary folder for files of a scene's scripts; deleted with this object.

    It is made when a script first asks for it (`RunContext.data_dir`), which few do.
    """

    def __init__(self) -> None:
        self.path = unused_folder()
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    @property
    def is_empty(self) -> bool:
        """Whether the folder holds nothing."""
        return not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir()))


class SceneAgents(NamedTuple):
    """Facts about a scene's agents, as plain values that can be sent to other processes.

    Attributes:
        names: name of each agent's object, or its path if names are not unique.
        teams: team of each agent; empty for none.
        spaces: observation and action space of each agent, as plain values.
        rate: decisions per second of scene time.
        needs_picture: whether the scene has a CameraSensor, which works only if the scene is drawn.
        most_decisions: decisions after which an episode is cut off, the most of all agents; 0:
            never.
    """

    names: list[str]
    teams: list[str]
    spaces: list[tuple[PlainSpace, PlainSpace]]
    rate: float
    needs_picture: bool
    most_decisions: int = 0


def _most(decisions: Sequence[int]) -> int:
    """Return the greatest limit; 0 if one of them is 0, which means none."""
    return max(decisions) if all(decisions) else 0


class CarriedEpisode(NamedTuple):
    """A running episode as plain values, with which another copy of the scene goes on.

    Attributes:
        seed: seed with which the scene was opened.
        episodes: number of episodes begun so far.
        observations: the latest observation of each agent.
        moment: the scene, as `sim.core.rewind.restoring.packed` writes it.
    """

    seed: int
    episodes: int
    observations: list[Value]
    moment: bytes


class Episodes:
    """Episodes of all agents of one scene, controlled by a learner.

    `reset` with a seed opens the scene again, so that what follows depends only on the seed and the
    actions. Without a seed, the next episode begins in the scene as it is.

    Args:
        open_world: opens the scene.

    Attributes:
        world: the running scene; replaced at each `reset` with a seed.
        agents: the episode of each agent, in the scene's order.

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
        self.agents: list[AgentEpisode] = []
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
        """Open a scene file, without a picture.

        Args:
            scene: path of the scene file.
            watchdog: interrupts calls of scripts that take too long; None for no limit.
            options: values of the options that its scripts declare, by name.
            physics_maker: creates the scene's physics simulation.

        Raises:
            SceneFileError: the file is invalid.
            UsageError: the scene has no agent.
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
    def about(self) -> SceneAgents:
        """Facts about the scene's agents, such as their names and spaces."""
        agents = self.agents
        names = [agent.slot.object.name for agent in agents]
        if len(set(names)) < len(names):
            names = [agent.slot.object.path for agent in agents]
        if len(set(names)) < len(names):
            names = [f"{name} {agent.slot.id}" for name, agent in zip(names, agents, strict=True)]
        world = self.world
        return SceneAgents(
            names=names,
            teams=[agent.agent.team for agent in agents],
            spaces=[
                (plain_space(agent.observation_space), plain_space(agent.action_space))
                for agent in agents
            ],
            rate=1.0 / (world.clock.fixed_dt * agents[0].agent.decision_every),
            needs_picture=any(
                isinstance(slot.instance, CameraSensor) for slot in world.scene.components()
            ),
            most_decisions=_most([agent.agent.most_decisions for agent in agents]),
        )

    def reset(self, seed: int | None = None) -> list[Value]:
        """Begin an episode; return the observation of each agent.

        Args:
            seed: seed with which the scene is opened again; None to continue in the scene as it is.

        Raises:
            WorldError: a script failed.
            UsageError: the agents or their spaces differ from before, or this is closed.
        """
        self._check_open("reset")
        if seed is not None or not self._is_sound:
            any_seed = int(np.random.default_rng().integers(MOST_SEEDS))
            self._reopen(any_seed if seed is None else seed)
        self._is_sound = False
        self._agents.begin()
        self.world.raise_failure()
        self._is_sound = self._is_begun = True
        return [agent.observation for agent in self.agents]

    def step(self, actions: Sequence[object]) -> list[AgentEpisode]:
        """Carry out one action per agent and run until the next decision; return `agents`.

        Args:
            actions: action of each agent, in the order of `agents`. Those of agents whose episode
                has ended are ignored.

        Raises:
            FieldError: an action is not in its space; nothing has changed.
            ResetNeededError: no episode is running.
            UsageError: this is closed.
            WorldError: a script failed; the next `reset` opens the scene again.
        """
        runs = False
        if self._is_sound and self._is_begun:
            for number, agent in enumerate(self.agents):
                if not agent.is_done:
                    agent.given = validate_action(agent.action_space, actions[number], agent.acting)
                    runs = True
        if not runs:
            self._check_open("step")
            raise ResetNeededError("step: expected an episode that runs, found none: call reset()")
        self.advance()
        return self.agents

    def advance(self) -> None:
        """Run until the next decision, without the checks of `step`.

        An episode must be running and the action of each agent be set.

        Raises:
            WorldError: a script failed; the next `reset` opens the scene again.
        """
        frame, agents = self._frame, self._agents
        self._is_sound = False  # a failure leaves the scene as it fell
        frame()
        while not agents.awaits_actions:
            frame()
        self._is_sound = True

    def carried(self) -> CarriedEpisode | None:
        """Return the running episode, to go on with in a copy; None if none runs.

        It is None, too, if a script declares no state (`save_state` and `load_state`). A warning
        names these scripts.
        """
        if self._is_closed or not (self._is_sound and self._is_begun):
            return None
        scene, moment = self.world.scene, self.world.moment()
        names = stateless(scene)
        names += [
            slot.class_name
            for slot in scene.components()
            if saves_state(slot) and ("state", slot.id) not in moment.values
        ]
        content = None if names else packed(moment)
        if content is None:
            log.warning(
                "%s: a copy begins a new episode, since these scripts declare no state "
                "(save_state, load_state): %s",
                self._path,
                ", ".join(names) or "none",
            )
            return None
        seen = [agent.observation for agent in self.agents]
        return CarriedEpisode(self.world.run_context.seed, self._agents.episodes, seen, content)

    def carry_on(self, carried: CarriedEpisode) -> None:
        """Open the scene again and go on with an episode of another copy.

        Raises:
            WorldError: a script failed.
            UsageError: the agents or their spaces differ from before, or this is closed.
        """
        seed, episodes, observations, content = carried
        self.reset(seed)
        self._is_sound = False
        self.world.continue_from(unpacked(content))
        self.world.raise_failure()
        self.agents, self._agents.episodes = self._agents.running, episodes
        for agent, seen in zip(self.agents, observations, strict=True):
            agent.observation = seen
        self._is_sound = True

    def close(self) -> None:
        """End the scene. May be called twice."""
        self._is_closed, self._is_sound = True, False
        self.world.close()
        self._files.remove()

    def _check_open(self, method: str) -> None:
        if self._is_closed:
            raise UsageError(f"{method}: expected an open environment, found a closed one")

    def _reopen(self, seed: int) -> None:
        self._is_sound = self._is_begun = False
        self.world.close()
        known = self._declared()
        self._open(seed)
        found = self._declared()
        if known != found:
            self._is_sound = False
            raise UsageError(
                f"{self._path}: expected the same agents at each reset, "
                f"found {len(found)} instead of {len(known)}, or other spaces"
            )

    def _declared(self) -> list[tuple[str, str, str]]:
        """Return what must be the same after each reset.

        Returns:
            For each agent: id of its component, observation space and action space, as texts.
        """
        return [
            (agent.slot.id, repr(agent.observation_space), repr(agent.action_space))
            for agent in self.agents
        ]

    def _open(self, seed: int | None) -> None:
        if not self._files.is_empty:  # a scene begins with nothing learnt
            self._files.remove()
            self._files = _Files()
        self.world = self._open_world(seed, self._files.path)
        try:
            self._find_agents()
        except BaseException:
            self.world.close()
            raise
        self._is_sound = True

    def _find_agents(self) -> None:
        self.world.awake()
        self._frame, self._agents = self.world.frame, self.world.agents
        agents = self._agents
        agents.is_steered = True
        agents.collect(self.world.scene.components())
        self.world.raise_failure()
        self.agents = agents.running
        if not self.agents:
            raise UsageError(
                f"{self._path}: expected a script of the class Agent that runs, found none"
            )
        pace = {agent.agent.decision_every for agent in self.agents}
        if len(pace) > 1:
            raise UsageError(
                f"{self._path}: expected one decision_every for all agents, found {sorted(pace)}"
            )

    @property
    def _path(self) -> str:
        return self.world.run_context.scene_path.name
