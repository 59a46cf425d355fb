"""A wait for a debugger ends by Ctrl+C, however the debugger's own code takes it."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from sim.core.reporting.debugging import _wait_for_client

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of other systems")


class LateWait:
    """Cannot be cancelled at first, as debugpy's, and swallows what is raised amid it."""

    def __init__(self) -> None:
        self.attached = threading.Event()

    @staticmethod
    def cancel() -> None:
        raise RuntimeError("wait_for_client() must be called first")

    def __call__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        with_no_end = time.monotonic() + 20.0
        time.sleep(0.1)
        self.cancel = self.attached.set
        while not self.attached.wait(0.02) and time.monotonic() < with_no_end:
            pass


def test_a_wait_that_swallows_what_is_raised_ends_all_the_same() -> None:
    before, wait = signal.getsignal(signal.SIGINT), LateWait()
    with pytest.raises(KeyboardInterrupt):
        _wait_for_client(SimpleNamespace(wait_for_client=wait))
    assert wait.attached.is_set()
    assert signal.getsignal(signal.SIGINT) is before


def test_who_attaches_is_not_interrupted() -> None:
    before = signal.getsignal(signal.SIGINT)
    _wait_for_client(SimpleNamespace(wait_for_client=lambda: None))
    assert signal.getsignal(signal.SIGINT) is before
