"""Episodes of a world that is stepped from outside."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from base.errors import FieldError, UsageError, WorldError
from base.files import SHIPPED_ROOT
from sim.app.app import App
from sim.app.episodes import Episodes, ResetNeededError
from sim.testing import run_options
from tests.sim.core.stage import Stage, thing

CART_POLE = SHIPPED_ROOT / "scenes" / "cart_pole.scene.json"
AGENT = """
class Walker(Agent):
    action_space = Discrete(2)
    observation_space = Box(-1000, 1000, (1,))

    def reset(self, rng):
        self.x = float(rng.uniform())

    def act(self, action):
        self.x += action

    def observe(self):
        return [self.x]
"""


@pytest.fixture
def scene(tmp_path: Path):
    """Write a scene of objects with one script, and return its file."""
    stage = Stage(tmp_path)

    def made(objects, script: str = AGENT) -> Path:
        stage.script("a", script)
        stage.open({}, instant=True)  # writes the file
        stage.close()
        stage.opened.clear()
        path = tmp_path / "scenes" / "a.scene.json"
        import json

        data = {"format": "goishi.scene/1", "id": "scn_stage", "objects": objects}
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return made


def one(kind: str = "scripts.a:Walker", **fields) -> dict:
    """The objects of a scene with one agent."""
    return {"obj_one": thing("A", {"cmp_one": (kind, fields)})}


def test_a_seed_opens_the_scene_anew_and_no_seed_goes_on_in_it(scene) -> None:
    episodes = Episodes.of_scene(scene(one()))
    first = episodes.reset(5)[0]
    world = episodes.world
    second = episodes.reset()[0]
    assert episodes.world is world
    assert first.tolist() != second.tolist()
    assert [episodes.reset(5)[0].tolist(), episodes.reset()[0].tolist()] == [
        first.tolist(), second.tolist()
    ]  # fmt: skip
    assert episodes.world is not world
    episodes.close()


def test_the_course_is_that_of_the_app_with_the_same_seed() -> None:
    """The app's agent decides itself; the same actions from outside lead to the same."""
    courses = []
    for speed in (1.0, None):
        app = App(
            run_options(
                scene=CART_POLE, headless=True, graphics=False, seed=3, seconds=1e6, speed=speed
            )
        )
        app.clock.frame_step = 1 / 60 if speed else None
        seen: list[tuple[list[float], int]] = []
        app.frame()
        (seat,) = app.host.agents.running
        act = seat.agent.act

        def note(action, act=act, seat=seat, seen=seen) -> None:
            seen.append((seat.observation.tolist(), action))
            act(action)

        seat.agent.act = note
        for _ in range(400):
            app.frame()
        courses.append(seen)
        app.close()
    shorter = min(map(len, courses))
    assert shorter > 300
    # at 1x the first frame has no fixed step, at max it has one
    begin = courses[0].index(courses[1][0])
    course = courses[0][begin:]
    shorter = min(shorter, len(course))
    assert course[:shorter] == courses[1][:shorter]
    episodes = Episodes.of_scene(CART_POLE)
    observation = episodes.reset(3)[0].tolist()
    outside = []
    for seen_there, action in courses[0][:300]:
        assert observation == seen_there
        outside.append(observation)
        (seat,) = episodes.step([action])
        observation = (episodes.reset()[0] if seat.is_done else seat.observation).tolist()
    episodes.close()
    assert len({tuple(item) for item in outside}) > 250


def test_bodies_move_the_same_after_each_reset_with_the_seed(scene) -> None:
    script = """
        class Walker(Agent):
            action_space = Box(-1.0, 1.0, (3,))
            observation_space = Box(-99.0, 99.0, (3,))

            def reset(self, rng):
                self.object.transform.position = (*rng.uniform(-1, 1, 2), 2.0)

            def act(self, action):
                self.object.get(RigidBody).apply_force([20.0 * float(x) for x in action])

            def observe(self):
                return self.object.transform.position
    """
    floor = thing("Floor", {"cmp_floor": ("sim:RigidBody", {"kind": "static"})},
                  model={"builtin": "box", "size": [9, 9, 1]}, position=[0, 0, -0.5])  # fmt: skip
    ball = thing("Ball", {"cmp_body": "sim:RigidBody", "cmp_one": "scripts.a:Walker"},
                 model={"builtin": "sphere", "radius": 0.5})  # fmt: skip
    path = scene({"obj_ball": ball, "obj_floor": floor}, script)
    courses = []
    for _ in range(2):
        episodes = Episodes.of_scene(path)
        for seed in (5, 6, 5):
            rng = np.random.default_rng(0)
            first = episodes.reset(seed)[0]
            steps = (episodes.step([rng.uniform(-1, 1, 3)])[0] for _ in range(40))
            courses.append([first.tobytes(), *(seat.observation.tobytes() for seat in steps)])
        episodes.close()
    assert courses[0] == courses[2] == courses[3] == courses[5]
    assert courses[1] == courses[4] != courses[0]


