"""A brain in a thread, and a link to it in place of a process."""

from __future__ import annotations

import queue
import threading
import time

from ai.players.base import MoveChoice
from ai.protocol.brain import Brain, BrainSpec, Inbox
from ai.protocol.messages import About
from ai.registry.players import check_game, create_player, get_player_info

HANG = 30.0
"""Seconds after which a test has hung."""


def spec_of(player: str, seed: int | None = 1, **settings) -> BrainSpec:
    info = get_player_info(player)
    return BrainSpec(
        lambda rules: create_player(player, rules, settings),
        lambda rules: check_game(info, rules),
        About({"name": player}),
        seed,
    )


def spec_with(player) -> BrainSpec:
    """Return the spec of a player object."""
    return BrainSpec(lambda rules: player, lambda rules: None, About({"name": "fake"}), 1)


class Talk:
    """A conversation with a brain that runs in a thread; also the `Link` of an engine to it."""

    def __init__(self, spec: BrainSpec, memory=None) -> None:
        self.inbox = Inbox()
        self.replies: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.brain = Brain(spec, self.replies.put, self.inbox, memory)
        self.thread = threading.Thread(target=self.brain.run, daemon=True)
        self.thread.start()

    def say(self, *lines: str) -> None:
        for line in lines:
            self.inbox.put_line(line)

    def hear(self) -> str:
        return self.replies.get(timeout=HANG)

    def ask(self, *lines: str) -> str:
        self.say(*lines)
        return self.hear()

    def leave(self) -> None:
        self.inbox.put_line("END")
        self.thread.join(HANG)
        assert not self.thread.is_alive()

    # as a Link

    send = say
    is_killed = False

    def receive(self, until: float) -> str | None:
        try:
            while True:
                line = self.replies.get(timeout=max(0.0, until - time.monotonic()))
                if not line.startswith(("MESSAGE", "DEBUG")):
                    return line
        except queue.Empty:
            return None

    def discard(self) -> None:
        while not self.replies.empty():
            self.replies.get()

    def end(self, seconds: float) -> None:
        self.thread.join(seconds)

    def kill(self) -> None:
        self.is_killed = True
        self.inbox.put_end()
        self.thread.join(HANG)


class Fixed:
    """A player that plays the first legal move, after it was allowed to."""

    name = "fixed"

    def __init__(self, gate: threading.Event | None = None, move: int | None = None) -> None:
        self.gate = gate
        self.move = move
        self.limits = []
        self.is_closed = False
        self.prepared = threading.Event()
        self.begun = threading.Event()

    def choose(self, board, limit, rng) -> MoveChoice:
        if limit.nodes == 1:  # it is being prepared
            self.prepared.set()
            return MoveChoice(next(iter(board.legal_moves)))
        self.limits.append(limit)
        self.begun.set()
        if self.gate is not None:
            self.gate.wait(HANG)
        move = next(iter(board.legal_moves)) if self.move is None else self.move
        return MoveChoice(move, value=0.5)

    def close(self) -> None:
        self.is_closed = True
