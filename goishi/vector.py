"""Copies of a scene as a `gymnasium.vector.VectorEnv`, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from base.errors import FieldError, UsageError
from base.schema import OptionValue
from goishi.environment import declared
from goishi.spaces import space_of
from sim.app.episodes import MOST_SEEDS
from sim.app.vector_world import VectorWorld, raise_first
from sim.app.workers import Outcome
from sim.app.world_batch import rows_of
from sim.core.script.spaces import PlainSpace

Array = npt.NDArray[Any]

METADATA: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}


class SceneVectorEnv(VectorEnv[Any, Any, Any]):
    """Independent copies of a scene with one agent, as a Gymnasium vector environment.

    In the step after an episode has ended, its copy begins a new episode and ignores the action. If
    a script fails or a worker dies, that step raises one error for all. The other copies continue,
    and the failed ones begin a new episode at their next step. A scene with a CameraSensor is
    drawn: each copy then has a process of its own.

    Args:
        scene: path of the scene file.
        num_envs: number of copies.
        workers: number of worker processes that step the copies; 0 to use this process.
        options: options that the scene's scripts declare, as on the command line.

    Attributes:
        file: memory shared with the workers; None without workers.

    Raises:
        UsageError: the scene has no agent or several, or a number is wrong.
        GoishiError: the scene cannot be opened.
    """

    metadata = METADATA

    def __init__(
        self,
        scene: str | Path,
        num_envs: int = 1,
        *,
        workers: int = 0,
        **options: OptionValue,
    ) -> None:
        path = Path(scene).resolve()
        self.num_envs = _checked("num_envs", num_envs, 1, 100_000)
        count = _checked("workers", workers, 0, self.num_envs)
        self.autoreset_mode = AutoresetMode.NEXT_STEP
        self._world = world = VectorWorld(path, self.num_envs, count, declared(options))
        if len(world.names) != 1:
            world.close()
            raise UsageError(
                f"{path.name}: expected one agent for a vector of environments, found "
                f"{len(world.names)}; goishi.make gives a PettingZoo environment for several"
            )
        self.file, self._arrays = world.file, world.arrays
        observation, self._action = world.spaces[0]
        self.single_observation_space = space_of(observation)
        self.single_action_space = space_of(self._action)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._observations = rows_of("observation.0", observation, self._arrays)
        self._actions = rows_of("action.0", self._action, self._arrays)
        self._is_begun = False

    # -- stepping -----------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in each copy.

        Args:
            seed: the first copy gets this seed, and each further copy one more. Or a sequence with
                a seed for each copy. A copy with a seed is opened anew. None: the first call
                chooses seeds at random, and later calls continue each copy's random sequence.
            options: may have the key "reset_mask", `[num_envs]` bool: only copies with True begin
                an episode.

        Returns:
            Observations and infos, as in Gymnasium.

        Raises:
            UsageError: the number of seeds or the mask does not fit, or the environment is closed.
            WorldError: a script failed; the other copies have begun.
            WorkerLostError: a worker has ended; its copies begin at their next step.
        """
        self._check_open("reset")
        seeds = self._seeds(seed)
        chosen = self._chosen(options)
        outcome = self._world.reset(seeds, chosen)
        self._is_begun = True  # a copy that fails begins at its next step
        infos = self._infos(outcome)
        return self._copy_of_observations(), infos

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """Apply one action to each copy and run all copies to the next decision.

        Args:
            actions: a value of `action_space`, one action per copy.

        Returns:
            Observations, rewards, terminated, truncated and infos, as in Gymnasium.

        Raises:
            FieldError: an action is not in its space; nothing has changed.
            UsageError: there was no reset, or the environment is closed.
            WorldError: a script failed; the other copies have been stepped.
            WorkerLostError: a worker has ended; the other copies have been stepped.
        """
        self._check_open("step")
        if not self._is_begun:
            raise UsageError("step: expected an episode that runs, found none: call reset()")
        self._put(self._actions, self._action, actions)
        infos = self._infos(self._world.step())
        rewards, terminated, truncated = (
            self._arrays[name][:, 0].copy() for name in ("reward", "terminated", "truncated")
        )
        return self._copy_of_observations(), rewards, terminated, truncated, infos

    def close_extras(self, **kwargs: Any) -> None:
        """End the scenes and the workers."""
        self._world.close()

    def _check_open(self, method: str) -> None:
        if self.closed:
            raise UsageError(f"{method}: expected an open environment, found a closed one")

    def _infos(self, outcome: Outcome) -> dict[str, Any]:
        """Return the infos of all copies in the form that Gymnasium's vector environments use.

        Args:
            outcome: errors of the last step or reset, and the infos of the copies.

        Raises:
            GoishiError: a copy failed; the first of the errors.
        """
        faults, found = outcome
        raise_first(faults)
        columns: dict[str, dict[int, object]] = {}
        for row, info in found.items():
            for key, value in info.items():
                columns.setdefault(key, {})[row] = value
        infos: dict[str, Any] = {}
        for key, values in columns.items():
            if set(map(type, values.values())) == {float}:  # the same as below, at once
                numbers, is_told = np.zeros(self.num_envs), np.zeros(self.num_envs, bool)
                rows = list(values)
                numbers[rows], is_told[rows] = np.array(list(values.values())), True
                infos[key], infos[f"_{key}"] = numbers, is_told
                continue
            for row, value in values.items():
                infos = self._add_info(infos, {key: value}, row)
        return infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            if self._is_begun:
                return [None] * self.num_envs
            return list(map(int, self.np_random.integers(MOST_SEEDS, size=self.num_envs)))
        if _is_seed(seed):
            return [int(seed) + row for row in range(self.num_envs)]  # type: ignore[arg-type]
        seeds = list(seed) if isinstance(seed, Sequence | np.ndarray) else []
        if len(seeds) != self.num_envs or not all(one is None or _is_seed(one) for one in seeds):
            raise UsageError(
                f"seed: expected a whole number of at least 0, or {self.num_envs} of them or None, "
                f"found {seed!r:.60}"
            )
        return [None if one is None else int(one) for one in seeds]

    def _chosen(self, options: Mapping[str, Any] | None) -> list[bool]:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return [True] * self.num_envs
        found = np.asarray(mask)
        if found.shape != (self.num_envs,) or found.dtype != bool:
            raise UsageError(
                f"reset_mask: expected {self.num_envs} of bool, found {found.shape} {found.dtype}"
            )
        chosen: list[bool] = found.tolist()
        return chosen

    def _put(self, rows: Any, space: PlainSpace, actions: Any, key: str = "") -> None:
        """Check actions and write them into the arrays from which the copies read them.

        Args:
            rows: the arrays to write to, by name for a dict space.
            space: the action space as plain values.
            actions: the actions, one for each copy.
            key: where the actions are within a dict space, for errors.

        Raises:
            FieldError: the actions are not in the space.
        """
        if space[0] == "dict":
            for name, part in space[1].items():
                if not isinstance(actions, Mapping) or name not in actions:
                    raise FieldError("action", expected=f"the key {name}", found=repr(actions)[:60])
                self._put(rows[name], part, actions[name], f": {name}")
            return
        values = np.asarray(actions)
        wanted = f"{'x'.join(map(str, rows.shape))} {WORDS[space[0]]}"
        if values.shape != rows.shape or values.dtype.kind not in KINDS[space[0]]:
            found = f"{values.shape} of {values.dtype}"
            raise FieldError(f"action{key}", expected=wanted, found=found)
        is_wrong = WRONG[space[0]](space, values)
        if is_wrong.any():
            row = int(np.argwhere(is_wrong)[0][0])
            found = f"{values[row].tolist()!r:.60} for copy {row}"
            raise FieldError(f"action{key}", expected=wanted, found=found)
        rows[...] = values

    def _copy_of_observations(self) -> Any:
        rows = self._observations
        if isinstance(rows, dict):
            return {name: array.copy() for name, array in rows.items()}
        return rows.copy()


