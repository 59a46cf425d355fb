"""The tactical positions as lessons: in order, filtered, and which of them are solved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ai import SuiteTask, from_text
from sim import tr

KINDS = ("fours", "threes", "defence", "quiet")
KIND_NAMES = {
    "fours": tr("Win by fours"),
    "threes": tr("Win by threes"),
    "defence": tr("Defend"),
    "quiet": tr("Quiet move"),
}
WAYS = {"fours": tr("fours"), "threes": tr("threes")}
KIND_TIPS = {
    "fours": tr("Every move makes a four until the win is on the board"),
    "threes": tr("Quiet moves threaten a win; every answer loses"),
    "defence": tr("The other side threatens to win by fours: stop it"),
    "quiet": tr("Nobody wins by force: find the move that the searches prefer"),
}
ALL = tr("All")


class Depth(NamedTuple):
    """A range of lengths of a win, in the winner's own moves."""

    name: str
    least: int
    most: int


DEPTHS = (
    Depth(tr("2 to 3 moves"), 2, 3),
    Depth(tr("4 to 5 moves"), 4, 5),
    Depth(tr("6 to 7 moves"), 6, 7),
    Depth(tr("8 moves and more"), 8, 99),
    Depth(tr("one move"), 0, 1),
)
"""The depths by which lessons are chosen; a defence and a quiet move ask for one move."""


@dataclass(frozen=True)
class Lesson:
    """One position of the suite.

    Attributes:
        task: the position with its stored right moves.
        number: number of the lesson in the list of all, from 1.
    """

    task: SuiteTask
    number: int

    @property
    def moves_to_win(self) -> int:
        """Moves of one's own that the stored win takes; 1 for a defence and a quiet move."""
        return (self.task.plies + 1) // 2 if self.task.plies else 1

    @property
    def best(self) -> tuple[int, ...]:
        """The stored right moves."""
        return tuple(from_text(text, 15) for text in self.task.best)

    @property
    def depth(self) -> Depth:
        """The range that its length is in."""
        own = self.moves_to_win
        return next(item for item in DEPTHS if item.least <= own <= item.most)

    def question(self, side: str) -> str:
        """Return what the lesson asks of a side, such as "Black": one line."""
        if self.task.kind == "defence":
            return tr("{side} to move: stop the other side's win by fours").format(side=side)
        if self.task.kind == "quiet":
            return tr("{side} to move: find the best move").format(side=side)
        return tr("{side} to move and win by {kind} in {moves_to_win}").format(
            side=side, kind=WAYS[self.task.kind], moves_to_win=self.moves_to_win
        )


def lessons_of(tasks: Iterable[SuiteTask]) -> tuple[Lesson, ...]:
    """Return the lessons: kind by kind, the short ones first."""
    ordered = sorted(
        tasks, key=lambda task: (KINDS.index(task.kind), task.plies, len(task.moves), task.name)
    )
    return tuple(Lesson(task, number) for number, task in enumerate(ordered, start=1))


@dataclass(frozen=True)
class LessonFilter:
    """Which lessons are listed.

    Attributes:
        kind: a key of `KIND_NAMES`; "All" for every kind.
        depth: name of a depth; "All" for every depth.
        is_unsolved_only: whether solved lessons are left out.
    """

    kind: str = ALL
    depth: str = ALL
    is_unsolved_only: bool = False

    def chosen(self, lessons: Sequence[Lesson], solved: Iterable[str]) -> list[Lesson]:
        """Return the lessons that fit, in their order.

        Args:
            lessons: all lessons.
            solved: names of the solved ones.
        """
        done = frozenset(solved)
        return [
            lesson
            for lesson in lessons
            if self.kind in (ALL, lesson.task.kind)
            and self.depth in (ALL, lesson.depth.name)
            and not (self.is_unsolved_only and lesson.task.name in done)
        ]


@dataclass
class Progress:
    """What a user has solved.

    Attributes:
        solved: names of the solved lessons.
        streak: lessons solved one after the other, without a wrong answer or a hint.
        best: the longest streak so far.
    """

    solved: set[str] = field(default_factory=set)
    streak: int = 0
    best: int = 0

    @classmethod
    def of(cls, values: dict[str, Any]) -> Progress:
        """Return the progress that a file holds; what it does not hold is at its beginning."""
        names = values.get("solved")
        numbers = [values.get("streak"), values.get("best")]
        streak, best = (
            item if isinstance(item, int) and not isinstance(item, bool) and item >= 0 else 0
            for item in numbers
        )
        known = {name for name in names if isinstance(name, str)} if isinstance(names, list) else ()
        return cls(set(known), streak, max(streak, best))

    def values(self) -> dict[str, Any]:
        """Return the progress for a file."""
        return {"solved": sorted(self.solved), "streak": self.streak, "best": self.best}

    def solve(self, name: str, *, is_clean: bool) -> None:
        """Note a solved lesson.

        Args:
            name: name of the lesson.
            is_clean: whether it was solved without a wrong answer and without a hint.
        """
        is_new = name not in self.solved
        self.solved.add(name)
        if is_clean and is_new:
            self.streak += 1
            self.best = max(self.best, self.streak)

    def fail(self) -> None:
        """End the streak: an answer was wrong, or a hint was taken."""
        self.streak = 0
