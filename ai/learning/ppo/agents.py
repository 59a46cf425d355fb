"""The agents of a scene that learn: who shares a policy, and against whom they play.

With self-play, the copies of the scene are divided. In some of them, one team learns in matches
against past versions of its policy, drawn from a pool. In the others the current policy plays all
sides and learns from all of them. See T. Bansal et al., "Emergent complexity via multi-agent
competition", 2018. M. Jaderberg et al., "Human-level performance in 3D multiplayer games with
population-based reinforcement learning", 2019, use a population instead.

Shapes: M copies of the scene, K agents in each, N cells. A cell is one agent in one copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from ai.learning.ppo.method import Array, LearnerSettings, Method, SpaceError, Step
from ai.learning.ppo.ppo import PPO
from base.policies.policy import PlainSpace, Policy, actions_of, is_same_space, space_text
from base.schema import Option, OptionValue, resolve

Spaces: TypeAlias = tuple[PlainSpace, PlainSpace]
Cell: TypeAlias = tuple[int, int]
"""One agent in one copy of the scene: (index of the copy, index of the agent)."""
POLICIES: Final = ("shared", "teams", "agents")
OPTIONS: Final = (
    Option("opponents", 0.5, 0.0, 1.0, help="self-play: share of copies against the pool"),
    Option("pool", 20, 1, 1000, help="self-play: past versions in the pool, at most"),
)


class VectorEnv(Protocol):
    """Protocol of M copies of a scene with K agents each, stepped together.

    Attributes:
        count: number of copies, M.
    """

    count: int

    @property
    def arrays(self) -> Mapping[str, Array]:
        """Arrays of observations, actions and results by name; writing to them acts on the copies.

        `observation.k` and `action.k`, `[M, …]`, belong to agent k. The others are `[M, K]`:

        - `reward`: the reward of the last step.
        - `terminated`, `truncated`: whether the episode has ended by itself, or was cut off.
        - `outcome`: the score of the last episode.
        - `decides`: True where the scene's own script chooses the action.
        """

    @property
    def names(self) -> list[str]:
        """The agents' names."""

    @property
    def teams(self) -> list[str]:
        """The team of each agent, "" for none."""

    @property
    def spaces(self) -> list[Spaces]:
        """Observation and action space of each agent."""

    def begin(self, seed: int) -> None:
        """Start new episodes in all copies, with random numbers from `seed`."""

    def advance(self) -> None:
        """Step all copies once; a copy whose agents are all done starts a new episode instead.

        An agent is done when its episode has ended.
        """


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """Which agents share a policy, and whether they play against past versions of it.

    The default is a single agent.

    Attributes:
        policies: which agents share one policy, a value of `POLICIES`: all ("shared"), those of a
            team ("teams"), or none ("agents"). "" for a single agent.
        is_self_play: whether the policy plays against its past versions.
        opponents: fraction of the copies in which past versions from the pool are the opponents.
        pool: maximum number of past versions in the pool.
    """

    policies: str = ""
    is_self_play: bool = False
    opponents: float = 0.0
    pool: int = 0

    @classmethod
    def of(cls, policies: str, given: Mapping[str, object], *, is_self_play: bool) -> TeamPlan:
        """Return a plan from settings, with defaults for missing ones.

        Args:
            policies: one of `POLICIES`.
            given: values of settings in `OPTIONS` by key.
            is_self_play: whether the policy plays against its past versions.

        Raises:
            OptionError: a setting is invalid.
            SpaceError: `policies` is unknown, or does not allow self-play.
        """
        if policies not in POLICIES:
            raise SpaceError(f"--policies: expected {', '.join(POLICIES)}, found {policies!r}")
        if is_self_play and policies != "shared":
            raise SpaceError(
                f"--self-play: expected --policies shared, as both sides play it, found {policies}"
            )
        found: Mapping[str, Any] = resolve(OPTIONS, given, owner="--set")
        return cls(policies, is_self_play, found["opponents"], found["pool"])

    @property
    def is_alone(self) -> bool:
        """Whether the scene has only one agent."""
        return not self.policies

    def as_dict(self) -> dict[str, OptionValue]:
        """Return plain values for JSON; empty for a single agent."""
        return {} if self.is_alone else asdict(self)


