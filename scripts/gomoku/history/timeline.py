"""The panel "Games": every recorded game; a double click opens one in the viewer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ai import BLACK, FIRST, GAME_SUFFIXES, WHITE, GameFileError, GameRecord, GameSummary
from scripts.gomoku.board.names import SIDES
from scripts.gomoku.explain.comparison import Comparison
from scripts.gomoku.game.archive import OWN, Archive
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import NAMES
from scripts.gomoku.history.explained import YOU, PlayedBy
from scripts.gomoku.history.game_files import GameExport, GameFile
from scripts.gomoku.history.game_names import GameNames, GameSearch, long_name
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.position_edit import PositionEdit
from scripts.gomoku.history.review import GameReview, ReviewedGame
from scripts.gomoku.history.review_panel import ReviewPanel
from scripts.gomoku.history.side_game import SideGame
from scripts.gomoku.history.tried_moves import TriedMoves
from scripts.gomoku.history.variations import Variation
from sim import Script, Ui, dated, field, on, signal, tr, wording

ENDS = {
    "full": tr(", full"),
    "foul": tr(", foul"),
    "resigned": tr(", resigned"),
    "time": tr(", on time"),
    "agreed": tr(", agreed"),
}


class Filter(Enum):
    """Filter of the list; won and lost are from White's view."""

    ALL = tr("All")
    LOST = tr("Lost")
    WON = tr("Won")
    RECENT = tr("Since training")


class GameRow(NamedTuple):
    """Texts of one row in the list of games.

    ImGui, which draws the list, tells the rows apart by `label`.
    """

    label: str
    result: str
    plies: str
    network: str
    when: str


class GameList:
    """Summaries of games in order of play."""

    def __init__(self) -> None:
        self.last = (0, 0)
        """Run and number of the last game of the match that was added."""
        self._known: set[tuple[int, int]] = set()
        self._games: list[GameSummary] = []
        self._shown: list[GameSummary] = []
        self._shown_for: tuple[Filter, int | None, int] | None = None
        self._rows: dict[tuple[int, int], GameRow] = {}
        self._today = ""

    def __len__(self) -> int:
        return len(self._games)

    def add(self, games: Sequence[GameSummary]) -> None:
        """Append further games."""
        new = [game for game in games if (game.run_id, game.game) not in self._known]
        self._known.update((game.run_id, game.game) for game in new)
        self._games.extend(new)
        in_order = [game for game in new if not game.is_own]  # the others are of a later run
        if in_order:
            self.last = (in_order[-1].run_id, in_order[-1].game)

    def shown(self, wanted: Filter, network_id: int | None = None) -> Sequence[GameSummary]:
        """Return the games that match a filter, newest first.

        Args:
            wanted: the filter.
            network_id: id of the present network, for the filter "Since training".
        """
        key = (wanted, network_id, len(self._games))
        if key != self._shown_for:
            self._shown_for = key
            self._shown = self._filtered(wanted, network_id)
        return self._shown

    def row(self, game: GameSummary, today: str) -> GameRow:
        """Return the texts of a game's row; they are cached until the date changes.

        Args:
            game: the game.
            today: present local date, as in 2024-05-31.
        """
        if today != self._today:
            self._today = today
            self._rows.clear()
        key = (game.run_id, game.game)
        row = self._rows.get(key)
        if row is None:
            network = "" if game.network_id is None else str(game.network_id)
            when = short_date_text(game.finished, today)
            row = self._rows[key] = GameRow(
                f"{game.game}##{game.run_id}", result_text(game), str(game.plies), network, when
            )
        return row

    def find(self, number: int, *, run_id: int | None = None) -> GameSummary | None:
        """Return the newest game that has a certain number; None if there is none.

        Args:
            number: number of the game.
            run_id: number of the run to search; None for all runs of the match.
        """
        for game in reversed(self._games):
            is_of_run = not game.is_own if run_id is None else run_id == game.run_id
            if game.game == number and is_of_run:
                return game
        return None

    def _filtered(self, wanted: Filter, network_id: int | None) -> list[GameSummary]:
        newest_first = reversed(self._games)
        if wanted is Filter.ALL:
            return list(newest_first)
        if wanted is Filter.RECENT:
            found: list[GameSummary] = []
            for game in newest_first:
                if game.is_own:
                    continue
                if game.network_id != network_id:
                    break
                found.append(game)
            return found
        winner = BLACK if wanted is Filter.LOST else WHITE
        return [game for game in newest_first if game.winner == winner]


