"""Shows a past game on the board, move by move, while the live game waits."""

from __future__ import annotations

from typing import Any

from ai import Board, GameRecord
from scripts.gomoku.board_view import BoardView
from scripts.gomoku.match import Match
from scripts.gomoku.match_report import describe_end
from sim import Script, Task, field, signal

END_SECONDS = 1.5  # that a film shows the last position
SLIDER_WIDTH = 300.0
BUTTONS_WIDTH = 330.0  # of those beside the slider


class GameViewer(Script):
    """A slider over the moves of one game; its panel and keys are there while a game is open."""

    match: Match = field(None)
    board: BoardView = field(None)
    play_seconds: float = field(0.6, min=0.05, max=10.0, unit="s", help="From stone to stone")
    opened = signal(object)
    closed = signal()

    def awake(self) -> None:
        self.record: GameRecord | None = None
        self.title = ""
        self.ply = 0
        self.is_playing = False
        self.is_locked = False
        self._position: Board | None = None
        self._playing: Task | None = None
        self._live_line: Any = None

    @property
    def position(self) -> Board | None:
        """The position that is shown, None while no game is open."""
        return self._position

    def open(self, record: GameRecord, *, ply: int | None = None, title: str = "") -> None:
        """Show a game after `ply` moves (all when None); the live game waits."""
        is_first = self.record is None
        self.record = record
        self.title = title or f"Game {record.game}"
        if is_first:
            self._live_line = self.status.lines.get("match")
            self.status.set("match", f"Game {self.match.game} waits")
            self.match.hold()
            self._offer_controls()
        self.pause()
        self.ply = len(record.moves)
        self.go_to(len(record.moves) if ply is None else ply)
        self.opened.emit(record)

    def close(self) -> None:
        """Go back to the live game."""
        if self.record is None:
            return
        self.pause()
        self.record = self._position = None
        self.is_locked = False
        self.panels.unregister(self.slot)
        self.status.clear("viewer")
        if self._live_line is not None:
            self.status.set("match", self._live_line.text, busy=self._live_line.busy)
        self.match.release()
        self.closed.emit()

    def go_to(self, ply: int) -> None:
        """Show the position after `ply` moves; nothing while a side game has the board."""
        if self.record is None or self.is_locked:
            return
        before, self.ply = self.ply, min(len(self.record.moves), max(0, ply))
        moves = self.record.moves[: self.ply]
        self._position = position = self.record.board(self.ply)
        size = self.record.rules.size
        if self.ply == before + 1 and not self.time.instant and self.board.size == size:
            self.board.show_position(moves[:-1])
            self.board.mark_last(moves[-1])
            self.start_coroutine(self.board.drop(moves[-1], -position.to_move))
        else:
            self.board.show_game(size, moves)
        if position.winning_line():
            self.board.show_line(position.winning_line())
        self.status.set("viewer", f"{self.title}, move {self.ply} of {len(self.record.moves)}")

    def step(self, plies: int) -> None:
        """Go some moves on, or back; playing ends."""
        self.jump(self.ply + plies)

    def jump(self, ply: int) -> None:
        """Show the position after `ply` moves; playing ends."""
        self.pause()
        self.go_to(ply)

    def play(self) -> None:
        """Play the game from here, from its beginning where it is at its end."""
        if self.record is None or self.is_locked:
            return
        if self.ply == len(self.record.moves):
            self.go_to(0)
        self.is_playing = True
        self._playing = self.start_coroutine(self._play())

    def film(self) -> None:
        """Film the game from its first stone, frame-exactly; once more ends the film."""
        if self.record is None or self.is_locked:
            return
        is_filming = self.run.recorder.is_recording
        self.pause()
        if not is_filming:
            self.go_to(0)
            self.is_playing = True
            self._playing = self.start_coroutine(self._film())

    async def _film(self) -> None:
        with self.run.recorder.record_game(self.title):
            await self._play()
            await self.seconds(END_SECONDS)

    def pause(self) -> None:
        """Stop playing, and a film with it."""
        self.is_playing = False
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None

    async def _play(self) -> None:
        while self.record is not None and self.ply < len(self.record.moves):
            await self.seconds(self.play_seconds)
            self.go_to(self.ply + 1)
        self.is_playing = False

    def _offer_controls(self) -> None:
        self.panel("Past game", self.draw, dock="overlay-bottom", icon="clock-rotate-left")
        for name, label, key, callback in (
            ("first_move", "First move", "home", self.first),
            ("previous_move", "Previous move", "arrow_left", self.back),
            ("next_move", "Next move", "arrow_right", self.forward),
            ("last_move", "Last move", "end", self.last),
            ("live_game", "Back to the live game", "escape", self.close),
        ):
            self.command(name, label, callback, key=key)

    def first(self) -> None:
        """Show the empty board; playing ends."""
        self.jump(0)

    def back(self) -> None:
        """Go one move back; playing ends."""
        self.step(-1)

    def forward(self) -> None:
        """Go one move on; playing ends."""
        self.step(1)

    def last(self) -> None:
        """Show the last position; playing ends."""
        if self.record is not None:
            self.jump(len(self.record.moves))

    def draw(self, ui: Any) -> None:
        """Draw the title, the slider and the buttons."""
        if self.record is None:
            return
        total = len(self.record.moves)
        ui.heading(self.title)
        end = f"{describe_end(self.record)}  ·  move {self.ply} of {total}"
        ui.beside(ui.imgui.calc_text_size(end).x)
        ui.text(end, "muted")
        ui.imgui.begin_disabled(self.is_locked)
        self._draw_controls(ui, total)
        ui.beside(ui.button_width("Film") + ui.theme.px(24))
        if ui.button("Film", icon="video", tip="Film it from the first stone, frame-exactly"):
            self.by_hand("film")
        ui.imgui.end_disabled()
        ui.beside(ui.button_width("Live game"))
        if ui.button("Live game"):
            self.by_hand("close")
        if ui.imgui.is_item_hovered():
            ui.imgui.set_tooltip("Back to the live game (Escape)")

    def _draw_controls(self, ui: Any, total: int) -> None:
        is_narrow = ui.room < ui.theme.px(SLIDER_WIDTH + BUTTONS_WIDTH)
        ui.imgui.set_next_item_width(ui.room if is_narrow else ui.theme.px(SLIDER_WIDTH))
        is_moved, ply = ui.imgui.slider_int("##ply", self.ply, 0, total, "move %d")
        if is_moved and ply != self.ply:
            self.jump(ply)
        if ui.imgui.is_item_deactivated_after_edit():
            self.log.python(f"{self.expression}.jump({ply})")
        buttons = (
            ("|<", "First move (Home)", "first"),
            ("<", "Previous move (Left)", "back"),
            ("Pause" if self.is_playing else "Play", "Play the moves",
             "pause" if self.is_playing else "play"),
            (">", "Next move (Right)", "forward"),
            (">|", "Last move (End)", "last"),
        )  # fmt: skip
        for label, tip, method in buttons:
            ui.beside(ui.button_width(label))
            if ui.button(label):
                self.by_hand(method)
            if ui.imgui.is_item_hovered():
                ui.imgui.set_tooltip(tip)
