"""Actors on a Ray cluster of two machines: files travel, and a machine may be lost."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from ai.curriculum.actors import ONE_THREAD, ActorError, RayActors, files_of, with_files
from base.errors import UsageError

pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True)
class Asked:
    what: str
    pair: Path
    flag: str = ""
    """A file that says on which machine the order is being played."""

    def play(self):
        if self.what == "die":
            os._exit(3)
        if self.what == "wait" and not Path(self.flag).exists():
            import ray

            Path(self.flag).write_text(ray.get_runtime_context().get_node_id())
            time.sleep(600.0)
        return self.what, self.pair.read_text(), [os.environ[name] for name in ONE_THREAD]


@pytest.fixture(scope="module")
def cluster():
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    made = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    yield made
    made.shutdown()


def test_an_order_names_its_files_where_it_is_played(tmp_path):
    pair = tmp_path / "pair.npz"
    order = Asked("a", pair)
    assert files_of(order) == [pair]
    (tmp_path / "there").mkdir()
    there = with_files(order, {str(pair): b"weights"}, tmp_path / "there")
    assert (there.what, there.pair.read_bytes(), there.pair.suffix) == ("a", b"weights", ".npz")
    assert order.pair == pair


class FakeRay(ModuleType):
    """Ray in this process: a task is run when it is asked for, one that dies is not."""

    exceptions = SimpleNamespace(
        **{
            name: type(name, (Exception,), {})
            for name in (
                "WorkerCrashedError",
                "NodeDiedError",
                "ObjectLostError",
                "OutOfMemoryError",
            )
        }
    )

    def __init__(self):
        super().__init__("ray")
        self.started, self.stored, self.options, self.cancelled, self.left = [], [], {}, [], 0

    def init(self, **options):
        self.started.append(options)

    def shutdown(self):
        self.left += 1

    def put(self, content):
        self.stored.append(content)
        return content

    def remote(self, **options):
        self.options = options
        return lambda task: SimpleNamespace(remote=lambda *words: Result(task, words))

    def get(self, given):
        return given if isinstance(given, list) else given.value(self)

    def wait(self, waiting, num_returns):
        return waiting[-num_returns:], waiting[:-num_returns]

    def cancel(self, result, force):
        self.cancelled.append(result.words[0].what)


@dataclass(frozen=True, eq=False)
class Result:
    task: object
    words: tuple

    def value(self, ray):
        if self.words[0].what == "die":
            raise ray.exceptions.WorkerCrashedError
        return self.task(*self.words)


@pytest.fixture
def fake(monkeypatch):
    made = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", made)
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "1")
    return made


def test_files_travel_through_the_store_once_and_results_keep_their_places(fake, tmp_path):
    pair = tmp_path / "pair.npz"
    pair.write_text("weights")
    orders = [Asked("a", pair), Asked("b", pair)]
    with closing(RayActors()) as actors:
        games = actors.played(orders)
        assert next(games) == (1, ("b", "weights", ["1"] * 4)), "the last one was ready first"
        assert dict(games) == {0: ("a", "weights", ["1"] * 4)}
        assert fake.stored == [b"weights"]
        list(actors.played(orders))
        assert fake.stored == [b"weights"], "the same weights are there already"
        pair.write_text("newer")
        assert dict(actors.played(orders[:1]))[0][1] == "newer"
        assert fake.stored == [b"weights", b"newer"]
        assert actors.cpu_seconds > 0.0
    assert fake.options == {"num_cpus": 1, "max_retries": 4}
    (options,) = fake.started
    assert (options["address"], fake.left) == ("local", 1)
    assert options["runtime_env"] == {"env_vars": ONE_THREAD}


def test_an_order_that_always_ends_its_process_is_one_line(fake, tmp_path):
    pair = tmp_path / "pair.npz"
    pair.write_text("weights")
    orders = [Asked("a", pair), Asked("die", pair)]
    with closing(RayActors(retries=2)) as actors:
        with pytest.raises(ActorError, match="ended amid its games, 3 times; go on with --resume"):
            list(actors.played(orders))
        assert fake.cancelled == ["a"], "what is not done is not played on"


@pytest.mark.nightly
def test_a_lost_machine_costs_its_orders_in_play_and_nothing_else(cluster, tmp_path):
    """Its order is played again, on the other machine; what was finished is not."""
    nodes = {node.node_id: node for node in (cluster.add_node(num_cpus=1) for _ in range(2))}
    pair, flag = tmp_path / "pair.npz", tmp_path / "flag"
    pair.write_text("weights")
    orders = [Asked(str(number), pair) for number in range(4)] + [Asked("wait", pair, str(flag))]
    with closing(RayActors(cluster.address)) as actors:
        games = actors.played(orders)
        found = dict(next(games) for _ in range(4))
        assert found == {number: (str(number), "weights", ["1"] * 4) for number in range(4)}
        while not flag.exists():
            time.sleep(0.05)
        cluster.remove_node(nodes[flag.read_text()], allow_graceful=False)
        found |= dict(games)
        assert found[4][:2] == ("wait", "weights")
    with closing(RayActors(cluster.address, retries=0)) as actors:
        with pytest.raises(ActorError, match="ended amid its games, 1 time; go on with --resume"):
            list(actors.played([Asked("die", pair)]))
        assert dict(actors.played(orders[:1])) == {0: found[0]}, "the others are still there"


def test_a_cluster_that_is_not_there_is_one_line():
    pytest.importorskip("ray")
    with pytest.raises(UsageError, match=r"^--address: expected a Ray cluster that runs, found"):
        RayActors("127.0.0.1:1")
