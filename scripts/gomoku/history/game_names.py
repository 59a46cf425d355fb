"""Who played each stored game, and the search in the list of games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ai import BLACK, WHITE, GameSummary, find_player_info
from scripts.gomoku.board.names import SIDES
from sim import Ui, tr

UNKNOWN = "–"
YOU = "you"
MOST_LETTERS = 15  # of a name in the list
LEAST_LETTERS = 3
HINT = tr("search players, result, date")

Names = tuple[str, str]
"""Names of the players of Black and White; empty for an unknown one."""


class GameNames:
    """Names of the players of stored games, read when they are first needed.

    Args:
        read: returns the names of all stored games that come after a game, by run and game.
    """

    def __init__(self, read: Callable[[tuple[int, int]], dict[tuple[int, int], Names]]) -> None:
        self._read = read
        self._names: dict[tuple[int, int], Names] = {}
        self._last = (0, 0)

    def of(self, game: GameSummary) -> Names:
        """Return the names of a game's players."""
        key = (game.run_id, game.game)
        if key not in self._names and key > self._last:
            self._names.update(self._read(self._last))
            self._last = max((key, *self._names))
        return self._names.get(key, ("", ""))

    def text(self, game: GameSummary, fits: Callable[[str], bool] = bool) -> str:
        """Return the players as short text, Black first.

        Args:
            game: the game.
            fits: returns whether there is room for a text; longer names lose letters until it is.
        """
        names = self.of(game)
        if not any(names):
            return UNKNOWN
        for most in range(MOST_LETTERS, LEAST_LETTERS - 1, -1):
            text = " – ".join(short_name(name, most) for name in names)
            if fits(text):
                break
        return text


def short_name(name: str, most: int = MOST_LETTERS) -> str:
    """Return a player's name as the list shows it.

    Args:
        name: the name.
        most: largest number of its letters, an ellipsis counted.
    """
    return f"{name[: most - 1]}…" if len(name) > most else name or UNKNOWN


def long_name(name: str) -> str:
    """Return a player's title for a tooltip; the name itself if it has none."""
    return (find_player_info(name).title or name) if name not in ("", YOU) else name or UNKNOWN


class GameSearch:
    """The field above the list of games; words that are typed choose the games.

    Attributes:
        text: what is typed.
    """

    def __init__(self, names: GameNames) -> None:
        self.text = ""
        self._names = names
        self._found: tuple[Any, list[GameSummary]] = ((), [])

    def draw(self, ui: Ui) -> None:
        """Draw the field."""
        ui.imgui.set_next_item_width(-1.0)
        _, self.text = ui.imgui.input_text_with_hint("##search", HINT, self.text)
        ui.tip(tr("Games whose players, result, number or date contain all words that you type"))

    def chosen(
        self, games: Sequence[GameSummary], words_of: Callable[[GameSummary], str]
    ) -> Sequence[GameSummary]:
        """Return the games that contain all typed words.

        Args:
            games: the games to choose from.
            words_of: returns result and date of a game as text.
        """
        words = self.text.lower().split()
        if not words:
            return games
        key = (tuple(words), len(games), id(games))
        if self._found[0] != key:
            found = [game for game in games if self._has(game, words, words_of(game))]
            self._found = (key, found)
        return self._found[1]

    def _has(self, game: GameSummary, words: Sequence[str], more: str) -> bool:
        black, white = self._names.of(game)
        winner = {BLACK: black, WHITE: white}.get(game.winner, "")
        wins = tr("{winner} wins {side}").format(winner=winner, side=SIDES.get(game.winner, "draw"))
        said = f"{game.game} {black} {white} {wins} {long_name(black)} {long_name(white)} {more}"
        return all(word in said.lower() for word in words)
