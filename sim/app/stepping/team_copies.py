"""Several copies of a scene with several agents, in arrays of one row a copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from base.errors import GoishiError
from base.schema import OptionValue
from sim.app.copies import Array, Copies, Fault, Layout, columns_of, row_of, rows_of
from sim.app.episodes import MOST_SEEDS, Episodes
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.agents import Seat
from sim.core.script.spaces import PlainSpace, plain_space

SCORE = "score"
"""What an agent tells by `info` of the episode that ends: above the other's is won."""
Openers = Callable[[], Episodes]


class TeamCopies:
    """Copies of one scene with any number of agents; an episode ends when that of all has.

    An agent whose episode has ended waits for the others, and stays over meanwhile. In the next
    step all begin another.

    Args:
        scene: its file.
        count: copies.
        watchdog: breaks calls of scripts that do not end; None for nobody.
        options: values of the options that its scripts declare, by name.
        opened: opens one copy, in place of `Episodes.of_scene`.

    Attributes:
        about: names, teams and spaces of the agents, and whether the scene must be drawn.
        infos: empty.

    Raises:
        GoishiError: it cannot be opened.
    """

    def __init__(
        self,
        scene: Path,
        count: int,
        watchdog: Watchdog | None = None,
        options: Mapping[str, OptionValue] | None = None,
        opened: Openers | None = None,
    ) -> None:
        self.copies: list[Episodes] = []
        self.infos: dict[int, Mapping[str, object]] = {}
        self._waits_for_reset = [True] * count
        try:
            for _ in range(count):
                self.copies.append(
                    Episodes.of_scene(scene, watchdog, options) if opened is None else opened()
                )
        except BaseException:
            self.close()
            raise
        first = self.copies[0]
        self.spaces = [(plain_space(seat.sees), plain_space(seat.acts)) for seat in first.seats]
        self.about = (first.names, first.teams, self.spaces, first.needs_picture)

    def use(self, arrays: Mapping[str, Array]) -> None:
        """Write to these arrays, and read actions from them, from now on."""
        self._arrays = arrays
        self._sees, self._does = (
            [
                rows_of(f"{name}.{number}", spaces[which], arrays)
                for number, spaces in enumerate(self.spaces)
            ]
            for which, name in enumerate(("observation", "action"))
        )

    def reset(self, seeds: Sequence[int | None], chosen: Sequence[bool]) -> list[Fault]:
        """Begin an episode in the chosen copies; return what failed."""
        faults = []
        for row, seed in enumerate(seeds):
            if chosen[row]:
                try:
                    self._begin(row, seed)
                except GoishiError as error:
                    faults.append(Fault(row, error))
        return faults

    def step(self) -> list[Fault]:
        """Step all copies; return what failed: the others have been stepped."""
        faults = []
        for row in range(len(self.copies)):
            try:
                if self._waits_for_reset[row]:
                    self._begin(row, None)
                else:
                    self._step(row)
            except GoishiError as error:
                self._waits_for_reset[row] = True
                self._tell(row, 0.0, is_over=False)
                self._arrays["truncated"][row] = True
                faults.append(Fault(row, error))
        return faults

    def close(self) -> None:
        """End all scenes."""
        for episodes in self.copies:
            episodes.close()

    def _step(self, row: int) -> None:
        episodes, arrays = self.copies[row], self._arrays
        decides = arrays["decides"][row]
        was_over = [seat.is_over for seat in episodes.seats]
        episodes.step([
            seat.agent.decide(seat.observation) if decides[number]
            else row_of(self._does[number], row)
            for number, seat in enumerate(episodes.seats)
        ])  # fmt: skip
        for number, seat in enumerate(episodes.seats):
            if was_over[number]:
                arrays["reward"][row, number] = 0.0
                continue
            self._show(row, number, seat)
            arrays["reward"][row, number] = seat.reward
            if seat.is_over:
                arrays["terminated"][row, number] = not seat.was_cut
                arrays["truncated"][row, number] = seat.was_cut
                arrays["outcome"][row, number] = outcome_of(seat)
        self._waits_for_reset[row] = all(seat.is_over for seat in episodes.seats)

    def _begin(self, row: int, seed: int | None) -> None:
        self._waits_for_reset[row] = True
        self._tell(row, 0.0, is_over=False)
        episodes = self.copies[row]
        episodes.reset(seed if seed is None else seed % MOST_SEEDS)
        for number, seat in enumerate(episodes.seats):
            self._show(row, number, seat)
        self._waits_for_reset[row] = False

    def _tell(self, row: int, reward: float, *, is_over: bool) -> None:
        self._arrays["reward"][row] = reward
        self._arrays["terminated"][row] = self._arrays["truncated"][row] = is_over

    def _show(self, row: int, number: int, seat: Seat) -> None:
        rows: Any = self._sees[number]
        if isinstance(rows, dict):
            for name, array in rows.items():
                array[row] = seat.observation[name]  # type: ignore[index]
        else:
            rows[row] = seat.observation


def layout_of(rows: int, spaces: Sequence[tuple[PlainSpace, PlainSpace]]) -> Layout:
    """Return the arrays of copies whose agents have these spaces.

    Of agent K, by number, `observation.K` and `action.K`; of all `[copies, agents]` the rest:
    `decides` is written from outside, True where the agent's own script decides; `outcome` is the
    score of the last episode, or its return where the agent tells none.
    """
    count = (len(spaces),)
    columns = [
        column
        for number, (sees, acts) in enumerate(spaces)
        for name, space in ((f"observation.{number}", sees), (f"action.{number}", acts))
        for column in columns_of(name, space)
    ]
    kinds = (("reward", "float64"), ("terminated", "bool"), ("truncated", "bool"),
             ("outcome", "float64"), ("decides", "bool"))  # fmt: skip
    return Layout(rows, (*columns, *((name, count, kind) for name, kind in kinds)))


def outcome_of(seat: Seat) -> float:
    """Return what an episode that has ended was worth: its score, else its return."""
    score = seat.info.get(SCORE)
    return float(score) if isinstance(score, int | float) else seat.total


COPIES: dict[str, type[Copies | TeamCopies]] = {"copies": Copies, "teams": TeamCopies}
"""How copies are kept: with one agent each, or with any number."""
