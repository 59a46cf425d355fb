"""Game files of other programs: read for the viewer, and written from a panel."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ai import (
    BLACK,
    GAME_SUFFIXES,
    WHITE,
    GameFileError,
    GameRecord,
    WrittenGame,
    check_shown_size,
    color_name,
    property_text,
    read_game_file,
    variation_moves,
    write_game_file,
    written_of,
)
from scripts.gomoku.history.explained import played_by_strangers
from scripts.gomoku.history.review import GameReview, ReviewedGame
from scripts.gomoku.history.variations import Variation
from sim import Script, Ui, tr, wording

UNKNOWN = "?"
MOST_WORDS = 300  # characters of a comment that are shown


@dataclass(frozen=True)
class GameFile:
    """The games of one file, numbered from 1.

    Attributes:
        path: path of the file.
        games: the games as they are written in the file.
        records: the same games as the viewer shows them.
        digest: hexadecimal digits that stand for what the file holds, whatever its name.
    """

    path: Path
    games: tuple[WrittenGame, ...]
    records: tuple[GameRecord, ...]
    digest: str = ""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            GameFileError: it is no game file, or an invalid or too large one; says where and why.
        """
        check_shown_size(path)
        games = read_game_file(path)
        records = [game.record(number, str(path)) for number, game in enumerate(games, start=1)]
        digest = hashlib.sha256(repr(games).encode("utf-8", "backslashreplace")).hexdigest()[:16]
        return cls(path, tuple(games), tuple(records), digest)

    @property
    def notes(self) -> list[str]:
        """Lines about what was guessed or left out when the file was read."""
        return [note for game in self.games for note in game.notes]

    def title_of(self, number: int) -> str:
        """Return the title of a game: the file's name, with the number if it has several games."""
        count = (
            tr(", {number} of {games}").format(number=number, games=len(self.games))
            if len(self.games) > 1
            else ""
        )
        return wording("{name}{count}").format(name=self.path.name, count=count)

    def players_of(self, number: int) -> str:
        """Return the players; the file's name if they are unknown."""
        game = self.games[number - 1]
        if not (game.black or game.white):
            return self.path.name
        return tr("Black: {black}  ·  White: {white}").format(
            black=game.black or UNKNOWN, white=game.white or UNKNOWN
        )

    def key_of(self, number: int) -> str:
        """Return the name of a game where its comments and variations are kept.

        It is that of the file's content, so that another file of the same name has its own.
        """
        return f"file-{self.digest}/{number}"

    def reviewed(self, number: int) -> ReviewedGame:
        """Return a game as it is reviewed.

        Args:
            number: number of the game, from 1.
        """
        game = self.games[number - 1]
        names = {color: name for color, name in ((BLACK, game.black), (WHITE, game.white)) if name}
        return ReviewedGame(
            self.records[number - 1],
            self.key_of(number),
            self.title_of(number),
            game,
            played_by_strangers(names),
            names,
            event_of(game),
        )

    def words_at(self, number: int, ply: int, *, has_comment: bool = True) -> list[str]:
        """Return what the file says about a position: choices, time and comment.

        Args:
            number: number of the game, from 1.
            ply: number of stones on the board.
            has_comment: whether the comment is wanted, too.
        """
        game = self.games[number - 1]
        said = [
            tr("Player {player} takes {color_name}").format(
                player=choice.player,
                color_name=wording(color_name(choice.color).capitalize()),
            )
            for choice in game.opening
            if choice.stones == ply
        ]
        comment = game.comment if ply == 0 else ""
        stone = game.ply_at(ply)
        if stone is not None:
            comment = stone.comment
            if stone.seconds:
                said.append(f"{stone.seconds:.1f} s")
        if comment and has_comment:
            said.append(comment if len(comment) <= MOST_WORDS else f"{comment[:MOST_WORDS]} …")
        return said

    def lines(self, number: int) -> list[Variation]:
        """Return the variations of a game, in the order of the file.

        Variations whose moves cannot be played are left out.

        Args:
            number: number of the game, from 1.
        """
        game = self.games[number - 1]
        found = []
        for item in game.variations:
            try:
                found.append(Variation(variation_moves(game, item), name=item.name))
            except GameFileError:  # kept in the file, but no line to show
                continue
        return found


EVENT = ("EV", "RO", "PC", "DT")
"""SGF's properties about where and when a game was played: event, round, place, date."""


