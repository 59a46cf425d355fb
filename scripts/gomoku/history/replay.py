"""Replays recorded games one stone at a time, game after game."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from ai import (
    GAME_SUFFIXES,
    GameFileError,
    GameRecord,
    RunReadError,
    WrittenGame,
    color_name,
    is_game_file,
    read_changes,
    read_games,
    replayed,
)
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.history.game_files import GameExport, GameFile
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.review import GameReview, ReviewedGame
from scripts.gomoku.history.review_panel import ReviewPanel
from scripts.gomoku.history.side_game import SideGame
from scripts.gomoku.history.tried_moves import TriedMoves
from scripts.gomoku.history.variations import Variation
from scripts.gomoku.seats.pending import caption
from sim import GoishiError, Script, Task, Ui, capitalized, dated, field, on, option, tr, wording

MOST = 8
DATABASE = "runs.sqlite3"
SEVERAL = (".sgf", ".txt")  # what holds more than one game


@dataclass(frozen=True)
class RunCard:
    """A run in the list of runs.

    Attributes:
        folder: folder with the run's database.
        name: name of the run's scene; the folder's name if the scene is unknown.
        played: date and time of the last change.
    """

    folder: Path
    name: str
    played: str

    @property
    def label(self) -> str:
        """Text in the list."""
        return wording("{name}  ·  {played}").format(name=self.name, played=self.played)


def recent_runs(data_dir: Path, project: Path) -> list[RunCard]:
    """Return the latest runs in a data folder, at most eight, the latest first.

    Args:
        data_dir: the data folder, with a folder for each scene.
        project: folder of the project, in which the scenes' names are found.
    """
    found = []
    for database in data_dir.glob(f"scn_*/{DATABASE}"):
        try:
            found.append((database.stat().st_mtime, database.parent))
        except OSError:
            continue
    names = dict(_scene_names(project))
    return [
        RunCard(
            folder, wording(names.get(folder.name.partition("-")[0], folder.name)), _moment(seconds)
        )
        for seconds, folder in sorted(found, reverse=True)[:MOST]
    ]


def _moment(seconds: float) -> str:
    return dated(datetime.fromtimestamp(seconds).astimezone())


def _scene_names(project: Path) -> Iterator[tuple[str, str]]:
    for path in project.glob("scenes/*.scene.json"):
        try:
            if not path.is_file():
                continue  # to open a pipe would wait
            data = json.loads(path.read_text(encoding="utf-8-sig"))
            yield str(data["id"]), str(data.get("name", path.name.partition(".")[0]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


FIELD_WIDTH = 320.0


class Replay(Script):
    """Replays the games of a run's folder or of a game file; N and P go through the games.

    If neither is given, its panel offers the latest runs, and a field for a path.
    """

    board: BoardView = field(None)
    viewer: GameViewer = field(
        None, help=tr("Steps through the moves of the game; none: the game only plays")
    )
    side_game: SideGame = field(None, help=tr("Plays on from a past position; none: no playing on"))
    replay: str = option("", metavar="DIR|FILE", help="Folder of a run, its database, a game file.")
    replay_game: int | None = option(min=1, metavar="N", help="The game to show [the first].")
    folder: str = field("", help=tr("Folder or run database; the command line overrides it"))
    first: int = field(1, min=1, max=1_000_000, title=tr("First game"))
    pause_after_stone: float = field(
        0.35,
        min=0.0,
        max=10.0,
        unit="s",
        help=tr("Pause after each stone"),
        former=("move_seconds",),
    )
    end_seconds: float = field(2.0, min=0.0, max=60.0, unit="s", title=tr("Pause after game"))

    def awake(self) -> None:
        self.games: list[GameRecord] = []
        self.changes: list[dict[str, Any]] = []
        self.index = 0
        self.showing: Task | None = None
        self.runs: list[RunCard] = []
        self.typed = ""
        self.fault = ""
        self.file: GameFile | None = None  # None: the games of a run
        self.review: GameReview | None = None
        self.tried = TriedMoves(self.start_coroutine)
        self._review_panel: ReviewPanel | None = None
        self._folder = Path()
        self.export = GameExport(
            self.run.out or self.run.data_dir,
            self.log,
            is_temporary=self.run.temporary_data and self.run.out is None,
        )

    def start(self) -> None:
        self.opens_files(GAME_SUFFIXES, self.open_file, tr("Open a game"))
        if self.replay or self.folder:
            self._open(Path(self.replay) if self.replay else self.run.file_named(self.folder))
            return
        kept_in = self.run.other_data_dir or self.run.data_dir  # another window's, to read from
        self.runs = recent_runs(kept_in, self.run.offering)
        self.board.show(ViewState.empty(self.board.size or 7))
        self.panel(tr("Which run?"), self.draw_choice, dock="overlay-top", icon="folder-open")

    def choose(self, folder: Path | str) -> None:
        """Open the games of a run or of a file; errors are shown in the panel."""
        self.fault = ""
        try:
            self._open(Path(folder).expanduser(), is_chosen=True)
        except GoishiError as error:
            self.fault = str(error)

    def open_file(self, path: str) -> None:
        """Open a game file; if that fails, the present games stay and an error is logged."""
        self.choose(path)
        if self.fault:
            self.log.error(self.fault)

    def _open(self, folder: Path, *, is_chosen: bool = False) -> None:
        games = self._read(folder)
        if is_chosen:
            self.panels.unregister(self.slot)
            self.opens_files(GAME_SUFFIXES, self.open_file, tr("Open a game"))
        self._end_review()
        self.games, self._folder = games, folder
        numbers = [record.game for record in self.games]
        first = numbers[0] if is_chosen and self.first not in numbers else self.first
        wanted = first if self.replay_game is None or is_chosen else self.replay_game
        if wanted not in numbers:
            raise GoishiError(
                f"--game: expected a game from {numbers[0]} to {numbers[-1]}, found {wanted}"
            )
        self.index = numbers.index(wanted)
        self.command("next_game", tr("Next game"), lambda: self.go(1), key="n")
        self.command("previous_game", tr("Previous game"), lambda: self.go(-1), key="p")
        records, reviews = lambda: self.run.recorder.is_recording, lambda: self.review is not None
        toggle, icon = self.toggle_review, "magnifying-glass"
        self.command(
            "record_game", tr("Record"), self.record, key="v", icon="video", checked=records
        )
        self.command("review_game", tr("Review"), toggle, key="a", icon=icon, checked=reviews)
        self.panel(tr("Game"), self.draw, dock="overlay-top")
        self.export.name = folder.stem or "game"
        self.show()
        if not self.run.headless and self.viewer is not None:
            self.toggle_review()

    def go(self, step: int) -> None:
        """Go `step` games forward or back."""
        self.index = min(len(self.games) - 1, max(0, self.index + step))
        self.show()

    def show(self) -> None:
        """Show the present game from its first stone."""
        self._begin(self.play)

    def record(self) -> None:
        """Record the present game as a video from its first stone; a second call stops it."""
        self._begin(self.play if self.run.recorder.is_recording else self.film)

    def _begin(self, way: Callable[[GameRecord], Any]) -> None:
        self.stop()
        if self.side_game is not None:
            self.side_game.stop()
        record = self.shown
        if self.viewer is not None:
            self.viewer.open(record, ply=0, title=self.title_of(record))
            self.viewer.is_playing = True
            if self.review is not None:
                self.review.open(self._reviewed())
        self.showing = self.start_coroutine(way(record))

    @on("viewer.paused")
    def stop(self) -> None:
        """Stop the replay, because the user moves through the game with the viewer."""
        if self.showing is not None:
            self.showing.cancel()
            self.showing = None

    def title_of(self, record: GameRecord) -> str:
        """Return the title of a game: its number or, for a game of a file, the file's name."""
        return (
            tr("Game {game}").format(game=record.game)
            if self.file is None
            else self.file.title_of(record.game)
        )

    @property
    def shown(self) -> GameRecord:
        """The present game."""
        return self.games[self.index]

    async def film(self, record: GameRecord) -> None:
        """Replay a game and record it; stopping the replay ends the recording."""
        with self.run.recorder.record_game(f"game_{record.game}"):
            await self._place_stones(record)
        if self.viewer is not None:
            self.viewer.is_playing = False

    async def play(self, record: GameRecord) -> None:
        """Replay a game to its end; ends a headless run."""
        await self._place_stones(record)
        if self.viewer is not None:
            self.viewer.is_playing = False
        if self.run.headless:
            self.run.finish(0)

    async def _place_stones(self, record: GameRecord) -> None:
        self.status.set("changes", caption(self.changes, record.game))
        rules = record.rules
        viewer = self.viewer
        self.board.show(ViewState.before(rules))
        position = replayed(rules)
        for move in record.moves:
            side = wording(color_name(position.to_move).capitalize())
            position.replay(move)
            if viewer is not None:
                viewer.follow(position.ply)
            else:
                title = self.title_of(record)
                self.status.set(
                    "replay",
                    tr("{title}: stone {ply}, {side}").format(
                        title=title, ply=position.ply, side=side
                    ),
                )
            await self.board.play(ViewState.of(position), self.pause_after_stone)
        self.status.set(
            "replay",
            wording("{title_of}: {ending}").format(
                title_of=self.title_of(record), ending=_ending(record)
            ),
        )
        if not self.time.instant:
            await self.seconds(self.end_seconds)

    def draw(self, ui: Ui) -> None:
        """Draw the panel about the present game: title, result, players and comments."""
        record = self.shown
        count = (
            tr(" of {game}").format(game=self.games[-1].game)
            if self.file is None or len(self.games) > 1
            else ""
        )
        number = (
            tr("Game {game}{count}  ·  ").format(game=record.game, count=count) if count else ""
        )
        ending = _ending(record)
        imgui = ui.imgui
        imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + ui.room)
        ui.heading(number + ending if number else capitalized(ending))
        if self.file is not None:
            ui.text(self.file.players_of(record.game), "muted")
            ply = 0 if self.viewer is None else self.viewer.ply
            has_comment = self.review is None  # else the review shows it
            for line in self.file.words_at(record.game, ply, has_comment=has_comment):
                ui.text(line, "muted")
        if self.fault:
            ui.text(self.fault, "red")
        if changed := caption(self.changes, record.game):
            ui.text(changed, "amber")
        imgui.pop_text_wrap_pos()
        if len(self.games) > 1:
            self.export.draw(ui, tr("All games as"), SEVERAL, partial(self.by_hand, "export_all"))

    def draw_choice(self, ui: Ui) -> None:
        """Draw the list of runs, and a field for another folder."""
        ui.heading(tr("Whose games?"))
        for index, card in enumerate(self.runs):
            if ui.button(card.label + f"##run {index}", tip=str(card.folder)):
                self.by_hand("choose", card.folder)
                return
        if not self.runs:
            ui.text(tr("No saved run yet: play the self-teaching scene first."), "muted")
        ui.imgui.set_next_item_width(ui.theme.px(FIELD_WIDTH))
        flags = int(ui.imgui.InputTextFlags_.enter_returns_true)
        is_entered, self.typed = ui.imgui.input_text_with_hint(
            "##folder", tr("folder of a run, or a game file"), self.typed, flags
        )
        ui.same_line()
        if (ui.button(tr("Open")) or is_entered) and self.typed.strip():
            self.by_hand("choose", self.typed.strip())
        elif self.fault:
            ui.text(self.fault, "red")

    # -- its review ---------------------------------------------------------------------------

    def toggle_review(self) -> None:
        """Open or close the panel "Review" with evaluation, mistakes and variations."""
        if self.review is not None:
            self._close_review()
        elif self.viewer is not None:
            self.review = GameReview(self, self.viewer)
            self._review_panel = ReviewPanel(self.review, self.viewer)
            self.review.open(self._reviewed())
            self.panel(tr("Review"), self.draw_review, dock="left", icon="magnifying-glass")

    def _reviewed(self) -> ReviewedGame:
        """Return the present game as it is reviewed."""
        record = self.shown
        if self.file is not None:
            return self.file.reviewed(record.game)
        key = (
            f"{hashlib.sha256(str(self._folder.resolve()).encode()).hexdigest()[:16]}/{record.game}"
        )
        return ReviewedGame(record, key, self.title_of(record))

    def late_update(self, dt: float) -> None:  # also while the scene is paused
        if self.review is not None:
            self.review.follow(is_open=True)
        if self.viewer is not None:
            self.tried.follow(self.viewer, self.review)

    def draw_review(self, ui: Ui) -> None:
        """Draw the review of the open game, and the button that saves it."""
        if self._review_panel is None:
            return
        self._review_panel.draw(ui)
        record = self.viewer.record
        if (
            self.side_game is not None
            and record is not None
            and ui.section(tr("Play on from here"))
        ):
            self.side_game.draw(ui, record, self.viewer.ply)
        ui.imgui.separator()
        self.export.draw_save(ui, partial(self.by_hand, "save_game"))

    def save_game(self) -> None:
        """Ask where to save the game with its variations, comments and judgements."""
        self.export.ask(self, self.export_game)

    def _close_review(self) -> None:
        self._end_review()
        for entry in [item for item in self.panels.panels if item.slot is self.slot]:
            if entry.title == "Review":
                self.panels.remove(entry)

    def _end_review(self) -> None:
        if self.review is not None:
            self.review.close()
        self.review = self._review_panel = None

    def lines(self) -> list[Variation]:
        """Return the variations of the present game: those of its file, then those played here."""
        written = [] if self.file is None else self.file.lines(self.shown.game)
        return [*written, *self._reviewing().lines]

    def _reviewing(self) -> GameReview:
        """Return the review of the present game; one without a panel if the panel is closed."""
        if self.review is not None:
            return self.review
        review = GameReview(self, self.viewer)
        review.open(self._reviewed())
        return review

    @on("side_game.kept")
    def keep_variation(self, variation: Variation) -> None:
        """Store a side game as a variation of the present game."""
        self._reviewing().keep_line(variation)

    def show_variation(self, number: int) -> None:
        """Show a variation of the present game, at the position where it begins to differ.

        Args:
            number: index of the variation in `lines`.
        """
        lines = self.lines()
        if not 0 <= number < len(lines):
            self.log.warning(f"variation {number}: expected one of {len(lines)}")
            return
        self._reviewing().show_line(lines[number])

    def show_main(self) -> None:
        """Show the game itself again."""
        self.viewer.open(self.shown, ply=self.viewer.ply, title=self.title_of(self.shown))

    def show_mistake(self, ply: int) -> None:
        """Show a mistake of the game, and mark a better point."""
        if self.review is None:
            self.viewer.jump(ply + 1)
        else:
            self.review.show_mistake(ply)

    def export_game(self, path: str) -> None:
        """Write the present game to a file, in the format of its suffix.

        While the panel "Review" is open, its variations, comments and judgements are written, too.
        """
        if self.review is not None:
            self.export.write_review(Path(path), self.review)
        else:
            self.export.write(Path(path), [self._written(self.shown)])

    def export_all(self, path: str) -> None:
        """Write all games to a file, in the format of its suffix."""
        self.export.write(Path(path), [self._written(record) for record in self.games])

    def _written(self, record: GameRecord) -> WrittenGame | GameRecord:
        return record if self.file is None else self.file.games[record.game - 1]

    def _read(self, folder: Path) -> list[GameRecord]:
        try:
            if is_game_file(folder):
                file = GameFile.read(folder)
                self.changes, self.file = [], file
                for note in file.notes:
                    self.log.info(note)
                return list(file.records)
            games = read_games(folder, self.run.offering, note=self.log.warning)
            self.changes, self.file = read_changes(folder, note=self.log.warning), None
        except (OSError, RunReadError, GameFileError) as error:
            raise GoishiError(str(error)) from None
        if not games:
            raise GoishiError(f"{folder}: expected games, found none")
        return games


def _ending(record: GameRecord) -> str:
    return tr("{describe_end}, {moves} stones").format(
        describe_end=describe_end(record), moves=len(record.moves)
    )
