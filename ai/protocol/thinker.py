"""Runs a player in its own thread, which answers one question after another.

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
"""Greatest distance in points at which two stones can be part of one row of five."""


def quick_move(position: Position) -> Move:
    """Return a legal move of an m,n,k game (n x m board, k in a row), found in a millisecond.

    The move completes a winning row if possible, or else blocks one. Otherwise it extends or blocks
    the longest rows, own rows first. On an empty board it is in the middle.

    Args:
        position: position to move in, not over; unchanged on return.
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
    """Return how much an empty point is worth to a side, by the stones near it.

    It is the sum of the squared numbers of the side's stones on the four lines through the point. A
    line counts only if the other side's stones still leave room for a winning row.

    Args:
        board: the board.
        move: the empty point.
        color: the side whose stones are counted.
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
"""Name of the file with a trained network, in the folder that the manager names by INFO."""


class Thought:
    """A question to the player; when it is done, either `reply` or `error` is set."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.reply: Reply | None = None
        self.error: BaseException | None = None
        self.is_begun = False
        self.is_done = False
        self.is_dropped = False
        """Whether nobody waits for the answer any more.

        A question that is not begun yet is then skipped.
        """


class Thinker:
    """Creates a player in a daemon thread and asks it questions there.

    If the player cannot be created, every question ends with the error.
    """

    def __init__(self, make: Callable[[], Player], done: Done) -> None:
        """Start the thread.

        Args:
            make: called in the thread; creates the player and prepares it for a quick first move.
            done: called in the thread with each finished question.
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
        """The best move found so far in the present search; None if unknown."""
        player = self._player
        return player.best_now if isinstance(player, PlansTime) else None

    def ask(self, job: Job) -> Thought:
        """Put a question to the player; it is answered after those asked before.

        Args:
            job: called in the thread with the player; returns the reply.

        Returns:
            The question, which later holds the reply or an error.
        """
        thought = Thought(job)
        self._thoughts.put(thought)
        return thought

    def end(self) -> None:
        """Request the end: the player is closed after the questions asked before.

        It does not wait for the end.
        """
        self._thoughts.put(None)

    def join(self, timeout: float) -> None:
        """Wait up to `timeout` seconds for the thread to end."""
        self._thread.join(timeout)

    def _run(self) -> None:
        player: Player | None = None
        fault: BaseException | None = None
        try:
            player = self._player = self._make()
        except BaseException as error:  # whatever a player of a project's own raises
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
            except BaseException as error:
                thought.error = error
            thought.is_done = True
            self._done(thought)
        if player is not None:
            with contextlib.suppress(Exception):
                player.close()


def prepared(player: Player, rules: Game, folder: str = "") -> Player:
    """Prepare a player for quick moves, and return the player.

    The player chooses a move of a dummy game, which loads its compiled code. If the folder holds a
    trained network, the player loads it.

    Args:
        player: a new player.
        rules: rules of its games.
        folder: folder of its files, set by INFO; "" for none.
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