WORDS = {
    "box": "finite numbers",
    "discrete": "whole numbers of the space",
    "binary": "of 0 or 1",
    "numbers": "whole numbers of the space",
}
KINDS = {"box": "fiub", "discrete": "iu", "binary": "iub", "numbers": "iu"}
"""NumPy's letters for the types of numbers that actions may have, by kind of space.

The letters are those of `dtype.kind`: b for bool, i and u for integers, f for floats.
"""
WRONG: dict[str, Callable[[PlainSpace, Array], Array]] = {
    "box": lambda space, values: ~(np.abs(values) <= _largest(space[3])),
    "discrete": lambda space, values: (values < space[2]) | (values >= space[2] + space[1]),
    "binary": lambda space, values: (values < 0) | (values > 1),
    "numbers": lambda space, values: (values < 0) | (values >= space[1]),
}


def _largest(dtype: str) -> float:
    """Return the largest number of a NumPy type; larger ones and NaN are not allowed."""
    kind = np.dtype(dtype)
    return float((np.finfo if kind.kind == "f" else np.iinfo)(kind).max)


def _is_seed(value: object) -> bool:
    is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_number and int(value) >= 0  # type: ignore[call-overload]


def _checked(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UsageError(f"{name}: expected a whole number from {low} to {high}, found {value!r}")
    return value
