"""The agents of a scene: when each one decides, and the reward of each decision."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np

from base.errors import FieldError, GoishiError
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.core.script.agent import FORMER_REWARD, Agent, reward_method, spaces_of, told_as
from sim.core.script.spaces import Spaces, Value, validate_action, validate_observation

if TYPE_CHECKING:
    from sim.core.reporting.metrics import MetricStore
    from sim.core.scene.scene import Scene
    from sim.core.script.user_code import ScriptGuard


class NoActionError(GoishiError):
    """An agent that a learner controls must act, but was given no action."""


MOST_ENDED: Final = 2000
"""Maximum number of ended episodes that `Agents.ended` remembers; older ones are dropped."""


class Ended(NamedTuple):
    """An ended episode: its number and its return, which is the sum of its rewards."""

    episode: int
    """Number of the episode, from 1."""
    total: float
    """Return of the episode: the rewards of all its decisions, summed over all agents."""


OF_EPISODE: Final = ("reward", "total", "decisions", "left", "is_done", "is_truncated")
OF_AGENT: Final = ("reward", "done", "truncated")
"""Attributes of the agent that are stored in a snapshot, after those of its `AgentEpisode`."""
_episode_numbers = attrgetter(*OF_EPISODE)
_agent_numbers = attrgetter(*OF_AGENT)
Standing = tuple[Any, ...]
"""The numbers of one agent's present episode, as a tuple; see `AgentEpisode.snapshot`."""


StepResult = tuple[Value, float, bool, bool, dict[str, object]]
"""Observation, reward, terminated, truncated and info, as in Gymnasium's `step`."""


