"""A small board that shows one finished game of the training after another."""

from __future__ import annotations

from typing import Any

from ai import BLACK, WHITE, Board
from ai.messages import TrainingGame
from scripts.alphagomoku.training import AlphaGomokuTraining
from sim import SceneObject, Script, field, on

BOARD_HEIGHT = 0.5
LETTERS = 0.62  # height of a capital, metres
SIDES = {BLACK: "Black wins", WHITE: "White wins"}


class GameBoard(Script):
    """Replays games of the training: of so many boards each shows every so many-th."""

    training: AlphaGomokuTraining = field(None)
    number: int = field(1, min=1, max=64, help="Which of the boards this is")
    boards: int = field(8, min=1, max=64, help="How many boards there are")
    pause_after_stone: float = field(0.45, min=0.0, max=10.0, unit="s")
    pause_after_game: float = field(2.0, min=0.0, max=60.0, unit="s")

    def awake(self) -> None:
        self.next: TrainingGame | None = None
        self.shown: TrainingGame | None = None
        self.far: SceneObject | None = None
        self.caption: SceneObject | None = None
        self.painter: Any = None

    def start(self) -> None:
        if self.run.graphics and self.training is not None:
            from scripts.hall import painter

            self._build(painter)
            self.start_coroutine(self._play_back())

    @on("training.game_over")
    def take(self, game: TrainingGame) -> None:
        """Take a game, where it is this board's turn."""
        if (game.number - 1) % self.boards == self.number - 1:
            self.next = game

    def _build(self, painter: Any) -> None:
        """Create the board and its caption."""
        size = self.training.size
        self.painter = painter.board_of(size)
        width = size - 1 + 2 * painter.MARGIN
        self.far = self.scene.spawn(
            "Board",
            model={"builtin": "box", "size": [width, width, BOARD_HEIGHT]},
            parent=self.object,
            position=(0.0, 0.0, -BOARD_HEIGHT / 2),
        )
        self.far.texture = self.painter.empty
        self.caption = self.scene.spawn(
            "Caption",
            parent=self.object,
            position=(0.0, -width / 2 - 1.3, 0.0),
            rotation=(0.0, -40.0, 0.0),
            material={"color": [0.93, 0.9, 0.84], "roughness": 0.6},
        )
        for item in (self.far, self.caption):
            item.casts_shadow = False

    async def _play_back(self) -> None:
        """Show one game after another, always the newest of this board."""
        while True:
            await self.until(lambda: self.next not in (None, self.shown))
            game = self.shown = self.next
            if game is None or self.far is None:
                continue
            self._say(title_of(game))
            for count in range(1, len(game.moves) + 1):
                self.far.texture = self.painter.paint(game.moves[:count])
                await self.seconds(self.pause_after_stone)
            line = Board.from_moves(game.moves, self.training.rules).winning_line() or ()
            self.far.texture = self.painter.paint(game.moves, tuple(line))
            self._say(f"{title_of(game)}: {SIDES.get(game.winner, 'a draw')}")
            await self.seconds(self.pause_after_game)

    def _say(self, text: str) -> None:
        if self.caption is not None:
            self.caption.model = {"builtin": "text", "text": text, "size": LETTERS, "depth": 0.05}


def title_of(game: TrainingGame) -> str:
    """Return a game's name: its generation and its number there."""
    return f"{game.generation}.{game.number}"