def result_text(game: GameSummary) -> str:
    """Return the winner, and the termination if it is not five in a row."""
    winner = SIDES.get(game.winner, tr("draw"))
    beside = tr(", your game") if game.is_own else tr(", side game") if game.is_beside else ""
    return wording("{winner}{end}{beside}").format(
        winner=winner, end=ENDS.get(game.termination, ""), beside=beside
    )


def date_text(finished: str) -> str:
    """Return a stored time as local date and time."""
    try:
        return dated(datetime.fromisoformat(finished).astimezone())
    except ValueError:
        return finished


def day_of(finished: str) -> str:
    """Return the local day of a stored time, as in 2026-05-31; empty if it is none."""
    try:
        return datetime.fromisoformat(finished).astimezone().date().isoformat()
    except ValueError:
        return ""


def short_date_text(finished: str, today: str) -> str:
    """Return a stored time as local time of day if it was today, else as date.

    Args:
        finished: the stored time in ISO format.
        today: present local date, as in 2024-05-31.
    """
    try:
        moment = datetime.fromisoformat(finished).astimezone()
    except ValueError:
        return finished[:10]
    is_today = moment.date().isoformat() == today
    return f"{moment:%H:%M}" if is_today else dated(moment, is_short=True)


def _played_by_own(own: Any) -> PlayedBy:
    """Return the players of a game of the user's own, as its details name them."""
    seats = {color: own.get(name, {}) for color, name in NAMES.items() if color}
    names = {color: str(seat.get("player", YOU)) for color, seat in seats.items()}
    settings = {color: dict(seat.get("settings", {})) for color, seat in seats.items()}
    return PlayedBy(names, settings={color: own for color, own in settings.items() if own})


COLUMNS = ((tr("Game"), 36), (tr("Players"), 0), (tr("Won"), 40), (tr("When"), 42))

OF_FILES = -1
"""Number used instead of a run's number for games read from a file."""


