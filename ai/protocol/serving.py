"""A brain on this process's standard input and output, and nothing else on either."""

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
from ai.protocol.brain import Brain, Inbox, Spec
from ai.protocol.messages import LineSplitter

CHUNK: Final = 65536


def take_stdout() -> int:
    """Return a descriptor of the standard output; whatever prints goes to stderr from now on.

    Output of C libraries included.
    """
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def serve(spec: Spec, reading: int, writing: int) -> None:
    """Talk on two descriptors until END, the end of the input, or of the manager.

    Args:
        spec: what the brain is made of.
        reading: where commands come from; a thread reads it, for ever.
        writing: where replies go.
    """
    spec = replace(spec, make_player=loaded_once(spec.make_player))
    inbox = Inbox()
    threading.Thread(target=read_lines, args=(reading, inbox), name="reader", daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        Brain(spec, writer_to(writing), inbox).run()


def loaded_once(make: Callable[[Game], Player]) -> Callable[[Game], Player]:
    """Return `make`; what is loaded when it first returns is never looked at for cycles again.

    A full collection goes through everything that the compiler of kernels holds, 0.04 s of CPU time
    and more on a busy machine, in which no other thread can send a move.
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
    """Put the lines of a descriptor into an inbox, and None at its end."""
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
    """Return a function that writes a line at once."""

    def write(line: str) -> None:
        data = f"{line}\n".encode()
        while data:
            data = data[os.write(descriptor, data) :]

    return write


__all__ = ["loaded_once", "serve", "take_stdout"]
