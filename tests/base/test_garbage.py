"""The collector of garbage waits for all blocks in all threads, and is as before."""

from __future__ import annotations

import gc
import threading

import pytest

from base.garbage import collector_waits


@pytest.mark.parametrize("was_enabled", [True, False])
def test_the_collector_waits_and_is_as_before(was_enabled):
    before = gc.isenabled()
    try:
        (gc.enable if was_enabled else gc.disable)()
        with collector_waits():
            assert not gc.isenabled()
        assert gc.isenabled() == was_enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_a_block_that_ends_in_another_thread_leaves_the_collector_off():
    begun, may_end = threading.Event(), threading.Event()

    def load() -> None:
        with collector_waits():
            begun.set()
            may_end.wait(10.0)

    assert gc.isenabled()
    thread = threading.Thread(target=load)
    thread.start()
    begun.wait(10.0)
    with collector_waits():
        may_end.set()
        thread.join()
        assert not gc.isenabled()
    assert gc.isenabled()
