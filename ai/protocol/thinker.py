"""A player in a thread of its own: it is prepared there, and asked one thing after the other."""

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
"""Points to either side of a point that a row of five through it may take."""


def quick_move(position: Position) -> Move:
    """Return a legal move of an m,n,k game, found in about a millisecond.

    A row that wins, else the point that stops one, else the point beside the longest rows of
    either side, an own one first; in the middle of an empty board.

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
    """Return the sum of the squares of a side's stones in each line beside a point.

    Lines in which the other side leaves no room for a row count nothing.
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
"""In the folder that INFO names: the network of a player that has learnt."""


class Thought:
    """A question to the player; `reply` or `error` is there when it is done."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.reply: Reply | None = None
        self.error: Exception | None = None
        self.is_begun = False
        self.is_done = False
        self.is_dropped = False
        """Whether nobody waits for it any more; one that is not begun never will be."""


class Thinker:
    """Makes a player and asks it, in a daemon thread.

    What cannot be made says so at the first question, as that thought's `error`.
    """

    def __init__(self, make: Callable[[], Player], done: Done) -> None:
        """Start the thread.

        Args:
            make: makes the player, and prepares it so that its first move is quick.
            done: called in the thread with each thought that is done.
        """
        self._make = make
        self._done = done
        self._thoughts: queue.SimpleQueue[Thought | None] = queue.SimpleQueue()
        self._player: Player | None = None
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the thread still does something, or waits to."""
        return self._thread.is_alive()

    @property
    def best_now(self) -> Move | None:
        """The best move that the player has found so far, None where it cannot say one."""
        player = self._player
        return player.best_now if isinstance(player, PlansTime) else None

    def ask(self, job: Job) -> Thought:
        """Let the player do a job, after those before it."""
        thought = Thought(job)
        self._thoughts.put(thought)
        return thought

    def end(self) -> None:
        """Close the player when it has done what it does now; waits for nothing."""
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
            thought.is_begun = True  # first: who drops it looks at this after dropping
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
    """Return a player whose kernels are loaded, and whose network is that of the folder.

    It chooses one move of a game that is not played, from dice of its own.

    Args:
        player: new.
        rules: what it plays.
        folder: where INFO says that it keeps its files; empty for none.
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


__all__ = ["Thinker", "Thought", "prepared", "quick_move"]