class Timeline(Script, title="List of games"):
    """Lists all games of the run database and opens them in the viewer."""

    match: Match = field(None)
    archive: Archive = field(None)
    viewer: GameViewer = field(None)
    side_game: SideGame = field(None, help=tr("Plays on from a past position"))
    comparison: Comparison = field(None, help=tr("Asks two networks about a past position"))
    game_opened = signal(int)

    def awake(self) -> None:
        self._games = GameList()
        self._names = GameNames(self._players_after)
        self.search = GameSearch(self._names)
        self._has_new = True
        self.wanted = Filter.ALL
        self.selected: tuple[int, int] = (0, 0)
        self._today = ""
        self.export = GameExport(
            self.run.out or self.run.data_dir,
            self.log,
            is_temporary=self.run.temporary_data and self.run.out is None,
        )
        self.review = GameReview(self, self.viewer)
        self.review.evaluation.want_kernels = self._want_kernels
        self._review_panel = ReviewPanel(self.review, self.viewer)
        self.tried = TriedMoves(self.start_coroutine)
        self.edit = PositionEdit(self, self.viewer, self.review, "edit")
        self._file: GameFile | None = None  # None: the open game is of a run

    def _want_kernels(self, user: str) -> None:
        self.match.want_kernels(user)

    def start(self) -> None:
        self.panel(tr("Games"), self.draw, dock="left", icon="list")
        self.opens_files(GAME_SUFFIXES, self.open_file, tr("Open a game"))

    @on("match.game_wanted")
    @on("match.stored_game_wanted")
    def open_game(self, number: int, run_id: int | None = None) -> None:
        """Open the newest game of this number in the viewer; the match is suspended.

        Args:
            number: number of the game.
            run_id: number of its run, None for any.
        """
        game = self.games.find(number, run_id=run_id)
        if game is None:
            self.log.warning(f"game {number}: expected a saved game, found none")
        else:
            self.open(game)

    def open(self, game: GameSummary) -> None:
        """Open a listed game in the viewer; the match is suspended."""
        record = self._record_of(game)
        if record is None or self.viewer is None:
            return
        self.selected, self._file = (game.run_id, game.game), None
        self.export.name = f"game-{game.game:06d}"
        played_by = self._played_by(game)
        title = wording("{title} {game}").format(
            title=tr("Your game") if game.is_own else tr("Game"), game=record.game
        )
        names = self._names_of(game) | {
            color: YOU for color, name in played_by.names.items() if name == YOU
        }
        date = day_of(game.finished)
        self._show(ReviewedGame(record, self._key, title, None, played_by, names, date=date))
        self.game_opened.emit(game.game)

    def open_file(self, path: str, number: int = 1) -> None:
        """Open a game from a file of another program in the viewer; the match is paused.

        If the file cannot be read or has no such game, an error is logged and nothing changes.

        Args:
            path: path of the file.
            number: number of the game in the file, from 1.
        """
        try:
            file = GameFile.read(Path(path))
        except GameFileError as error:
            self.log.error(str(error))
            return
        if not 1 <= number <= len(file.games):
            self.log.error(f"{path}: expected a game from 1 to {len(file.games)}, found {number}")
            return
        if self.viewer is None:
            return
        for note in file.notes:
            self.log.info(note)
        self.selected, self._file = (OF_FILES, number), file
        self.export.name = file.path.stem
        self._show(file.reviewed(number))
        if len(file.games) > 1:
            self.log.info(
                f"{path}: game {number} of {len(file.games)}; "
                f"`{self.expression}.open_file({path!r}, 2)` opens the next"
            )

    def _show(self, game: ReviewedGame) -> None:
        if self.side_game is not None:
            self.side_game.stop()
        self.edit.forget()
        self.viewer.open(game.record, played_by=game.played_by, title=game.title)
        self.review.open(game)
        if not self._review_panels():
            self.panel(
                tr("Review"), self.draw_review, dock="left", order=2, icon="magnifying-glass"
            )

    def save_game(self) -> None:
        """Ask where to save the game with its variations, comments and judgements."""
        self.export.ask(self, self.export_game, ending=self.edit.file_ending)

    def export_game(self, path: str) -> None:
        """Write the open game with its variations, comments and judgements.

        Args:
            path: path of the file; its suffix chooses the format.
        """
        if self.viewer.record is None:
            self.log.warning("no game is open")
            return
        self.export.write_review(Path(path), self.review)

    @on("viewer.closed")
    def end_review(self) -> None:
        """Remove the panel "Review" when the viewer is closed."""
        self.edit.forget()
        self.review.close()
        for entry in self._review_panels():
            self.panels.remove(entry)

    def _review_panels(self) -> list[Any]:
        own = (entry for entry in self.panels.panels if entry.slot is self.slot)
        return [entry for entry in own if entry.title == "Review"]

    def _names_of(self, game: GameSummary) -> dict[int, str]:
        """Return the names of a listed game's players by color, with their levels if known."""
        names = dict(zip((BLACK, WHITE), self._names.of(game), strict=True))
        if game.is_own and self.archive is not None:
            own: Any = self.archive.details(game.run_id, game.game).get(OWN, {})
            for color in names:
                names[color] = str(own.get(NAMES[color], {}).get("words") or names[color])
        return {color: name for color, name in names.items() if name}

    def _played_by(self, game: GameSummary) -> PlayedBy:
        """Return the players of a listed game, as far as the database knows them."""
        details: Any = {}
        if self.archive is not None and self.archive.store is not None:
            details = self.archive.details(game.run_id, game.game)
        if OWN in details:
            return _played_by_own(details[OWN])
        people = details.get("people", ())
        names = {color: YOU for color, name in NAMES.items() if name in people}
        settings = {}
        record = self._record_of(game)
        color = WHITE if record is not None and record.person_at(WHITE) is FIRST else BLACK
        member = self.match.black.played_as(details.get("opponent"))
        if member is not None and color not in names:
            names[color], settings[color] = member
        network = None
        if self.comparison is not None and game.network_id is not None:
            network = self.comparison.network(game.network_id)
        return PlayedBy(names, network_id=game.network_id, network=network, settings=settings)

    # -- its variations -----------------------------------------------------------------------

    @property
    def _key(self) -> str:
        if self._file is not None:
            return self._file.key_of(self.selected[1])
        return "{}/{}".format(*self.selected)

    def lines(self) -> list[Variation]:
        """Return the variations of the selected game: those of its file, then those played here."""
        kept = self.review.lines
        return kept if self._file is None else [*self._file.lines(self.selected[1]), *kept]

    @on("side_game.kept")
    def keep_variation(self, variation: Variation) -> None:
        """Store a side game as a variation of the open game."""
        self.review.keep_line(variation)

    def show_variation(self, number: int) -> None:
        """Show a variation of the open game, at the position where it begins to differ.

        Args:
            number: index of the variation in `lines`.
        """
        lines, main = self.lines(), self.viewer.main
        if main is None or not 0 <= number < len(lines):
            self.log.warning(f"variation {number}: expected one of {len(lines)} of an open game")
            return
        self.review.show_line(lines[number])

    def show_main(self) -> None:
        """Show the open game itself again."""
        self.review.show_main()

    def show_mistake(self, ply: int) -> None:
        """Show a mistake of the open game, and mark a better point."""
        self.review.show_mistake(ply)

    def late_update(self, dt: float) -> None:  # also while the scene is paused
        if self.viewer is not None:
            is_open = bool(self._review_panels())
            self.review.follow(is_open=is_open)
            self.tried.follow(self.viewer, self.review if is_open else None)

    def draw_review(self, ui: Ui) -> None:
        """Draw the panel "Review": the review, side game, comparison and export."""
        viewer = self.viewer
        record = viewer.record
        if record is None:
            return
        if self.edit.is_open:
            self._review_panel.draw_head(ui)
            self.edit.draw(ui)
            return
        self._review_panel.draw(ui)
        if self.side_game is not None and ui.section(tr("Play on from here")):
            self.side_game.draw(ui, record, viewer.ply)
        if ui.section(tr("Edit the position"), is_open=self.edit.has_origin):
            self.edit.draw(ui)
        if self.comparison is not None:
            self.comparison.draw(ui, record, viewer.ply)
        ui.imgui.separator()
        self.export.draw_save(ui, partial(self.by_hand, "save_game"))

    @property
    def games(self) -> GameList:
        """The list of all games; new games in the database are read on demand."""
        if self._has_new and self.archive is not None and self.archive.store is not None:
            self._has_new = False
            self._games.add(self.archive.summaries(self._games.last))
        return self._games

    @on("match.own_game_over")
    def add_own_game(self, record: GameRecord) -> None:
        """Look for the finished game of the user's own in the database."""
        self._has_new = True

    @on("match.game_over")
    def add_game(self, record: GameRecord) -> None:
        """Add the finished game to the list."""
        if self.archive is not None and self.archive.store is not None:
            self._has_new = True
        else:
            self._games.add([self._summary(record)])

    def _summary(self, record: GameRecord) -> GameSummary:
        """Return the summary of a game of this run; used if there is no database.

        Args:
            record: the game.
        """
        return GameSummary(
            run_id=0,
            game=record.game,
            winner=record.winner,
            plies=len(record.moves),
            network_id=self.match.white.network_id,
            termination=record.termination,
            finished="",
            is_beside=False,
        )

    def _record_of(self, game: GameSummary) -> GameRecord | None:
        if self.archive is not None and self.archive.store is not None:
            return self.archive.record(game.run_id, game.game)
        return next((item for item in self.match.records if item.game == game.game), None)

    # -- the panel ----------------------------------------------------------------------------

    def show_only(self, which: Filter | str) -> None:
        """Set the filter of the list, by name: "All", "Lost", "Won" or "Since training"."""
        self.wanted = Filter(which)

    def select(self, run_id: int, game: int) -> None:
        """Select a row of the list."""
        self.selected = (run_id, game)

    def draw(self, ui: Ui) -> None:
        """Draw the filter and the list."""
        self._draw_filter(ui)
        self.search.draw(ui)
        height = ui.imgui.get_content_region_avail().y
        network_id = self.match.white.network_id if self.match is not None else None
        self._today = datetime.now().astimezone().date().isoformat()
        shown = self.search.chosen(self.games.shown(self.wanted, network_id), self._words_of)
        if shown:
            self._draw_list(ui, shown, height)
        else:
            is_all = self.wanted is Filter.ALL and not self.search.text
            ui.muted_text(tr("no game yet") if is_all else tr("no such game"))

    def _words_of(self, game: GameSummary) -> str:
        return result_text(game) + " " + date_text(game.finished)

    def _players_after(self, after: tuple[int, int]) -> dict[tuple[int, int], tuple[str, str]]:
        return {} if self.archive is None else self.archive.players(after)

    def _draw_filter(self, ui: Ui) -> None:
        for index, choice in enumerate(Filter):
            if index % 2:
                ui.same_line(ui.theme.px(84))
            if ui.imgui.radio_button(choice.value, choice is self.wanted):
                self.by_hand("show_only", choice)

    def _draw_list(self, ui: Ui, games: Any, height: float) -> None:
        imgui = ui.imgui
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y
        if not ui.begin_list("games", len(COLUMNS), int(flags), height):
            return
        imgui.table_setup_scroll_freeze(0, 1)
        fixed = int(imgui.TableColumnFlags_.width_fixed)
        for title, width in COLUMNS:
            imgui.table_setup_column(title, fixed if width else 0, ui.theme.px(width))
        imgui.table_headers_row()
        selectable = imgui.SelectableFlags_
        row_flags = int(selectable.span_all_columns | selectable.allow_double_click)
        clipper = imgui.ListClipper()
        clipper.begin(len(games))
        while clipper.step():
            for index in range(clipper.display_start, clipper.display_end):
                self._draw_row(ui, games[index], row_flags)
        clipper.end()
        imgui.end_table()

    def _draw_row(self, ui: Ui, game: GameSummary, flags: int) -> None:
        imgui = ui.imgui
        imgui.table_next_row()
        imgui.table_next_column()
        row = self.games.row(game, self._today)
        key = (game.run_id, game.game)
        if imgui.selectable(row.label, key == self.selected, flags)[0]:
            self.by_hand("select", *key)
            is_entered = imgui.is_key_pressed(imgui.Key.enter, False)
            if is_entered or imgui.is_mouse_double_clicked(0):
                self.by_hand("open_game", game.game, game.run_id)
        if imgui.is_item_hovered():
            imgui.set_tooltip(self._tip_of(game, row))
        imgui.table_next_column()
        room = imgui.get_content_region_avail().x
        imgui.text(self._names.text(game, lambda text: imgui.calc_text_size(text).x <= room))
        imgui.table_next_column()
        ui.text(SIDES.get(game.winner, tr("draw")), "red" if game.winner == BLACK else "green")
        imgui.table_next_column()
        imgui.text(row.when)

    def _tip_of(self, game: GameSummary, row: GameRow) -> str:
        """Return the tooltip of a row: who played, the result, and how the game is opened."""
        black, white = map(long_name, self._names.of(game))
        network = tr(", network {network}").format(network=row.network) if row.network else ""
        return tr(
            "Black: {black}\nWhite: {white}\n{date_text}: {result}, {plies} "
            "moves{network}\nDouble click shows the game."
        ).format(
            black=black,
            white=white,
            date_text=date_text(game.finished),
            result=row.result,
            plies=row.plies,
            network=network,
        )
