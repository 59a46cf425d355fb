"""Variations of recorded games: side games that continue from them, stored in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ai import BLACK, WHITE, GameRecord, atomic_write, set_aside
from scripts.gomoku.game.match_report import describe_end
from sim import tr

FILE = "variations.json"
UNFINISHED = "unfinished"
"""Termination of a variation that was ended before the game was decided."""
MOST = 60  # of one game
LARGEST = 1 << 22  # bytes of the file


@dataclass(frozen=True)
class Variation:
    """A sequence of moves that begins like a game, or like another variation, then differs.

    Attributes:
        moves: all moves from the empty board.
        winner: BLACK, WHITE, or 0 if nobody has won.
        termination: how it ended, as in a record, or "unfinished".
        players: name of each color's player, "you" for a person.
        name: its name in the file it was read from; empty for none.
    """

    moves: tuple[int, ...]
    winner: int = 0
    termination: str = UNFINISHED
    players: Mapping[int, str] = field(default_factory=dict)
    name: str = ""

    def record(self, main: GameRecord) -> GameRecord:
        """Return the variation as a record of a game; rules and number are those of `main`."""
        opening = main.opening
        if opening is not None and self.moves[: len(opening.stones)] != opening.stones:
            opening = None
        return GameRecord(
            main.rules,
            self.moves,
            self.winner,
            self.termination,
            main.game,
            main.learner_color,
            opening,
        )


class Variations:
    """The variations of all games of a scene, stored in one file.

    Attributes:
        fault: why the last write failed, or that it has kept a file aside; empty for neither.
    """

    def __init__(self, path: Path) -> None:
        """Read the file; if it cannot be read, start empty.

        At the next change, such a file is kept as `variations.json.bad`.

        Args:
            path: path of the file.
        """
        self.fault = ""
        self._path = path
        found, self._is_whole = read_kept(path, _variations)
        self._games: dict[str, list[Variation]] = found

    def of(self, key: str) -> list[Variation]:
        """Return the variations of a game in the order in which they were played.

        Args:
            key: number of the run and of the game, as in "3/12".
        """
        return list(self._games.get(key, ()))

    def add(self, key: str, variation: Variation) -> None:
        """Store a variation of a game in the file.

        It replaces one with the same moves, and unfinished ones that it continues. Of each game the
        latest 60 are kept.

        Args:
            key: number of the run and of the game, as in "3/12".
            variation: the variation.
        """
        kept = [
            item
            for item in self._games.get(key, ())
            if item.moves != variation.moves
            and not (item.termination == UNFINISHED and _begins(variation.moves, item.moves))
        ]
        self._games[key] = [*kept, variation][-MOST:]
        self._write()

    def remove(self, key: str, number: int) -> None:
        """Delete a variation of a game.

        Args:
            key: number of the run and of the game, as in "3/12".
            number: index of the variation.

        Raises:
            IndexError: there is no such variation.
        """
        kept = self._games.get(key, [])
        del kept[number]
        if not kept:
            self._games.pop(key, None)
        self._write()

    def _write(self) -> None:
        plain = {
            key: [
                {
                    "moves": list(item.moves),
                    "winner": item.winner,
                    "end": item.termination,
                    "black": item.players.get(BLACK, ""),
                    "white": item.players.get(WHITE, ""),
                }
                for item in lines
            ]
            for key, lines in self._games.items()
        }
        self.fault = ""
        try:
            text = json.dumps(plain) + "\n"
            self.fault = replace_kept(self._path, text, is_whole=self._is_whole)
            self._is_whole = True
        except OSError as error:
            self.fault = tr("{path}: expected to write the variations, found: {strerror}").format(
                path=self._path, strerror=error.strerror
            )


def branch_words(line: Variation, ply: int, main: GameRecord) -> str:
    """Return a variation in words: its name and number of moves.

    A variation without a name has the move where it leaves the game, and its result.

    Args:
        line: the variation.
        ply: number of moves that it shares with the game.
        main: the game.
    """
    if line.name:
        return tr("{name}: {moves} moves").format(name=line.name, moves=len(line.moves))
    return tr("from {ply}: {describe_end}, {moves} moves").format(
        ply=ply, describe_end=describe_end(line.record(main)), moves=len(line.moves)
    )


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many moves two sequences of moves have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((ply for ply, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _begins(line: Sequence[int], start: Sequence[int]) -> bool:
    return len(start) <= len(line) and _common(line, start) == len(start)


def replace_kept(path: Path, text: str, *, is_whole: bool) -> str:
    """Write a file of the scene's data folder in one step.

    Args:
        path: path of the file; its folder is made if it is missing.
        text: the new content.
        is_whole: whether what is there now was read; if not, that file is kept under another name.

    Returns:
        One line for the user if a file was kept under another name; empty otherwise.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    told = ""
    if not is_whole:
        told = tr("{path}: it could not be read; it is kept as {kept}").format(
            path=path, kept=set_aside(path)
        )
    atomic_write(path, text)
    return told


Kept = TypeVar("Kept")


def read_kept(path: Path, read: Callable[[Any], Kept]) -> tuple[dict[str, Kept], bool]:
    """Return what a file of the scene's data folder keeps of each game.

    Args:
        path: path of the file.
        read: converts what the file has of one game.

    Returns:
        The games by their keys, and whether nothing in the file would be lost by a new one.
    """
    try:
        if not path.is_file():
            return {}, not os.path.lexists(path)
        if path.stat().st_size > LARGEST:
            return {}, False
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        return {str(key): read(items) for key, items in data.items()}, True
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}, False


def _variations(items: Any) -> list[Variation]:
    return [_variation(item) for item in items]


def _variation(item: Any) -> Variation:
    return Variation(
        tuple(map(int, item["moves"])),
        int(item["winner"]),
        str(item["end"]),
        {BLACK: str(item["black"]), WHITE: str(item["white"])},
    )