@dataclass(eq=False)
class AgentEpisode:
    """One agent in its present episode.

    Attributes:
        slot: slot of the component that runs the agent's script.
        agent: the script instance.
        kind: the script's class.
        observation_space: space of the agent's observations.
        action_space: space of the agent's actions.
        compute_reward: the agent's method that sets its reward, called after each fixed step; None
            if the class has no such method.
        given: action that a learner has chosen for the next decision; None if there is none.
        observation: latest observation, a value of `observation_space`.
        action: latest action, a value of `action_space`; None before the first decision.
        reward: reward of the latest completed decision.
        total: sum of the rewards of the episode so far.
        decisions: number of completed decisions in the episode.
        is_done: whether the episode has ended.
        is_truncated: whether the episode was cut off instead of ending by itself.
        info: the agent's additional values about the latest decision.
        acting: name for error messages about actions, such as "Pole.act".
        observing: name for error messages about observations, such as "Pole.observe".
    """

    slot: ComponentSlot
    agent: Agent
    kind: type[Agent]
    observation_space: Spaces
    action_space: Spaces
    compute_reward: Callable[[], object] | None
    given: Value | None = None
    observation: Value = 0
    action: Value | None = None
    reward: float = 0.0
    total: float = 0.0
    decisions: int = 0
    is_done: bool = True
    is_truncated: bool = False
    info: Mapping[str, object] = field(default_factory=dict)
    left: int = 0
    """Fixed steps until the next decision."""

    def __post_init__(self) -> None:
        self.agent.info = {}
        name = self.kind.__name__
        self.acting, self.observing = f"{name}.act", f"{name}.observe"

    @classmethod
    def of(cls, slot: ComponentSlot, agent: Agent) -> Self:
        """Return a new episode of an agent, not started yet.

        Args:
            slot: slot of the component that runs the agent's script.
            agent: the script instance.

        Raises:
            FieldError: the agent declares no observation space or no action space.
        """
        kind, name = type(agent), reward_method(type(agent))
        compute_reward = getattr(agent, name) if name else None
        return cls(slot, agent, kind, *spaces_of(agent), compute_reward)

    def snapshot(self) -> Standing:
        """Return the numbers of the episode so far; `restore` sets them again."""
        return (*_episode_numbers(self), *_agent_numbers(self.agent))

    def restore(self, standing: Standing) -> None:
        """Set the numbers of the episode to stored ones.

        Args:
            standing: numbers that `snapshot` returned.
        """
        count = len(OF_EPISODE)
        for name, value in zip(OF_EPISODE, standing[:count], strict=True):
            setattr(self, name, value)
        for name, value in zip(OF_AGENT, standing[count:], strict=True):
            setattr(self.agent, name, value)

    def begin(self) -> None:
        """Begin an episode: zero its numbers, call the agent's `reset` and read its observation."""
        agent = self.agent
        self.reward = self.total = agent.reward = 0.0
        self.decisions = self.left = 0
        self.is_done = self.is_truncated = agent.done = agent.truncated = False
        self.action = self.given = None
        agent.info = {}
        agent.reset(agent.rng)
        try:
            self.observe()
        except BaseException as error:
            told_as(error, "observe")
            raise

    def observe(self) -> None:
        """Store the agent's observation after checking it against the observation space."""
        seen = self.agent.observe()
        self.observation = validate_observation(self.observation_space, seen, self.observing)

    def begin_decision(self, is_steered: bool) -> Value:
        """Begin a decision: choose its action, and reset the agent's reward and `info`.

        Args:
            is_steered: whether a learner gives the action. Otherwise the agent's trained policy
                chooses it or, without one, its `decide`.

        Returns:
            The action, which the agent is about to carry out.

        Raises:
            NoActionError: the learner gave no action.
            FieldError: the chosen action is not in the action space.
        """
        agent, action = self.agent, self.given
        if not is_steered:
            action = validate_action(self.action_space, self._chosen(), self.acting)
        elif action is None:
            raise NoActionError(f"{self.acting}: expected an action, found none")
        self.action, self.given = action, None
        self.left = agent.decision_every
        agent.reward = 0.0
        agent.info = {}
        return action

    def _chosen(self) -> object:
        """Return the action of the agent's trained policy; without one, that of `decide`."""
        policy = self.agent.trained_policy
        if policy is None:
            try:
                return self.agent.decide(self.observation)
            except BaseException as error:
                told_as(error, "decide")
                raise
        return policy.act(np.asarray(self.observation))

    def count_step(self) -> None:
        """Count a completed fixed step.

        If the step ends a decision, the agent is observed and its reward is added to the total. The
        episode ends if the agent says so, or after the agent's maximum number of decisions.
        """
        agent = self.agent
        if self.compute_reward is not None:
            try:
                self.compute_reward()
            except BaseException as error:
                told_as(error, reward_method(self.kind))
                raise
        self.left -= 1
        if self.left > 0 and not (agent.done or agent.truncated):
            return
        self.observe()
        reward = agent.reward
        if type(reward) is not float or not math.isfinite(reward):
            reward = checked_reward(reward, f"{self.kind.__name__}.reward")
        self.left = 0
        self.reward = reward
        self.total += reward
        self.decisions += 1
        self.info = agent.info
        most = agent.most_decisions
        if agent.done or agent.truncated or (most and self.decisions >= most):
            self.is_done = True
            self.is_truncated = not agent.done


def step_result(agent: AgentEpisode) -> StepResult:
    """Return observation, reward, terminated, truncated and info, as in Gymnasium's `step`."""
    has_terminated = agent.is_done and not agent.is_truncated
    was_truncated = agent.is_done and agent.is_truncated
    return agent.observation, agent.reward, has_terminated, was_truncated, dict(agent.info)


