"""Runs a player in a thread of its own, which answers one question after another.

`quick_move` finds a sensible move at once, for a player that has no answer in time.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from ai.game import EMPTY, Board, Color, Game, Move, Position, as_board, board_of
from ai.game.lines import rays
from ai.players.base import Limit, LoadsCheckpoints, PlansTime, Player
from ai.protocol.messages import Reply

REACH: Final = 4
"""Maximum distance of a point from another one in the same row of five."""


def quick_move(position: Position) -> Move:
    """Return a legal move of an m,n,k game, found in about a millisecond.

    It completes a winning row, else blocks one, else extends or blocks the longest rows, own ones
    first. On an empty board it is in the middle.

    Args:
        position: not over; unchanged on return.
    """
    board = as_board(position)
    color = board.to_move
    legal = list(board.legal_moves)
    for side in (color, -color):
        for move in legal:
            if board.completes_row(move, side):
                return move
    size, rows = board.rules.size, board.rules.rows
    middle = ((size - 1) / 2, (rows - 1) / 2)

    def worth(move: Move) -> tuple[int, float]:
        row, column = divmod(move, size)
        far = (column - middle[0]) ** 2 + (row - middle[1]) ** 2
        return 3 * _room(board, move, color) + 2 * _room(board, move, -color), -far

    return max(legal, key=worth)


def _room(board: Board, move: Move, color: Color) -> int:
    """Return the sum over the lines through a point of the squared number of a side's stones.

    Lines in which the other side leaves no room for a row do not count.
    """
    stones, needed = board.stones, board.rules.win_length
    total = 0
    for sides in rays(board.rules.size, REACH, board.rules.height)[move]:
        own, free = 0, 1
        for side in sides:
            for point in side:
                if stones[point] not in (color, EMPTY):
                    break
                own += stones[point] == color
                free += 1
        total += own * own if free >= needed else 0
    return total


Job: TypeAlias = Callable[[Player], Reply]
Done: TypeAlias = Callable[["Thought"], None]

_WARM_STONES: Final = 5
NETWORK_FILE: Final = "network.weights.h5"
"""File with a trained network, in the folder that INFO names."""


class Thought:
    """A question to the player; once it is done, `reply` or `error` is set."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.reply: Reply | None = None
        self.error: Exception | None = None
        self.is_begun = False
        self.is_done = False
        self.is_dropped = False
        """Whether nobody waits for it any more; if it has not begun, it is skipped."""


class Thinker:
    """Creates a player and asks it questions, in a daemon thread.

    If the player cannot be created, the first thought gets the error.
    """

    def __init__(self, make: Callable[[], Player], done: Done) -> None:
        """Start the thread.

        Args:
            make: creates the player, and prepares it so that its first move is quick.
            done: called in the thread with each finished thought.
        """
        self._make = make
        self._done = done
        self._thoughts: queue.SimpleQueue[Thought | None] = queue.SimpleQueue()
        self._player: Player | None = None
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the thread is still alive."""
        return self._thread.is_alive()

    @property
    def best_now(self) -> Move | None:
        """The best move that the player has found so far; None if unknown."""
        player = self._player
        return player.best_now if isinstance(player, PlansTime) else None

    def ask(self, job: Job) -> Thought:
        """Queue a job for the player, and return its thought."""
        thought = Thought(job)
        self._thoughts.put(thought)
        return thought

    def end(self) -> None:
        """Close the player after its current job; return at once."""
        self._thoughts.put(None)

    def join(self, timeout: float) -> None:
        """Wait for the end, at most this many seconds."""
        self._thread.join(timeout)

    def _run(self) -> None:
        player, fault = None, None
        try:
            player = self._player = self._make()
        except Exception as error:  # whatever a player of a project's own raises
            fault = error
        while True:
            thought = self._thoughts.get()
            if thought is None:
                break
            thought.is_begun = True  # before reading `is_dropped`: who drops it reads this last
            if thought.is_dropped:
                continue
            try:
                if player is None:
                    raise fault or RuntimeError("expected a player, found none")
                thought.reply = thought.job(player)
            except Exception as error:
                thought.error = error
            thought.is_done = True
            self._done(thought)
        if player is not None:
            with contextlib.suppress(Exception):
                player.close()


def prepared(player: Player, rules: Game, folder: str = "") -> Player:
    """Load the kernels of a player, and the network of the folder; return the player.

    The player chooses one move of a dummy game, with a random generator of its own.

    Args:
        player: a new player.
        rules: rules of its games.
        folder: folder of its files, from INFO; "" for none.
    """
    if folder and isinstance(player, LoadsCheckpoints) and (Path(folder) / NETWORK_FILE).is_file():
        player.load_checkpoint(1, Path(folder))
    board = board_of(rules)
    for _ in range(min(_WARM_STONES, rules.points - 1)):
        board.push(quick_move(board))
        if board.outcome() is not None:
            return player
    player.choose(board, Limit(seconds=0.001, nodes=1), np.random.default_rng(0))
    return player
