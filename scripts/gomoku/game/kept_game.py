"""The unfinished game of a user's own, kept in a file for the next start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai import Choice, Game, GameSession, opening_of
from scripts.gomoku.game.game_choices import GameChoices
from scripts.gomoku.game.game_clock import GameClock
from scripts.gomoku.game.user_file import UserFile
from sim import FieldError

FILE = "own_game.json"
"""Name of the file, in the data folder of the scene."""
FORMAT = "goishi.own_game/1"
Step = tuple[int | Choice, bool]
"""A stone or a choice of the opening, and whether a person made it."""


@dataclass(frozen=True)
class UnfinishedGame:
    """A game of the user's own that is not over.

    Attributes:
        choices: who plays, by which rules and with which clock.
        seed: random seed of the game.
        steps: stones and choices so far, in order, without stones that lay there at the beginning.
        taken_back: number of moves that people took back.
        left: what both sides have left on the clock, as in `GameClock.as_list`.
    """

    choices: GameChoices
    seed: int
    steps: tuple[Step, ...]
    taken_back: int = 0
    left: tuple[tuple[float, ...], ...] = ()

    @property
    def plies(self) -> int:
        """Number of stones that were placed, without those that lay there at the beginning."""
        return sum(not isinstance(said, Choice) for said, _ in self.steps)

    def session(self, base: Game) -> GameSession:
        """Return the game at the place where it was left.

        Args:
            base: rules of the scene's match.

        Raises:
            ValueError: these rules do not allow the moves, or the game would be over.
        """
        try:
            rules, opening = self.choices.rules(base), opening_of(self.choices.opening)
            session = GameSession(rules, 1, seed=self.seed, opening=opening)
            for said, is_person in self.steps:
                session.say((said,), is_person=is_person)
        except (ValueError, FieldError) as error:
            raise ValueError(f"expected moves that its rules allow, found: {error}") from None
        if session.is_over:
            raise ValueError("expected a game that is not over")
        session.taken_back = self.taken_back
        return session

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the inverse of `from_dict`."""
        return {
            "format": FORMAT,
            "choices": self.choices.as_dict(),
            "seed": self.seed,
            "steps": [
                [said.value if isinstance(said, Choice) else said, is_person]
                for said, is_person in self.steps
            ],
            "taken_back": self.taken_back,
            "left": [list(side) for side in self.left],
        }

    @classmethod
    def from_dict(cls, values: Any) -> UnfinishedGame:
        """Read the result of `as_dict`.

        Raises:
            ValueError: it is something else.
        """
        try:
            if values["format"] != FORMAT:
                raise ValueError(f"the format {values['format']!r:.40}")
            found = cls(
                GameChoices.from_dict(values["choices"]),
                int(values["seed"]),
                tuple(_step(said, is_person) for said, is_person in values["steps"]),
                int(values["taken_back"]),
                tuple(tuple(side) for side in values["left"]),
            )
            if found.left:
                GameClock(found.choices.clock).set_left(found.left)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ValueError(f"expected an unfinished game, found {error}") from None
        return found


def _step(said: object, is_person: object) -> Step:
    if isinstance(said, str):
        return Choice(said), bool(is_person)
    if type(said) is not int:
        raise TypeError(f"the step {said!r:.40}")
    return said, bool(is_person)


class KeptGame:
    """The file that keeps the unfinished game of a scene's user.

    Attributes:
        fault: why the file could not be read or written; empty if it could.
    """

    def __init__(self, folder: Path) -> None:
        """Remember the folder; nothing is read yet."""
        self.fault = ""
        self._path = folder / FILE
        self._file = UserFile(self._path)

    def read(self) -> UnfinishedGame | None:
        """Return the kept game; None if there is none."""
        self.fault = ""
        values = self._file.read()
        if not values:
            return None
        try:
            return UnfinishedGame.from_dict(values)
        except ValueError as error:
            self._file.refuse()
            self.fault = f"{self._path}: {error}"
            return None

    def write(
        self,
        choices: GameChoices,
        session: GameSession,
        left: Sequence[Sequence[float]],
    ) -> None:
        """Keep a game as it stands; nothing is kept before its first move.

        Args:
            choices: who plays, by which rules and with which clock.
            session: the game.
            left: what both sides have left on the clock.
        """
        steps = tuple(session.steps())
        if not steps:
            return
        times = tuple(map(tuple, left))
        kept = UnfinishedGame(choices, session.seed, steps, session.taken_back, times)
        self._file.write(kept.as_dict())
        self.fault = self._file.fault

    def forget(self) -> None:
        """Delete the kept game: it is over, or another one has begun."""
        self._file.forget()
        self.fault = self._file.fault
