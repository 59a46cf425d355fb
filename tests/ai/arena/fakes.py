"""Players with faults, named by `module:callable` as a user's own are."""

from __future__ import annotations

import threading
import time

from ai.players.base import MoveChoice


class Fake:
    """Plays the first point, and does one thing wrong at its second move."""

    name = "fake"

    def __init__(self, rules, settings):
        self.moves = 0

    def choose(self, board, limit, rng):
        """Return the first empty point, or err."""
        self.moves += 1
        if self.moves == 2:
            return self.err(board, limit)
        return MoveChoice(next(iter(board.legal_moves)))

    def err(self, board, limit):
        """Do what is wrong."""
        raise OSError("the pen is broken")

    def close(self):
        """Raise, as a broken player may."""
        raise RuntimeError("cannot be closed")


class Liar(Fake):
    """Plays on a stone."""

    def err(self, board, limit):
        """Return an occupied point."""
        return MoveChoice(board.moves[0])


class Sleeper(Fake):
    """Needs longer than it may."""

    def err(self, board, limit):
        """Say that much time passed, without waiting for it."""
        started, self.clock = time.perf_counter(), time.perf_counter
        time.perf_counter = lambda: started + 9.0
        return MoveChoice(next(iter(board.legal_moves)))

    def close(self):
        """Let time pass as before."""
        if hasattr(self, "clock"):
            time.perf_counter = self.clock


class Loops(Fake):
    """Computes without end, amid a search on the board, and lets no error stop it."""

    def err(self, board, limit):
        """Count for ever."""
        board.push(next(iter(board.legal_moves)))
        while True:
            try:
                board.ply + 1
            except Exception:
                continue


class Waits(Fake):
    """Waits for what never comes, at its end as well."""

    def err(self, board, limit):
        """Wait for ever."""
        threading.Event().wait()

    def close(self):
        """Wait for ever."""
        self.err(None, None)


class Absent(Fake):
    """Cannot be made a second time: the first is the check at the start."""

    made = 0

    def __init__(self, rules, settings):
        super().__init__(rules, settings)
        Absent.made += 1
        if Absent.made > 2:
            raise OSError("no chair")
