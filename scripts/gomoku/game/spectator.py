"""The spectator: a wooden figure beside the board that follows the game."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ai import WHITE, GameRecord
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.game.match import Match
from sim import Script, Task, field, on, tr

WIDEST, LOWEST, HIGHEST = 62.0, -38.0, 14.0  # degrees that the head turns and nods
CHEST_SHARE = 0.3  # of a turn is done by the chest
TURNS_IN = 0.35  # seconds, about, in which the head gets there
HEAD, CHEST = "head", "chest"


class Spectator(Script):
    """Looks at the last move, cheers when White wins, and is sad when it loses."""

    match: Match = field(None)
    board: BoardView = field(None)
    is_lively: bool = field(True, help=tr("Whether it moves; off, it costs no time"))
    poses_per_second: float = field(
        10.0, min=1.0, max=60.0, unit="/s", help=tr("Most poses a second")
    )
    ponder_seconds: float = field(
        3.0, min=0.0, max=60.0, unit="s", help=tr("Time without a move until it bends forward")
    )
    rest_seconds: float = field(
        10.0, min=0.0, max=3600.0, unit="s", help=tr("Time without a move until it stands still")
    )

    def awake(self) -> None:
        self.aim = np.zeros(2)  # degrees to the left and up
        self.head = np.zeros(2)
        self.quiet_seconds = 0.0
        self.reaction: Task | None = None
        self._moved = False
        self.place = tuple(map(float, self.object.transform.position))

    def start(self) -> None:
        self.settle()

    def validate(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Play the idle animation; hold its pose if the figure is not lively."""
        animation, self._moved = self.object.animation, self.moves
        self.quiet_seconds = 0.0
        animation.rate = self.poses_per_second
        if self.moves:
            animation.play("idle", blend=0.4)
        else:
            animation.pose("idle")
            animation.drive(HEAD, None)
            animation.drive(CHEST, None)

    @on("board.fitted")
    def stand_aside(self, across: float, deep: float) -> None:
        """Stand beside a board of another size.

        Args:
            across: factor of the distance to the board's sides.
            deep: factor of the distance before and behind the board.
        """
        x, y, z = self.place
        self.object.transform.position = (x * across, y * deep, z)

    @property
    def moves(self) -> bool:
        """Whether the figure moves: it is lively, and the user does not want less motion."""
        return self.is_lively and self.run.animated and not self.run.reduces_motion

    @property
    def follows(self) -> bool:
        """Whether the figure reacts to the game: it is lively, and the game is displayed."""
        return self.moves and not self.time.instant and self.match.is_shown

    @on("match.stone_placed")
    @on("match.own_stone_placed")
    def look_at_move(self, move: int, color: int) -> None:
        """Turn the head to a stone just played."""
        if self.follows:
            self.look_at(self.board.object.transform.to_world(self.board.position_of(move)))
            if self.object.animation.clip == "look":
                self.object.animation.play("idle", blend=0.6)

    @on("match.game_over")
    @on("match.own_game_over")
    def react(self, record: GameRecord) -> None:
        """Cheer or be sad with White at the end of a game."""
        if self.follows and record.winner:
            self.aim[:] = 0.0
            clip = "cheer" if record.winner == WHITE else "sad"
            self.reaction = self.start_coroutine(self._play(clip))

    async def _play(self, clip: str) -> None:
        self.quiet_seconds = 0.0
        await self.object.animation.play_once(clip, blend=0.25)
        self.settle()

    def look_at(self, point: Sequence[float]) -> None:
        """Turn the head to a world point."""
        self.quiet_seconds = 0.0
        self.object.animation.resume()
        transform = self.object.transform
        head = transform.to_local(self.object.animation.joint(HEAD)[3, :3])
        away = np.asarray(transform.to_local(point)) - np.asarray(head)
        flat = math.hypot(away[0], away[1])
        if flat < 1e-6:
            return
        side = math.degrees(math.atan2(-away[0], away[1]))
        up = math.degrees(math.atan2(away[2] - 0.4, flat))  # from the eyes, above the joint
        self.aim[:] = np.clip(side, -WIDEST, WIDEST), np.clip(up, LOWEST, HIGHEST)

    def update(self, dt: float) -> None:
        if self._moved != self.moves:
            self.settle()  # the user wants more motion, or less
        if not self.moves or self.time.instant:
            return
        self.quiet_seconds += dt
        animation = self.object.animation
        if self.quiet_seconds > self.rest_seconds and animation.clip in ("idle", "look"):
            animation.pause()  # nothing happens: nothing is drawn, until the next move
        elif self.quiet_seconds > self.ponder_seconds and animation.clip == "idle":
            animation.play("look", blend=0.8)
        if np.abs(self.aim - self.head).max() > 0.2:
            self.head += (self.aim - self.head) * min(1.0, dt / TURNS_IN * 2.0)
            side, up = self.head.tolist()
            animation.drive(CHEST, (side * CHEST_SHARE, 0.0, 0.0))
            animation.drive(HEAD, (side * (1.0 - CHEST_SHARE), up, 0.0))