@dataclass(frozen=True, slots=True)
class Group:
    """The agents that share one policy.

    Attributes:
        name: name of the team or agent; "" if all agents of the scene share one policy.
        members: indices of the agents.
    """

    name: str
    members: tuple[int, ...]


def settings_of(
    env: VectorEnv,
    policies: str,
    given: Mapping[str, object],
    *,
    is_self_play: bool = False,
    method: Method = PPO,
) -> tuple[LearnerSettings, TeamPlan]:
    """Return the settings of a method and the team plan for the agents of a scene.

    Args:
        env: copies of the scene.
        policies: which agents share a policy, one of `POLICIES`; "" for a single agent.
        given: values of settings of the method and of the teams, by key.
        is_self_play: whether the policy plays against its past versions.
        method: the method of learning.

    Raises:
        SpaceError: the method cannot learn the agents' spaces, or not with these policies.
        OptionError: a setting is unknown or invalid.
    """
    plan = TeamPlan()
    if policies and not method.has_several:
        raise SpaceError(
            f"agents: expected one, which {method.name.upper()} learns, found {len(env.names)}; "
            "train ppo learns several"
        )
    if policies:
        keys = {option.key for option in OPTIONS}
        own = {key: value for key, value in given.items() if key in keys}
        given = {key: value for key, value in given.items() if key not in keys}
        plan = TeamPlan.of(policies, own, is_self_play=is_self_play)
        groups_of(env, plan)
    observation_space, action_space = env.spaces[0]
    method.check(observation_space, action_space)
    return method.settings(action_space, given), plan


def groups_of(env: VectorEnv, plan: TeamPlan) -> list[Group]:
    """Return the groups of agents that share a policy, by the plan.

    Args:
        env: copies of the scene.
        plan: which agents share a policy.

    Raises:
        SpaceError: agents of one group have different spaces, or spaces that PPO cannot learn; or
            the plan needs teams and an agent has none.
    """
    names, teams = env.names, env.teams
    if plan.is_alone:
        return [Group("", (0,))]
    if (plan.is_self_play or plan.policies == "teams") and ("" in teams or len(set(teams)) < 2):
        which = f"found {_listed(teams) or 'none'}"
        if "" in teams:
            which = f"found none for {names[teams.index('')]}"
        flag = "--self-play" if plan.is_self_play else "--policies teams"
        raise SpaceError(f"{flag}: expected agents of two teams, {which}")
    keys = {"shared": [""] * len(names), "teams": teams, "agents": names}[plan.policies]
    groups = [
        Group(key, tuple(number for number, its in enumerate(keys) if its == key))
        for key in dict.fromkeys(keys)
    ]
    for group in groups:
        _check_group(env, group)
    return groups


def _check_group(env: VectorEnv, group: Group) -> None:
    first = group.members[0]
    for number in group.members[1:]:
        for mine, its in zip(env.spaces[first], env.spaces[number], strict=True):
            if not is_same_space(mine, its):
                raise SpaceError(
                    f"a shared policy: expected the same spaces, found {space_text(mine)} of "
                    f"{env.names[first]} and {space_text(its)} of {env.names[number]}; "
                    "--policies agents gives each its own"
                )
    try:
        PPO.check(*env.spaces[first])
    except SpaceError as error:
        raise SpaceError(f"{env.names[first]}: {error}") from None


def _listed(teams: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(teams))


