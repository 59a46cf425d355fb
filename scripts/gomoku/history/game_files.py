"""Game files of other programs as the viewer shows them: records, titles, comments, variations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ai import (
    GameFileError,
    GameRecord,
    WrittenGame,
    color_name,
    read_game_file,
    variation_moves,
)
from scripts.gomoku.history.variations import Variation

UNKNOWN = "?"
MOST_WORDS = 300  # characters of a comment that are shown


@dataclass(frozen=True)
class GameFile:
    """The games of one file; they are numbered from 1.

    Attributes:
        path: of the file.
        games: as they are written.
        records: as the viewer shows them.
    """

    path: Path
    games: tuple[WrittenGame, ...]
    records: tuple[GameRecord, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            GameFileError: it is no game file, or an invalid one; says where and why.
        """
        games = read_game_file(path)
        records = [game.record(number, str(path)) for number, game in enumerate(games, start=1)]
        return cls(path, tuple(games), tuple(records))

    def title_of(self, number: int) -> str:
        """Return how a game is called: file, number where there are several, players."""
        count = f", {number} of {len(self.games)}" if len(self.games) > 1 else ""
        return f"{self.path.name}{count}"

    def players_of(self, number: int) -> str:
        """Return who played, the file's name where it does not say."""
        game = self.games[number - 1]
        if not (game.black or game.white):
            return self.path.name
        return f"Black: {game.black or UNKNOWN}  ·  White: {game.white or UNKNOWN}"

    def words_at(self, number: int, ply: int) -> list[str]:
        """Return what the file says of the position after `ply` stones: choices, comment, time."""
        game = self.games[number - 1]
        said = [
            f"Player {choice.player} takes {color_name(choice.color).capitalize()}"
            for choice in game.opening if choice.stones == ply
        ]  # fmt: skip
        index = ply - len(game.setup) - 1
        comment = game.comment if ply == 0 else ""
        if 0 <= index < len(game.plies):
            stone = game.plies[index]
            comment = stone.comment
            if stone.seconds:
                said.append(f"{stone.seconds:.1f} s")
        if comment:
            said.append(comment if len(comment) <= MOST_WORDS else f"{comment[:MOST_WORDS]} …")
        return said

    def lines(self, number: int) -> list[Variation]:
        """Return the variations of a game that can be played, in the order of the file."""
        game = self.games[number - 1]
        found = []
        for item in game.variations:
            try:
                found.append(Variation(variation_moves(game, item), name=item.name))
            except GameFileError:  # kept in the file, but no line to show
                continue
        return found
