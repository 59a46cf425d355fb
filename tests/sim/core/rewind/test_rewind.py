"""Looking back in a scene that runs: what stands still, what comes back, what goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from base.errors import EditError
from base.storage.card_file import CardFileError
from tests.sim.core.stage import Stage, thing

SCRIPT = """
from sim import Agent, Discrete, Box

class Walker(Script):
    x: float = field(0.0, recorded=True)
    hidden: int = field(0)
    steps = 0

    def start(self):
        self.start_coroutine(self.tick())

    async def tick(self):
        while True:
            await self.seconds(0.1)
            self.log.warning(f"tick {self.steps}")

    def update(self, dt):
        self.steps += 1
        self.hidden = self.steps
        self.x = self.x + self.rng.normal()
        self.object.transform.position = (self.x, self.time.now, 0.0)
        self.metrics.log("x", self.x)

    def save_state(self):
        return {"steps": self.steps}

    def load_state(self, state):
        self.steps = state["steps"]

class Breeder(Script):
    born = 0

    def fixed_update(self, dt):
        self.born += 1
        if self.born % 10 == 0:
            self.scene.spawn(f"child {self.born}", parent=self.object)
            if len(self.object.children) > 2:
                self.object.children[0].destroy()

class Broken(Script):
    def save_state(self):
        return self

    def load_state(self, state):
        pass

class Faller(Agent):
    action_space = Discrete(2)
    observation_space = Box([0.0], [100.0])

    def observe(self):
        return [self.object.transform.position.z]

    def reset(self, rng):
        self.object.transform.position = (0.0, 0.0, 3.0)

    def act(self, action):
        self.object.transform.translate((0.0, 0.0, -0.5))
        self.reward += 1.0
        self.done = self.object.transform.position.z <= 0.5
