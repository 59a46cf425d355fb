"""The suite of tactical positions: `assets/suites/gomoku_tactics.json`.

Every task says what kind it is and which moves are right:

- *fours*: a win by continuous fours; right is every first move of one.
- *threes*: a win that needs quiet attacks, proven against every answer; right is the proven attack.
- *defence*: the other side threatens to win by fours; right are the only moves that stop it.
- *quiet*: nothing is forced; right is the move that two much longer searches agree on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from ai.game import Board, Rules
from base.errors import GoishiError
from base.files import SHIPPED_ROOT

SUITE_FILE: Final = "assets/suites/gomoku_tactics.json"
KINDS: Final = ("fours", "threes", "defence", "quiet")


class SuiteError(GoishiError):
    """A file is not a suite."""


@dataclass(frozen=True, slots=True)
class Task:
    """One position."""

    name: str
    kind: str
    """One of `KINDS`."""
    rule: str
    moves: str
    """Played on 15x15, as "h8 i9"."""
    best: tuple[str, ...]
    """The right moves."""
    plies: int
    """Until the five that is proven; 0: none is."""

    def board(self) -> Board:
        """Return the position."""
        return Board.from_moves(self.moves, Rules(15, 5, self.rule))


def read_suite(path: Path | None = None) -> tuple[Task, ...]:
    """Read a suite.

    Args:
        path: of the file; None: the one that ships.

    Raises:
        SuiteError: the file is missing or not a suite.
    """
    path = SHIPPED_ROOT / SUITE_FILE if path is None else path
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["tasks"]
        tasks = tuple(Task(**{**row, "best": tuple(row["best"])}) for row in rows)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SuiteError(f"{path}: expected a suite of positions, found {error}") from None
    if not tasks:
        raise SuiteError(f"{path}: expected a suite of positions, found none")
    for task in tasks:
        if task.kind not in KINDS or not task.best:
            raise SuiteError(
                f"{path}: {task.name}: expected a right move and a kind of {', '.join(KINDS)}, "
                f"found {task.kind!r} and {len(task.best)} moves"
            )
        _check_position(path, task)
    return tasks


def _check_position(path: Path, task: Task) -> None:
    """Check that a task's game goes on, and that its right moves can be played.

    Raises:
        SuiteError: they are not so.
    """
    try:
        board = task.board()
    except (ValueError, TypeError, AttributeError) as error:
        raise SuiteError(f"{path}: {task.name}: {error}") from None
    if board.outcome() is not None:
        raise SuiteError(f"{path}: {task.name}: expected a game that goes on, found its end")
    playable = {board.to_text(move) for move in board.legal_moves}
    wrong = [str(move) for move in task.best if move not in playable]
    if wrong:
        raise SuiteError(
            f"{path}: {task.name}: expected moves that can be played, found {' '.join(wrong)}"
        )


def write_suite(path: Path, tasks: Sequence[Task]) -> None:
    """Write a suite, one task a line."""
    rows = ",\n".join(json.dumps(asdict(task)) for task in tasks)
    path.write_text(f'{{"tasks": [\n{rows}\n]}}\n', encoding="utf-8")
