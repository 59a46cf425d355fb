"""A training of several agents in a folder: what `run.py` says, and more.

policy_NAME.npz  of each team or agent, where they have policies of their own
pool/            with self-play: the policy of each checkpoint, by its update
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.learning.ppo.ppo import Ppo
from ai.learning.ppo.run import (
    EVERY,
    POLICY_FILE,
    LearntPolicy,
    Plan,
    PpoRun,
    Report,
    save_with_card,
    told_of,
)
from ai.learning.ppo.teams import (
    SCRIPT,
    Choose,
    Group,
    Table,
    TeamEnv,
    TeamPlan,
    groups_of,
    match_of,
    played,
)
from ai.learning.ppo.trial import random_choice
from base.policies.policy import Policy, load_policy, save_policy, space_text
from base.values import JsonObject

POOL: Final = "pool"
MATCHES: Final = ("trained", "untrained", SCRIPT)
"""Who is let play against a random policy."""


class TeamRun(PpoRun):
    """A training of several agents in a folder; `train` goes on with it.

    Args:
        plan: what to do.
        out: the folder.
        env: the copies, as many as the settings say.
        teams: who shares a policy, and whether it plays its own past.
        report: called after each update.

    Raises:
        SpaceError: the spaces cannot be learnt, or not so.
    """

    def __init__(
        self, plan: Plan, out: Path, env: TeamEnv, teams: TeamPlan,
        report: Report = lambda metrics: None,
    ) -> None:  # fmt: skip
        self.teams, self.crowd = teams, env
        self.groups = groups_of(env, teams)
        self.table = Table(env, self.groups, teams)
        learners = [
            Ppo(*env.all_spaces[group.members[0]], plan.settings, plan.seed + 1000 * number,
                plan.updates)
            for number, group in enumerate(self.groups)
        ]  # fmt: skip
        self._members: dict[int, Policy] = {}
        self._set_up(plan, out, learners, report)
        self._beginnings = [learner.policy() for learner in self.learners]

    def prepare(self, *, resume: bool) -> None:
        """Do what `PpoRun.prepare` does, and begin the pool with the untrained policy."""
        super().prepare(resume=resume)
        if self.teams.is_self_play and not self._member_file(0).exists():
            self._add_member(0, self._beginnings[0])

    def _config(self) -> JsonObject:
        spaces = [self.crowd.all_spaces[group.members[0]] for group in self.groups]
        return {
            **self.plan.as_dict(), **self.teams.as_dict(),
            "sees": [space_text(sees) for sees, _ in spaces],
            "acts": [space_text(acts) for _, acts in spaces],
        }  # fmt: skip

    # -- training -----------------------------------------------------------------------------

    def _begin(self, seed: int) -> None:
        pool = [self._member(number) for number in self.pool()]
        rng = np.random.default_rng([self.plan.seed, self.learner.done, 2])
        self.table.begin(seed, pool, rng)
        for learner, cells in zip(self.learners, self.table.learners, strict=True):
            learner.begin_at(cells.look())

    def _improve(self) -> JsonObject:
        pairs = list(zip(self.learners, self.table.learners, strict=True))
        kept = [learner.open_rollout(cells.count) for learner, cells in pairs]
        for t in range(self.plan.settings.horizon):
            actions = [one.choose(its, t) for one, its in zip(self.learners, kept, strict=True)]
            for one, its, told in zip(self.learners, kept, self.table.act(actions), strict=True):
                one.take(its, t, *told)
        lines: list[JsonObject] = []
        for one, its in zip(self.learners, kept, strict=True):
            one.close_rollout(its)
            lines.append(told_of(its, one.improve(its)))
        if len(lines) == 1:
            return lines[0]
        names = [group.name for group in self.groups]
        return {**_means(lines), "policies": dict(zip(names, lines, strict=True))}

    def _state(self) -> dict[str, NDArray[Any]]:
        return {
            f"{number}/{name}": array
            for number, learner in enumerate(self.learners)
            for name, array in learner.state().items()
        }

    def _restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        for number, learner in enumerate(self.learners):
            mark = f"{number}/"
            learner.restore({
                name.removeprefix(mark): array for name, array in arrays.items()
                if name.startswith(mark)
            })  # fmt: skip

    def _save(self) -> None:
        if self.teams.is_self_play:  # before the checkpoint, after which it is needed
            self._add_member(self.learner.done, self.learner.policy())
        super()._save()

    # -- the pool -----------------------------------------------------------------------------

    def pool(self) -> list[int]:
        """Return the updates whose policies are played, spread evenly over the past."""
        if not self.teams.is_self_play:
            return []
        known = list(range(0, self.learner.done + 1, EVERY))
        chosen = np.linspace(0, len(known) - 1, min(len(known), self.teams.pool)).round()
        return [known[int(number)] for number in chosen]

    def _member_file(self, update: int) -> Path:
        return self.out / POOL / f"{update:06}.npz"

    def _add_member(self, update: int, policy: Policy) -> None:
        self._member_file(update).parent.mkdir(exist_ok=True)
        save_policy(self._member_file(update), policy)
        self._members.pop(update, None)

    def _member(self, update: int) -> Policy:
        if update not in self._members:
            self._members[update] = load_policy(self._member_file(update))
        return self._members[update]

    # -- policies -----------------------------------------------------------------------------

    def file_of(self, group: Group) -> Path:
        """Return the file of a group's policy."""
        if not group.name:
            return self.out / POLICY_FILE
        safe = "".join(letter if letter.isalnum() else "_" for letter in group.name.lower())
        return self.out / f"policy_{safe}.npz"

    def policies(self, **card: object) -> list[Policy]:
        """Return the policy of each group with its card."""
        steps = self.learner.done * self.plan.settings.batch
        about = {"learner": "ppo", **self.plan.as_dict(), **self.teams.as_dict()}
        names = self.crowd.names
        return [
            learner.policy(**about, learnt_steps=steps, group=group.name,
                           agents=[names[number] for number in group.members], **card)
            for group, learner in zip(self.groups, self.learners, strict=True)
        ]  # fmt: skip

    def learnt(self) -> tuple[LearntPolicy, ...]:
        """Return the policy of each group as it is now, and who plays it."""
        pairs = zip(self.policies(), self.groups, strict=True)
        return tuple((policy, group.members) for policy, group in pairs)

    def _save_policies(self) -> None:
        for group, policy in zip(self.groups, self.policies(), strict=True):
            save_policy(self.file_of(group), policy)

    # -- measuring ----------------------------------------------------------------------------

    def measure(self, episodes: int, **card: object) -> JsonObject:
        """Measure the frozen policies and their controls; write policies and cards.

        Args:
            episodes: of each.
            card: more for the cards.

        Returns:
            The card of the first policy.

        Raises:
            WorldError: a script failed.
            OSError: a file cannot be written.
        """
        frozen = self._returns(episodes)
        teams = self.crowd.teams
        if len(self.groups) == 1 and "" not in teams and len(set(teams)) > 1:
            frozen["matches"] = self._matches(episodes)
        whole = self.policies(**card, seconds=self.seconds, frozen=frozen)
        for group, policy in zip(self.groups, whole, strict=True):
            save_with_card(self.file_of(group), policy)
        return whole[0].card

    def _players(self) -> dict[str, list[Choose]]:
        """Return by name what each group does."""
        return {
            "trained": [learner.policy().best for learner in self.learners],
            "untrained": [policy.best for policy in self._beginnings],
            "random": [
                random_choice(learner.acts, self.trial_seed + number)
                for number, learner in enumerate(self.learners)
            ],
        }

    def _returns(self, episodes: int) -> JsonObject:
        """Return what whole episodes are worth to an agent where all play the same way."""
        found: JsonObject = {"episodes": episodes}
        each = -(-episodes // self.crowd.count)
        shape = (self.crowd.count, len(self.crowd.names))
        for name, chosen in {**self._players(), SCRIPT: []}.items():
            lineup = np.full(shape, SCRIPT, dtype="U12")
            for number, group in enumerate(self.groups if chosen else ()):
                lineup[:, group.members] = str(number)
            players = {str(number): choose for number, choose in enumerate(chosen)}
            games = played(self.crowd, lineup, players, each, self.trial_seed)
            found[name] = self._summary(np.array([returns for _, _, returns in games]))
        return found

    def _summary(self, returns: NDArray[np.float64]) -> JsonObject:
        """Return mean, deviation and least of returns `[episodes, K]`, of each group if several."""
        found: JsonObject = {
            "mean": round(float(returns.mean()), 3), "deviation": round(float(returns.std()), 3),
            "least": round(float(returns.min()), 3),
        }  # fmt: skip
        if len(self.groups) > 1:
            found["policies"] = {
                group.name: round(float(returns[:, group.members].mean()), 3)
                for group in self.groups
            }
        return found

    def _matches(self, episodes: int) -> JsonObject:
        """Return shares of matches won and drawn."""
        players = {name: chosen[0] for name, chosen in self._players().items()}
        past = {f"past {number}": self._member(number).best for number in self.pool()}
        pairs: dict[str, tuple[str, str | list[str]]] = {
            f"{name} against random": (name, "random") for name in MATCHES
        }
        pairs["trained against untrained"] = ("trained", "untrained")
        pairs[f"trained against {SCRIPT}"] = ("trained", SCRIPT)
        if past:
            pairs["trained against the pool"] = ("trained", list(past))
        return {
            title: match_of(self.crowd, ours, others, {**players, **past}, episodes,
                            self.trial_seed)
            for title, (ours, others) in pairs.items()
        }  # fmt: skip


def _means(lines: list[JsonObject]) -> JsonObject:
    """Return the mean of each number of several lines."""
    found: JsonObject = {}
    for key in lines[0]:
        values = [line[key] for line in lines if line[key] is not None]
        found[key] = float(f"{np.mean(values):.6g}") if values else None
    return found


__all__ = ["TeamRun"]