"""
OBJECTS = {
    "obj_walk": thing("Walk", {"cmp_walk": "scripts.acts:Walker"}),
    "obj_breed": thing("Breed", {"cmp_breed": "scripts.acts:Breeder"}),
    "obj_floor": thing(
        "Floor", {"cmp_floor": ("sim:RigidBody", {"kind": "static"})},
        model={"builtin": "box"}, position=[0, 0, -0.5], scale=[20, 20, 1],
    ),
    "obj_ball": thing(
        "Ball", {"cmp_ball": "sim:RigidBody"}, model={"builtin": "sphere"}, position=[3, 0, 4]
    ),
}  # fmt: skip


def open_acts(stage: Stage, objects: Any = None, *, seconds: float = 30.0, frames: int = 0) -> Any:
    stage.script("acts", SCRIPT)
    app = stage.open(objects or OBJECTS, instant=True)
    app.rewind.seconds = seconds
    stage.frames(frames)
    return app


def bits(app: Any) -> list[Any]:
    found = [(obj.id, obj.transform.world_matrix.tobytes()) for obj in app.scene.objects.values()]
    walker, body = app.scene.component("cmp_walk").instance, app.scene.component("cmp_ball")
    return [found, walker.x, walker.steps, str(walker.rng.bit_generator.state), app.clock.time,
            tuple(body.instance.velocity), tuple(body.instance.spin)]  # fmt: skip


def test_the_same_bits_with_and_without_it_and_after_looking_back(tmp_path: Path) -> None:
    found = []
    for number, seconds in enumerate((0.0, 30.0, 0.5)):
        stage = Stage(tmp_path / str(number))
        app = open_acts(stage, seconds=seconds, frames=60)
        if seconds:
            app.rewind.seek(3)
            stage.frames(5)
            app.rewind.play(-2.0)
            stage.frames(5)
            app.rewind.live()
        stage.frames(30)
        found.append(bits(app))
        stage.close()
    assert found[0] == found[1] == found[2]


def test_nothing_of_the_scene_runs_while_the_past_is_shown(stage: Stage) -> None:
    app = open_acts(stage, frames=40)
    before, walker = bits(app), stage.slot("cmp_walk")
    app.rewind.seek(5)
    stage.frames(20)
    assert (app.clock.time, walker.instance.steps) == (before[4], before[2])
    assert walker.values["x"] == app.scene.get("obj_walk").transform.position[0] != before[1]
    assert walker.instance.hidden == 40  # not recorded: as it is now
    app.rewind.live()
    assert bits(app) == before


def test_only_the_last_seconds_and_no_more_memory_than_allowed_are_kept(stage: Stage) -> None:
    app = open_acts(stage, seconds=0.5, frames=100)
    tape = app.rewind.tape
    assert tape.end - tape.begin == pytest.approx(0.5, abs=0.02)
    app.rewind.most_bytes = 4000
    stage.frames(2)
    assert tape.bytes <= 4000 < 30 * 1000
    assert len(tape) < 30
    app.rewind.seconds = 0
    assert app.rewind.tape is None
    assert app.scene.journal is None


def test_what_does_not_move_costs_nothing(stage: Stage) -> None:
    objects = {f"obj_still{n}": thing(f"Still {n}", {}) for n in range(50)}
    app = open_acts(stage, objects, frames=10)
    sizes = {step.bytes for step in app.rewind.tape.steps}
    assert sizes == {128}  # of a moment in which nothing moved
    app.scene.get("obj_still7").transform.position = (1.0, 0.0, 0.0)
    stage.frames(1)
    assert len(app.rewind.tape.steps[-1].cells["transforms"].numbers) == 1


def test_it_plays_back_at_any_speed_and_stops_at_the_ends(stage: Stage) -> None:
    app = open_acts(stage, frames=60)
    rewind = app.rewind
    rewind.seek(0)
    rewind.play(2.0)
    rewind.advance(0.25)
    assert rewind.time == pytest.approx(rewind.tape.begin + 0.5, abs=0.02)
    rewind.play(-1.0)
    rewind.advance(10.0)
    assert (rewind.index, rewind.is_playing) == (0, False)
    rewind.play(0.25)
    rewind.advance(99.0)
    assert (rewind.index, rewind.is_playing) == (len(rewind) - 1, False)
    with pytest.raises(ValueError, match="speed: expected"):
        rewind.play(0.0)


def test_warnings_metrics_and_the_console_of_a_moment(stage: Stage) -> None:
    app = open_acts(stage, frames=60)
    rewind = app.rewind
    kinds = {mark.kind for mark in rewind.marks}
    assert kinds == {"warning"}
    values = app.world.metrics.series("x")[1]
    rewind.seek(20)
    assert rewind.metrics()["x"] == values[20]
    texts = [line.text for line in rewind.console()]
    assert texts
    assert len(texts) < len(rewind.marks)
    assert all(line.time <= rewind.time for line in rewind.console())


def test_a_scene_continues_from_a_moment_with_bodies_and_declared_states(stage: Stage) -> None:
    app = open_acts(stage, frames=45)
    ball = stage.slot("cmp_ball").instance
    speeds, walks = {}, {}
    for _ in range(45):
        stage.frames(1)
        speeds[round(app.clock.time, 6)] = tuple(ball.velocity)
        walks[round(app.clock.time, 6)] = stage.slot("cmp_walk").instance.x
    app.rewind.seek(50)
    time = round(app.rewind.time, 6)
    assert app.rewind.stateless() == ["Breeder"]
    app.rewind.continue_here()
    walker = stage.slot("cmp_walk").instance
    assert (round(app.clock.time, 6), walker.steps, walker.x) == (time, 51, walks[time])
    assert tuple(ball.velocity) == speeds[time]
    assert len(app.rewind) == 51
    stage.frames(1)  # the same randomness, and the same fall
    later = round(app.clock.time, 6)
    assert walker.x == walks[later]
    assert tuple(ball.velocity) == speeds[later]
    with pytest.raises(EditError, match="found none shown"):
        app.rewind.continue_here()


def test_sleeping_bodies_sleep_again(stage: Stage) -> None:
    app = open_acts(stage, {key: OBJECTS[key] for key in ("obj_floor", "obj_ball")})
    body = stage.slot("cmp_ball").instance
    app.scene.get("obj_ball").transform.position = (3.0, 0.0, 0.5)
    for _ in range(400):
        stage.frames(1)
        if app.scene.motions().numbers[0, 6] == 0.0:
            break
    assert app.scene.motions().numbers[0, 6] == 0.0
    stage.frames(5)
    index = len(app.rewind) - 3
    body.apply_impulse((5.0, 0.0, 5.0))
    stage.frames(30)
    app.rewind.seek(index)
    app.rewind.continue_here()
    assert app.scene.motions().numbers[0].tolist()[:7] == [0.0] * 7
    place = tuple(app.scene.get("obj_ball").transform.position)
    stage.frames(20)
    assert tuple(app.scene.get("obj_ball").transform.position) == place


def test_a_state_that_cannot_be_kept_is_one_warning_and_the_script_goes_on(stage: Stage) -> None:
    app = open_acts(
        stage, {"obj_broken": thing("B", {"cmp_broken": "scripts.acts:Broken"})}, frames=5
    )
    found = [text for text in stage.lines("warning") if "recorded for rewind" in text]
    assert len(found) == 1
    assert "Broken.save_state: expected numbers, texts" in found[0]
    assert stage.slot("cmp_broken").state.value == "ready"
    assert app.rewind.tape is not None


def test_an_episode_is_shown_again_by_its_number_from_memory_or_its_file(stage: Stage) -> None:
    app = open_acts(
        stage, {"obj_faller": thing("F", {"cmp_faller": "scripts.acts:Faller"})}, frames=14
    )
    rewind, agents = app.rewind, app.host.agents
    assert [tuple(each) for each in agents.ended] == [(1, 5.0), (2, 5.0)]
    assert agents.show == rewind.show_episode
    second = next(mark for mark in rewind.marks if mark.episode == 2)
    rewind.show_episode(2)
    assert rewind.is_past
    assert rewind.time == pytest.approx(second.begun)
    rewind.live()
    path = rewind.keep(second)
    rewind.seconds = 1.0
    stage.frames(300)  # both are forgotten
    with pytest.raises(LookupError, match="an episode of the last 1 s, or one that was kept, "
                                          "found episode 1"):  # fmt: skip
        rewind.show_episode(1)
    rewind.show_episode(2)
    assert rewind.title == second.text
    newest = agents.ended[-1].episode
    rewind.show_episode(newest)  # from a file back to the last seconds
    assert rewind.title == ""
    rewind.live()
    path.write_bytes(b"no episode")
    with pytest.raises(LookupError, match="expected a kept episode"):
        rewind.show_episode(2)
    path.unlink()
    with pytest.raises(LookupError, match="found episode 2"):
        rewind.show_episode(2)


def test_a_failed_episode_is_kept_in_a_file_and_opened_again(stage: Stage, tmp_path: Path) -> None:
    app = open_acts(
        stage, {"obj_faller": thing("F", {"cmp_faller": "scripts.acts:Faller"})}, frames=14
    )
    rewind = app.rewind
    marks = [mark for mark in rewind.marks if mark.kind == "episode"]
    assert marks[0].text == "Episode 1: return 5, ended after 5 decisions"
    path = rewind.keep(marks[1])
    stage.frames(300)
    app.scene.destroy(app.scene.get("obj_faller"))
    stage.frames(2)
    assert rewind.kept() == [path]
    rewind.open(path)
    assert rewind.title == marks[1].text
    heights = []
    for index in range(len(rewind)):
        rewind.seek(index)
        heights.append(app.scene.get("obj_faller").transform.position[2])
    assert heights == [2.5, 2.0, 1.5, 1.0, 0.5]
    assert not rewind.can_continue
    rewind.live()
    assert app.scene.get("obj_faller") is None
    path.write_bytes(b"no episode")
    with pytest.raises(CardFileError, match="expected a kept episode"):
        rewind.open(path)
    with np.load(rewind.keep(next(m for m in rewind.marks if m.kind == "episode"))) as file:
        assert all(file[name].dtype != object for name in file.files)
