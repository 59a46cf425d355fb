"""Vectors: the same to the bit however many copies and workers, and one clear error each."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import goishi
from base.files import SHIPPED_ROOT
from goishi import vector
from tests.goishi.conftest import AGENT, CART_POLE

PENDULUM = CART_POLE.with_name("pendulum.scene.json")
STEPS = 1000
ACTIONS = np.random.default_rng(8).integers(0, 2, (STEPS, 8))


def course(environment, all_actions) -> list[tuple]:
    """Return what the first copy of a vector tells in so many steps."""
    found = [environment.reset(seed=11)[0][0].tobytes()]
    for actions in all_actions:
        told = environment.step(actions)
        found.append((told[0][0].tobytes(), *(part[0].item() for part in told[1:4])))
    return found


def course_alone(environment, steps: int = STEPS) -> list[tuple]:
    """Return the same of one environment, which is reset as a vector resets its copies."""
    found = [environment.reset(seed=11)[0].tobytes()]
    is_over = False
    for action in ACTIONS[:steps, 0]:
        if is_over:
            observation, told = environment.reset()[0], (0.0, False, False)
        else:
            observation, *told = environment.step(action)[:4]
        is_over = told[1] or told[2]
        found.append((observation.tobytes(), *told))
    return found


@pytest.fixture(scope="module")
def crowd():
    """Four copies in two workers, for the tests by day together."""
    environment = goishi.make_vec(CART_POLE, 4, workers=2)
    yield environment
    environment.close()


def test_the_steps_are_the_same_alone_in_vectors_and_in_other_processes(crowd, opened) -> None:
    alone = course_alone(opened(goishi.make, CART_POLE), 300)
    assert sum(told[2] for told in alone[1:]) > 5
    assert course(opened(goishi.make_vec, CART_POLE, 1), ACTIONS[:300, :1]) == alone
    assert course(crowd, ACTIONS[:300, :4]) == alone


def test_a_worker_that_is_killed_is_one_error_and_the_others_go_on(crowd, opened) -> None:
    twin = opened(goishi.make_vec, CART_POLE, 4)
    for environment in (crowd, twin):
        environment.reset(seed=1)
    os.kill(crowd._world.workers[1].process.pid, signal.SIGKILL)
    with pytest.raises(goishi.WorkerLostError) as caught:
        crowd.step(np.zeros(4, int))
    assert str(caught.value) == (
        "worker 1 (copies 2 to 3): expected an answer, found that the process was killed by SIGKILL"
    )
    twin.step(np.zeros(4, int))
    after, rewards, *_ = crowd.step(np.zeros(4, int))
    assert (after[:2] == twin.step(np.zeros(4, int))[0][:2]).all()
    assert (abs(after[2:]) <= 0.05).all()  # of a new episode
    assert rewards.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert (after[2] != after[3]).any(), "copies of the new worker have seeds of their own"
    assert (crowd.reset(seed=1)[0] == twin.reset(seed=1)[0]).all()


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) != 2,
    reason="two cores are needed, and a system that can keep processes on one",
)
def test_workers_have_a_core_each_where_they_are_as_many_as_the_cores(crowd, opened) -> None:
    """So does the one that has taken the place of another, in the test above."""
    cores = os.sched_getaffinity(0)
    pinned = [os.sched_getaffinity(part.process.pid) for part in crowd._world.workers]
    assert pinned == [{min(cores)}, {max(cores)}]
    (alone,) = opened(goishi.make_vec, CART_POLE, 2, workers=1)._world.workers
    assert os.sched_getaffinity(alone.process.pid) == os.sched_getaffinity(0) == cores


def test_a_step_that_is_broken_off_leaves_nothing_behind(crowd, monkeypatch) -> None:
    """As Ctrl+C does while the program waits for a worker."""
    crowd.reset(seed=1)

    def broken_off(self) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(crowd._world.workers[0].process), "receive", broken_off)
        with pytest.raises(KeyboardInterrupt):
            crowd.step(np.ones(4, int))
    first = crowd.reset(seed=1)[0]
    assert (first == crowd.reset(seed=1)[0]).all()
    told = crowd.step(np.zeros(4, int))
    assert told[1].tolist() == [1.0] * 4


def test_a_closed_vector_leaves_no_process_no_thread_and_no_file(crowd) -> None:
    threads = threading.active_count()
    pids = [part.process.pid for part in crowd._world.workers]
    crowd.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert threading.active_count() == threads
    assert not crowd.file.exists()


@pytest.mark.nightly
@pytest.mark.parametrize(("copies", "workers"), [(8, 0), (8, 1), (8, 3), (64, 0), (64, 2)])
def test_a_thousand_steps_are_the_same_in_any_vector(opened, copies, workers) -> None:
    environment = opened(goishi.make_vec, CART_POLE, copies, workers=workers)
    actions = np.resize(ACTIONS, (STEPS, copies))
    actions[:, 0] = ACTIONS[:, 0]
    alone = course_alone(opened(goishi.make, CART_POLE))
    assert course(environment, actions) == alone


def test_copies_share_nothing_that_a_script_changes(scene_of, opened) -> None:
    script = (
        AGENT.replace("class Walker", "SEEN = []\n\nclass Walker")
        .replace("self.x += action - 0.25", "self.x = 0.0\n        SEEN.append(1)")
        .replace("self.run.seed % 9", "float(len(SEEN))")
    )
    environment = opened(goishi.make_vec, scene_of(script), 3)
    environment.reset(seed=1)
    for _ in range(4):
        observations = environment.step(np.zeros(3, int))[0]
    assert observations[:, 1].tolist() == [4.0] * 3


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.nightly)])
def test_what_agents_tell_is_in_infos_and_dicts_are_observations_and_actions(
    scene_of, opened, workers
) -> None:
    script = """
        from sim import Agent, Box, Discrete, MultiBinary

        class Walker(Agent):
            action_space = {"push": Box(-1, 1, (2,)), "lamps": MultiBinary(2)}
            observation_space = {"sum": Box(-9, 9), "lamps": MultiBinary(2)}

            def reset(self, rng):
                self.did = {"push": [0, 0], "lamps": [0, 0]}

            def act(self, action):
                self.did = action
                self.info["most"] = float(max(action["push"]))

            def observe(self):
                return {"sum": sum(self.did["push"]), "lamps": self.did["lamps"]}
    """
    scene = scene_of(script)
    environment = opened(goishi.make_vec, scene, 2, workers=workers)
    environment.reset(seed=1)
    actions = {
        "push": np.array([[0.5, -1.0], [9.0, 0.25]]),
        "lamps": np.array([[1, 0], [1, 1]]),
    }
    told = environment.step(actions)
    assert told[0]["sum"].tolist() == [-0.5, 1.25]
    assert told[0]["lamps"].tolist() == [[1, 0], [1, 1]]
    assert told[4]["most"].tolist() == [0.5, 1.0]
    assert environment.observation_space.contains(told[0])


def test_a_mask_resets_some_copies(scene_of, opened) -> None:
    environment = opened(goishi.make_vec, scene_of(), 3)
    environment.reset(seed=[1, 2, 3])
    before = environment.step(np.zeros(3, int))[0]
    mask = np.array([False, True, False])
    after = environment.reset(seed=[None, 5, None], options={"reset_mask": mask})[0]
    assert (after[[0, 2]] == before[[0, 2]]).all()
    assert after[1, 1] == 5.0


def test_copies_that_a_mask_left_out_begin_with_seeds_of_their_own(opened) -> None:
    environment = opened(goishi.make_vec, CART_POLE, 3)
    environment.reset(seed=1, options={"reset_mask": np.array([True, False, False])})
    after = environment.step(np.zeros(3, int))[0]
    assert (after[1] != after[2]).any()


@pytest.mark.parametrize(
    ("seed", "found"),
    [
        ("abc", "'abc'"), (-1, "-1"), (1.5, "1.5"), ([1, 2], r"\[1, 2\]"),
        ([1, 2.5, 3], r"\[1, 2.5, 3\]"), ([1, None, -1], "-1"), (True, "True"),
    ],
)  # fmt: skip
def test_a_wrong_seed_is_refused_and_nothing_has_happened(scene_of, opened, seed, found) -> None:
    environment = opened(goishi.make_vec, scene_of(), 3)
    before = environment.reset(seed=np.int64(4))[0]
    assert before[:, 1].tolist() == [4.0, 5.0, 6.0]
    with pytest.raises(goishi.UsageError, match=f"seed: expected .* found .*{found}"):
        environment.reset(seed=seed)
    after = environment.step(np.zeros(3, int))[0]
    assert after[:, 0] == pytest.approx(before[:, 0] - 0.25)


def test_a_number_too_large_for_the_space_is_refused_before_anything_happens(
    scene_of, opened
) -> None:
    script = AGENT.replace("Discrete(2)", "Box(-np.inf, np.inf, (1,))").replace(
        "from sim", "import numpy as np\nfrom sim", 1
    ).replace("+= action - 0.25", "+= action[0]")  # fmt: skip
    environment = opened(goishi.make_vec, scene_of(script), 2)
    before = environment.reset(seed=1)[0]
    with pytest.raises(goishi.FieldError, match=r"finite numbers, found \[1e\+300\] for copy 1"):
        environment.step(np.array([[1.0], [1e300]]))
    after = environment.step(np.zeros((2, 1)))[0]
    assert (after == before).all()


def test_a_copy_that_fails_in_the_first_reset_lets_the_others_go_on(scene_of, opened) -> None:
    script = AGENT.replace("rng.uniform(-1, 1)", "rng.uniform(-1, 1) / (self.run.seed - 2)")
    environment = opened(goishi.make_vec, scene_of(script), 3)
    with pytest.raises(goishi.WorldError, match=r"copy 1: .*ZeroDivisionError"):
        environment.reset(seed=1)
    observations, rewards, *_ = environment.step(np.zeros(3, int))
    assert observations[[0, 2], 1].tolist() == [1.0, 3.0]
    assert (rewards[[0, 2]] < 0.0).all()


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_closed_vector_opens_nothing_again(scene_of, workers) -> None:
    environment = goishi.make_vec(scene_of(), 2, workers=workers)
    environment.reset(seed=1)
    environment.close()
    environment.close()
    for call in (environment.reset, lambda: environment.step(np.zeros(2, int))):
        with pytest.raises(goishi.UsageError, match="expected an open environment, found a closed"):
            call()


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        (np.array([0, 1, 2, 0]), "whole numbers of the space, found 2 for copy 2"),
        (np.array([0.0, 1.0, np.nan, 0.0]), "whole numbers of the space, found (4,) of float64"),
        (np.array([0, 1, 0]), "found (3,) of int64"),
        (None, "found () of object"),
    ],
)
def test_an_action_that_is_none_is_refused_and_nothing_has_happened(
    scene_of, opened, actions, text
) -> None:
    environment = opened(goishi.make_vec, scene_of(), 4)
    before = environment.reset(seed=1)[0]
    with pytest.raises(goishi.FieldError) as caught:
        environment.step(actions)
    assert text in str(caught.value)
    after = environment.step(np.zeros(4, int))[0]
    assert after[:, 0] == pytest.approx(before[:, 0] - 0.25)


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_an_agent_that_raises_is_one_error_and_the_other_copies_go_on(
    scene_of, opened, workers, capfd
) -> None:
    script = AGENT.replace("self.x += action", "self.x += action / (self.run.seed - 2)")
    environment = opened(goishi.make_vec, scene_of(script), 4, workers=workers)
    before = environment.reset(seed=1)[0]
    with pytest.raises(goishi.WorldError) as caught:
        environment.step(np.zeros(4, int))
    text = str(caught.value)
    assert text.startswith("copy 1: agent_0 > Walker.act  scripts/a.py:")
    assert "ZeroDivisionError: division by zero" in text
    assert "\n" not in text
    assert caught.value.place.startswith("scripts/a.py:")
    after = environment.step(np.zeros(4, int))[0]
    assert after[0, 0] == pytest.approx(before[0, 0] - 0.5)
    assert capfd.readouterr().err == ""


@pytest.mark.nightly
def test_a_script_without_end_is_one_error_in_a_worker(scene_of, opened) -> None:
    script = AGENT.replace("self.info", "while self.run.seed == 2: pass\n        self.info")
    scene = scene_of(script)
    settings = '"settings": {"script_timeout": 0.3}, "objects"'
    scene.write_text(scene.read_text().replace('"objects"', settings))
    environment = opened(goishi.make_vec, scene, 2, workers=1)
    environment.reset(seed=1)
    with pytest.raises(goishi.WorldError, match=r"copy 1: .*ScriptTimeout"):
        environment.step(np.zeros(2, int))


def test_full_shared_memory_is_one_error(scene_of, monkeypatch) -> None:
    def full(handle: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    world_module = sys.modules[vector.VectorWorld.__module__]
    memory_module = sys.modules[world_module.shared_memory.__module__]
    monkeypatch.setattr(memory_module.os, "posix_fallocate", full)
    with pytest.raises(goishi.GoishiError, match=r"expected room for .* No space left on device"):
        world_module.shared_memory(1000)


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ({"num_envs": 0}, "num_envs: expected a whole number from 1"),
        ({"num_envs": 2, "workers": 3}, "workers: expected a whole number from 0 to 2, found 3"),
        ({"num_envs": 2, "workers": -1}, "workers: expected"),
    ],
)
def test_a_wrong_number_is_refused(scene_of, named, text) -> None:
    with pytest.raises(goishi.UsageError) as caught:
        goishi.make_vec(scene_of(), **named)
    assert text in str(caught.value)


def test_a_vector_of_a_scene_with_several_agents_is_refused(scene_of) -> None:
    with pytest.raises(goishi.UsageError, match=r"expected one agent for a vector .* found 2"):
        goishi.make_vec(scene_of(count=2), 2)


@pytest.mark.nightly
def test_a_worker_tells_why_it_cannot_open_the_scene(scene_of) -> None:
    with pytest.raises(goishi.UsageError, match=r"expected one agent for a vector .* found 2"):
        goishi.make_vec(scene_of(count=2), 2, workers=1)


def test_numbers_that_agents_tell_are_put_together_as_gymnasium_does(scene_of, opened) -> None:
    environment = opened(goishi.make_vec, scene_of(), 3, workers=0)
    told = {0: {"metres": 1.5, "name": "a", "steps": 2}, 2: {"metres": -2.5, "more": 0.5}}
    found = environment._infos(([], told))
    expected: dict = {}
    for row, info in told.items():
        expected = environment._add_info(expected, dict(info), row)
    assert list(found) == list(expected)
    for key, values in expected.items():
        assert found[key].dtype == values.dtype, key
        assert found[key].tolist() == values.tolist(), key


def test_places_are_kept_by_no_worker_and_as_before_in_the_program(opened) -> None:
    asks = (
        "import sys; from pathlib import Path; from sim.app.serving import serve_batch;"
        "methods = serve_batch(sys.argv[1], 1, {});"
        "from panda3d.core import ConfigVariableBool as Switch;"
        "print(Switch('transform-cache').get_value()); methods['close']()"
    )
    told = subprocess.run([sys.executable, "-c", asks, str(PENDULUM)], cwd=SHIPPED_ROOT,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert told.stdout.split() == ["False"]
    from panda3d.core import ConfigVariableBool

    before = ConfigVariableBool("transform-cache").get_value()  # a display may have been opened
    opened(goishi.make_vec, PENDULUM, 2, workers=1).reset(seed=1)
    assert ConfigVariableBool("transform-cache").get_value() == before
