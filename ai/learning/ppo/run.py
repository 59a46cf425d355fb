"""A training by PPO in a folder, which survives every kill.

    run.json        the run: environment, steps, seed, settings
    metrics.jsonl   a line for each update: steps, returns, losses; no times
    timings.jsonl   a line for each update: its seconds
    policy.npz      the policy of the last checkpoint; the card stands inside and in policy.json
    checkpoints/    every `EVERY` updates: weights, optimiser, normalisation

Every `EVERY` updates all episodes are begun anew with seeds of their own, and that is when a
checkpoint is written. So nothing of the environments need be kept: what comes after a checkpoint
depends on the checkpoint alone, and a run that was killed goes on with the same numbers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.learning.ppo.ppo import Ppo, Rollout, Settings, VectorEnv
from ai.learning.ppo.trial import compared
from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore
from base.errors import WorkerLostError
from base.files import atomic_write
from base.policies.policy import Policy, save_policy, space_text
from base.storage.card_file import CardFileError, packed, read_arrays, reading
from base.storage.run_folder import RunFolder
from base.values import JsonObject

FORMAT: Final = "goishi.ppo/1"
METRICS_FILE: Final = "metrics.jsonl"
TIMINGS_FILE: Final = "timings.jsonl"
POLICY_FILE: Final = "policy.npz"
EVERY: Final = 10
"""Updates from checkpoint to checkpoint."""
MOST_LOST: Final = 5
"""Times that updates are repeated because a worker process ended."""
_STATE: Final = "state.npz"
_TRIAL: Final = 5_000_011
"""Added to the seed for the episodes that a policy is measured on."""

LearntPolicy: TypeAlias = tuple[Policy, tuple[int, ...]]
"""A policy, and the agents that play it: their places among those of the scene."""
Report: TypeAlias = Callable[[JsonObject], None]
"""Called with the metrics of each update."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A run, without its budget of time."""

    scene: str
    """Name of what is learnt."""
    steps: int
    """Of all environments together."""
    seed: int
    settings: Settings

    @property
    def updates(self) -> int:
        """So many rollouts; the last one may go beyond the steps."""
        return -(-self.steps // self.settings.batch)

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return {"scene": self.scene, "steps": self.steps, "seed": self.seed,
                "settings": self.settings.as_dict()}  # fmt: skip


def ppo_run(out: Path) -> RunFolder:
    """Return the folder of a training by PPO."""
    return RunFolder(out, FORMAT, "training")


def rollout_seed(seed: int, update: int) -> int:
    """Return the seed with which episodes are begun before an update."""
    return (seed * 1_000_003 + update * 10_007) % 2**31


class PpoRun:
    """A training in a folder; `train` goes on with it."""

    def __init__(
        self, plan: Plan, out: Path, env: VectorEnv, report: Report = lambda metrics: None
    ) -> None:
        """Build the networks; nothing is read or written yet.

        Args:
            plan: what to do.
            out: the folder.
            env: the environments, as many as the settings say.
            report: called after each update.

        Raises:
            SpaceError: the spaces cannot be learnt.
        """
        self.env = env
        learner = Ppo(*env.spaces, plan.settings, plan.seed, plan.updates)
        self._set_up(plan, out, [learner], report)

    def _set_up(self, plan: Plan, out: Path, learners: list[Ppo], report: Report) -> None:
        self.plan, self.out, self.learners = plan, out, learners
        self.folder = ppo_run(out)
        self.learner = learner = learners[0]
        self.messages: list[str] = []
        """What was found damaged, and what was repeated, a line each."""
        self._report = report
        self._untrained = learner.policy()
        self._first = self._state()
        self._store = CheckpointStore(out / "checkpoints", keep=2)
        self._lost = 0

    # -- beginning ----------------------------------------------------------------------------

    def prepare(self, *, resume: bool) -> None:
        """Write a new folder's `run.json`, or take up the training that it holds.

        Raises:
            RunFolderError: it holds something else, or a training and `resume` is False.
            OSError: it cannot be written.
        """
        self.folder.open(self._config(), resume=resume)
        self._take_up()

    def _config(self) -> JsonObject:
        sees, acts = self.env.spaces
        return {**self.plan.as_dict(), "sees": space_text(sees), "acts": space_text(acts)}

    def _take_up(self) -> None:
        """Go back to the last checkpoint; what came after it is cut off the files."""
        self._restore(self._first)
        _, messages = self._store.load(lambda found: self._restore(_arrays_of(found)))
        self.messages += messages
        for name in (METRICS_FILE, TIMINGS_FILE):
            self.folder.cut(name, "update", self.learner.done)

    # -- training -----------------------------------------------------------------------------

    def train(self, hours: float | None = None) -> None:
        """Go on to the last update, or until the time is over; ends with a checkpoint.

        Raises:
            WorldError: a script failed; the last checkpoint is kept.
            CheckpointError: the disk is full; the last good one is kept.
        """
        until = None if hours is None else time.monotonic() + 3600.0 * hours
        while self.learner.done < self.plan.updates:
            try:
                self._go_on(min(EVERY, self.plan.updates - self.learner.done))
            except WorkerLostError as error:
                self._lost += 1
                if self._lost > MOST_LOST:
                    raise
                self.messages.append(f"{error}; the last updates are repeated")
                self._take_up()
            if until is not None and time.monotonic() >= until:
                break

    def _go_on(self, updates: int) -> None:
        """Do so many updates and write a checkpoint."""
        batch = self.plan.settings.batch
        self._begin(rollout_seed(self.plan.seed, self.learner.done))
        appending = self.folder.appending
        with appending(METRICS_FILE) as metrics, appending(TIMINGS_FILE) as timings:
            for _ in range(updates):
                started = time.perf_counter()
                told = self._improve()
                done = self.learner.done
                line: JsonObject = {"update": done, "steps": done * batch, **told}
                metrics.append(line)
                seconds = time.perf_counter() - started
                timings.append({"update": done, "seconds": round(seconds, 3)})
                self._report(line)
        self._save()

    def _begin(self, seed: int) -> None:
        """Begin every episode anew."""
        self.learner.begin(self.env, seed)

    def _improve(self) -> JsonObject:
        """Play a rollout, learn from it, and return how it went."""
        rollout = self.learner.collect(self.env)
        return told_of(rollout, self.learner.improve(rollout))

    def _state(self) -> dict[str, NDArray[Any]]:
        """Return all that the training goes on from."""
        return self.learner.state()

    def _restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take up what `_state` returned."""
        self.learner.restore(arrays)

    def _save(self) -> None:
        content = packed(self._state(), compress=False)
        self._store.save({"done": self.learner.done}, {_STATE: content})
        self._save_policies()

    def _save_policies(self) -> None:
        save_policy(self.out / POLICY_FILE, self.policy())

    def policy(self, **card: object) -> Policy:
        """Return the policy with its card."""
        steps = self.learner.done * self.plan.settings.batch
        return self.learner.policy(learner="ppo", **self.plan.as_dict(), learnt_steps=steps, **card)

    def learnt(self) -> tuple[LearntPolicy, ...]:
        """Return the policies as they are now, and who plays each."""
        return ((self.policy(), (0,)),)

    def change(self, *, rate: float | None = None, clip: float | None = None) -> None:
        """Change what may change while it learns, from the next update on."""
        for learner in self.learners:
            learner.rate = learner.rate if rate is None else rate
            learner.clip = learner.clip if clip is None else clip

    # -- measuring ----------------------------------------------------------------------------

    def measure(self, episodes: int, **card: object) -> JsonObject:
        """Measure the frozen policy and its controls; write policy and card.

        Args:
            episodes: of each.
            card: more for the card.

        Returns:
            The card.

        Raises:
            WorldError: a script failed.
            OSError: a file cannot be written.
        """
        frozen = compared(self.policy(), self._untrained, self.env, episodes, self.trial_seed)
        policy = self.policy(**card, seconds=self.seconds, frozen=frozen)
        save_with_card(self.out / POLICY_FILE, policy)
        return policy.card

    @property
    def seconds(self) -> float:
        """Of all updates."""
        told = self.folder.lines(TIMINGS_FILE)
        return round(float(sum(line["seconds"] for line in told)), 1)

    @property
    def trial_seed(self) -> int:
        """For the episodes that a policy is measured on."""
        return self.plan.seed + _TRIAL


def save_with_card(path: Path, policy: Policy) -> None:
    """Write a policy, and its card beside it."""
    save_policy(path, policy)
    atomic_write(path.with_suffix(".json"), json.dumps(policy.card, indent=1) + "\n")


def told_of(rollout: Rollout, told: Mapping[str, float]) -> JsonObject:
    """Return the line of an update, but for its number."""
    return {
        "episodes": len(rollout.returns), "return": _mean(rollout.returns),
        "length": _mean(rollout.lengths),
        **{name: float(f"{value:.6g}") for name, value in told.items()},
    }  # fmt: skip


def _arrays_of(found: Checkpoint) -> Mapping[str, NDArray[Any]]:
    """Read a checkpoint, whose checksums were verified.

    Raises:
        CheckpointError: it holds no training.
    """
    try:
        with reading(found.file(_STATE), "a training's arrays"):
            return read_arrays(found.file(_STATE))
    except CardFileError as error:
        raise CheckpointError(str(error)) from error


def _mean(values: list[float] | list[int]) -> float | None:
    return round(float(np.mean(values)), 4) if values else None


__all__ = [
    "METRICS_FILE", "POLICY_FILE", "LearntPolicy", "Plan", "PpoRun", "ppo_run", "rollout_seed",
    "save_with_card", "told_of",
]  # fmt: skip
