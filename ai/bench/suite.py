"""The suite of tactical positions, `assets/suites/gomoku_tactics.json`.

Each task has a kind and the correct moves:

- *fours*: a win by continuous fours; the first move of any such win is correct.
- *threes*: a win by quiet attacks, proven against every answer; that attack is correct.
- *defence*: the opponent threatens to win by fours; only moves that stop this are correct.
- *quiet*: no forced win; the move that two much longer searches agree on is correct.
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
LOST_FILE: Final = "assets/suites/gomoku_lost.json"
"""Positions of games that alpha-beta lost to programs from outside; the kinds are the same."""
KINDS: Final = ("fours", "threes", "defence", "quiet")


class SuiteError(GoishiError):
    """A file is no valid suite of positions."""


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """One position of the suite with its correct moves."""

    name: str
    kind: str
    """One of `KINDS`."""
    rule: str
    moves: str
    """Moves on a 15x15 board that lead to the position, such as "h8 i9"."""
    best: tuple[str, ...]
    """The correct moves, as text."""
    plies: int
    """Length of the proven win in plies; 0 if there is none."""

    def board(self) -> Board:
        """Return the position."""
        return Board.from_moves(self.moves, Rules(15, 5, self.rule))


def read_suite(path: Path | None = None) -> tuple[SuiteTask, ...]:
    """Read a suite of tactical positions.

    Args:
        path: file to read; None for the suite that comes with the program.

    Raises:
        SuiteError: the file is missing or is no suite.
    """
    path = SHIPPED_ROOT / SUITE_FILE if path is None else path
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["tasks"]
        tasks = tuple(SuiteTask(**{**row, "best": tuple(row["best"])}) for row in rows)
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


def _check_position(path: Path, task: SuiteTask) -> None:
    """Check that a task's game is not over, and that its right moves are legal.

    Raises:
        SuiteError: the game is over, or a move is illegal.
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


def write_suite(path: Path, tasks: Sequence[SuiteTask]) -> None:
    """Write a suite, one task per line."""
    rows = ",\n".join(json.dumps(asdict(task)) for task in tasks)
    path.write_text(f'{{"tasks": [\n{rows}\n]}}\n', encoding="utf-8")
