"""The collector of garbage waits, and is as before."""

from __future__ import annotations

import gc

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
