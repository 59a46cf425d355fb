"""Several agents of a scene that learn: who shares a policy, and against whom they play.

With self-play some copies of the scene are matches of one team, which learns, against past versions
of the same policy, drawn from a pool (M. Jaderberg et al., "Human-level performance in 3D
multiplayer games with population-based reinforcement learning", 2019, play a population; T. Bansal
et al., "Emergent complexity via multi-agent competition", 2018, draw past versions). In the others
the present policy plays all sides and learns from all.

Shapes: M copies of the scene, K agents in each, N cells (one agent in one copy).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.learning.ppo.ppo import SpaceError, check_spaces
from base.policies.policy import PlainSpace, Policy, actions_of, is_same_space, space_text
from base.schema import Option, OptionValue, resolve

Array: TypeAlias = NDArray[Any]
Spaces: TypeAlias = tuple[PlainSpace, PlainSpace]
Choose: TypeAlias = Callable[[Array], Array]
"""Returns actions for observations `[N, …]`."""
Told: TypeAlias = tuple[Array, Array, Array, Array]
"""Of cells: observations, rewards, what has ended, what was cut off."""

POLICIES: Final = ("shared", "teams", "agents")
OPTIONS: Final = (
    Option("opponents", 0.5, 0.0, 1.0, help="self-play: share of copies against the pool"),
    Option("pool", 20, 1, 1000, help="self-play: past versions in the pool, at most"),
)


class TeamEnv(Protocol):
    """Copies of a scene with several agents.

    Attributes:
        count: copies, M.
    """

    count: int

    @property
    def arrays(self) -> Mapping[str, Array]:
        """What agents see, do and are told.

        Of agent k `observation.k` and `action.k`, `[M, …]`; `[M, K]`: `reward`, `terminated`,
        `truncated`, `outcome` (the last episode's score) and `decides` (True where the scene's own
        script decides).
        """

    @property
    def names(self) -> list[str]:
        """The agents' names."""

    @property
    def teams(self) -> list[str]:
        """The team of each, empty for none."""

    @property
    def all_spaces(self) -> list[Spaces]:
        """Observation and action space of each."""

    def begin_all(self, seed: int) -> None:
        """Begin everything anew, as the seed says."""

    def advance(self) -> None:
        """Step all copies; a copy whose agents are all over begins another episode."""


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """Who shares a policy, and whether it plays its own past."""

    policies: str
    is_self_play: bool
    opponents: float
    pool: int

    @classmethod
    def of(cls, policies: str, given: Mapping[str, object], *, is_self_play: bool) -> TeamPlan:
        """Resolve the settings.

        Raises:
            OptionError: one does not fit.
            SpaceError: there is no such choice of policies, or none to play against itself.
        """
        if policies not in POLICIES:
            raise SpaceError(f"--policies: expected {', '.join(POLICIES)}, found {policies!r}")
        if is_self_play and policies != "shared":
            raise SpaceError(
                f"--self-play: expected --policies shared, as both sides play it, found {policies}"
            )
        found: Mapping[str, Any] = resolve(OPTIONS, given, owner="--set")
        return cls(policies, is_self_play, found["opponents"], found["pool"])

    def as_dict(self) -> dict[str, OptionValue]:
        """Return plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Group:
    """Agents that share a policy.

    Attributes:
        name: the team's or the agent's; empty where all share one.
        members: their numbers.
    """

    name: str
    members: tuple[int, ...]


def groups_of(env: TeamEnv, plan: TeamPlan) -> list[Group]:
    """Return who shares a policy.

    Raises:
        SpaceError: agents of one policy have different spaces, or ones that cannot be learnt; an
            agent has no team where that is needed.
    """
    names, teams = env.names, env.teams
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


def _check_group(env: TeamEnv, group: Group) -> None:
    first = group.members[0]
    for number in group.members[1:]:
        for mine, its in zip(env.all_spaces[first], env.all_spaces[number], strict=True):
            if not is_same_space(mine, its):
                raise SpaceError(
                    f"a shared policy: expected the same spaces, found {space_text(mine)} of "
                    f"{env.names[first]} and {space_text(its)} of {env.names[number]}; "
                    "--policies agents gives each its own"
                )
    try:
        check_spaces(*env.all_spaces[first])
    except SpaceError as error:
        raise SpaceError(f"{env.names[first]}: {error}") from None


def _listed(teams: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(teams))


class Cells:
    """Some agents in some copies, as rows: what one policy plays.

    Args:
        env: the copies.
        cells: copy and agent of each row, `[N, 2]`.
    """

    def __init__(self, env: TeamEnv, cells: Array) -> None:
        self.cells = np.asarray(cells, int).reshape(-1, 2)
        self._arrays = env.arrays
        self._parts = [
            (number, np.flatnonzero(self.cells[:, 1] == number))
            for number in np.unique(self.cells[:, 1]).tolist()
        ]

    @property
    def count(self) -> int:
        """Rows, N."""
        return len(self.cells)

    def look(self) -> Array:
        """Return what they see, `[N, …]`."""
        found: Array | None = None
        for number, rows in self._parts:
            seen = self._arrays[f"observation.{number}"][self.cells[rows, 0]]
            if found is None:
                found = np.zeros((self.count, *seen.shape[1:]), seen.dtype)
            found[rows] = seen
        return np.zeros((0, 1)) if found is None else found

    def put(self, actions: Array) -> None:
        """Write their actions, `[N, …]`."""
        for number, rows in self._parts:
            self._arrays[f"action.{number}"][self.cells[rows, 0]] = actions[rows]

    def told(self) -> Told:
        """Return what came of the last step."""
        where = (self.cells[:, 0], self.cells[:, 1])
        rewards, ended, cut = (
            self._arrays[name][where] for name in ("reward", "terminated", "truncated")
        )
        return self.look(), rewards, ended, cut


class Table:
    """The copies as those see them who learn; past versions play the others.

    Args:
        env: the copies.
        groups: who shares a policy.
        plan: whether there are opponents.

    Attributes:
        learners: the cells of each group that learn.
    """

    def __init__(self, env: TeamEnv, groups: Sequence[Group], plan: TeamPlan) -> None:
        self._env = env
        played = round(env.count * plan.opponents) if plan.is_self_play else 0
        teams = list(dict.fromkeys(env.teams))
        self._matches = [
            [(row, k) for k, team in enumerate(env.teams) if team != teams[row % len(teams)]]
            for row in range(played)
        ]
        taken = {cell for match in self._matches for cell in match}
        self.learners = [
            Cells(env, np.array([
                (row, k) for row in range(env.count) for k in group.members
                if (row, k) not in taken
            ]))
            for group in groups
        ]  # fmt: skip
        self._opponents: list[tuple[Policy, Cells]] = []

    def begin(self, seed: int, pool: Sequence[Policy], rng: np.random.Generator) -> None:
        """Begin everything anew; each match draws its opponents from the pool."""
        self._env.begin_all(seed)
        self._rng = rng
        drawn = [int(rng.integers(len(pool))) for _ in self._matches]
        self._opponents = [
            (
                pool[member],
                Cells(self._env, np.array(
                    [cell for match, its in zip(self._matches, drawn, strict=True)
                     if its == member for cell in match]
                )),
            )
            for member in sorted(set(drawn))
        ]  # fmt: skip

    def act(self, actions: Sequence[Array]) -> list[Told]:
        """Step all copies by the actions of each group."""
        for cells, chosen in zip(self.learners, actions, strict=True):
            cells.put(chosen)
        for policy, cells in self._opponents:
            cells.put(drawn_actions(policy, cells.look(), self._rng))
        self._env.advance()
        return [cells.told() for cells in self.learners]


def drawn_actions(policy: Policy, observations: Array, rng: np.random.Generator) -> Array:
    """Return actions drawn as in training, `[N, …]`."""
    scores = policy.scores(observations)
    if policy.log_deviation is None:
        return actions_of(policy.acts, (scores + rng.gumbel(size=scores.shape)).argmax(1))
    noise = rng.standard_normal(scores.shape).astype(np.float32)
    return actions_of(policy.acts, scores + np.exp(policy.log_deviation) * noise)


# -- measuring -------------------------------------------------------------------------------------

SCRIPT: Final = "script"
"""Stands for the agents' own `decide`."""