class AgentRows:
    """Access to the agents of one policy, in all copies, as N rows of arrays.

    Args:
        env: the copies of the scene.
        cells: `[N, 2]` for each row, the index of the copy and of the agent in it.
    """

    def __init__(self, env: VectorEnv, cells: Array | Sequence[Cell]) -> None:
        self.cells = np.asarray(cells, int).reshape(-1, 2)
        self._arrays = env.arrays
        self._parts = [
            (number, np.flatnonzero(self.cells[:, 1] == number))
            for number in np.unique(self.cells[:, 1]).tolist()
        ]

    @property
    def count(self) -> int:
        """Number of rows, N."""
        return len(self.cells)

    def look(self) -> Array:
        """Return the current observations of the rows, `[N, …]`."""
        found: Array | None = None
        for number, rows in self._parts:
            seen = self._arrays[f"observation.{number}"][self.cells[rows, 0]]
            if found is None:
                found = np.zeros((self.count, *seen.shape[1:]), seen.dtype)
            found[rows] = seen
        return np.zeros((0, 1)) if found is None else found

    def put(self, actions: Array) -> None:
        """Write the actions of the rows, `[N, …]`, for the next step."""
        for number, rows in self._parts:
            self._arrays[f"action.{number}"][self.cells[rows, 0]] = actions[rows]

    def step(self) -> Step:
        """Return the results of the last step for the rows; see `ai.learning.ppo.method.Step`."""
        where = (self.cells[:, 0], self.cells[:, 1])
        rewards, terminated, truncated = (
            self._arrays[name][where] for name in ("reward", "terminated", "truncated")
        )
        return self.look(), rewards, terminated, truncated


class Players:
    """Says which agent is played by a learner, and which by a past version as its opponent.

    Args:
        env: the copies of the scene.
        groups: the groups of agents that share a policy.
        plan: whether past versions play, and in how many copies.

    Attributes:
        learners: for each group, the agents in all copies that its learner plays.
    """

    def __init__(self, env: VectorEnv, groups: Sequence[Group], plan: TeamPlan) -> None:
        self._env = env
        played = round(env.count * plan.opponents) if plan.is_self_play else 0
        teams = list(dict.fromkeys(env.teams))
        self._matches = [
            [(row, k) for k, team in enumerate(env.teams) if team != teams[row % len(teams)]]
            for row in range(played)
        ]
        taken = {cell for match in self._matches for cell in match}
        self.learners = []
        for group in groups:
            cells = [(row, k) for row in range(env.count) for k in group.members]
            self.learners.append(AgentRows(env, [cell for cell in cells if cell not in taken]))
        self._opponents: list[tuple[Policy, AgentRows]] = []

    def begin(self, seed: int, pool: Sequence[Policy], rng: np.random.Generator) -> None:
        """Start new episodes in all copies; draw the opponents of each match from the pool.

        Args:
            seed: random seed of the episodes.
            pool: policies of past versions; may be empty without self-play.
            rng: random generator that draws opponents and their actions.
        """
        self._env.begin(seed)
        self._rng = rng
        drawn: dict[int, list[Cell]] = {}
        for match in self._matches:
            drawn.setdefault(int(rng.integers(len(pool))), []).extend(match)
        self._opponents = [
            (pool[member], AgentRows(self._env, cells)) for member, cells in sorted(drawn.items())
        ]

    def act(self, actions: Sequence[Array]) -> list[Step]:
        """Step all copies once; return the results for each group.

        Past versions choose their own actions.

        Args:
            actions: actions `[N, …]` of each group, in the order of `learners`.

        Returns:
            The results of each group, in the same order.
        """
        for cells, chosen in zip(self.learners, actions, strict=True):
            cells.put(chosen)
        for policy, cells in self._opponents:
            cells.put(drawn_actions(policy, cells.look(), self._rng))
        self._env.advance()
        return [cells.step() for cells in self.learners]


def drawn_actions(policy: Policy, observations: Array, rng: np.random.Generator) -> Array:
    """Draw random actions from a policy's distribution, `[N, …]`, as in training.

    Args:
        policy: the policy.
        observations: `[N, …]` observations.
        rng: random generator; its state advances.
    """
    scores = policy.scores(observations)
    if policy.log_deviation is None:
        return actions_of(policy.action_space, (scores + rng.gumbel(size=scores.shape)).argmax(1))
    noise = rng.standard_normal(scores.shape).astype(np.float32)
    return actions_of(policy.action_space, scores + np.exp(policy.log_deviation) * noise)
