"""Side games: play on from a past position, with any player or person on either side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ai import (
    BLACK,
    PASS,
    PLAYERS,
    WHITE,
    GameRecord,
    GameSession,
    MoveChoice,
    OptionError,
    Position,
    ProjectError,
    UnknownPlayerError,
    list_players,
)
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import NAMES, describe_end
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.seats.player_worker import PlayerWorker, player_like
from scripts.gomoku.seats.seat import HUMAN
from sim import Script, Task, Ui, WorkerError, field, on, signal


class SideGame(Script):
    """A game beside the match: not counted, and learnt from only if selected."""

    match: Match = field(None)
    board: BoardView = field(None)
    viewer: GameViewer = field(None)
    move_seconds: float = field(0.35, min=0.0, max=10.0, unit="s", help="Pause after each stone")
    ended = signal(object)

    def awake(self) -> None:
        self.seated = {BLACK: "you", WHITE: "cnn-ann-plus"}
        self.learns = False
        self.choices = choices_of(self.run.offering)
        self.session: GameSession | None = None
        self.message = ""
        self._players = {
            color: PlayerWorker(self, f"beside, {NAMES[color]}") for color in (BLACK, WHITE)
        }
        self._task: Task | None = None
        self._legal: frozenset[int] = frozenset()

    @property
    def current(self) -> Position | None:
        """The position of the side game, None without one."""
        return None if self.session is None else self.session.board

    @property
    def is_running(self) -> bool:
        """Whether a side game is in progress."""
        return self._task is not None and not self._task.done

    def begin(
        self, record: GameRecord, ply: int, *, black: str, white: str, learns: bool = False
    ) -> None:
        """Play on from the position after `ply` moves of a game.

        Args:
            record: the game.
            ply: number of its moves to keep.
            black: a player's name, or "you".
            white: a player's name, or "you".
            learns: whether the learner observes the finished game.
        """
        self.stop()
        session = GameSession.from_record(record, ply)
        board = session.board
        if session.is_over:
            self.message = "this position is decided"
            return
        self.seated = {BLACK: black, WHITE: white}
        self.learns = learns and record.rules == self.match.rules
        self.match.hold()
        self.viewer.pause()
        self.viewer.is_locked = True
        self.session = session
        self.board.show_game(board.size, tuple(board.moves), stones=board.stones)
        self._task = self.start_coroutine(self._play(session))

    @on("viewer.closed")
    def stop(self) -> None:
        """Abort and discard the side game."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.session = None
        self.message = ""
        self.viewer.is_locked = False
        self.status.clear("beside")

    async def _play(self, session: GameSession) -> None:
        begun = session.board.ply
        try:
            while not session.is_over:
                color = session.board.to_move
                is_pass = session.play_pass()
                move = PASS if is_pass else session.take(await self._ask(session.board))
                await self.board.show_move(move, color, self.move_seconds, session.board.stones)
        except (WorkerError, OptionError, UnknownPlayerError) as error:
            self.message = str(error)
            self.log.warning(f"the side game is broken off: {error}")
            return
        finally:
            self.viewer.is_locked = False
            self.status.clear("beside")
        self._finish(session.record(), begun)

    def _finish(self, played: GameRecord, begun: int) -> None:
        """Show the game's end and hand it to the learner where that is wished."""
        self.session = None
        self.message = f"{describe_end(played)} after {len(played.moves)} moves"
        if self.learns:
            origin = {"game": played.game, "ply": begun}
            self.match.learn_beside(played, {"beside": origin})
        title = f"Beside game {played.game}, from move {begun}"
        self.viewer.open(played, title=title)
        self.ended.emit(played)

    async def _ask(self, board: Position) -> MoveChoice:
        name = self.seated[board.to_move]
        side = NAMES[board.to_move].capitalize()
        if name == "you":
            self.status.set("beside", f"Side game · {side}: your turn: click a point")
            return MoveChoice(await self._await_click(board))
        self.status.set("beside", f"Side game · {side}: {name} thinks", busy=True)
        player = self._players[board.to_move]
        await player.sit_down(*player_like(self.match, name, board.rules))
        seed = int(self.rng.integers(2**48))
        return (await player.choose(tuple(board.moves), seed=seed)).choice

    async def _await_click(self, board: Position) -> int:
        self._legal = frozenset(board.legal_moves)
        try:
            return await self.board.ask_point(self._legal, board.to_move)
        finally:
            self._legal = frozenset()

    # -- its part of the panel ----------------------------------------------------------------

    def seat(self, side: str, name: str) -> None:
        """Select the player of a side, "black" or "white", for the next side game.

        Raises:
            KeyError: there is no such side.
        """
        self.seated[{name: color for color, name in NAMES.items()}[side]] = name

    def play_on(self) -> None:
        """Play on from the viewer's position with the selected players."""
        record = self.viewer.record
        if record is None:
            self.message = "open a game first"
            return
        black, white = self.seated[BLACK], self.seated[WHITE]
        self.begin(record, self.viewer.ply, black=black, white=white, learns=self.learns)

    def break_off(self) -> None:
        """End the side game and restore the viewer's position."""
        self.stop()
        self.viewer.go_to(self.viewer.ply)

    def draw(self, ui: Ui, record: GameRecord, ply: int) -> None:
        """Draw the selection of players, and the button."""
        imgui = ui.imgui
        ui.heading("Play on from here")
        ui.same_line()
        ui.text("Black · White", "muted")
        if self.is_running:
            sides = f"{self.seated[BLACK]} against {self.seated[WHITE]}"
            ui.muted_text(f"{sides}, {self.current.ply if self.current is not None else 0} moves")
            if ui.button("End side game"):
                self.by_hand("break_off")
            return
        width = (ui.room - imgui.get_style().item_spacing.x) / 2
        longest = max(ui.button_width(name) for name in self.seated.values())
        is_narrow = width < longest + imgui.get_frame_height()
        width = ui.room if is_narrow else width
        for color in (BLACK, WHITE):
            if color == WHITE and not is_narrow:
                ui.same_line()
            imgui.set_next_item_width(width)
            name = self._draw_choice(imgui, NAMES[color], self.seated[color])
            if name != self.seated[color]:
                self.by_hand("seat", NAMES[color], name)
        can_learn = record.rules == self.match.rules and self.match.coach is not None
        imgui.begin_disabled(not can_learn)
        learns = imgui.checkbox("learn from it", self.learns and can_learn)[1]
        if learns != (self.learns and can_learn):
            self.learns = learns
            self.log.python(f"{self.expression}.learns = {learns}")
        imgui.end_disabled()
        ui.beside(ui.button_width("Play on"))
        if ui.button("Play on"):
            self.by_hand("play_on")
        if self.message:
            ui.muted_text(self.message)

    def _draw_choice(self, imgui: Any, side: str, name: str) -> str:
        """Draw the list of players for one side; return the one chosen."""
        known = self.choices if name in self.choices else (*self.choices, name)
        chosen = int(imgui.combo(f"##{side}", known.index(name), list(known))[1])
        if imgui.is_item_hovered():
            imgui.set_tooltip(f"{side.capitalize()} is played by")
        return known[chosen]


def choices_of(project: Path) -> tuple[str, ...]:
    """Return the choices for a side game: a person, the shipped players, the project's."""
    try:
        infos = list_players(project)
    except ProjectError:  # its file is unsound, as is said when the scene is opened
        infos = list(PLAYERS.values())
    return ("you", *(info.name for info in infos if info.name != HUMAN))
