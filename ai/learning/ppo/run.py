"""The training of policies in a folder, of one agent or several; it can be killed at any moment.

    run.json         the run: environment, steps, seed, settings
    metrics.jsonl    a line per update: steps, returns, losses; no times
    timings.jsonl    a line per update: its seconds
    policy.npz       the policy of the last checkpoint; its card is inside and in policy.json
    policy_NAME.npz  instead, with several policies: that of the team or agent NAME
    checkpoints/     every `EVERY` updates, and each minute: weights, optimiser, normalisation
    pool/            with self-play: the policy of every `EVERY` updates, by its update
    memory/          of SAC: the steps that it remembers

Every `EVERY` updates all episodes start anew with seeds of their own, and a checkpoint is written.
A checkpoint between them also has the actions since then. A run that goes on plays them again, in
the same episodes. So no state of the environments is stored: everything after a checkpoint depends
only on the checkpoint, and a run that was killed continues with the same numbers.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.learning.ppo.agents import (
    AgentRows,
    Group,
    Players,
    Spaces,
    TeamPlan,
    VectorEnv,
    groups_of,
)
from ai.learning.ppo.method import Array, Experience, Learner, LearnerSettings, Method, collect
from ai.learning.ppo.ppo import PPO
from ai.learning.ppo.recorded import RecordedEnv
from ai.store.checkpoints import Checkpoint, CheckpointStore, reading_checkpoint
from base.errors import WorkerLostError
from base.files import atomic_write
from base.policies.policy import (
    PlainSpace,
    Policy,
    actions_of,
    is_same_space,
    load_policy,
    output_size,
    save_policy,
    space_text,
)
from base.storage.card_file import packed, read_arrays
from base.storage.json_file import read_json
from base.storage.run_folder import RUN_FILE, RunFolder, difference_of
from base.values import JsonObject
from base.worker.ending import DeathLimit

Choose: TypeAlias = Callable[[Array], Array]
"""A player as a function: from observations `[N, …]` to actions `[N, …]`."""
SCRIPT: Final = "script"
"""Player name that stands for the agents' own method `decide`."""


def play(
    env: VectorEnv, lineup: Array, players: Mapping[str, Choose], each: int, seed: int
) -> list[tuple[int, Array, Array]]:
    """Play whole episodes and return their results.

    Args:
        env: the copies of the scene; all start new episodes.
        lineup: `[M, K]` name of the player that controls each of the K agents in each of the M
            copies. `SCRIPT` means the agent's own method `decide`.
        players: the players by name, except `SCRIPT`.
        each: number of episodes in each copy.
        seed: random seed of the episodes.

    Returns:
        For each episode: the index of its copy, the agents' scores `[K]`, and the sums of their
        rewards `[K]`.
    """
    env.begin(seed)
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


def _by_space(env: VectorEnv, cells: Array) -> list[AgentRows]:
    """Divide cells into parts in which all agents have the same spaces; return access to each part.

    Args:
        env: the copies of the scene.
        cells: `[N, 2]` for each cell, the index of the copy and of the agent in it.
    """
    parts: list[list[Array]] = []
    spaces: list[Spaces] = []
    for cell in cells:
        its = env.spaces[int(cell[1])]
        for known, part in zip(spaces, parts, strict=True):
            if all(is_same_space(*both) for both in zip(known, its, strict=True)):
                part.append(cell)
                break
        else:
            spaces.append(its)
            parts.append([cell])
    return [AgentRows(env, np.array(part)) for part in parts]