@dataclass(eq=False)
class Agents:
    """Runs the episodes of all agents of one scene: asks for actions and counts rewards.

    Agents that no learner controls decide themselves. When all of them have ended their episode,
    the next one starts at once.

    Args:
        guard: calls the agents' methods.
        scene: the agents' scene.
        metrics: gets the returns (sums of rewards) of ended episodes.
        report_renamed: called with the former and the present name of a method that was renamed.

    Attributes:
        running: the episodes of the agents that run, in the scene's order.
        is_steered: whether a learner outside gives the actions and starts the episodes.
        episodes: number of episodes started so far.
        on_end: called when the last agent has ended its episode; None for no call.
        ended: the last ended episodes without a learner, oldest first.
        show: called with the number of an episode to show its recording, or raises LookupError;
            None if nothing records episodes.
    """

    guard: ScriptGuard
    scene: Scene
    metrics: MetricStore
    report_renamed: Callable[[str, str], None]
    running: list[AgentEpisode] = field(default_factory=list, init=False)
    is_steered: bool = field(default=False, init=False)
    episodes: int = field(default=0, init=False)
    on_end: Callable[[], object] | None = field(default=None, init=False)
    ended: deque[Ended] = field(default_factory=lambda: deque(maxlen=MOST_ENDED), init=False)
    show: Callable[[int], object] | None = field(default=None, init=False)

    def keep_episodes(self, on_end: Callable[[], object], show: Callable[[int], object]) -> None:
        """Connect a recorder of episodes by two functions, stored as `on_end` and `show`.

        Args:
            on_end: called when the last agent has ended its episode.
            show: shows the recording of an episode by its number, or raises LookupError.
        """
        self.on_end, self.show = on_end, show

    def collect(self, slots: list[ComponentSlot]) -> None:
        """Update `running` after the scene's components have changed.

        An agent that was running already keeps its episode, unless its class was reloaded.

        Args:
            slots: slots of all components of the scene; those that run an agent are picked.
        """
        known = {id(episode.agent): episode for episode in self.running}
        self.running = []
        for slot in slots:
            agent = slot.instance
            if slot.state is not SlotState.READY or not slot.runtime.is_on:
                continue
            if isinstance(agent, Agent):
                episode = known.get(id(agent))
                if episode is None or episode.kind is not type(agent):  # its file was saved
                    episode = self.guard.call(slot, "spaces", AgentEpisode.of, slot, agent)
                    if reward_method(type(agent)) == FORMER_REWARD:
                        former = f"{type(agent).__name__}.{FORMER_REWARD}"
                        self.report_renamed(former, "compute_reward")
                if episode is not None:
                    self.running.append(episode)
        for episode in known.values():
            if episode not in self.running:  # removed: nobody waits for it
                episode.is_done, episode.left = True, 0

    def episode_of(self, slot: ComponentSlot) -> AgentEpisode | None:
        """Return the episode of a component, None if it is not a running agent."""
        return next((episode for episode in self.running if episode.slot is slot), None)

    def begin(self) -> None:
        """Start an episode of all agents."""
        self.episodes += 1
        self.scene.begin_episode()  # before the agents' `reset` moves everything
        for episode in list(self.running):
            self.guard.call(episode.slot, "reset", episode.begin)

    def decisions(self) -> Iterator[tuple[AgentEpisode, Value]]:
        """Yield the agents that act now, each with its action; start an episode if none runs."""
        call, is_steered = self.guard.call, self.is_steered
        if not is_steered and self.is_done:
            self._log_return()
            self.begin()
        for episode in self.running:
            if episode.left == 0 and not episode.is_done:
                action = call(episode.slot, "act", episode.begin_decision, is_steered)
                if action is not None:
                    yield episode, action

    def after_step(self) -> None:
        """Count the completed fixed step for every agent; when all are done, end the episode."""
        call, runs = self.guard.call, False
        for episode in self.running:
            if not episode.is_done:
                runs = True
                call(episode.slot, "observe", episode.count_step)
        if runs and self.is_done:
            self._end()

    def _end(self) -> None:
        """Finish the episode: record its return and call `on_end`.

        The return is the sum of the rewards of all agents. It is recorded only if no learner
        controls them.
        """
        if not self.is_steered:
            self.ended.append(Ended(self.episodes, sum(episode.total for episode in self.running)))
        if self.on_end is not None:
            self.on_end()

    @property
    def is_done(self) -> bool:
        """Whether the episodes of all agents have ended."""
        for episode in self.running:  # noqa: SIM110  a loop: it is asked in each frame
            if not episode.is_done:
                return False
        return True

    @property
    def awaits_actions(self) -> bool:
        """Whether every agent waits for an action or a new episode."""
        for episode in self.running:  # noqa: SIM110
            if episode.left and not episode.is_done:
                return False
        return True

    def _log_return(self) -> None:
        """Log the return of the episode that has ended."""
        for episode in self.running:
            if episode.decisions:
                name = "return" if len(self.running) == 1 else f"return: {episode.slot.object.name}"
                self.metrics.log(name, episode.total)


def checked_reward(reward: object, where: str) -> float:
    """Return a reward as a float.

    Args:
        reward: what the script wrote to `reward`.
        where: class and attribute for the error message.

    Raises:
        FieldError: the reward is not a finite number.
    """
    try:
        number = float(reward)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise FieldError(where, expected="a finite number", found=f"{reward!r:.60}")
    return number
