"""Functions that run in the worker processes of test_link.py."""

from __future__ import annotations

import os
import time


def echo(connection, settings):
    kept = None
    while True:
        request_id, _, (verb, value) = connection.recv()
        result = value
        if verb == "count":
            for number in range(value):
                connection.send((request_id, False, number))
        elif verb == "fail":
            result = ("error", "ValueError", value, "")
        elif verb == "fail in":
            result = ("error", "KeyError", "'x' (scripts/mine.py:12)", value)
        elif verb == "remember":
            kept = value
        elif verb in ("recall", "recall after"):
            time.sleep(value or 0.0)
            result = kept
        elif verb in ("setting", "slow setting"):
            time.sleep(0.3 if verb == "slow setting" else 0.0)
            result = settings[value]
        if request_id:
            connection.send((request_id, True, result))


def die(connection, settings):
    os._exit(3)
