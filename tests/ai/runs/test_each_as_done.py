"""Several calls at a time: in this process, in processes, and on a (made up) Ray cluster."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from ai.runs import cluster
from ai.runs.cluster import each_as_done
from base.errors import UsageError

CALLS = [(2, 3), (2, 4), (5, 2)]
RESULTS = {0: 8, 1: 16, 2: 25}


class FakeRay(SimpleNamespace):
    """Computes when a result is waited for, the last call first."""

    def __init__(self) -> None:
        super().__init__(joined=False)

    def init(self, **settings: object) -> None:
        self.joined = True

    def shutdown(self) -> None:
        self.joined = False

    def remote(self, num_cpus: int):
        return lambda function: SimpleNamespace(remote=lambda *call: (function, call))

    def wait(self, waiting: list[tuple], num_returns: int):
        return waiting[-num_returns:], waiting[:-num_returns]

    def get(self, reference: tuple) -> int:
        assert self.joined
        function, call = reference
        return function(*call)


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_result_has_the_index_of_its_call(jobs: int) -> None:
    assert dict(each_as_done(pow, CALLS, jobs=jobs)) == RESULTS


def test_in_this_process_they_come_in_order() -> None:
    assert list(each_as_done(pow, CALLS)) == list(RESULTS.items())


def test_a_cluster_is_left_at_the_end_and_not_joined_for_nothing(monkeypatch) -> None:
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    found = each_as_done(pow, CALLS, backend="ray")
    assert next(found) == (2, 25)
    assert ray.joined
    assert dict(found) == {0: 8, 1: 16}
    assert not ray.joined
    assert list(each_as_done(pow, [], backend="ray", address="nowhere:1")) == []


def test_who_stops_early_leaves_the_cluster(monkeypatch) -> None:
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    found = each_as_done(pow, CALLS, backend="ray")
    next(found)
    found.close()
    assert not ray.joined


def test_no_room_in_the_shared_memory_is_one_line(monkeypatch):
    class Full:
        def Lock(self):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(cluster.multiprocessing, "get_context", lambda name: Full())
    with pytest.raises(UsageError, match="--jobs: expected room in the system's shared memory"):
        list(cluster.each_as_done(abs, [(1,), (2,)], jobs=2))
