"""`Agent`: a script whose actions a learner, a trained policy or its own code chooses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from base.class_memo import memo_of_class
from base.errors import FieldError
from base.files import resolve_in_project
from base.language.wording import tr
from base.policies.policy import Policy, load_policy
from base.storage.card_file import CardFileError
from sim.core.scene.fields import Field, collect_fields, field
from sim.core.script.script import Script
from sim.core.script.spaces import Box, Spaces, Value, checked_space, plain_space, random_value

METHODS = {
    "observe": "(self)",
    "act": "(self, action)",
    "compute_reward": "(self)",
    "judge": "(self)",
    "reset": "(self, rng)",
    "decide": "(self, observation)",
}
"""Text of the parameters of each method that the engine calls on an agent, by method name."""
FORMER_REWARD = "judge"
"""Former name of `compute_reward`; scripts that still define it keep working."""


class Agent(Script):
    """Base class of learning scripts: an agent observes, acts and receives a reward.

    An episode begins with `reset`. After that, the engine asks for a decision every
    `decision_every` fixed steps: it calls `observe()`, then `act(action)`, and runs those steps.
    What the script writes to `reward` and `done` during the steps is the result of that action. A
    learner connected through `goishi` chooses the actions. Without a learner, a trained policy
    chooses them; without a policy, `decide` does.

    Attributes:
        action_space: `Box`, `Discrete`, `MultiDiscrete`, `MultiBinary`, or a dict of these.
        observation_space: a space of the same kinds; None for the fields declared `observed=True`.
        observation_names: names of an observation's numbers in their order, with units, such as
            ("speed (m/s)", "angle (rad)"). Exported policies tell them. () for none.
        action_names: names of the discrete actions, or of the numbers of an action. () for none.
        reward: reward since the last decision; scripts add to it. Reset to 0 at each decision.
        done: set it to True when the episode has ended by itself, for example when the pole fell.
        truncated: set it to True when the episode is cut off early, for example by a time limit.
        info: further values about the last decision, by name; emptied at each decision.
    """

    action_space: ClassVar[Spaces | None] = None
    observation_space: ClassVar[Spaces | None] = None
    observation_names: ClassVar[Sequence[str]] = ()
    action_names: ClassVar[Sequence[str]] = ()
    reward: float = 0.0
    done: bool = False
    truncated: bool = False
    info: dict[str, object]

    team: str = field("", help="Agents of one team share a name")
    decision_every: int = field(
        1, min=1, max=10_000, help="Fixed steps from one action to the next"
    )
    most_decisions: int = field(
        0, min=0, help="After so many an episode is cut off (truncated); 0: never"
    )
    policy_file: str = field("", help="File of the project with the trained policy that decides")

    def observe(self) -> object:
        """Return what the agent sees, a value of its observation space.

        Called after the fixed step, when the physics bodies have moved. Without an override it
        returns the fields declared `observed=True` as one flat list of numbers.
        """
        values = (getattr(self, name) for name in _observed_fields(type(self)))
        return [number for value in values for number in np.ravel(value)]

    def act(self, action: Value) -> None:
        """Carry out an action, a value of `action_space`; called before the fixed step.

        Args:
            action: an int, an array, or a dict of these by name.
        """

    def compute_reward(self) -> None:
        """Compute the reward: override this method to set `reward` and `done`.

        It is called after each fixed step, when physics has moved the bodies.
        """

    def judge(self) -> None:
        """Call `compute_reward`; this is its former name."""
        self.compute_reward()

    def reset(self, rng: np.random.Generator) -> None:
        """Start an episode: put everything back to its initial state.

        Args:
            rng: the only source of random numbers; the same seed gives the same episode.
        """

    def decide(self, observation: Value) -> object:
        """Return the action when neither a learner nor a trained policy chooses it.

        Without an override the action is random.

        Args:
            observation: value of the observation space.
        """
        return random_value(spaces_of(self)[1], self.own_rng)

    def follow_policy(self, policy: Policy | None) -> None:
        """Use a trained policy from now on; it has priority over the field `policy_file`.

        Args:
            policy: the policy; None to return to `policy_file`, if set, or else `decide`.

        Raises:
            CardFileError: the policy was trained for other observation or action spaces.
        """
        if policy is not None:
            observation, action = map(plain_space, spaces_of(self))
            policy.check(observation, action, type(self).__name__)
        self.__dict__["_followed"] = policy

    def offer_policy(self, file: str, *, key: str = "l") -> None:
        """Add the command "Trained policy", which switches between a trained policy and `decide`.

        Args:
            file: path of the policy file within the project.
            key: keyboard key that runs the command.
        """
        self.__dict__["_offered"] = file
        self.command(
            "trained",
            tr("Trained policy"),
            self.toggle_policy,
            key=key,
            icon="graduation-cap",
            checked=lambda: bool(self.policy_file),
        )

    def toggle_policy(self) -> None:
        """Set `policy_file` to the file of `offer_policy`; clear it if it is already set."""
        file = "" if self.policy_file else self.__dict__.get("_offered", "")
        self.slot.host.set_field(self.slot, "policy_file", file)

    @property
    def trained_policy(self) -> Policy | None:
        """Policy that decides when no learner is connected; None if `decide` does.

        Raises:
            CardFileError: the file of the field `policy_file` holds no policy, or one for other
                spaces.
        """
        given: Policy | None = self.__dict__.get("_followed")
        if given is not None:
            return given
        name = self.policy_file or self.run.policy
        known: tuple[object, Policy | None] = self.__dict__.get("_known_policy", ("", None))
        if known[0] != name:
            with self.scene.uncounted():
                known = name, self._read_policy(name) if name else None
            self.__dict__["_known_policy"] = known
        return known[1]

    def _read_policy(self, name: str | Path) -> Policy:
        """Load a policy file and check that its spaces fit the agent.

        Args:
            name: a str is a path within the project; a `Path`, from the run's settings, is used as
                is.

        Raises:
            CardFileError: there is no such file, it holds no policy, or one for other spaces.
        """
        where = f"{type(self).__name__}.policy_file"
        path = Path(name)
        if isinstance(name, str):
            try:
                path = resolve_in_project(self.run.project, name)
            except ValueError as error:
                raise CardFileError(f"{where}: expected {error}, found {name!r}") from None
        found = load_policy(path)
        observation, action = map(plain_space, spaces_of(self))
        found.check(observation, action, f"{where}: {path.name}")
        return found

    @property
    def own_rng(self) -> np.random.Generator:
        """Random generator for `decide`, independent of the one passed to `reset`."""
        known: np.random.Generator | None = self.__dict__.get("_own_rng")
        if known is None:
            known = self.__dict__["_own_rng"] = self.rng.spawn(1)[0]
        return known


def spaces_of(agent: Agent) -> tuple[Spaces, Spaces]:
    """Return the observation space and the action space of an agent, in this order.

    Raises:
        FieldError: a space is not declared, or the declared value is no space.
    """
    name = type(agent).__name__
    action = checked_space(agent.action_space, f"{name}.action_space")
    declared = agent.observation_space
    if declared is None:
        return observed_space(type(agent)), action
    return checked_space(declared, f"{name}.observation_space"), action


def told_as(error: BaseException, method: str) -> None:
    """Note in which of the agent's methods an error was raised, for the line about it."""
    error.__dict__["raised_in"] = method


