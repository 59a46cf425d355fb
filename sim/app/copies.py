"""Several copies of one scene, each with an episode of its own, in arrays of one row a copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError, UsageError
from base.schema import OptionValue
from sim.app.episodes import MOST_SEEDS, Episodes
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.agents import Seat
from sim.core.script.spaces import Box, PlainSpace, Value, plain_space

Array = npt.NDArray[Any]
ALIGNED: Final = 64
"""Bytes: each array begins at a multiple."""
Column = tuple[str, tuple[int, ...], str]
"""A name, the shape of one row, and the NumPy type."""


@dataclass(frozen=True)
class Layout:
    """The arrays of so many copies, one after the other in one piece of memory.

    Attributes:
        rows: copies.
        columns: what each has.
    """

    rows: int
    columns: tuple[Column, ...]

    @classmethod
    def of_spaces(cls, rows: int, sees: PlainSpace, acts: PlainSpace) -> Layout:
        """Return the arrays for agents with these spaces."""
        return cls(
            rows,
            (
                *columns_of("observation", sees), *columns_of("action", acts),
                ("reward", (), "float64"), ("terminated", (), "bool"), ("truncated", (), "bool"),
            ),
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(self._bytes_of(column) for column in self.columns)

    def arrays(self, memory: bytearray | memoryview | Any) -> dict[str, Array]:
        """Return the arrays in a piece of memory, by name."""
        found: dict[str, Array] = {}
        begin = 0
        for name, shape, kind in self.columns:
            whole = (self.rows, *shape)
            found[name] = np.ndarray(whole, kind, memory, begin)
            begin += self._bytes_of((name, shape, kind))
        return found

    def _bytes_of(self, column: Column) -> int:
        _, shape, kind = column
        bare = self.rows * int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
        return -(-bare // ALIGNED) * ALIGNED


def columns_of(name: str, space: PlainSpace) -> list[Column]:
    """Return the arrays that values of a space need; those of a dict are "name/key"."""
    kind = space[0]
    if kind == "dict":
        inner = (columns_of(f"{name}/{key}", part) for key, part in space[1].items())
        return [item for columns in inner for item in columns]
    if kind == "box":
        return [(name, tuple(space[1].shape), space[3])]
    if kind == "discrete":
        return [(name, (), "int64")]
    if kind == "binary":
        return [(name, (space[1],), "int8")]
    return [(name, tuple(np.shape(space[1])), "int64")]


@dataclass(frozen=True)
class Fault:
    """What went wrong in one copy; its next step begins an episode anew."""

    row: int
    error: GoishiError


class Copies:
    """Copies of one scene with one agent, their arrays given from outside.

    Where an episode has ended, the next step begins another, whatever the action: its reward is 0.

    Args:
        scene: its file.
        count: of copies.
        watchdog: breaks calls of scripts that do not end; None for nobody.
        options: values of the options that its scripts declare, by name.
        opened: opens one copy, in place of `Episodes.of_scene`.

    Attributes:
        about: the observation and the action space as plain values, and whether the scene has
            sensors that read only where it is drawn.
        spaces: the first two of these.
        infos: what agents told with the last step, by row.

    Raises:
        UsageError: the scene has another number of agents.
        GoishiError: it cannot be opened.
    """

    def __init__(
        self,
        scene: Path,
        count: int,
        watchdog: Watchdog | None = None,
        options: Mapping[str, OptionValue] | None = None,
        opened: Callable[[], Episodes] | None = None,
    ) -> None:
        self.copies: list[Episodes] = []
        self.infos: dict[int, Mapping[str, object]] = {}
        self._waits_for_reset = [True] * count
        self._has_seed = [False] * count
        try:
            for _ in range(count):
                self.copies.append(
                    Episodes.of_scene(scene, watchdog, options) if opened is None else opened()
                )
                self._check(scene)
        except BaseException:
            self.close()
            raise
        seat = self.copies[0].seats[0]
        self.spaces = plain_space(seat.sees), plain_space(seat.acts)
        self._box = seat.acts if isinstance(seat.acts, Box) else None  # its actions at once
        self.about = (*self.spaces, self.copies[0].needs_picture)

    def _check(self, scene: Path) -> None:
        count = len(self.copies[-1].seats)
        if count != 1:
            raise UsageError(
                f"{scene.name}: expected one agent for a vector of environments, found {count}; "
                "goishi.make gives a PettingZoo environment for several"
            )

    def use(self, arrays: Mapping[str, Array]) -> None:
        """Write to these arrays, and read actions from them, from now on."""
        self._rewards, self._ended, self._cut = (
            arrays[name] for name in ("reward", "terminated", "truncated")
        )
        sees, acts = self.spaces
        self._observations = rows_of("observation", sees, arrays)
        self._actions = rows_of("action", acts, arrays)
        self._is_number = acts[0] == "discrete"

    def reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> list[Fault]:
        """Begin an episode in the chosen copies; return what failed."""
        faults = []
        self.infos.clear()
        for row, episodes in enumerate(self.copies):
            if chosen[row]:
                try:
                    self._begin(row, episodes, seeds[row])
                except GoishiError as error:
                    faults.append(Fault(row, error))
        return faults

    def step(self) -> list[Fault]:
        """Step all copies; return what failed: the others have been stepped."""
        faults = []
        self.infos.clear()
        rewards, ended, cut, waits = self._rewards, self._ended, self._cut, self._waits_for_reset
        plain = None if isinstance(self._observations, dict) else self._observations
        actions: Sequence[object]
        if self._is_number and isinstance(self._actions, np.ndarray):
            actions = self._actions.tolist()
        else:
            actions = [row_of(self._actions, row) for row in range(len(self.copies))]
        taken = None if self._box is None else self._box.take_rows(np.asarray(self._actions))
        for row, episodes in enumerate(self.copies):
            try:
                if waits[row]:
                    self._begin(row, episodes, None)
                    continue
                if taken is not None:
                    seat = episodes.step_taken(taken[row])
                else:
                    seat = episodes.step_one(actions[row])
            except GoishiError as error:
                waits[row] = True
                rewards[row], ended[row], cut[row] = 0.0, False, True
                faults.append(Fault(row, error))
                continue
            rewards[row] = seat.reward
            if plain is None:
                self._show(row, seat.observation)
            else:
                plain[row] = seat.observation
            if seat.is_over:
                waits[row] = True
                ended[row], cut[row] = not seat.was_cut, seat.was_cut
            if seat.info:
                self.infos[row] = seat.info
        return faults

    def close(self) -> None:
        """End all scenes."""
        for episodes in self.copies:
            episodes.close()

    def _begin(self, row: int, episodes: Episodes, seed: int | None) -> None:
        self._waits_for_reset[row] = True
        self._rewards[row], self._ended[row], self._cut[row] = 0.0, False, False
        if seed is None and not self._has_seed[row]:  # else all copies had the scene's own seed
            seed = int(np.random.default_rng().integers(MOST_SEEDS))
        self._has_seed[row] = True
        self._show(row, episodes.reset(seed)[0])
        self._waits_for_reset[row] = False

    def _show(self, row: int, observation: Value) -> None:
        rows = self._observations
        if isinstance(rows, dict):
            for name, array in rows.items():
                array[row] = observation[name]  # type: ignore[index]
        else:
            rows[row] = observation


def rows_of(name: str, space: PlainSpace, arrays: Mapping[str, Array]) -> Array | dict[str, Array]:
    """Return the array of a space's values, or its arrays by key."""
    if space[0] == "dict":
        return {key: arrays[f"{name}/{key}"] for key in space[1]}
    return arrays[name]


def row_of(rows: Array | dict[str, Array], row: int) -> object:
    """Return one copy's value."""
    if isinstance(rows, dict):
        return {name: array[row] for name, array in rows.items()}
    return rows[row]


def told(seat: Seat) -> tuple[Value, float, bool, bool, dict[str, object]]:
    """Return what an environment's step returns: observation, reward, ended, cut off, info."""
    return (
        seat.observation, seat.reward, seat.is_over and not seat.was_cut,
        seat.is_over and seat.was_cut, dict(seat.info),
    )  # fmt: skip
