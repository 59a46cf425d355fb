"""Sends messages to one worker: encodes them and writes them to its pipe in order, never blocking.

A message is a pickle, followed by its arrays. This way each array is copied only once; within the
pickle it would be copied several times while the pickle grows. The worker decodes messages with
`decode` in `process.py`. This module imports NumPy, which a worker may load only after its
environment is set.

A message that certainly fits into the pipe is written at once. Others wait in a queue, because a
pipe stays full while its worker is busy. A thread writes the queue and ends when it is empty.
"""

from __future__ import annotations

import contextlib
import copyreg
import io
import os
import pickle
import select
import socket
import struct
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from base.worker.process import COUNT

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


SURE_SHARE: Final = 4
"""A socket reported as writable has at least one part in this many of its buffer free.

Linux reports it as writable up to three quarters full, macOS from 2 kB of 8 kB on.
"""

HEADER: Final = 16
"""Upper bound on the size of the header that `Connection` adds to a message, bytes."""


class LinkSender:
    """Sends messages to one process; messages sent before `connect` are queued.

    Args:
        name: name of the sending thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._waiting: deque[bytes] = deque()
        self._thread: threading.Thread | None = None
        self._is_draining = False
        self._connection: Connection | None = None
        self._is_closed = False
        self._poll: select.poll | None = None
        self._room = 0

    def connect(self, connection: Connection) -> None:
        """Set the connection; queued messages are sent first."""
        with self._lock:
            if self._is_closed:
                return
            self._connection = connection
            self._measure(connection)
            self._keep_sending()

    def send(self, content: bytes) -> None:
        """Queue or write an encoded message, in order; returns at once.

        A broken connection is not reported here but by the thread that receives.
        """
        with self._lock:
            if self._is_closed:
                return
            connection = self._connection
            if connection is not None and not self._is_draining and self._has_room(content):
                _write(connection, content)
                return
            self._waiting.append(content)
            self._keep_sending()

    def flush(self, timeout: float) -> None:
        """Wait until everything is written to the pipe, at most `timeout` seconds."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def hang_up(self) -> None:
        """Stop sending at once and drop the waiting messages.

        The thread that reads from the pipe then finds the pipe's end.
        """
        with self._lock:
            self._is_closed = True
            self._waiting.clear()
            connection, self._connection = self._connection, None
            if connection is not None:  # under the lock: who closes it takes the lock first
                _hang_up(connection)

    def close(self) -> None:
        """Stop sending and wait for the sending thread; the connection is unused afterwards."""
        self.hang_up()
        thread = self._thread
        if thread is not None:
            thread.join()

    # -- inside -------------------------------------------------------------------------------

    def _measure(self, connection: Connection) -> None:
        if not hasattr(select, "poll"):
            return  # Windows: a pipe there does not tell
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            size = end.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        self._room = size // SURE_SHARE - HEADER
        self._poll = select.poll()
        self._poll.register(connection.fileno(), select.POLLOUT)

    def _has_room(self, content: bytes) -> bool:
        """Return whether the pipe certainly has space for the whole message now."""
        if self._poll is None or len(content) > self._room:
            return False
        return bool(self._poll.poll(0))

    def _keep_sending(self) -> None:
        """Start the thread that sends the waiting messages, unless it runs already.

        The caller must hold the lock.
        """
        if not self._waiting or self._is_draining or self._connection is None:
            return
        thread = threading.Thread(target=self._drain, name=self._name, daemon=True)
        thread.start()
        self._thread, self._is_draining = thread, True

    def _drain(self) -> None:
        while True:
            with self._lock:
                connection = self._connection
                if not self._waiting or connection is None:
                    self._is_draining = False
                    return
                content = self._waiting.popleft()
            _write(connection, content)


def _write(connection: Connection, content: bytes) -> None:
    with contextlib.suppress(OSError, ValueError, TypeError):  # the receiving thread reports it
        connection.send_bytes(content)


def _hang_up(connection: Connection) -> None:
    """Shut down a connection without closing its descriptor, which another thread closes later.

    That thread is still reading from it. If the descriptor were closed here, the next opened file
    could get the same number, and the thread might read from that file.

    Args:
        connection: the connection.
    """
    if sys.platform == "win32":
        connection.close()
        return
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)


PROTOCOL = 5  # the first one with out-of-band buffers


def encode(message: object) -> bytes:
    """Return a message as bytes for the pipe; errors of pickle are raised unchanged."""
    head = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    pickler = pickle.Pickler(head, PROTOCOL, buffer_callback=buffers.append)
    pickler.dispatch_table = copyreg.dispatch_table | {np.ndarray: _reduce_array}
    pickler.dump(message)
    parts = [head.getbuffer(), *(buffer.raw() for buffer in buffers)]
    sizes = [len(part) for part in parts]
    return b"".join((COUNT.pack(len(sizes)), struct.pack(f"!{len(sizes)}Q", *sizes), *parts))


def _reduce_array(array: NDArray[np.generic]) -> Any:
    """Return how an array is pickled, such that the array can be written to after unpickling.

    Args:
        array: the array.
    """
    is_frozen = not array.flags.writeable and not array.dtype.hasobject
    return (array.copy() if is_frozen else array).__reduce_ex__(PROTOCOL)
