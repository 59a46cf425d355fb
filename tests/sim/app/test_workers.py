"""Copies of a scene on a Ray cluster are those of this process; a lost machine is made up for."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from base.errors import GoishiError, UsageError, WorkerLostError
from sim.app import workers as workers_module
from sim.app.vector_world import VectorWorld
from tests.command_line import run_here

ROOT = Path(__file__).resolve().parents[3]
CART_POLE = ROOT / "scenes" / "cart_pole.scene.json"
BALL_GAME = ROOT / "scenes" / "ball_game.scene.json"
COPIES = 5


class FakeRay(ModuleType):
    """Ray in this process: an actor's method runs when its answer is asked for, in turn."""

    exceptions = SimpleNamespace(
        RayActorError=type("RayActorError", (Exception,), {}),
        GetTimeoutError=type("GetTimeoutError", (Exception,), {}),
    )

    def __init__(self, cores=2):
        super().__init__("ray")
        self.actors, self.killed, self.cores = [], [], cores

    def cluster_resources(self):
        return {"CPU": float(self.cores)}

    def init(self, **options):
        self.options = options

    def shutdown(self):
        self.left = True

    def remote(self, **options):
        return lambda kind: SimpleNamespace(remote=lambda: self.begun(kind()))

    def begun(self, held):
        actor = Actor(held)
        self.actors.append(actor)
        return actor

    def get(self, call, timeout=None):
        actor, method, arguments = call
        if actor.is_lost:
            raise self.exceptions.RayActorError
        return getattr(actor.held, method)(*arguments)

    def kill(self, actor):
        self.killed.append(actor)

    def lose(self, number):
        """Let an actor's machine be lost, with all that runs there."""
        self.actors[number].is_lost = True
        self.actors[number].held.close()


class Actor:
    def __init__(self, held):
        self.held, self.is_lost = held, False

    def __getattr__(self, name):
        return SimpleNamespace(remote=lambda *arguments: (self, name, arguments))


def rows_of(world, steps=40):
    """Return what copies see, gain and how they end, by actions drawn once."""
    rng = np.random.default_rng(5)
    world.begin(3)
    seen = [np.array(world.arrays["observation.0"])]
    for _ in range(steps):
        world.arrays["action.0"][...] = rng.integers(0, 2, COPIES)
        world.advance()
        names = ("observation.0", "reward", "terminated", "truncated")
        seen.extend(np.array(world.arrays[name]) for name in names)
    return seen


def test_copies_of_actors_are_those_of_this_process():
    ray = FakeRay()
    with closing(VectorWorld(CART_POLE, COPIES, 2, cluster=ray)) as far:
        found = rows_of(far)
        assert [worker.rows for worker in far.workers] == [slice(0, 2), slice(2, 5)]
        assert (far.file, len(ray.actors)) == (None, 2)
    assert len(ray.killed) == 2
    with closing(VectorWorld(CART_POLE, COPIES)) as here:
        wanted = rows_of(here)
    assert all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))
    assert np.any(np.concatenate(found[3::4])), "some episodes ended"


def test_teams_play_in_actors_as_they_do_here():
    seen = []
    for ray, workers in ((FakeRay(), 1), (None, 0)):
        with closing(VectorWorld(BALL_GAME, 2, workers, cluster=ray)) as world:
            world.begin(2)
            rng = np.random.default_rng(1)
            for _ in range(5):
                for name, array in world.arrays.items():
                    if name.startswith("action"):
                        array[...] = rng.uniform(-1.0, 1.0, array.shape)
                world.advance()
            seen.append({name: np.array(array) for name, array in world.arrays.items()})
    assert seen[0].keys() == seen[1].keys()
    assert all(np.array_equal(seen[0][name], seen[1][name]) for name in seen[0])
    assert np.any(seen[0]["observation.0"])


def test_a_lost_actor_is_one_error_and_is_replaced():
    ray = FakeRay()
    with closing(VectorWorld(CART_POLE, COPIES, 2, cluster=ray)) as world:
        world.begin(3)
        ray.lose(1)
        said = r"^actor 1 \(copies 2 to 4\): expected an answer, found that its process or its"
        with pytest.raises(WorkerLostError, match=said):
            world.advance()
        assert len(ray.actors) == 3
        again = rows_of(world)
    with closing(VectorWorld(CART_POLE, COPIES)) as here:
        assert all(np.array_equal(*two) for two in zip(again, rows_of(here), strict=True))


def test_a_cluster_with_too_few_cores_is_one_error():
    said = "expected a cluster with a core for each of 3 actors, found 2"
    with pytest.raises(UsageError, match=said):
        VectorWorld(CART_POLE, COPIES, 3, cluster=FakeRay())


def test_what_fails_in_an_actor_is_the_error_that_it_is_here(monkeypatch):
    def full(size):
        raise GoishiError("shared memory: expected room, found none")

    monkeypatch.setattr(workers_module, "shared_memory", full)
    with pytest.raises(GoishiError, match=r"^shared memory: expected room, found none$"):
        VectorWorld(CART_POLE, COPIES, 1, cluster=FakeRay())


def test_a_scene_that_cannot_be_opened_there_is_the_same_error(tmp_path):
    empty = json.loads(CART_POLE.read_text("utf-8"))
    empty["objects"] = {}
    scene = tmp_path / "empty.scene.json"
    scene.write_text(json.dumps(empty), "utf-8")
    with pytest.raises(
        UsageError, match=r"empty.scene.json: expected a script of the class Agent"
    ) as there:
        VectorWorld(scene, 2, 1, cluster=FakeRay())
    with pytest.raises(UsageError) as here:
        VectorWorld(scene, 2)
    assert str(there.value) == str(here.value)


def test_the_flags_of_a_cluster_are_checked(capsys):
    words = ("train", "ppo", "--scene", str(CART_POLE))
    for flags, said in (
        (("--backend", "grid"), "--backend: expected local or ray, found 'grid'"),
        (("--address", "here:1"), "--address: expected --backend ray with it, found 'local'"),
    ):
        code, _, error = run_here(capsys, *words, *flags)
        assert (code, said in error) == (2, True)


def step_until_lost(world):
    """Step for as long as all answer: processes end some seconds after their machine."""
    while True:
        rows_of(world)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_training_on_two_machines_is_that_of_this_one_though_one_is_lost(tmp_path, capsys):
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    node = cluster.add_node(num_cpus=1)
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    try:
        import ray

        ray.init(address=cluster.address, log_to_driver=False)
        with closing(VectorWorld(CART_POLE, COPIES, 3, cluster=ray)) as far:
            rows_of(far, 5)
            cluster.add_node(num_cpus=1)  # to spare: each of the others has an actor
            cluster.remove_node(node, allow_graceful=False)
            with pytest.raises(WorkerLostError, match="its process or its machine was lost"):
                step_until_lost(far)
            found = rows_of(far)
        ray.shutdown()
    finally:
        cluster.shutdown()
        sys.modules.pop("ray", None)
    with closing(VectorWorld(CART_POLE, COPIES)) as here:
        assert all(np.array_equal(*two) for two in zip(found, rows_of(here), strict=True))
