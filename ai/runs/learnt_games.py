"""Games to learn moves from: game files, runs and run databases, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ai.formats import GameFileError, is_game_file, read_game_file
from ai.game import GameRecord, RecordError, Rules
from ai.runs.reading import RunReadError, read_games
from ai.runs.results import GAMES_FILE
from ai.samples.move_frequencies import FIRST_LEARNT, LearntGame
from base.storage.json_file import read_json
from base.storage.run_folder import RUN_FILE

_LAID: Final = {"balanced": 3, "pro": 3, "long-pro": 3, "swap": 3, "swap2": 5}
"""Stones of a tournament's openings, which its games do not tell; of swap2 the most it can have."""


def read_learnt_games(paths: Sequence[Path]) -> tuple[Rules, list[LearntGame]]:
    """Return the games of files, in order, and their board.

    Stones that lay on the board at the start, and those of an opening, are no answers.

    Args:
        paths: game files (`.sgf`, `.psq`, `.txt`), folders of runs, run databases.

    Raises:
        GameFileError: a game file is invalid, or its moves break the rules.
        RunReadError: a run cannot be read, or the files hold no game, games of other boards, or
            of a board that is not square.
        OSError: a file cannot be opened.
    """
    found: list[LearntGame] = []
    board: Rules | None = None
    for path in paths:
        for record, first in _records(path):
            rules = record.rules
            if not isinstance(rules, Rules) or not rules.is_plain:
                raise RunReadError(f"{path}: expected games on a square board, found {rules!r}")
            if board is not None and rules.size != board.size:
                raise RunReadError(
                    f"{path}: expected games of one board, {board.size}x{board.size}, "
                    f"found {rules.size}x{rules.size}"
                )
            board = board or rules
            try:
                record.board()
            except RecordError as error:
                raise RunReadError(f"{path}: {error}") from None
            found.append(LearntGame(record.moves, first))
    if board is None:
        raise RunReadError("expected files with at least one game, found none")
    return board, found


def _records(path: Path) -> list[tuple[GameRecord, int]]:
    """Return a file's games, each with the number of its first moves that are no answers."""
    if not is_game_file(path):
        records = read_games(path)
        laid = max(FIRST_LEARNT, _laid_by(path))
        return [
            (record, max(laid, len(record.opening.stones) if record.opening else 0))
            for record in records
        ]
    found = []
    for number, game in enumerate(read_game_file(path), start=1):
        opening = max((choice.stones for choice in game.opening), default=0)
        first = max(FIRST_LEARNT, len(game.setup), opening)
        found.append((game.record(number, str(path)), first))
    return found


def _laid_by(path: Path) -> int:
    """Return how many first moves of a tournament's games are its opening's; of other runs 0."""
    if not (path / GAMES_FILE).is_file():
        return 0
    return _LAID.get(str(read_json(path / RUN_FILE)["config"].get("opening")), 0)


__all__ = ["GameFileError", "RunReadError", "read_learnt_games"]
