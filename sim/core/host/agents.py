"""The agents of a scene: who is asked when, and what each decision was worth."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from base.errors import FieldError, GoishiError
from sim.core.scene.scene_object import ComponentSlot, SlotState
from sim.core.script.agent import Agent, spaces_of
from sim.core.script.spaces import Spaces, Value, take_action, take_observation

if TYPE_CHECKING:
    from sim.core.host.guard import ScriptGuard
    from sim.core.reporting.metrics import MetricStore
    from sim.core.scene.scene import Scene


class NoActionError(GoishiError):
    """An agent that a learner steers is to act, and has been given no action."""


MOST_ENDED: Final = 2000
"""Episodes that are remembered, the last ones."""


class Ended(NamedTuple):
    """An episode that has ended."""

    episode: int
    """Its number, from 1."""
    total: float
    """Its return, the sum of all agents'."""


Standing = tuple[float, float, int, int, bool, bool, float, bool, bool]
"""Of one agent in its episode, as `Seat.standing` returns it."""


@dataclass(eq=False)
class Seat:
    """One agent in its present episode.

    Attributes:
        slot: its component.
        agent: its script.
        kind: the class of that.
        sees: its observation space.
        acts: its action space.
        judges: its class has a `judge` of its own.
        given: the next action of a learner, taken by `take_action`; None for none.
        observation: the latest.
        action: the latest.
        reward: of the latest decision that has been gone through.
        total: the return of the episode so far.
        decisions: made in the episode.
        is_over: its episode has ended.
        was_cut: it was cut off, and did not end by itself.
    """

    slot: ComponentSlot
    agent: Agent
    kind: type[Agent]
    sees: Spaces
    acts: Spaces
    judges: bool
    given: Value | None = None
    observation: Value = 0
    action: Value | None = None
    reward: float = 0.0
    total: float = 0.0
    decisions: int = 0
    is_over: bool = True
    was_cut: bool = False
    info: Mapping[str, object] = field(default_factory=dict)
    left: int = 0
    """Fixed steps until the next decision."""

    acting: str = ""
    """What errors about actions name: the class and its method."""

    def __post_init__(self) -> None:
        self.agent.info = {}

    @classmethod
    def of(cls, slot: ComponentSlot, agent: Agent) -> Self:
        """Return the seat of an agent.

        Raises:
            FieldError: it declares no spaces.
        """
        sees, acts = spaces_of(agent)
        kind = type(agent)
        judges = kind.judge is not Agent.judge
        return cls(slot, agent, kind, sees, acts, judges, acting=f"{kind.__name__}.act")

    @property
    def name(self) -> str:
        """The class, as errors name it."""
        return self.kind.__name__

    def standing(self) -> Standing:
        """Return the numbers of the episode so far, for `stand_as`."""
        agent = self.agent
        return (
            self.reward, self.total, self.decisions, self.left, self.is_over, self.was_cut,
            agent.reward, agent.done, agent.truncated,
        )  # fmt: skip

    def stand_as(self, standing: Standing) -> None:
        """Set the numbers of the episode so far."""
        agent = self.agent
        (
            self.reward, self.total, self.decisions, self.left, self.is_over, self.was_cut,
            agent.reward, agent.done, agent.truncated,
        ) = standing  # fmt: skip

    def begin(self) -> None:
        """Begin an episode."""
        agent = self.agent
        self.reward = self.total = agent.reward = 0.0
        self.decisions = self.left = 0
        self.is_over = self.was_cut = agent.done = agent.truncated = False
        self.action = self.given = None
        agent.info = {}
        agent.reset(agent.rng)
        self.look()

    def look(self) -> None:
        """Take the observation."""
        self.observation = take_observation(self.sees, self.agent.observe(), f"{self.name}.observe")

    def act(self, *, is_steered: bool) -> None:
        """Take the next action and let the agent act."""
        agent = self.agent
        if is_steered:
            if self.given is None:
                raise NoActionError(f"{self.name}.act: expected an action, found none")
            action = self.given
        else:
            action = take_action(self.acts, self._decided(), self.acting)
        self.action = action
        self.given = None
        self.left = agent.decision_every
        agent.reward = 0.0
        agent.info = {}
        agent.act(action)

    def _decided(self) -> object:
        """Return what the agent's policy says, or the agent itself where it follows none."""
        policy = self.agent.trained_policy
        if policy is None:
            return self.agent.decide(self.observation)
        return policy.act(np.asarray(self.observation))

    def went_on(self) -> None:
        """Count a fixed step that was gone through; at its end, or the episode's, look and sum."""
        agent = self.agent
        if self.judges:
            agent.judge()
        self.left -= 1
        if self.left > 0 and not (agent.done or agent.truncated):
            return
        self.look()
        reward = agent.reward
        if type(reward) is not float or not math.isfinite(reward):
            reward = checked_reward(reward, f"{self.name}.reward")
        self.left = 0
        self.reward = reward
        self.total += reward
        self.decisions += 1
        self.info = agent.info
        most = agent.most_decisions
        if agent.done or agent.truncated or (most and self.decisions >= most):
            self.is_over = True
            self.was_cut = not agent.done


