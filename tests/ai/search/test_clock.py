from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.kernels.clock import UNLIMITED, may_go_on
from ai.kernels.jit import fields_of
from ai.search.base import Limit, SearchClock


def test_without_a_limit_it_never_ends():
    clock = SearchClock(Limit())
    clock.nodes = 10**12
    assert clock.is_unlimited
    assert not any([clock.is_over(), clock.is_late(), clock.spend()])
    assert clock.remaining() == Limit()


def test_positions_are_counted():
    clock = SearchClock(Limit(nodes=3))
    assert [clock.spend() for _ in range(4)] == [False, False, True, True]
    assert clock.is_over()
    assert clock.remaining() == Limit(nodes=0)


def test_time_runs_from_the_beginning():
    clock = SearchClock(Limit(seconds=0.0))
    assert clock.is_late()
    assert clock.is_over()
    assert not SearchClock(Limit(seconds=1e6)).is_over()
    assert clock.remaining().seconds == 0.0


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0.0, 1.0))
def test_a_share_of_the_rest_is_never_more_than_the_rest(limit, spent, share):
    clock = SearchClock(Limit(nodes=limit))
    clock.nodes = spent
    part, rest = clock.remaining(share).nodes, clock.remaining().nodes
    assert rest == max(0, limit - spent)
    assert 0 <= part <= rest
    assert part == pytest.approx(rest * share, abs=1)


def test_what_a_kernel_counts_is_added():
    clock = SearchClock(Limit(nodes=10))
    clock.nodes = 4
    with clock.record() as record:
        fields = fields_of(record)
        assert fields.node_limit == 6
        assert (may_go_on(record, 6), may_go_on(record, 7)) == (1, 0)
        fields.nodes = 5
        assert (may_go_on(record, 1), may_go_on(record, 2)) == (1, 0)
    assert clock.nodes == 9
    with SearchClock(Limit()).record() as record:
        assert fields_of(record).node_limit == UNLIMITED


def test_a_thread_stops_a_kernel():
    with SearchClock(Limit(seconds=0.01)).record() as record:
        start = time.monotonic()
        while may_go_on(record, 1) and time.monotonic() < start + 20.0:
            pass
        assert not may_go_on(record, 1)
    with SearchClock(Limit(seconds=math.inf)).record() as record:
        assert may_go_on(record, 1)


def test_a_record_that_is_left_early_leaves_no_thread_behind():
    import threading

    before = threading.active_count()
    for _ in range(20):
        with SearchClock(Limit(seconds=60.0)).record():
            pass
    deadline = time.monotonic() + 20.0
    while threading.active_count() > before and time.monotonic() < deadline:
        np.random.default_rng()
    assert threading.active_count() <= before


def test_seconds_of_the_processor_pass_only_while_it_computes():
    clock = SearchClock(Limit(seconds=0.02, on_processor=True))
    time.sleep(0.05)
    assert not clock.is_late()
    assert clock.remaining().on_processor
    while not clock.is_late():
        pass
    assert clock.elapsed >= 0.02
    assert clock.remaining() == Limit(seconds=0.0, on_processor=True)


def test_a_kernel_is_stopped_after_its_seconds_of_the_processor():
    clock = SearchClock(Limit(seconds=0.02, on_processor=True))
    with clock.record() as record:
        time.sleep(0.05)
        assert may_go_on(record, 1)
        start = time.monotonic()
        while may_go_on(record, 1) and time.monotonic() < start + 20.0:
            pass
        assert not may_go_on(record, 1)
    assert clock.elapsed >= 0.02


def test_positions_of_a_share_count():
    clock = SearchClock(Limit(nodes=10))
    clock.count(7)
    assert clock.remaining().nodes == 3
    assert not clock.is_over()
    clock.count(4)
    assert clock.is_over()