def played(
    env: TeamEnv, lineup: Array, players: Mapping[str, Choose], each: int, seed: int
) -> list[tuple[int, Array, Array]]:
    """Play whole episodes, as many in each copy; return copy, scores `[K]` and returns `[K]`.

    Args:
        env: the copies; they are begun anew.
        lineup: who plays each cell, by name, `[M, K]`; `SCRIPT` is the scene's own.
        players: what the others do.
        each: episodes in each copy.
        seed: of the episodes.
    """
    env.begin_all(seed)
    arrays = env.arrays
    arrays["decides"][...] = lineup == SCRIPT
    cells = [
        (players[name], part)
        for name in sorted({*lineup.ravel().tolist()} - {SCRIPT})
        for part in _by_space(env, np.argwhere(lineup == name))
    ]
    totals: Array = np.zeros(lineup.shape)
    begins: Array = np.zeros(env.count, bool)
    found: list[list[tuple[int, Array, Array]]] = [[] for _ in range(env.count)]
    while min(map(len, found)) < each:
        for choose, part in cells:
            part.put(choose(part.look()))
        env.advance()
        totals = np.where(begins[:, None], 0.0, totals + arrays["reward"])
        begins = np.asarray((arrays["terminated"] | arrays["truncated"]).all(1))
        for row in np.flatnonzero(begins).tolist():
            found[row].append((row, arrays["outcome"][row].copy(), totals[row].copy()))
    arrays["decides"][...] = False
    return [item for items in found for item in items[:each]]


