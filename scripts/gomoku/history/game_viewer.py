"""Viewer of past games: shows one on the board, move by move; a match is suspended meanwhile."""

from __future__ import annotations

from typing import Any, Protocol

from ai import GameRecord, GameSession, Position
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.history.explained import MoveExplainer, PlayedBy
from sim import Script, Task, Ui, field, signal, tr

Buttons = tuple[tuple[str, str, str, str], ...]
END_SECONDS = 1.5  # that a film shows the last position
SLIDER_WIDTHS = (64.0, 300.0)  # at least, at most


class BoardGuest(Protocol):
    """A game that is played on the board while the viewer has a game open.

    At present this is always a side game.
    """

    def leave(self) -> str:
        """End the game; return "", or a question if only a second call ends it."""


class GameViewer(Script):
    """Shows one past game on the board, with a slider over its moves.

    Its panel and keys exist only while a game is open.
    """

    match: Match = field(None, help=tr("Waits while a game is open; none: a scene without a match"))
    board: BoardView = field(None)
    play_seconds: float = field(0.6, min=0.05, max=10.0, unit="s", help=tr("Pause between moves"))
    opened = signal(object)
    paused = signal()
    closed = signal()

    def awake(self) -> None:
        self.record: GameRecord | None = None
        self.main: GameRecord | None = None  # of which `record` is a variation, or itself
        self.played_by = PlayedBy()
        self.guest: BoardGuest | None = None
        self.title = ""
        self.ply = 0
        self.is_playing = False
        self.is_locked = False
        self._shown: GameSession | None = None
        self._playing: Task | None = None
        self._live_line: Any = None
        self._explainer: MoveExplainer | None = None

    @property
    def position(self) -> Position | None:
        """The position shown, None while no game is open."""
        return None if self._shown is None else self._shown.board

    def open(
        self,
        record: GameRecord,
        *,
        ply: int | None = None,
        title: str = "",
        main: GameRecord | None = None,
        played_by: PlayedBy | None = None,
    ) -> None:
        """Open a game and show one of its positions; the match is paused meanwhile.

        Args:
            record: the game.
            ply: number of moves before the position to show; None for the final position.
            title: text over the slider; empty for the game's number.
            main: the game of which `record` is a variation; None if it is no variation.
            played_by: the players of the game; None for those of the match.
        """
        is_first = self.record is None
        self.record, self.main = record, main or record
        self.title = title or tr("Game {game}").format(game=record.game)
        self.played_by = played_by or PlayedBy()
        if is_first:
            self._pause_match()
            self._offer_controls()
        if self._explainer is None and self.match is not None:
            self._explainer = MoveExplainer(self, self.match)
        if self._explainer is not None:
            self._explainer.open(record, self.played_by)
        self.pause()
        self.ply = len(record.moves)
        self.go_to(len(record.moves) if ply is None else ply)
        self.opened.emit(record)

    def _pause_match(self) -> None:
        if self.match is None:
            return
        self._live_line = self.status.lines.get("match")
        self.status.set("match", tr("Game {game} is paused").format(game=self.match.game))
        self.match.pause()

    def leave(self) -> None:
        """End a side game if there is one; else close the game and return to the live game."""
        if self.guest is not None:
            self.guest.leave()
        else:
            self.close()

    def close(self) -> None:
        """Close the game and resume the match."""
        if self.record is None:
            return
        self.pause()
        self.record = self.main = self._shown = None
        self.is_locked = False
        if self._explainer is not None:
            self._explainer.close()
        self.panels.unregister(self.slot)
        self.status.clear("viewer")
        if self._live_line is not None:
            self.status.set("match", self._live_line.text, busy=self._live_line.busy)
        if self.match is not None:
            self.match.resume()
        self.closed.emit()

    def go_to(self, ply: int) -> None:
        """Show the position after `ply` moves; ignored during a side game."""
        if self.record is None or self.is_locked:
            return
        before, self.ply = self.ply, min(len(self.record.moves), max(0, ply))
        self._shown = GameSession.from_record(self.record, self.ply)
        state = ViewState.of(self._shown.board)
        is_same = (self.board.size, self.board.rows) == (state.size, state.rows)
        if self.ply == before + 1 and not self.time.instant and is_same:
            self.board.show(ViewState.of(GameSession.from_record(self.record, before).board))
            self.start_coroutine(self.board.play(state))
        else:
            self.board.show(state)
        if self._explainer is not None:
            self._explainer.show(self._shown.board)
        self._show_status()

    def step(self, plies: int) -> None:
        """Show the position some moves later or earlier; stops playback.

        Args:
            plies: number of moves to go forward; negative to go back.
        """
        self.jump(self.ply + plies)

    def jump(self, ply: int) -> None:
        """Show the position after `ply` moves; stops playback."""
        self.pause()
        self.go_to(ply)

    def play(self) -> None:
        """Play the remaining moves with animation; at the end of the game, play all again."""
        if self.record is None or self.is_locked:
            return
        if self.ply == len(self.record.moves):
            self.go_to(0)
        self.is_playing = True
        self._playing = self.start_coroutine(self._play())

    def film(self) -> None:
        """Record the game as a video from its first move; a second call stops the recording."""
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
        """Stop playback, and a recording with it."""
        self.is_playing = False
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None
        self.paused.emit()

    def follow(self, ply: int) -> None:
        """Set the current position, which another script has put on the board.

        Args:
            ply: number of moves before the position.
        """
        if self.record is not None:
            self.ply = ply
            self._shown = GameSession.from_record(self.record, ply)
            self._show_status()

    def _show_status(self) -> None:
        if self.record is not None:
            total = len(self.record.moves)
            self.status.set(
                "viewer",
                tr("{title}, move {ply} of {total}").format(
                    title=self.title, ply=self.ply, total=total
                ),
            )

    async def _play(self) -> None:
        while self.record is not None and self.ply < len(self.record.moves):
            await self.seconds(self.play_seconds)
            self.go_to(self.ply + 1)
        self.is_playing = False

    def _offer_controls(self) -> None:
        self.panel(tr("Past game"), self.draw, dock="overlay-bottom", icon="clock-rotate-left")
        has_match = self.match is not None
        controls = (  # without a match it is always open, and Home is the camera's
            ("first_move", tr("First move"), "home" if has_match else "", self.first),
            ("previous_move", tr("Previous move"), "arrow_left", self.back),
            ("next_move", tr("Next move"), "arrow_right", self.forward),
            ("last_move", tr("Last move"), "end", self.last),
            ("live_game", tr("Back to the live game"), "escape", self.leave),
        )
        for name, label, key, callback in controls[: None if has_match else -1]:
            self.command(name, label, callback, key=key)

    def first(self) -> None:
        """Show the empty board; stops playback."""
        self.jump(0)

    def back(self) -> None:
        """Go one move back; stops playback."""
        self.step(-1)

    def forward(self) -> None:
        """Go one move forward; stops playback."""
        self.step(1)

    def last(self) -> None:
        """Show the final position; stops playback."""
        if self.record is not None:
            self.jump(len(self.record.moves))

    def draw(self, ui: Ui) -> None:
        """Draw the title, the slider and the buttons; in one row if there is little space."""
        if self.record is None:
            return
        words = self._buttons(is_narrow=False)
        is_narrow = self._room_beside(ui, words) < ui.theme.px(SLIDER_WIDTHS[1])
        total = len(self.record.moves)
        if not is_narrow:
            ui.heading(self.title)
            ui.same_line()
            ui.text(describe_end(self.record), "muted")
        ui.imgui.begin_disabled(self.is_locked)
        buttons = self._buttons(is_narrow=True) if is_narrow else words
        least, most = map(ui.theme.px, SLIDER_WIDTHS)
        width = min(most, max(least, self._room_beside(ui, buttons)))
        self._draw_slider(ui, width, total)
        *playback, live = buttons
        for button in playback:
            self._draw_button(ui, button)
        ui.imgui.end_disabled()
        if self.match is not None:
            self._draw_button(ui, live)

    def _draw_button(self, ui: Ui, button: tuple[str, str, str, str]) -> None:
        label, icon, tip, method = button
        ui.beside(ui.button_width(label, icon=icon))
        if ui.button(label, icon=icon, tip=tip):
            self.by_hand(method)

    def _room_beside(self, ui: Ui, buttons: Buttons) -> float:
        """Return the width that is left in a row beside these buttons, pixels."""
        gap = ui.imgui.get_style().item_spacing.x
        taken = sum(ui.button_width(label, icon=icon) + gap for label, icon, _, _ in buttons)
        return float(ui.room - taken)

    def _buttons(self, *, is_narrow: bool) -> Buttons:
        """Return the buttons below the slider; the last one leaves the game.

        Args:
            is_narrow: whether to leave out labels, because there is little space.

        Returns:
            For each button its label, icon, tip, and the name of the method that it calls.
        """
        play = ("##play", "pause", tr("Stop playing"), "pause")
        if not self.is_playing:
            play = ("##play", "play", tr("Play the moves"), "play")
        film = "##film" if is_narrow else tr("Film")
        live, cross = ("##Live game", "xmark") if is_narrow else (tr("Live game"), "")
        first = tr("First move (Home)") if self.match is not None else tr("First move")
        return (
            ("##first", "backward-fast", first, "first"),
            ("##back", "backward-step", tr("Previous move (Left)"), "back"),
            play,
            ("##forward", "forward-step", tr("Next move (Right)"), "forward"),
            ("##last", "forward-fast", tr("Last move (End)"), "last"),
            (film, "video", tr("Record a video of the game from its first move"), "film"),
            (live, cross, tr("Back to the live game (Escape)"), "leave"),
        )

    def _draw_slider(self, ui: Ui, width: float, total: int) -> None:
        imgui = ui.imgui
        text = tr("move %d of {total}").format(total=total)
        if imgui.calc_text_size(text).x > width:
            text = tr("%d of {total}").format(total=total)
        imgui.set_next_item_width(width)
        is_moved, ply = imgui.slider_int("##ply", self.ply, 0, total, text)
        if is_moved and ply != self.ply:
            self.jump(ply)
        if imgui.is_item_deactivated_after_edit():
            self.log.python(f"{self.expression}.jump({ply})")
        ui.tip(self.title)