def match_of(
    env: VectorEnv,
    ours: str,
    others: str | Sequence[str],
    players: Mapping[str, Choose],
    episodes: int,
    seed: int,
) -> dict[str, float]:
    """Play a match between a player that controls one team and players that control the others.

    The measured player controls the first team in the first copy, the second team in the next copy,
    and so on in turn.

    Args:
        env: the copies of the scene.
        ours: name of the measured player.
        others: name of its opponent, or several names that the copies use in turn.
        players: all players by name.
        episodes: minimum number of episodes.
        seed: random seed of the episodes.

    Returns:
        `won` and `drawn`, as shares of the episodes, and `episodes`, their number.
    """
    teams = list(dict.fromkeys(env.teams))
    names = [others] if isinstance(others, str) else list(others)

    def line(row: int) -> list[str]:
        other = names[row // len(teams) % len(names)]
        return [ours if team == teams[row % len(teams)] else other for team in env.teams]

    lineup = np.array([line(row) for row in range(env.count)])
    won = drawn = 0
    found = play(env, lineup, players, -(-episodes // env.count), seed)
    for row, scores, _ in found:
        is_ours = np.array([team == teams[row % len(teams)] for team in env.teams])
        mine, its = float(scores[is_ours].mean()), float(scores[~is_ours].max())
        won, drawn = won + (mine > its), drawn + (mine == its)
    count = len(found)
    return {"won": round(won / count, 3), "drawn": round(drawn / count, 3), "episodes": count}


def random_choice(acts: PlainSpace, seed: int) -> Choose:
    """Return a player that acts at random: a control.

    Numbers without bounds are drawn from a standard normal distribution, others uniformly.

    Args:
        acts: action space.
        seed: random seed of the actions.
    """
    rng = np.random.default_rng([seed, 7])

    def choose(observations: Array) -> Array:
        count = len(observations)
        if acts[0] == "discrete":
            return actions_of(acts, rng.integers(output_size(acts), size=count))
        low, high = (np.asarray(bound).reshape(-1) for bound in acts[1:3])
        is_bounded = np.isfinite(low) & np.isfinite(high)
        size = (count, output_size(acts))
        raw = np.where(is_bounded, rng.uniform(-1.0, 1.0, size), rng.standard_normal(size))
        return actions_of(acts, raw)

    return choose


METRICS_FILE: Final = "metrics.jsonl"
TIMINGS_FILE: Final = "timings.jsonl"
POLICY_FILE: Final = "policy.npz"
EVERY: Final = 10
"""Number of updates after which all episodes start anew."""
SECONDS: Final = 60.0
"""Longest time between two checkpoints, if no update takes longer."""
POOL: Final = "pool"
MATCHES: Final = ("trained", "untrained", SCRIPT)
"""Names of the players that play matches against a random policy when a training is measured."""
_STATE: Final = "state.npz"
_RUNNING: Final = "running.npz"
_TRIAL: Final = 5_000_011
"""Added to the run's seed to get the seed of the episodes in which a policy is measured."""

LearntPolicy: TypeAlias = tuple[Policy, tuple[int, ...]]
"""A trained policy, and the indices of the agents whose actions it chooses."""
Report: TypeAlias = Callable[[JsonObject], None]
"""Called with the metrics of each update."""
Stepped: TypeAlias = Callable[[int], None]
"""Called after each step of the environments, with the number of steps so far."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of a training; the time limit is not one of them."""

    scene: str
    """Name of the scene."""
    steps: int
    """Total number of steps, summed over all environments."""
    seed: int
    settings: LearnerSettings

    @property
    def updates(self) -> int:
        """Number of updates that are needed for `steps` steps; the last one may exceed them."""
        return -(-self.steps // self.settings.batch)

    @property
    def total(self) -> int:
        """Number of steps of all updates."""
        return self.updates * self.settings.batch

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return {
            "scene": self.scene,
            "steps": self.steps,
            "seed": self.seed,
            "settings": self.settings.as_dict(),
        }


ALONE: Final = TeamPlan()


def training_folder(out: Path, method: Method) -> RunFolder:
    """Return the folder of a training by a method of learning."""
    return RunFolder(out, method.format, "training")


def rollout_seed(seed: int, update: int) -> int:
    """Return the seed of the episodes that start after a number of updates.

    Args:
        seed: seed of the run.
        update: number of updates done before.
    """
    return (seed * 1_000_003 + update * 10_007) % 2**31


@dataclass(frozen=True, slots=True)
class Running:
    """Episodes that ran when a checkpoint was written.

    Attributes:
        began: number of updates when they began.
        rng: state of the random generator of opponents.
        arrays: the actions since then, and what the learners know of the episodes.
    """

    began: int
    rng: Any
    arrays: Mapping[str, Array]


class PolicyRun:
    """A training stored in a folder: `prepare` opens it, `train` starts or continues it."""

    def __init__(
        self,
        plan: Plan,
        out: Path,
        env: VectorEnv,
        report: Report = lambda metrics: None,
        teams: TeamPlan = ALONE,
        *,
        method: Method = PPO,
        stepped: Stepped = lambda steps: None,
    ) -> None:
        """Build the networks; nothing is read or written yet.

        Args:
            plan: settings of the run.
            out: folder of the run.
            env: copies of the scene; their number must match the settings.
            report: called with the metrics after each update.
            teams: which agents share a policy, and whether it plays against its past versions.
            method: the method of learning.
            stepped: called after each step of the environments.

        Raises:
            SpaceError: the method cannot learn the spaces, or not with these teams.
        """
        self.plan, self.out, self.env, self.teams, self.method = plan, out, env, teams, method
        self.folder = training_folder(out, method)
        self.groups = groups_of(env, teams)
        self._recorded = RecordedEnv(env, self._count_step)
        self.players = Players(self._recorded, self.groups, teams)
        self.learners: list[Learner[Any]] = [
            method.learner(
                *env.spaces[group.members[0]],
                plan.settings,
                plan.seed + 1000 * number,
                plan.updates,
                out,
            )
            for number, group in enumerate(self.groups)
        ]
        self.learner = self.learners[0]
        self.messages: list[str] = []
        """Messages about damaged files and repeated updates."""
        self._report, self._stepped = report, stepped
        self._running: Running | None = None  # episodes of a checkpoint, to be played again
        self._untrained = [learner.policy() for learner in self.learners]
        self._members: dict[int, Policy] = {}
        self._first = self._state()
        self._store = CheckpointStore(out / "checkpoints", keep=2)
        self._deaths = DeathLimit()

    # -- beginning ----------------------------------------------------------------------------

    def prepare(self, *, resume: bool) -> None:
        """Write `run.json` into a new folder, or restore the training from an existing one.

        A training may go on to more steps than it was begun with. An annealed learning rate then
        falls to 0 over all of them, so it is higher again at first.

        Args:
            resume: whether the folder may hold a training, which is then continued.

        Raises:
            RunFolderError: the folder holds something else, or a training and `resume` is False.
            OSError: the folder cannot be written.
        """
        config = self._config()
        stored = self.folder.open(config, resume=resume, difference=self._difference)
        if stored is not None and stored["steps"] < self.plan.steps:
            self._extend(stored["steps"], config)
        self._restore_checkpoint()
        if self.teams.is_self_play and not self._member_file(0).exists():
            self._add_member(0, self._untrained[0])

    def _difference(self, stored: JsonObject) -> str:
        """Return how a stored configuration differs from this one, apart from fewer steps."""
        steps = self.plan.steps
        is_less = type(stored.get("steps")) is int and stored["steps"] <= steps
        return difference_of({**stored, "steps": steps} if is_less else stored, self._config())

    def _extend(self, before: int, config: JsonObject) -> None:
        """Store a greater number of steps, and the numbers before it under `extended`."""
        known = read_json(self.folder / RUN_FILE).get("extended", [])
        self.folder.write(config, extended=[*known, before])
        self.messages.append(f"went on from {before:,} to {self.plan.steps:,} steps")

    def _config(self) -> JsonObject:
        pairs = [self.env.spaces[group.members[0]] for group in self.groups]
        sees, acts = ([space_text(pair[which]) for pair in pairs] for which in (0, 1))
        if self.teams.is_alone:
            return {**self.plan.as_dict(), "sees": sees[0], "acts": acts[0]}
        return {**self.plan.as_dict(), **self.teams.as_dict(), "sees": sees, "acts": acts}

    def _restore_checkpoint(self) -> None:
        """Restore the last checkpoint, and remove later lines from the metrics and timings."""
        self._restore(self._first)
        self._running = None
        _, messages = self._store.load(self._take)
        self.messages += messages
        for name in (METRICS_FILE, TIMINGS_FILE):
            self.folder.cut(name, "update", self.learner.done)

    def _take(self, found: Checkpoint) -> None:
        """Restore a checkpoint.

        Raises:
            CheckpointError: it holds no training, or is damaged.
        """
        self._restore(_arrays_of(found, _STATE))
        self._running = None
        if "began" in found.state:
            arrays = _arrays_of(found, _RUNNING)
            self._running = Running(found.state["began"], found.state["rng"], arrays)

    # -- training -----------------------------------------------------------------------------

    def train(self, hours: float | None = None) -> None:
        """Train until the last update or the time limit, and write a checkpoint.

        Args:
            hours: time limit, checked after each update; None for no limit.

        Raises:
            WorldError: a script failed; the last checkpoint is kept.
            CheckpointError: the disk is full; the last good checkpoint is kept.
        """
        until = math.inf if hours is None else time.monotonic() + 3600.0 * hours
        while self.learner.done < self.plan.updates:
            try:
                self._go_on(until)
            except WorkerLostError as error:
                if self._deaths.is_exceeded(self.learner.done // EVERY):
                    raise
                self.messages.append(f"{error}; the last updates are repeated")
                self._restore_checkpoint()
            if time.monotonic() >= until:
                break

    def _go_on(self, until: float) -> None:
        """Learn in the running episodes, or in new ones, until all of them are to start anew.

        A checkpoint is written at the end, and each minute before.

        Args:
            until: when to end earlier, by `time.monotonic`.
        """
        done = self.learner.done
        last = min(done + EVERY - done % EVERY, self.plan.updates)
        self._continue() if self._running is not None else self._begin(done)
        saved = time.monotonic()
        appending = self.folder.appending
        with appending(METRICS_FILE) as metrics, appending(TIMINGS_FILE) as timings:
            while self.learner.done < last:
                started = time.monotonic()
                line = self._next_line()
                metrics.append(line)
                seconds = time.monotonic() - started
                timings.append({"update": line["update"], "seconds": round(seconds, 3)})
                self._report(line)
                now = time.monotonic()
                if self.learner.done < last and (now + seconds > saved + SECONDS or now >= until):
                    self._save_running()
                    saved = now
                if now >= until:
                    break
        if self.learner.done == last:
            self._save()

    def _next_line(self) -> JsonObject:
        """Make one update, and return its line of the metrics."""
        batch = self.plan.settings.batch
        self._steps = self.learner.done * batch
        told = self._update()
        done = self.learner.done
        return {"update": done, "steps": done * batch, **told}

    def _count_step(self) -> None:
        self._steps += self.env.count
        self._stepped(self._steps)

    def _begin(self, began: int) -> None:
        """Start new episodes in all copies, with opponents drawn from the pool.

        Args:
            began: number of updates before these episodes.
        """
        self._began = began
        pool = [self._member(number) for number in self.pool()]
        self._rng = np.random.default_rng([self.plan.seed, began, 2])
        self.players.begin(rollout_seed(self.plan.seed, began), pool, self._rng)
        for learner, cells in zip(self.learners, self.players.learners, strict=True):
            learner.begin(cells.look())

    def _continue(self) -> None:
        """Start the episodes of a checkpoint again, and play them up to where it was written."""
        running, self._running = self._running, None
        if running is None:
            return
        self._begin(running.began)
        self._recorded.repeat(running.arrays)
        self._rng.bit_generator.state = running.rng
        is_same = True
        pairs = zip(self._marked(), self.players.learners, strict=True)
        for (mark, learner), cells in pairs:
            known = _marked_with(f"{mark}learner.", running.arrays)
            seen = cells.look()
            is_same = is_same and np.array_equal(known["observations"], seen, equal_nan=True)
            learner.restore_episodes({**known, "observations": seen})
        if not is_same:
            self.messages.append(
                "the scene did not play its episodes again as before: the run goes on with other "
                "numbers"
            )

    def _update(self) -> JsonObject:
        """Play a rollout, learn from it, and return the metrics."""
        rollouts = collect(self.learners, self.plan.settings.horizon, self.players.act)
        lines = [
            metrics_of(rollout, learner.update(rollout))
            for learner, rollout in zip(self.learners, rollouts, strict=True)
        ]
        if len(lines) == 1:
            return lines[0]
        names = [group.name for group in self.groups]
        return {**_means(lines), "policies": dict(zip(names, lines, strict=True))}

    def _state(self) -> dict[str, NDArray[Any]]:
        """Return the complete state of the training."""
        return {
            f"{mark}{name}": array
            for mark, learner in self._marked()
            for name, array in learner.state().items()
        }

    def _restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the state that `_state` returned."""
        for mark, learner in self._marked():
            learner.restore(_marked_with(mark, arrays))

    def _marked(self) -> list[tuple[str, Learner[Any]]]:
        """Return the learners, each after the prefix of its arrays' names in a checkpoint.

        The prefix is empty for a single agent.
        """
        if self.teams.is_alone:
            return [("", self.learner)]
        return [(f"{number}/", learner) for number, learner in enumerate(self.learners)]

    def _save(self) -> None:
        if self.teams.is_self_play:  # before the checkpoint, whose continuation needs it
            self._add_member(self.learner.done, self.learner.policy())
        content = packed(self._state(), compress=False)
        self._store.save({"done": self.learner.done}, {_STATE: content})
        self._running = None
        self._save_policies()

    def _save_running(self) -> None:
        """Write a checkpoint with the episodes that run, to be played again."""
        arrays = self._recorded.state()
        for mark, learner in self._marked():
            known = learner.episodes()
            arrays |= {f"{mark}learner.{name}": array for name, array in known.items()}
        state = {
            "done": self.learner.done,
            "began": self._began,
            "rng": self._rng.bit_generator.state,
        }
        content = packed(self._state(), compress=False)
        self._store.save(state, {_STATE: content, _RUNNING: packed(arrays, compress=False)})
        self._running = Running(self._began, state["rng"], arrays)
        self._save_policies()

    def _save_policies(self) -> None:
        for group, policy in zip(self.groups, self.policies(), strict=True):
            save_policy(self.file_of(group), policy)

    # -- the pool -----------------------------------------------------------------------------

    def pool(self) -> list[int]:
        """Return which past policies serve as opponents, by the number of their update.

        They are spread evenly over the past. Without self-play there are none.
        """
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
        """Return the path of the file with the policy of a group of agents."""
        if not group.name:
            return self.out / POLICY_FILE
        safe = "".join(letter if letter.isalnum() else "_" for letter in group.name.lower())
        return self.out / f"policy_{safe}.npz"

    def policies(self, **card: object) -> list[Policy]:
        """Return the current policy of each group of agents; each has a card that describes it.

        Args:
            card: further entries of the cards.
        """
        steps = self.learner.done * self.plan.settings.batch
        about = {"learner": self.method.name, **self.plan.as_dict(), **self.teams.as_dict()}
        names, found = self.env.names, []
        for group, learner in zip(self.groups, self.learners, strict=True):
            who: JsonObject = {}
            if not self.teams.is_alone:
                who = {"group": group.name, "agents": [names[number] for number in group.members]}
            found.append(learner.policy(**about, learnt_steps=steps, **who, **card))
        return found

    def learnt(self) -> tuple[LearntPolicy, ...]:
        """Return the current policies, each with the indices of the agents that it controls."""
        pairs = zip(self.policies(), self.groups, strict=True)
        return tuple((policy, group.members) for policy, group in pairs)

    def change(self, *, rate: float | None = None, clip: float | None = None) -> None:
        """Change settings of the running training from the next update on.

        Args:
            rate: learning rate; None leaves it as it is.
            clip: limit of the change of probabilities; None leaves it as it is.
        """
        for learner in self.learners:
            learner.steer(rate, clip)

    # -- measuring ----------------------------------------------------------------------------

    def measure(self, episodes: int, **card: object) -> JsonObject:
        """Measure the trained policies and, to compare, control players; then write the policies.

        The results go into the policies' cards.

        Args:
            episodes: number of episodes of each player.
            card: further entries of the cards.

        Returns:
            The card of the first group's policy.

        Raises:
            WorldError: a script failed.
            OSError: a file cannot be written.
        """
        frozen = self._returns(episodes)
        teams = self.env.teams
        is_match = "" not in teams and len(set(teams)) > 1
        if is_match and len(self.groups) == 1:
            frozen["matches"] = self._matches(episodes)
        whole = self.policies(**card, seconds=self.seconds, frozen=frozen)
        for group, policy in zip(self.groups, whole, strict=True):
            save_with_card(self.file_of(group), policy)
        return whole[0].card

    def _choices(self) -> dict[str, list[Choose]]:
        """Return the players to measure: "trained", "untrained" and "random".

        Each is a list with a function for each group of agents, which chooses the group's actions.
        """
        return {
            "trained": [learner.policy().best for learner in self.learners],
            "untrained": [policy.best for policy in self._untrained],
            "random": [
                random_choice(learner.action_space, self.trial_seed + number)
                for number, learner in enumerate(self.learners)
            ],
        }

    def _returns(self, episodes: int) -> JsonObject:
        """Measure each kind of player alone: all agents are played by players of that kind.

        Args:
            episodes: number of episodes of each kind.

        Returns:
            `episodes`, and by the name of the kind the statistics of its returns, see `_summary`.
        """
        found: JsonObject = {"episodes": episodes}
        each = -(-episodes // self.env.count)
        shape = (self.env.count, len(self.env.names))
        choices = self._choices()
        if not self.teams.is_alone:
            choices[SCRIPT] = []
        for name, chosen in choices.items():
            lineup = np.full(shape, SCRIPT, dtype="U12")
            for number, group in enumerate(self.groups if chosen else ()):
                lineup[:, group.members] = str(number)
            players = {str(number): choose for number, choose in enumerate(chosen)}
            games = play(self.env, lineup, players, each, self.trial_seed)
            returns = np.array([returns for _, _, returns in games])
            found[name] = self._summary(returns[:episodes] if self.teams.is_alone else returns)
        return found

    def _summary(self, returns: NDArray[np.float64]) -> JsonObject:
        """Return mean, deviation and minimum of returns; with several groups also the mean of each.

        Args:
            returns: `[episodes, K]` sum of the rewards of each agent.
        """
        found: JsonObject = {
            "mean": round(float(returns.mean()), 3),
            "deviation": round(float(returns.std()), 3),
            "least": round(float(returns.min()), 3),
        }
        if len(self.groups) > 1:
            found["policies"] = {
                group.name: round(float(returns[:, group.members].mean()), 3)
                for group in self.groups
            }
        return found

    def _matches(self, episodes: int) -> JsonObject:
        """Play all matches; return by the name of the match the shares won and drawn.

        A name is, for example, "trained against random".

        Args:
            episodes: minimum number of episodes of each match.
        """
        players = {name: chosen[0] for name, chosen in self._choices().items()}
        past = {f"past {number}": self._member(number).best for number in self.pool()}
        pairs: dict[str, tuple[str, str | list[str]]] = {
            f"{name} against random": (name, "random") for name in MATCHES
        }
        pairs["trained against untrained"] = ("trained", "untrained")
        pairs[f"trained against {SCRIPT}"] = ("trained", SCRIPT)
        if past:
            pairs["trained against the pool"] = ("trained", list(past))
        return {
            title: match_of(self.env, ours, others, {**players, **past}, episodes, self.trial_seed)
            for title, (ours, others) in pairs.items()
        }

    @property
    def seconds(self) -> float:
        """Total seconds of all updates."""
        told = self.folder.lines(TIMINGS_FILE)
        return round(float(sum(line["seconds"] for line in told)), 1)

    @property
    def trial_seed(self) -> int:
        """Seed of the episodes that measure a policy."""
        return self.plan.seed + _TRIAL


def save_with_card(path: Path, policy: Policy) -> None:
    """Write a policy, and its card into a JSON file next to it."""
    save_policy(path, policy)
    atomic_write(path.with_suffix(".json"), json.dumps(policy.card, indent=1) + "\n")


def metrics_of(rollout: Experience, measures: Mapping[str, float]) -> JsonObject:
    """Return the metrics of an update, without its number.

    Args:
        rollout: the rollout that the update learnt from.
        measures: result of `Learner.update`.
    """
    return {
        "episodes": len(rollout.returns),
        "return": _mean(rollout.returns),
        "length": _mean(rollout.lengths),
        **{name: float(f"{value:.6g}") for name, value in measures.items()},
    }


def _arrays_of(found: Checkpoint, name: str) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of a file of a checkpoint; its checksums were verified before.

    Raises:
        CheckpointError: the checkpoint holds no training.
    """
    with reading_checkpoint(found.file(name), "a training's arrays"):
        return read_arrays(found.file(name))


def _marked_with(mark: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a mark, by their names without it."""
    return {
        name.removeprefix(mark): array for name, array in arrays.items() if name.startswith(mark)
    }


def _means(lines: list[JsonObject]) -> JsonObject:
    """Return the mean of each number over several groups, by name; None if no group has it.

    Args:
        lines: the numbers of each group by name; None values are left out of the mean.
    """
    found: JsonObject = {}
    for key in lines[0]:
        values = [line[key] for line in lines if line[key] is not None]
        found[key] = float(f"{np.mean(values):.6g}") if values else None
    return found


def _mean(values: list[float] | list[int]) -> float | None:
    return round(float(np.mean(values)), 4) if values else None
