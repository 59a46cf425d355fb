"""Calls of a program in a thread, beside an app that runs frames meanwhile."""

from __future__ import annotations

import threading


def outcome_beside(pilot, function):
    """Return what a function returns or raises in a thread while the app runs frames."""
    found = []

    def call():
        try:
            found.append(function())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    pilot.wait_until(lambda: not thread.is_alive(), frames=1_000_000)
    return found[0]


def beside(pilot, function):
    """Return what a function returns in a thread while the app runs frames; raise its error."""
    found = outcome_beside(pilot, function)
    if isinstance(found, Exception):
        raise found
    return found
