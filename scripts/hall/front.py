"""The front board: shows one board's games with real stones; the camera flies there and back."""

from __future__ import annotations

import time
from typing import Any

from ai import WHITE, GameSession, Rules
from ai.messages import GameFinished, StonePlaced
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.view_state import ViewState
from scripts.hall.board import SIZE, HallBoard
from scripts.hall.hall import Hall
from sim import CameraView, Script, Task, field, on, tr

DOUBLE_CLICK_SECONDS = 0.35
RULES = Rules(SIZE, full_board_winner=WHITE)
AWAY = (0.0, 0.9, 0.2)  # from the board's middle to the point looked at


class FrontBoard(Script, title="Large board"):
    """Shows one board of the hall with stones; a double click on a board selects it."""

    hall: Hall = field(None)
    view: BoardView = field(None)
    is_live: bool = field(
        True, help=tr("Show the newest game; off: every n-th, as on the far boards")
    )
    pause_after_stone: float = field(
        0.3,
        min=0.0,
        max=10.0,
        unit="s",
        help=tr("Pause after each stone"),
        former=("move_seconds",),
    )
    end_seconds: float = field(1.6, min=0.0, max=60.0, unit="s", title=tr("Pause after game"))
    distance: float = field(
        22.0, min=5.0, max=80.0, unit="m", help=tr("Distance of the camera from the board")
    )
    elevation: float = field(43.0, min=10.0, max=85.0, unit="°")
    azimuth: float = field(-10.0, min=-180.0, max=180.0, unit="°")

    def awake(self) -> None:
        self.board: HallBoard | None = None
        self.game = 0  # the one that is shown
        self.moves: tuple[int, ...] = ()
        self.is_over = False
        self._task: Task | None = None
        self._clicked: tuple[float, HallBoard | None] = (-1.0, None)

    def start(self) -> None:
        self.object.visible = False
        self.object.casts_shadow = False
        self.command("hall_back", tr("Back to the hall"), self.leave, key="escape", icon="expand")
        self.command(
            "hall_live",
            tr("Follow live"),
            self.toggle_live,
            key="l",
            icon="circle-play",
            checked=lambda: self.is_live,
        )
        title = tr("The training hall: Black a genetic algorithm, White networks that learn")
        keys = tr(
            "Double click a board to fly there · Escape or Home back · L follow live · P pause"
        )
        self.panels.set_legend(self.slot, title, (keys,))

    def toggle_live(self) -> None:
        """Switch between following the newest game live and showing every n-th game."""
        self.is_live = not self.is_live

    # -- coming and going ---------------------------------------------------------------------

    def visit(self, board: HallBoard) -> None:
        """Fly the camera to a board, and show its games with real stones."""
        x, y, z = (float(value) for value in board.object.transform.world_position)
        target = (x + AWAY[0], y + AWAY[1], z + AWAY[2])
        view = CameraView(target, self.azimuth, self.elevation, self.distance, 32.0)
        if board is self.board:
            self.view.stage.fly_to(view)
            return
        self._give_back()
        self.board = board
        self.object.transform.position = (x, y, z)
        self.object.visible = True
        if board.far is not None:
            board.far.object.visible = False
        self.view.show(ViewState.empty(SIZE))
        self.view.stage.fly_to(view)
        self.game, self.moves, self.is_over = 0, (), False
        self.hall.follow(board)
        self._task = self.start_coroutine(self._show())

    def visit_board(self, session: int) -> None:
        """Fly the camera to a board of the hall, as a click on its row in the table does.

        Args:
            session: number of the board.

        Raises:
            LookupError: the hall has no such board.
        """
        boards = {board.session: board for board in self.hall.boards}
        if session not in boards:
            raise LookupError(f"expected a board, one of {sorted(boards)}, found {session!r}")
        self.visit(boards[session])

    def leave(self) -> None:
        """Fly back to the view of all boards."""
        self.view.stage.fly_home()
        if self.board is not None:
            self.hall.follow(None)
            self._give_back()

    def _give_back(self) -> None:
        """Show the selected board as a picture again."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self.board is not None and self.board.far is not None:
            self.board.far.object.visible = True
            self.board.needs_board = True
        self.board = None
        self.object.visible = False
        self.view.clear()
        self.status.clear("front")

    def late_update(self, dt: float) -> None:
        if self.board is not None and self.input.pressed("home"):
            self.leave()
        for click in self.input.clicks:
            if click.button == "mouse1" and click.origin is not None:
                self._click(self.board_under(click.origin, click.direction))

    def board_under(self, origin: Any, direction: Any) -> HallBoard | None:
        """Return the board that a ray hits first; None if it hits none.

        Args:
            origin: start of the ray in world coordinates, metres.
            direction: direction of the ray in world coordinates.
        """
        found = [(board.is_under(origin, direction), board) for board in self.hall.boards]
        hits = [(along, board.session, board) for along, board in found if along is not None]
        return min(hits)[2] if hits else None

    def _click(self, board: HallBoard | None) -> None:
        now = time.perf_counter()
        then, before = self._clicked
        self._clicked = (now, board)
        if board is not None and board is before and now - then <= DOUBLE_CLICK_SECONDS:
            self._clicked = (-1.0, None)
            self.by_hand("visit_board", board.session)

    # -- what is shown ------------------------------------------------------------------------

    @on("hall.stone_placed")
    def on_stone(self, message: StonePlaced) -> None:
        """Show the next stone of the displayed game."""
        if self._is_shown(message.session, message.game):
            self.moves = message.moves

    @on("hall.game_over")
    def on_game(self, message: GameFinished) -> None:
        """Record the end of the displayed game."""
        if self._is_shown(message.session, message.record.game):
            self.moves, self.is_over = message.record.moves, True

    def _is_shown(self, session: int, game: int) -> bool:
        return self.board is not None and self.board.session == session and self.game == game

    async def _show(self) -> None:
        """Show games one after another, always the newest; games in between are skipped."""
        while True:
            await self.until(lambda: self._newest()[0] != self.game)
            self.game, self.moves = self._newest()
            self.is_over = self.board is not None and self.game <= self.board.games
            self.view.show(ViewState.empty(SIZE))
            await self._show_game(GameSession(RULES, self.game))

    def _newest(self) -> tuple[int, tuple[int, ...]]:
        """Return the number and the moves of the game to show next."""
        board = self.board
        if board is None:
            return (self.game, ())
        if self.is_live:
            return board.newest
        return (board.record.game, board.record.moves) if board.record else (self.game, ())

    async def _show_game(self, shown: GameSession) -> None:
        """Show the stones of the chosen game as they are played, then its end.

        Args:
            shown: the game as far as it is shown; each new stone is played in it.
        """
        while True:
            await self.until(lambda: len(self.moves) > shown.board.ply or self.is_over)
            if shown.board.ply >= len(self.moves):
                break
            if self.moves[: shown.board.ply] != tuple(shown.board.moves):
                return  # the board was begun anew, and another game has this number
            self._show_status()
            shown.play(self.moves[shown.board.ply])
            await self.view.play(ViewState.of(shown.board), self.pause_after_stone)
        await self.seconds(self.end_seconds)

    def _show_status(self) -> None:
        if self.board is None:
            return
        behind = self.board.games - self.game
        text = tr("{title} · game {game}").format(title=self.board.title, game=self.game)
        self.status.set(
            "front",
            tr("{text} · the training is {behind} games ahead").format(text=text, behind=behind)
            if behind > 1
            else text,
        )
