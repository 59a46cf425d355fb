"""Replays recorded games one stone at a time, game after game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ai import GameRecord, GameSession, RunReadError, color_name, read_changes, read_games
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.training.changes import caption
from sim import GoishiError, Script, Task, Ui, field, option

MOST = 8
DATABASE = "runs.sqlite3"


@dataclass(frozen=True)
class RunCard:
    """A run in the list: its folder, and the name of its scene."""

    folder: Path
    name: str
    played: str

    @property
    def label(self) -> str:
        """Text in the list."""
        return f"{self.name}  ·  {self.played}"


def recent_runs(data_dir: Path, project: Path) -> list[RunCard]:
    """Return the latest runs in a data folder.

    Args:
        data_dir: the data folder, with a folder for each scene.
        project: the project, for the scenes' names.
    """
    found = []
    for database in data_dir.glob(f"scn_*/{DATABASE}"):
        try:
            found.append((database.stat().st_mtime, database.parent))
        except OSError:
            continue
    names = dict(_scene_names(project))
    return [
        RunCard(folder, names.get(folder.name, folder.name), f"{_moment(seconds)}")
        for seconds, folder in sorted(found, reverse=True)[:MOST]
    ]


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"


def _scene_names(project: Path) -> Iterator[tuple[str, str]]:
    for path in project.glob("scenes/*.scene.json"):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            yield str(data["id"]), str(data.get("name", path.name.partition(".")[0]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


FIELD_WIDTH = 320.0


class Replay(Script):
    """Replays the games of a run's folder; N and P go to the next and the previous game.

    Without a folder it offers the latest runs, and a field for a path.
    """

    board: BoardView = field(None)
    replay: str = option("", metavar="DIR", help="Folder of a run, or a run database.")
    replay_game: int | None = option(min=1, metavar="N", help="The game to show [the first].")
    folder: str = field("", help="Folder or run database; the command line's goes before")
    first: int = field(1, min=1, max=1_000_000, help="The game to begin with")
    move_seconds: float = field(0.35, min=0.0, max=10.0, unit="s", help="Pause after each stone")
    end_seconds: float = field(2.0, min=0.0, max=60.0, unit="s", help="Pause after each game")

    def awake(self) -> None:
        self.games: list[GameRecord] = []
        self.changes: list[dict[str, Any]] = []
        self.index = 0
        self.showing: Task | None = None
        self.runs: list[RunCard] = []
        self.typed = ""
        self.fault = ""

    def start(self) -> None:
        folder = self.replay or self.folder
        if folder:
            self._open(Path(folder))
            return
        kept_in = self.run.other_data_dir or self.run.data_dir  # another window's, to read from
        self.runs = recent_runs(kept_in, self.run.offering)
        self.board.show_board(self.board.size or 7)
        self.panel("Which run?", self.draw_choice, dock="overlay-top", icon="folder-open")

    def choose(self, folder: Path | str) -> None:
        """Open the games of a run; errors are shown in the panel."""
        try:
            self._open(Path(folder).expanduser(), is_chosen=True)
        except GoishiError as error:
            self.fault = str(error)

    def _open(self, folder: Path, *, is_chosen: bool = False) -> None:
        self.games = self._read(folder)
        if is_chosen:
            self.panels.unregister(self.slot)
        numbers = [record.game for record in self.games]
        first = numbers[0] if is_chosen and self.first not in numbers else self.first
        wanted = first if self.replay_game is None else self.replay_game
        if wanted not in numbers:
            raise GoishiError(
                f"--game: expected a game from {numbers[0]} to {numbers[-1]}, found {wanted}"
            )
        self.index = numbers.index(wanted)
        self.command("next_game", "Next game", lambda: self.go(1), key="n")
        self.command("previous_game", "Previous game", lambda: self.go(-1), key="p")
        self.command("record_game", "Record", self.record, key="v", icon="video",
                     checked=lambda: self.run.recorder.is_recording)  # fmt: skip
        self.panel("Game", self.draw, dock="overlay-top")
        self.show()

    def go(self, step: int) -> None:
        """Go `step` games forward or back."""
        self.index = min(len(self.games) - 1, max(0, self.index + step))
        self.show()

    def show(self) -> None:
        """Show the present game from its first stone."""
        if self.showing is not None:
            self.showing.cancel()
        self.showing = self.start_coroutine(self.play(self.shown))

    def record(self) -> None:
        """Record the game from its first stone, frame-exactly; again stops the recording."""
        if self.showing is not None:
            self.showing.cancel()
        is_ending = self.run.recorder.is_recording
        showing = self.play(self.shown) if is_ending else self.film(self.shown)
        self.showing = self.start_coroutine(showing)

    @property
    def shown(self) -> GameRecord:
        """The present game."""
        return self.games[self.index]

    async def film(self, record: GameRecord) -> None:
        """Replay a game and record it; stopping the replay ends the recording."""
        with self.run.recorder.record_game(f"game_{record.game}"):
            await self._place_stones(record)

    async def play(self, record: GameRecord) -> None:
        """Replay a game to its end; ends a headless run."""
        await self._place_stones(record)
        if self.run.headless:
            self.run.finish(0)

    async def _place_stones(self, record: GameRecord) -> None:
        self.status.set("changes", caption(self.changes, record.game))
        rules = record.rules
        self.board.show_board(rules.size, rules.rows, rules.start().tolist())
        shown = GameSession(rules, record.game)
        for move in record.moves:
            color = shown.board.to_move
            shown.play(move)
            side = color_name(color).capitalize()
            self.status.set("replay", f"Game {record.game}: stone {shown.board.ply}, {side}")
            await self.board.show_move(move, color, self.move_seconds, shown.board.stones)
        self.board.show_line(shown.board.winning_line())
        self.status.set("replay", f"Game {record.game}: {_ending(record)}")
        if not self.time.instant:
            await self.seconds(self.end_seconds)

    def draw(self, ui: Ui) -> None:
        """Draw the title of the present game."""
        record = self.shown
        heading = f"Game {record.game} of {self.games[-1].game}  ·  {_ending(record)}"
        ui.heading(heading)
        if changed := caption(self.changes, record.game):
            ui.text(changed, "amber")

    def draw_choice(self, ui: Ui) -> None:
        """Draw the list of runs, and a field for another folder."""
        ui.heading("Which run's games?")
        for index, card in enumerate(self.runs):
            if ui.button(f"{card.label}##run {index}", tip=str(card.folder)):
                self.by_hand("choose", card.folder)
                return
        if not self.runs:
            ui.text("No run was kept here yet: play the self-teaching scene first.", "muted")
        ui.imgui.set_next_item_width(ui.theme.px(FIELD_WIDTH))
        _, self.typed = ui.imgui.input_text_with_hint(
            "##folder", "folder of a run, or runs.sqlite3", self.typed
        )
        ui.same_line()
        if ui.button("Open") and self.typed.strip():
            self.by_hand("choose", self.typed.strip())
        elif self.fault:
            ui.text(self.fault, "red")

    def _read(self, folder: Path) -> list[GameRecord]:
        try:
            games = read_games(folder, self.run.offering)
            self.changes = read_changes(folder)
        except (OSError, RunReadError) as error:
            raise GoishiError(str(error)) from None
        if not games:
            raise GoishiError(f"{folder}: expected games, found none")
        return games


def _ending(record: GameRecord) -> str:
    return f"{describe_end(record)}, {len(record.moves)} stones"