def test_decisions_take_several_fixed_steps_and_an_end_comes_at_once(scene) -> None:
    script = AGENT + "\n    n = 0\n    def fixed_update(self, dt):\n        self.n += 1\n" \
        "        self.done = self.n == 10\n"  # fmt: skip
    episodes = Episodes.of_scene(scene(one(decision_every=4), script))
    episodes.reset(1)
    counts = []
    for _ in range(3):
        (seat,) = episodes.step([1])
        counts.append(seat.agent.n)
    assert counts == [4, 8, 10]
    assert seat.is_done
    assert not seat.is_truncated
    with pytest.raises(ResetNeededError, match=r"call reset\(\)"):
        episodes.step([1])
    with pytest.raises(ResetNeededError, match=r"call reset\(\)"):
        episodes.step([1])
    episodes.close()


def test_a_wrong_action_changes_nothing_and_a_fault_is_over_after_a_reset(scene) -> None:
    script = AGENT.replace("self.x += action", "self.x += 1 / action")
    episodes = Episodes.of_scene(scene(one(), script))
    before = episodes.reset(1)[0][0]
    with pytest.raises(FieldError, match=r"Walker.act: expected a whole number .* found nan"):
        episodes.step([float("nan")])
    assert episodes.step([1])[0].observation[0] == pytest.approx(before + 1)
    with pytest.raises(WorldError, match=r"A > Walker.act  scripts/a.py:\d+  ZeroDivisionError"):
        episodes.step([0])
    with pytest.raises(ResetNeededError):
        episodes.step([1])
    episodes.reset()
    episodes.step([1])
    episodes.close()


def test_what_scripts_wrote_and_made_is_gone_with_the_next_seed(scene) -> None:
    script = AGENT + (
        "\n    def start(self):\n"
        "        file = self.run.data_dir / 'learnt'\n"
        "        self.had = file.exists(), len(self.scene.objects)\n"
        "        file.write_text('x')\n"
        "        self.scene.spawn('More')\n"
    )
    episodes = Episodes.of_scene(scene(one(), script))
    folders = set()
    for seed in (1, 2):
        episodes.reset(seed)
        (seat,) = episodes.agents
        assert seat.agent.had == (False, 1)
        folders.add(seat.agent.run.data_dir)
    episodes.close()
    assert not any(folder.exists() for folder in folders)


def test_a_world_makes_no_thread_and_is_freed(scene) -> None:
    threads = threading.active_count()
    episodes = Episodes.of_scene(scene(one()))
    episodes.reset(1)
    assert threading.active_count() == threads
    old = weakref.ref(episodes.world.scene)
    episodes.reset(2)
    gc.collect()
    assert old() is None
    episodes.close()


def test_a_scene_without_an_agent_or_of_several_paces_is_refused(scene) -> None:
    with pytest.raises(UsageError, match=r"a.scene.json: expected a script of the class Agent"):
        Episodes.of_scene(scene({"obj_one": thing("A", {})}))
    both = {
        "obj_one": thing("A", {"cmp_one": ("scripts.a:Walker", {"decision_every": 1})}),
        "obj_two": thing("A", {"cmp_two": ("scripts.a:Walker", {"decision_every": 2})}),
    }
    with pytest.raises(UsageError, match=r"expected one decision_every for all .* \[1, 2\]"):
        Episodes.of_scene(scene(both))


def test_a_script_that_cannot_be_loaded_is_one_error(scene) -> None:
    with pytest.raises(WorldError, match=r"A > Walker.load .*expected Box, Discrete"):
        Episodes.of_scene(scene(one(), AGENT.replace("Discrete(2)", "'left'")))


def test_an_agent_that_goes_ends_its_episode(scene) -> None:
    script = AGENT.replace("self.x += action", "self.object.destroy()")
    both = {
        "obj_one": thing("A", {"cmp_one": ("scripts.a:Walker", {"decision_every": 3})}),
        "obj_two": thing("B", {"cmp_two": ("scripts.a:Walker", {"decision_every": 3})}),
    }
    episodes = Episodes.of_scene(scene(both, script))
    episodes.reset(1)
    assert all(seat.is_done for seat in episodes.step([0, 1]))
    episodes.close()


def test_names_are_the_objects_or_their_paths(scene) -> None:
    objects = {
        "obj_one": thing("A", {"cmp_one": "scripts.a:Walker"}),
        "obj_two": thing("A", {"cmp_two": "scripts.a:Walker"}, parent="obj_one"),
    }
    episodes = Episodes.of_scene(scene(objects))
    assert sorted(episodes.about.names) == ["A", "A/A"]
    assert np.shape(episodes.reset(1)) == (2, 1)
    episodes.close()
