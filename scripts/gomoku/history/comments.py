"""Comments on positions of recorded games, kept in a file of the scene's data folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from scripts.gomoku.history.variations import read_kept, replace_kept
from sim import tr

FILE = "comments.json"
LONGEST = 20_000
"""Greatest number of characters of a comment."""

Moves = tuple[int, ...]


class Comments:
    """The comments that were written to games of a scene.

    Attributes:
        fault: why the last write failed, or that it has kept a file aside; empty for neither.
    """

    def __init__(self, path: Path) -> None:
        """Read the file; if it cannot be read, start empty.

        At the next change, such a file is kept as `comments.json.bad`.

        Args:
            path: path of the file.
        """
        self.fault = ""
        self._path = path
        found, self._is_whole = read_kept(path, _comments)
        self._games: dict[str, dict[Moves, str]] = found

    def of(self, key: str) -> Mapping[Moves, str]:
        """Return the comments of a game by the moves before the position.

        A comment that was removed from a game of a file is an empty text.

        Args:
            key: the game, as the variations have it.
        """
        return dict(self._games.get(key, {}))

    def keep(self, key: str, moves: Moves, text: str) -> None:
        """Store a comment in the file, in place of an earlier one on the same position.

        Args:
            key: the game, as the variations have it.
            moves: the moves before the position.
            text: the comment; empty to remove one.
        """
        self._games.setdefault(key, {})[moves] = text[:LONGEST]
        plain = {
            game: [{"moves": list(path), "text": words} for path, words in comments.items()]
            for game, comments in self._games.items()
        }
        self.fault = ""
        try:
            text = json.dumps(plain, ensure_ascii=False) + "\n"
            self.fault = replace_kept(self._path, text, is_whole=self._is_whole)
            self._is_whole = True
        except OSError as error:
            self.fault = tr("{path}: expected to write the comments, found: {strerror}").format(
                path=self._path, strerror=error.strerror
            )


def _comments(items: object) -> dict[Moves, str]:
    """Return the comments of one game of the file.

    Raises:
        TypeError: it is no list of comments.
    """
    if not isinstance(items, list):
        raise TypeError(f"expected a list of comments, found {type(items).__name__}")
    return {tuple(map(int, item["moves"])): str(item["text"]) for item in items}