def reward_method(cls: type[Agent]) -> str:
    """Return the name of the method with which a class computes its reward.

    Args:
        cls: a class of agents.

    Returns:
        "compute_reward", or "judge", its former name. Empty if neither the class nor a base class
        below `Agent` defines one.
    """
    for base in cls.__mro__:
        if base is Agent:
            break
        for name in ("compute_reward", FORMER_REWARD):
            if name in vars(base):
                return name
    return ""


def observed_space(cls: type[Agent]) -> Box:
    """Return the space of the fields that a class declares as observed, as one flat `Box`.

    Raises:
        FieldError: no field is observed, or an observed field does not hold numbers.
    """
    low: list[float] = []
    high: list[float] = []
    for name, declared in _observed_fields(cls).items():
        default = declared.default
        is_switch = isinstance(default, bool)
        if not is_switch and not np.issubdtype(np.asarray(default).dtype, np.number):
            expected = "an observed field of numbers"
            raise FieldError(f"{cls.__name__}.{name}", expected=expected, found=repr(default))
        count = np.asarray(default).size
        least = 0.0 if is_switch else declared.minimum
        most = 1.0 if is_switch else declared.maximum
        low += [-np.inf if least is None else least] * count
        high += [np.inf if most is None else most] * count
    if not low:
        expected = "a space, or fields with observed=True"
        raise FieldError(f"{cls.__name__}.observation_space", expected=expected, found="none")
    return Box(low, high)


def agent_faults(cls: type[Script]) -> list[str]:
    """Return error messages about an agent class's methods and spaces; empty if all are correct.

    For a class that is no `Agent` the list is empty.
    """
    if not issubclass(cls, Agent):
        return []
    faults: list[str] = []
    for name, wanted in METHODS.items():
        method = getattr(cls, name)
        try:
            inspect.signature(method).bind(*wanted.split(","))
        except (TypeError, ValueError):
            faults.append(
                f"{cls.__name__}.{name}: expected the parameters {wanted}, "
                f"found {_signature(method)}"
            )
    for space in ("action_space", "observation_space"):
        try:
            declared = inspect.getattr_static(cls, space)
            if space == "observation_space" and declared is None:
                observed_space(cls)
            elif not isinstance(declared, property):
                checked_space(declared, f"{cls.__name__}.{space}")
        except FieldError as error:
            faults.append(str(error))
    return faults


def _signature(method: Callable[..., object]) -> str:
    try:
        return str(inspect.signature(method))
    except (TypeError, ValueError):
        return repr(method)


@memo_of_class
def _observed_fields(cls: type) -> dict[str, Field]:
    return {name: item for name, item in collect_fields(cls).items() if item.observed}