def _by_space(env: TeamEnv, cells: Array) -> list[Cells]:
    """Return cells in parts whose agents have the same spaces."""
    parts: list[list[Array]] = []
    spaces: list[Spaces] = []
    for cell in cells:
        its = env.all_spaces[int(cell[1])]
        for known, part in zip(spaces, parts, strict=True):
            if all(is_same_space(*both) for both in zip(known, its, strict=True)):
                part.append(cell)
                break
        else:
            spaces.append(its)
            parts.append([cell])
    return [Cells(env, np.array(part)) for part in parts]


def match_of(
    env: TeamEnv,
    ours: str,
    others: str | Sequence[str],
    players: Mapping[str, Choose],
    episodes: int,
    seed: int,
) -> dict[str, float]:
    """Let one player of all of a team play another of the other teams; each side in turn.

    Args:
        env: the copies.
        ours: the player that is measured.
        others: its opponents; of several one a pair of copies, in turn.
        players: all by name.
        episodes: at least so many.
        seed: of the episodes.

    Returns:
        Shares of episodes won and drawn, and how many there were.
    """
    teams = list(dict.fromkeys(env.teams))
    names = [others] if isinstance(others, str) else list(others)
    lineup = np.array([
        [ours if team == teams[row % len(teams)] else names[row // len(teams) % len(names)]
         for team in env.teams]
        for row in range(env.count)
    ])  # fmt: skip
    won = drawn = 0
    found = played(env, lineup, players, -(-episodes // env.count), seed)
    for row, scores, _ in found:
        is_ours = np.array([team == teams[row % len(teams)] for team in env.teams])
        mine, its = float(scores[is_ours].mean()), float(scores[~is_ours].max())
        won, drawn = won + (mine > its), drawn + (mine == its)
    count = len(found)
    return {"won": round(won / count, 3), "drawn": round(drawn / count, 3), "episodes": count}


__all__ = [
    "OPTIONS", "POLICIES", "SCRIPT", "Cells", "Group", "Table", "TeamEnv", "TeamPlan",
    "drawn_actions", "groups_of", "match_of", "played",
]  # fmt: skip
