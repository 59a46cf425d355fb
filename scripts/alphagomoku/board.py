"""A small board that shows one finished game of the training after another."""

from __future__ import annotations

from ai import BLACK, WHITE
from ai.messages import TrainingGame
from scripts.alphagomoku.training import AlphaGomokuTraining
from scripts.gomoku.board.board_view import look_of
from scripts.gomoku.board.picture_board import BoardCaption, PictureBoard
from scripts.gomoku.board.view_state import states_of
from scripts.pieces.fitting import fit
from scripts.pieces.goban import MARGIN
from sim import Script, Task, field, on, tr, wording

BOARD_HEIGHT = 0.5
LETTERS = 0.62  # height of a capital, metres
EMPTY = tr("waits for a game")
SIDES = {BLACK: tr("Black wins"), WHITE: tr("White wins")}


class GameBoard(Script):
    """Replays games of the training on a small board; several boards share the games in turn."""

    training: AlphaGomokuTraining = field(None)
    number: int = field(1, min=1, max=64, help=tr("Which of the boards this is"))
    boards: int = field(8, min=1, max=64, help=tr("How many boards there are"))
    pause_after_stone: float = field(0.45, min=0.0, max=10.0, unit="s")
    pause_after_game: float = field(2.0, min=0.0, max=60.0, unit="s")

    def awake(self) -> None:
        self.next: TrainingGame | None = None
        self.shown: TrainingGame | None = None
        self.far: PictureBoard | None = None
        self.caption: BoardCaption | None = None
        self._task: Task | None = None

    def start(self) -> None:
        self.set_up()

    @on("training.begun_anew")
    def set_up(self) -> None:
        """Make the board, of the training's size; an earlier one is removed."""
        if not self.run.graphics or self.training is None:
            return
        if self._task is not None:
            self._task.cancel()
        if self.far is not None:
            self.far.object.destroy()
        if self.caption is not None:
            self.caption.show("")
        self.next = self.shown = None
        size = self.training.size
        fit(self.object, size, self.training.planned_size)
        self.far = PictureBoard(self.object, tr("Board"), size, BOARD_HEIGHT, look_of(self.scene))
        away = (size - 1) / 2 + MARGIN + 1.3
        self.caption = BoardCaption(self.object, away, height=LETTERS, depth=0.05)
        self.caption.show(EMPTY)
        self._task = self.start_coroutine(self._play_back(self.far, self.caption))

    @on("training.game_over")
    def queue(self, game: TrainingGame) -> None:
        """Queue a game if it is this board's turn."""
        if (game.number - 1) % self.boards == self.number - 1:
            self.next = game

    def late_update(self, dt: float) -> None:  # also while the scene is paused
        if self.far is not None:
            self.far.follow_look()

    async def _play_back(self, board: PictureBoard, caption: BoardCaption) -> None:
        """Show one game after another, always the newest of this board."""
        while True:
            await self.until(lambda: self.next not in (None, self.shown))
            game = self.shown = self.next
            if game is None:
                continue
            caption.show(title_of(game))
            *states, end = states_of(self.training.rules, game.moves)
            for state in states:
                board.show(state)
                await self.seconds(self.pause_after_stone)
            board.show(end)
            caption.show(
                wording("{title_of}: {side}").format(
                    title_of=title_of(game), side=SIDES.get(game.winner, tr("a draw"))
                )
            )
            await self.seconds(self.pause_after_game)


def title_of(game: TrainingGame) -> str:
    """Return a game's title, such as "12.3" for the third game of generation 12."""
    return f"{game.generation}.{game.number}"
