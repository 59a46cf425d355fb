"""Functions that run in the worker processes of test_link.py."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

from base.worker.failure import Failure
from base.worker.service import serve


def echo(connection, settings):
    kept = None
    while True:
        request_id, _, (verb, value) = connection.recv()
        result = value
        if verb == "count":
            for number in range(value):
                connection.send((request_id, False, number))
        elif verb == "fail":
            result = Failure(value, "ValueError")
        elif verb == "fail in":
            place = (
                {"file": value, "line": 12, "frames": (f"{value}:12 in choose",)} if value else {}
            )
            result = Failure("'x' (scripts/mine.py:12)", "KeyError", **place)
        elif verb == "remember":
            kept = value
        elif verb in ("recall", "recall after"):
            time.sleep(value or 0.0)
            result = kept
        elif verb == "await file":
            connection.send((request_id, False, "busy"))
            result = is_made(Path(value))
        elif verb == "length":
            result = len(value)
        elif verb == "write":
            path, content = value
            Path(path).write_bytes(content)
        elif verb in ("setting", "slow setting"):
            time.sleep(0.3 if verb == "slow setting" else 0.0)
            result = settings[value]
        if request_id:
            connection.send((request_id, True, result))


def is_made(path):
    """Read nothing until a file is there; tell whether it came within some seconds."""
    deadline = time.monotonic() + 5.0
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    return path.exists()


def die(connection, settings):
    os._exit(3)


class OnlyThere:
    """Cannot be read where this module is not known."""

    def __reduce__(self):
        return unreadable, ()


def unreadable():
    if multiprocessing.parent_process() is None:
        raise LookupError("only workers know how")


def strange(connection, settings):
    """Answers with what cannot be read, then with no answer at all, then well."""
    request_id, _, _ = connection.recv()
    connection.send((request_id, True, OnlyThere()))
    connection.recv()
    connection.send("no answer")
    request_id, _, value = connection.recv()
    connection.send((request_id, True, value))
    connection.recv()


def hangs_up(connection, settings):
    """Closes the pipe and goes on."""
    connection.close()
    time.sleep(600.0)


def serving(connection, settings):
    """Answer with what was asked, as the workers of players and learners do."""
    serve(connection, lambda payload, report: payload)
