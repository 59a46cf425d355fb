"""The same scene gives the same numbers: opened anew, played again after a stop, after undo."""

from __future__ import annotations

from panda3d.core import TransformState

from sim.core.editing import Editor
from sim.core.editing.editor import PlaySession
from tests.sim.core.stage import thing
from tests.sim.physics.bodies import FLOOR, MODELS, ball


def heap(count=12):
    kinds = list(MODELS.values())
    objects = {"obj_floor": FLOOR}
    for index in range(count):
        objects[f"obj_h{index:03d}"] = thing(
            f"H{index}", {f"cmp_h{index:03d}": "sim:RigidBody"}, model=kinds[index % len(kinds)],
            position=[0.2 * (index % 3), 0.15 * (index % 2), 1 + 0.7 * index],
            rotation=[31 * index % 360, 17 * index % 90, 5],
        )  # fmt: skip
    return objects


def places(stage):
    return [obj.transform.position.tolist() for obj in stage.app.scene.objects.values()]


def test_the_same_scene_gives_the_same_numbers_again(stage):
    ends = []
    for _ in range(2):
        stage.open(heap())
        stage.frames(150)
        ends.append(places(stage))
    assert ends[0] == ends[1]


def test_steps_leave_no_places_behind(stage):
    stage.open(heap())
    stage.frames(60)
    known = TransformState.get_num_states()
    stage.frames(200)
    assert TransformState.get_num_states() < known + 100


def test_stop_brings_everything_back_and_the_next_play_is_the_same(stage):
    stage.open(heap(8))
    app = stage.app
    editor = Editor(app.scene, app.console)
    session = PlaySession(editor, app.clock, app.world.metrics)
    app.clock.pause()
    begun = places(stage)
    ends = []
    for _ in range(2):
        session.play()
        stage.frames(90)
        ends.append(places(stage))
        session.pause()
        stage.frames(5)
        assert places(stage) == ends[-1], "nothing moves while it is paused"
        session.stop()
        stage.frames(1)
        assert places(stage) == begun
    assert ends[0] == ends[1]
    assert ends[0] != begun


def test_a_body_that_is_removed_and_brought_back_falls_again(stage):
    stage.open({"obj_floor": FLOOR, "obj_ball": ball(3.0)})
    editor = Editor(stage.app.scene, stage.app.console)
    stage.frames(2)
    editor.delete(stage.app.scene.find("Ball"))
    stage.frames(2)
    editor.undo()
    stage.frames(120)
    assert stage.app.scene.find("Ball").transform.position[2] < 1.5
    assert stage.errors() == 0
