"""Run a brain on standard input and output, and redirect all other output to stderr."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ai.game import Game
from ai.players.base import Player
from ai.protocol.brain import Brain, BrainSpec, Inbox
from ai.protocol.messages import LineSplitter
from base.errors import is_closed_pipe

CHUNK: Final = 65536


def redirect_stdout() -> int:
    """Redirect everything that is printed from now on to stderr.

    This includes the output of C libraries.

    Returns:
        A descriptor of the real standard output, the only way to write to it.
    """
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def serve(spec: BrainSpec, reading: int, writing: int) -> None:
    """Run a brain on two file descriptors until END, the end of the input, or the manager is gone.

    Args:
        spec: player and description of the brain.
        reading: descriptor from which a thread reads commands.
        writing: descriptor of the replies.
    """
    spec = replace(spec, make_player=loaded_once(spec.make_player))
    inbox = Inbox()
    threading.Thread(target=read_lines, args=(reading, inbox), name="reader", daemon=True).start()
    try:
        Brain(spec, writer_to(writing), inbox).run()
    except OSError as error:
        if not is_closed_pipe(error):
            raise


def loaded_once(make: Callable[[Game], Player]) -> Callable[[Game], Player]:
    """Wrap a function that makes players, so that later garbage collections are fast.

    After its first call, all objects that exist then are left out of garbage collection. A full
    collection would traverse everything that the kernel compiler holds, which takes 0.04 seconds
    and more. Meanwhile no thread could send a move.

    Args:
        make: makes a player for a game.

    Returns:
        The wrapped function.
    """
    is_loaded = threading.Event()

    def made(rules: Game) -> Player:
        player = make(rules)
        if not is_loaded.is_set():
            is_loaded.set()
            gc.freeze()
        return player

    return made


def read_lines(reading: int, inbox: Inbox) -> None:
    """Read lines from a file descriptor into an inbox until the input ends."""
    splitter = LineSplitter()
    with contextlib.suppress(OSError):
        while data := os.read(reading, CHUNK):
            for line in splitter.feed(data):
                inbox.put_line(line)
    rest = splitter.rest()
    if rest.strip():
        inbox.put_line(rest)
    inbox.put_end()


def writer_to(descriptor: int) -> Callable[[str], None]:
    """Return a function that writes a line to a file descriptor, unbuffered."""

    def write(line: str) -> None:
        data = f"{line}\n".encode()
        while data:
            data = data[os.write(descriptor, data) :]

    return write