class Agents:
    """Asks the agents of one scene in every fixed step.

    Where nobody steers them they decide themselves, and when all have ended their episode the
    next begins at once.

    Attributes:
        seats: the agents that run, in the scene's order.
        is_steered: actions are given from outside, and episodes begun from there.
        episodes: begun so far.
        on_end: called when the last agent has ended its episode; None for nobody.
        ended: the last episodes that have ended where nobody steers, oldest first.
        show: shows an episode by its number, or raises LookupError; None where none is kept.
    """

    def __init__(self, guard: ScriptGuard, scene: Scene, metrics: MetricStore) -> None:
        self._guard = guard
        self._scene = scene
        self._metrics = metrics
        self.seats: list[Seat] = []
        self.is_steered = False
        self.episodes = 0
        self.on_end: Callable[[], object] | None = None
        self.ended: deque[Ended] = deque(maxlen=MOST_ENDED)
        self.show: Callable[[int], object] | None = None

    def collect(self, slots: list[ComponentSlot]) -> None:
        """Take the agents among the scene's components; those known keep their episode."""
        known = {id(seat.agent): seat for seat in self.seats}
        self.seats = []
        for slot in slots:
            agent = slot.instance
            if slot.state is not SlotState.READY or not slot.runtime.is_on:
                continue
            if isinstance(agent, Agent):
                seat = known.get(id(agent))
                if seat is None or seat.kind is not type(agent):  # its file was saved
                    seat = self._guard.call(slot, "spaces", Seat.of, slot, agent)
                if seat is not None:
                    self.seats.append(seat)
        for seat in known.values():
            if seat not in self.seats:  # it is gone: nobody waits for it
                seat.is_over, seat.left = True, 0

    def seat_of(self, slot: ComponentSlot) -> Seat | None:
        """Return the seat of a component, None where it is no agent that runs."""
        return next((seat for seat in self.seats if seat.slot is slot), None)

    def begin(self) -> None:
        """Begin an episode of all agents."""
        self.episodes += 1
        self._scene.remember_joints()  # before the agents put everything elsewhere
        for seat in list(self.seats):
            self._guard.call(seat.slot, "reset", seat.begin)

    def before_step(self) -> None:
        """Let those agents act whose turn it is; begin an episode where none runs."""
        call, is_steered = self._guard.call, self.is_steered
        if not is_steered and all(seat.is_over for seat in self.seats):
            self._tell()
            self.begin()
        for seat in self.seats:
            if seat.left == 0 and not seat.is_over:
                call(seat.slot, "act", _act, seat, is_steered)

    def after_step(self) -> None:
        """Let the agents see what came of it."""
        call, runs = self._guard.call, False
        for seat in self.seats:
            if not seat.is_over:
                runs = True
                call(seat.slot, "observe", seat.went_on)
        if runs and all(seat.is_over for seat in self.seats):
            self._end()

    def _end(self) -> None:
        """Remember the episode that all agents have ended."""
        if not self.is_steered:
            self.ended.append(Ended(self.episodes, sum(seat.total for seat in self.seats)))
        if self.on_end is not None:
            self.on_end()

    @property
    def awaits_actions(self) -> bool:
        """Whether no agent can go on without an action or a new episode."""
        return all(seat.left == 0 or seat.is_over for seat in self.seats)

    def _tell(self) -> None:
        """Log the return of the episode that has ended."""
        for seat in self.seats:
            if seat.decisions:
                name = "return" if len(self.seats) == 1 else f"return: {seat.slot.object.name}"
                self._metrics.log(name, seat.total)


def checked_reward(reward: object, where: str) -> float:
    """Return a reward as a finite number.

    Raises:
        FieldError: it is none.
    """
    try:
        number = float(reward)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise FieldError(where, expected="a finite number", found=f"{reward!r:.60}")
    return number


def _act(seat: Seat, is_steered: bool) -> None:
    seat.act(is_steered=is_steered)