def event_of(game: WrittenGame) -> str:
    """Return words about where and when a game was played; empty if its file does not say it."""
    other = dict(game.other)
    said = (property_text(value) for name in EVENT for value in other.get(name, ())[:1])
    return ", ".join(filter(None, said))


FOLDER = "games"
MOST_FILES = 1000  # of one name


class GameExport:
    """Writes games to files, and draws the buttons for it.

    Attributes:
        name: name of the files, without number and suffix.
        told: message about the last export; empty before the first.
    """

    def __init__(self, folder: Path, log: Any, *, is_temporary: bool) -> None:
        """Prepare the export; nothing is written yet.

        Args:
            folder: folder of the run; files are written to its folder "games".
            log: console of the script that shows the games.
            is_temporary: whether the folder is deleted when the run ends.
        """
        self.name = "game"
        self.told = ""
        self._folder = folder
        self._log = log
        self._is_temporary = is_temporary

    def draw(
        self, ui: Ui, text: str, suffixes: Sequence[str], export: Callable[[str], object]
    ) -> None:
        """Draw a label and, for each file suffix, a button that exports.

        Args:
            ui: user interface of the panel.
            text: the label.
            suffixes: file suffixes, for example ".sgf".
            export: called with the path of the new file when a button is clicked.
        """
        ui.imgui.align_text_to_frame_padding()
        ui.text(text, "muted")
        for suffix in suffixes:
            label = f"{suffix.removeprefix('.').upper()}##{text}"
            ui.beside(ui.button_width(label))
            if ui.button(label, tip=tr("Write a {suffix} file").format(suffix=suffix)):
                export(str(self.path_for(suffix)))

    def draw_save(self, ui: Ui, save: Callable[[], object]) -> None:
        """Draw the button that saves the game, and what came of the last time.

        Args:
            ui: user interface of the panel.
            save: called without arguments when the button is clicked.
        """
        tip = tr("Save the game with variations, comments and judgements: you choose where")
        if ui.button(tr("Save as …"), icon="floppy-disk", tip=tip):
            save()
        if self.told:
            ui.muted_text(self.told)

    def ask(self, script: Script, save: Callable[[str], object], *, ending: str = "") -> None:
        """Ask the user where to save a game.

        Args:
            script: script that asks.
            save: method of the script that is called with the path.
            ending: put behind the game's name, for what is not the game itself.
        """
        name = f"{self.name}{ending}{GAME_SUFFIXES[0]}"
        script.ask_save(save, tr("Save the game"), GAME_SUFFIXES, name=name)

    def write_review(self, path: Path, review: GameReview) -> None:
        """Write a reviewed game, and log the result to the console.

        Args:
            path: path of the file; its suffix chooses the format.
            review: the review with the game.

        Raises:
            OSError: the file cannot be written.
        """
        try:
            game = review.written()
        except GameFileError as error:
            self.told = tr("not saved: {error}").format(error=error)
            self._log.error(self.told)
            return
        self.write(path, [game])

    def path_for(self, suffix: str) -> Path:
        """Return a path with this suffix, for a file that does not exist yet."""
        ends = ("" if number == 1 else f"-{number}" for number in range(1, MOST_FILES))
        paths = [self._folder / FOLDER / f"{self.name}{end}{suffix}" for end in ends]
        return next((path for path in paths if not path.exists()), paths[-1])

    def write(self, path: Path, games: Sequence[WrittenGame | GameRecord]) -> None:
        """Write games to a file, and log the result to the console.

        Args:
            path: path of the file; its suffix chooses the format.
            games: the games.

        Raises:
            OSError: the file cannot be written; the dialog that asked for the path shows why.
        """
        try:
            written = [_written(game) for game in games]
            path.parent.mkdir(parents=True, exist_ok=True)
            lost = write_game_file(path, written)
        except GameFileError as error:
            self.told = tr("not saved: {error}").format(error=error)
            self._log.error(self.told)
            return
        except OSError as error:
            self.told = tr("not saved: {error}").format(error=error)
            raise
        without = tr(", without {lost}").format(lost=", ".join(lost)) if lost else ""
        self.told = tr("saved {path}{without}").format(path=path, without=without)
        self._log.info(self.told)
        if self._is_temporary and path.is_relative_to(self._folder):
            self._log.warning(
                "this folder is deleted when the program ends; keep it with --out or --data-dir"
            )


def _written(game: WrittenGame | GameRecord) -> WrittenGame:
    return written_of(game) if isinstance(game, GameRecord) else game
