"""Variations of recorded games: the side games played from them, kept as a tree on the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ai import BLACK, WHITE, GameRecord

FILE = "variations.json"
UNFINISHED = "unfinished"
"""Termination of a variation that was broken off."""
MOST = 60  # of one game
LARGEST = 1 << 22  # bytes of the file


@dataclass(frozen=True)
class Variation:
    """A line that leaves a game, or another variation of it.

    Attributes:
        moves: all moves from the empty board.
        winner: BLACK, WHITE or 0.
        termination: as that of a record, or "unfinished".
        players: names by color, "you" for a person.
        name: as a file has it; empty for none.
    """

    moves: tuple[int, ...]
    winner: int = 0
    termination: str = UNFINISHED
    players: Mapping[int, str] = field(default_factory=dict)
    name: str = ""

    def record(self, main: GameRecord) -> GameRecord:
        """Return the line as a record of the game that it varies."""
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


class Branch(NamedTuple):
    """A variation's place in the tree."""

    number: int
    """Index of the variation."""
    ply: int
    """Number of moves that it has in common with the line above it."""
    depth: int
    """1 for a variation of the game itself, 2 for one of such a variation, and so on."""


class Variations:
    """The variations of all games of a scene, in one file."""

    def __init__(self, path: Path) -> None:
        """Read the file; one that cannot be read counts as empty, and is replaced by the next."""
        self.fault = ""
        self._path = path
        self._games = _read(path)

    def of(self, key: str) -> list[Variation]:
        """Return the variations of a game, in the order in which they were played."""
        return list(self._games.get(key, ()))

    def add(self, key: str, variation: Variation) -> None:
        """Store a variation in the file; it replaces one that is its own beginning."""
        kept = [
            item
            for item in self._games.get(key, ())
            if item.moves != variation.moves
            and not (item.termination == UNFINISHED and _begins(variation.moves, item.moves))
        ]
        self._games[key] = [*kept, variation][-MOST:]
        self._write()

    def remove(self, key: str, number: int) -> None:
        """Delete a variation of a game."""
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
        beside = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(json.dumps(plain) + "\n", encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            self.fault = f"{self._path}: expected to write the variations, found: {error.strerror}"


def branches(main: Sequence[int], variations: Sequence[Variation]) -> list[Branch]:
    """Return the tree of a game's variations, each below the line that it leaves.

    Args:
        main: the game's moves.
        variations: each leaves the game, or the earlier one with which it has most in common.
    """
    parents: list[tuple[int, int]] = []  # (index of the line above or -1, moves in common)
    for number, item in enumerate(variations):
        best = (-1, _common(main, item.moves))
        for above in range(number):
            common = _common(variations[above].moves, item.moves)
            if common > best[1]:
                best = (above, common)
        parents.append(best)
    found: list[Branch] = []

    def visit(above: int, depth: int) -> None:
        below = [number for number, (parent, _) in enumerate(parents) if parent == above]
        for number in sorted(below, key=lambda number: (parents[number][1], number)):
            found.append(Branch(number, parents[number][1], depth))
            visit(number, depth + 1)

    visit(-1, 1)
    return found


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many moves two lines have in common."""
    pairs = zip(one, other, strict=False)
    return next((ply for ply, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _begins(line: Sequence[int], start: Sequence[int]) -> bool:
    return len(start) <= len(line) and _common(line, start) == len(start)


def _read(path: Path) -> dict[str, list[Variation]]:
    try:
        if path.stat().st_size > LARGEST:
            return {}
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): [_variation(item) for item in items] for key, items in data.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _variation(item: Any) -> Variation:
    return Variation(
        tuple(map(int, item["moves"])),
        int(item["winner"]),
        str(item["end"]),
        {BLACK: str(item["black"]), WHITE: str(item["white"])},
    )
