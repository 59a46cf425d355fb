"""Copies of a scene with several agents, in this process or spread over several."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from sim.app.episodes import MOST_SEEDS
from sim.app.stepping.crowd import Crowd, raise_first
from sim.core.script.spaces import PlainSpace


class TeamCrowd(Crowd):
    """What `Crowd` is, for scenes with several agents; `team_copies.layout_of` says the arrays."""

    KIND: ClassVar[str] = "teams"

    @property
    def names(self) -> list[str]:
        """The agents' names."""
        found: list[str] = self.about[0]
        return found

    @property
    def teams(self) -> list[str]:
        """The team of each agent, empty for none."""
        found: list[str] = self.about[1]
        return found

    @property
    def all_spaces(self) -> list[tuple[PlainSpace, PlainSpace]]:
        """Observation and action space of each agent, as plain values."""
        found: list[tuple[PlainSpace, PlainSpace]] = self.about[2]
        return found

    def begin_all(self, seed: int) -> None:
        """Open every scene anew and begin an episode; the arrays say what is seen.

        Args:
            seed: of the first copy; the next has one more, and so on.

        Raises:
            WorldError: a script failed.
            WorkerLostError: a worker has ended; another has taken its place.
        """
        seeds = [(seed + row) % MOST_SEEDS for row in range(self.count)]
        self.arrays["decides"][...] = False
        raise_first(self.reset(seeds, [True] * self.count)[0])

    def advance(self) -> None:
        """Step every copy by the actions in the arrays, which then say what came of it.

        Raises:
            WorldError: a script failed.
            WorkerLostError: a worker has ended; another has taken its place.
        """
        raise_first(self.step()[0])


def open_team_crowd(scene: str, count: int) -> TeamCrowd:
    """Return copies of a scene in this process, for a learner that is told of this function.

    Raises:
        GoishiError: it cannot be opened.
    """
    return TeamCrowd(Path(scene), count, 0, {})
