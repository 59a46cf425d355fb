"""Independent copies of one scene; actions and results are in arrays with one row per copy.

In shapes, N is the number of copies and K the number of agents in each. A scene with one agent has
K = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError
from sim.app.episodes import MOST_SEEDS, Episodes
from sim.core.host.agents import AgentEpisode
from sim.core.script.spaces import PlainSpace, Value, validate_actions

Array = npt.NDArray[Any]
Rows = Array | dict[str, Array]
"""Values of a space for all copies, one row per copy.

This is an array, or for a dict space a dict of arrays by key.
"""
Column = tuple[str, tuple[int, ...], str]
"""Description of an array: its name, the shape of one row, and the NumPy type."""
ALIGNED: Final = 64
"""Alignment in bytes: each array begins at a multiple of it."""
SCORE: Final = "score"
"""Key of an agent's `info` with its score in the episode: the higher score wins."""


@dataclass(frozen=True)
class ArrayLayout:
    """Positions of the arrays of all copies, one after the other in one piece of memory.

    Attributes:
        rows: number of copies, which is the number of rows of each array.
        columns: name, row shape and type of each array.
    """

    rows: int
    columns: tuple[Column, ...]

    @classmethod
    def of_spaces(cls, rows: int, spaces: Sequence[tuple[PlainSpace, PlainSpace]]) -> ArrayLayout:
        """Return the layout for copies whose agents have the given spaces.

        Agent number k has the arrays `observation.k` and `action.k`. All agents share the other
        arrays, each `[N, K]`: `reward`, `terminated`, `truncated`, `outcome` and `decides`.
        `outcome` is the score of an agent's last episode, or the return if it has no score.
        `decides` is written by the learner: True if the agent's own script chooses the action.

        Args:
            rows: number of copies, N.
            spaces: observation and action space of each agent.
        """
        count = (len(spaces),)
        columns = [
            column
            for number, pair in enumerate(spaces)
            for name, space in zip(("observation", "action"), pair, strict=True)
            for column in columns_of(f"{name}.{number}", space)
        ]
        kinds = {"reward": "float64", "terminated": "bool", "truncated": "bool",
                 "outcome": "float64", "decides": "bool"}  # fmt: skip
        return cls(rows, (*columns, *((name, count, kind) for name, kind in kinds.items())))

    @property
    def size(self) -> int:
        """Number of bytes of all arrays together."""
        return sum(map(self._bytes_of, self.columns))

    def arrays(self, memory: bytearray | memoryview | Any) -> dict[str, Array]:
        """Return the arrays in a piece of memory, by name."""
        found: dict[str, Array] = {}
        begin = 0
        for column in self.columns:
            name, shape, kind = column
            found[name] = np.ndarray((self.rows, *shape), kind, memory, begin)
            begin += self._bytes_of(column)
        return found

    def _bytes_of(self, column: Column) -> int:
        _, shape, kind = column
        bare = self.rows * int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
        return -(-bare // ALIGNED) * ALIGNED


def columns_of(name: str, space: PlainSpace) -> list[Column]:
    """Return descriptions of the arrays that hold the values of a space.

    Args:
        name: name of the array. A dict space has several arrays, called "name/key".
        space: the space.
    """
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


def rows_of(name: str, space: PlainSpace, arrays: Mapping[str, Array]) -> Rows:
    """Return the array that holds the values of a space.

    Args:
        name: name of the array.
        space: the space.
        arrays: all arrays by name.

    Returns:
        The array; for a dict space, its arrays by key.
    """
    if space[0] == "dict":
        return {key: arrays[f"{name}/{key}"] for key in space[1]}
    return arrays[name]


@dataclass(frozen=True)
class CopyFault:
    """An error in one copy; the copy's next step begins a new episode.

    Attributes:
        row: index of the copy.
        error: the error.
    """

    row: int
    error: GoishiError


class WorldBatch:
    """Copies of one scene that are stepped one after the other; the caller provides the arrays.

    An agent whose episode has ended waits for the others of its copy, with reward 0. When all have
    ended, the next step begins a new episode, ignores the actions and has rewards 0.

    Args:
        open_episodes: called without arguments to open one copy.
        count: number of copies, N.

    Attributes:
        worlds: the copies.
        about: facts about the agents; see `Episodes.about`.
        infos: the agent's `info` of the last step by copy, if the scene has only one agent.

    Raises:
        GoishiError: the scene cannot be opened.
    """

    def __init__(self, open_episodes: Callable[[], Episodes], count: int) -> None:
        self.worlds: list[Episodes] = []
        self.infos: dict[int, Mapping[str, object]] = {}
        self._has_seed = [False] * count
        self._live: list[list[int]] = [[] for _ in range(count)]
        """For each copy, the agents whose episode is running; empty if none is."""
        try:
            for _ in range(count):
                self.worlds.append(open_episodes())
        except BaseException:
            self.close()
            raise
        self.about = self.worlds[0].about
        self._tells = len(self.about.names) == 1

    def use(self, arrays: Mapping[str, Array]) -> None:
        """Set the arrays for actions and results; see `ArrayLayout.of_spaces`."""
        self._observations, self._actions = (
            [
                rows_of(f"{name}.{k}", pair[which], arrays)
                for k, pair in enumerate(self.about.spaces)
            ]
            for which, name in enumerate(("observation", "action"))
        )
        self._rewards, self._outcomes = arrays["reward"], arrays["outcome"]
        self._terminated, self._truncated = arrays["terminated"], arrays["truncated"]
        self._decides = arrays["decides"]

    def reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> list[CopyFault]:
        """Begin an episode in some of the copies; return the errors.

        Args:
            seeds: per copy, the seed with which the scene is opened again. None to keep the scene
                as it is, except at a copy's first reset, which has a random seed.
            chosen: per copy, whether to reset it.
        """
        faults = []
        self.infos.clear()
        for row, seed in enumerate(seeds):
            if chosen[row]:
                try:
                    self._begin(row, seed)
                except GoishiError as error:
                    faults.append(CopyFault(row, error))
        return faults

    def step(self) -> list[CopyFault]:
        """Step all copies; return the errors. An error in one copy does not stop the others."""
        faults = []
        self.infos.clear()
        self._rewards[...] = 0.0
        valid = self._valid_actions()
        for row, episodes in enumerate(self.worlds):
            try:
                if not self._live[row]:
                    self._begin(row, None)
                else:
                    self._step(row, episodes, valid)
            except GoishiError as error:
                self._live[row] = []
                self._rewards[row], self._terminated[row], self._truncated[row] = 0.0, False, True
                faults.append(CopyFault(row, error))
        return faults

    def close(self) -> None:
        """End all scenes."""
        for episodes in self.worlds:
            episodes.close()

    def _valid_actions(self) -> list[Sequence[Value]] | None:
        """Return the actions of each agent, one row per copy, if all of them are valid.

        Returns:
            A list with one item per agent. None if an action is invalid or an agent's script
            chooses it: then each action is read and checked by itself.
        """
        if self._decides.any():
            return None
        columns = []
        for agent, rows in zip(self.worlds[0].agents, self._actions, strict=True):
            column = validate_actions(agent.action_space, rows)
            if column is None:
                return None
            columns.append(column)
        return columns

    def _step(self, row: int, episodes: Episodes, valid: list[Sequence[Value]] | None) -> None:
        """Step one copy and write the results of the agents whose episode is running.

        Args:
            row: index of the copy.
            episodes: the copy.
            valid: result of `_valid_actions`.

        Raises:
            GoishiError: an action is invalid, or a script failed.
        """
        agents, live = episodes.agents, self._live[row]
        if valid is None:
            episodes.step(self._chosen(row))
        else:
            for k in live:
                agents[k].given = valid[k][row]
            episodes.advance()
        for k in live:
            agent, observations = agents[k], self._observations[k]
            self._rewards[row, k] = agent.reward
            if isinstance(observations, dict):
                _show(observations, row, agent.observation)
            else:
                observations[row] = agent.observation
            if agent.is_done:
                self._end(row, k, agent)
        if self._tells and agents[0].info:
            self.infos[row] = agents[0].info

    def _chosen(self, row: int) -> list[object]:
        """Return the actions of a copy's agents, from the arrays or chosen by their scripts."""
        return [
            agent.agent.decide(agent.observation)
            if self._decides[row, k]
            else _row_of(self._actions[k], row)
            for k, agent in enumerate(self.worlds[row].agents)
        ]

    def _end(self, row: int, k: int, agent: AgentEpisode) -> None:
        """Write to the arrays how the episode of an agent has ended.

        Args:
            row: index of the copy.
            k: index of the agent in the copy.
            agent: the agent's episode.
        """
        self._terminated[row, k] = not agent.is_truncated
        self._truncated[row, k] = agent.is_truncated
        self._outcomes[row, k] = outcome_of(agent)
        self._live[row] = [other for other in self._live[row] if other != k]

    def _begin(self, row: int, seed: int | None) -> None:
        """Begin an episode in a copy.

        Args:
            row: index of the copy.
            seed: seed with which the scene is opened again; None to keep the scene as it is. A
                copy's first episode has a random seed then.

        Raises:
            GoishiError: a script failed.
        """
        self._live[row] = []
        self._rewards[row], self._terminated[row], self._truncated[row] = 0.0, False, False
        if seed is None and not self._has_seed[row]:  # else all copies had the scene's own seed
            seed = int(np.random.default_rng().integers(MOST_SEEDS))
        self._has_seed[row] = True
        for rows, observation in zip(self._observations, self.worlds[row].reset(seed), strict=True):
            _show(rows, row, observation)
        self._live[row] = list(range(len(self._observations)))


def _row_of(rows: Rows, row: int) -> object:
    """Return the value of one copy from the arrays of a space.

    Args:
        rows: array or arrays with the values of all copies.
        row: index of the copy.
    """
    if isinstance(rows, dict):
        return {name: array[row] for name, array in rows.items()}
    return rows[row]


def _show(rows: Rows, row: int, value: Value) -> None:
    """Write the value of one copy into the arrays of a space.

    Args:
        rows: array or arrays with the values of all copies.
        row: index of the copy.
        value: the value.
    """
    if isinstance(rows, dict):
        for name, array in rows.items():
            array[row] = value[name]  # type: ignore[index]
    else:
        rows[row] = value


def outcome_of(agent: AgentEpisode) -> float:
    """Return the result of an ended episode: the score in the agent's `info`, else the return."""
    score = agent.info.get(SCORE)
    return float(score) if isinstance(score, int | float) else agent.total
