"""Animation as scripts have it: clips, fades, joints, what is attached; by a rig made by hand."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from base.storage.card_file import CardFileError
from sim.core.assets.animation.poses import Pose, degrees_of, model_matrices
from sim.core.assets.animation.rig import AnimationError, Clip, Rig, read_rig, write_rig
from sim.core.assets.assets import Asset, AssetState
from sim.core.scene.scene import Scene, SceneObject


def rig() -> Rig:
    """Return an arm along x: shoulder, elbow 1 m away, hand 1 m further."""
    rest = Pose(
        np.array([(0, 0, 0), (1, 0, 0), (1, 0, 0)], float),
        np.tile([0.0, 0.0, 0.0, 1.0], (3, 1)),
        np.ones((3, 3)),
        np.zeros(1),
    )
    half = np.sqrt(0.5)
    bend = Clip(
        "bend", 1.0, 10.0, np.array([1]),
        np.array([[(1, 0, 0)]] * 2, float), np.array([[(0, 0, 0, 1)], [(0, 0, half, half)]], float),
        np.ones((2, 1, 3)), np.array([[0.0], [1.0]]),
    )  # fmt: skip
    slide = Clip(
        "slide", 2.0, 10.0, np.array([0]),
        np.array([[(0, 0, 0)], [(0, 4, 0)]], float), np.array([[(0, 0, 0, 1)]] * 2, float),
        np.ones((2, 1, 3)), np.zeros((2, 1)),
    )  # fmt: skip
    clips = {"bend": bend, "slide": slide}
    return Rig(("shoulder", "elbow", "hand"), np.array([-1, 0, 1]), rest, ("smile",), clips)


class Library:
    """Stands for the asset library: models are there when the test says so."""

    def __init__(self, complain: Callable[[str], object]) -> None:
        self.assets: dict[str, Asset] = {}
        self.console = type("Console", (), {"error": staticmethod(complain)})()

    def get(self, path: str) -> Asset:
        return self.assets.setdefault(path, Asset(path))

    def poll(self) -> bool:
        return False

    def finish(self, path: str, made: Rig | None) -> None:
        asset = self.get(path)
        asset.rig, asset.state = made, AssetState.READY if made else AssetState.FAILED
        asset.error = "" if made else "expected a model, found none"


class Stage:
    def __init__(self, *, is_loaded: bool = True) -> None:
        self.scene = Scene()
        self.errors: list[str] = []
        self.library: Any = Library(self.errors.append)
        self.scene.animator.library = self.library
        self.scene.host = type("Host", (), {
            "console": type("Console", (), {"error": self.errors.append})(),
            "attach": lambda *a: None, "detach": lambda *a: None,
            "activity_changed": lambda *a: None,
        })()  # fmt: skip
        self.obj = self.scene.spawn("Arm", model={"asset": "arm.fbx"})
        if is_loaded:
            self.library.finish("arm.fbx", rig())
        self.animation = self.obj.animation

    def step(self, dt: float = 0.1, count: int = 1, *, instant: bool = False) -> None:
        for _ in range(count):
            self.scene.animator.advance(dt, instant=instant)

    def hand(self) -> np.ndarray:
        return np.asarray(self.animation.joint("hand"))[3, :3]


def other_rig(clips: dict[str, Clip] | None = None, *, elbow: str = "elbow") -> Rig:
    """Return a rig whose joints stand in another order, with clips of its own."""
    made = rig()
    own = made.clips["bend"]
    moved = {"bend": replace(own, joints=np.array([2]))} if clips is None else clips
    rest = made.rest
    return Rig(("hips", "shoulder", elbow), np.array([-1, 0, 1]), rest, ("smile",), moved)


def test_clips_come_from_files_of_their_own_by_the_names_of_joints() -> None:
    stage = Stage()
    stage.obj.model = {"asset": "arm.fbx", "clips": ["moves/run.fbx", "more.fbx"]}
    stage.step()
    assert stage.animation.clips == ()
    stage.library.finish("moves/run.fbx", other_rig())
    stage.step()
    assert stage.animation.clips == (), "the second one is still being read"
    stage.library.finish("more.fbx", other_rig({"a": rig().clips["slide"],
                                                "b": rig().clips["slide"]}))  # fmt: skip
    stage.step()
    assert stage.animation.clips == ("bend", "slide", "run")
    assert [line.partition(": ")[2] for line in stage.errors] == [
        "clip 'a': expected joints of the model, found hips",
        "clip 'b': expected joints of the model, found hips",
    ]
    stage.animation.pose("run", time=1.0)
    stage.step()
    assert stage.hand() == pytest.approx([1.0, 1.0, 0.0], abs=1e-6)


def test_a_file_of_clips_that_cannot_be_read_leaves_the_others() -> None:
    stage = Stage()
    stage.obj.model = {"asset": "arm.fbx", "clips": ["gone.fbx"]}
    others = [stage.scene.spawn("Arm", model=stage.obj.model) for _ in range(2)]
    stage.library.finish("gone.fbx", None)
    stage.step()
    assert stage.animation.clips == ("bend", "slide")
    stage.library.assets["gone.fbx"] = Asset("gone.fbx")
    stage.library.finish("gone.fbx", other_rig())
    animations = [stage.animation, *(other.animation for other in others)]
    stage.step()
    assert {animation.clips for animation in animations} == {("bend", "slide", "gone")}
    assert len({id(animation._model.rig) for animation in animations}) == 1


def test_clips_joints_and_durations_are_those_of_the_model() -> None:
    animation = Stage().animation
    assert animation.clips == ("bend", "slide")
    assert animation.joints == ("shoulder", "elbow", "hand")
    assert animation.duration("slide") == 2.0


def test_a_clip_follows_the_time_of_the_scene() -> None:
    stage = Stage()
    stage.animation.play("bend", loop=False, blend=0.0)
    stage.step(0.25, 2)
    assert stage.animation.time == pytest.approx(0.5)
    assert stage.hand() == pytest.approx([1 + np.sqrt(0.5), np.sqrt(0.5), 0])
    stage.step(0.0, 5)  # the scene is paused
    assert stage.animation.time == pytest.approx(0.5)
    stage.step(0.25, 3)
    assert not stage.animation.is_playing
    assert stage.hand() == pytest.approx([1, 1, 0])
    assert stage.animation.weights == pytest.approx([1.0])


def test_loops_speed_and_backwards() -> None:
    stage = Stage()
    stage.animation.play("slide", speed=2.0, blend=0.0)
    stage.step(0.3, 5)
    assert stage.animation.time == pytest.approx(1.0)
    stage.animation.play("slide", speed=-1.0, blend=0.0)
    stage.step(0.5)
    assert stage.animation.time == pytest.approx(1.5)
    stage.animation.pause()
    stage.step(0.5)
    assert stage.animation.time == pytest.approx(1.5)
    stage.animation.resume()
    stage.step(0.5, 4)
    assert stage.animation.time == pytest.approx(1.5)


def test_a_fade_leads_over_from_what_was_seen() -> None:
    stage = Stage()
    stage.animation.pose("slide", time=2.0)
    stage.step()
    assert stage.hand() == pytest.approx([2, 4, 0])
    stage.animation.play("slide", speed=0.0, blend=1.0)
    seen = []
    for _ in range(5):
        stage.step(0.25)
        seen.append(stage.hand()[1])
    assert seen == sorted(seen, reverse=True)
    assert 0.5 < seen[1] < 3.5
    assert seen[-1] == pytest.approx(0.0)


def test_pose_counts_in_the_files_frames_and_stop_goes_to_rest() -> None:
    stage = Stage()
    stage.animation.pose("slide", frame=10)
    stage.step()
    assert stage.hand() == pytest.approx([2, 2, 0])
    assert not stage.animation.is_playing
    stage.animation.stop()
    stage.step()
    assert stage.hand() == pytest.approx([2, 0, 0])


def test_joints_are_in_the_world_without_scale() -> None:
    stage = Stage()
    stage.obj.transform.position = (10, 0, 0)
    stage.obj.transform.rotation = (90, 0, 0)
    stage.obj.transform.scale = (2, 2, 2)
    stage.step()
    matrix = np.asarray(stage.animation.joint("hand"))
    assert matrix[3, :3] == pytest.approx([10, 4, 0])
    assert matrix[:3, :3] @ matrix[:3, :3].T == pytest.approx(np.eye(3))


def test_driving_turns_a_joint_on_top_of_the_clip_and_lets_go() -> None:
    stage = Stage()
    stage.animation.pose("bend", time=1.0)
    stage.animation.drive("shoulder", (90.0, 0.0, 0.0))
    stage.step()
    assert stage.hand() == pytest.approx([-1, 1, 0])
    before = stage.animation.revision
    stage.animation.drive("shoulder", (90.0, 0.0, 0.0))
    stage.step()
    assert stage.animation.revision == before  # nothing changed, nothing is posed anew
    stage.animation.drive("shoulder", None)
    stage.step()
    assert stage.hand() == pytest.approx([1, 1, 0])
    with pytest.raises(ValueError, match="three finite numbers"):
        stage.animation.drive("shoulder", (1.0, float("nan"), 0.0))


@pytest.mark.parametrize("is_child", [False, True])
def test_an_attached_object_follows_a_joint(is_child: bool) -> None:
    stage = Stage()
    stage.obj.transform.position = (0, 0, 5)
    stage.obj.transform.rotation = (30, 10, 20)
    cup = stage.scene.spawn("Cup", parent=stage.obj if is_child else None)
    stage.animation.attach(cup, "hand", offset=(0.0, 0.5, 0.0))
    stage.animation.play("bend", blend=0.0)
    for _ in range(3):
        stage.step(0.3)
        expected = np.asarray(stage.animation.joint("hand"))
        world = np.asarray(cup.transform.world_matrix)
        assert world[3, :3] == pytest.approx(expected[3, :3] + 0.5 * expected[1, :3])
        assert world[:3, :3] == pytest.approx(expected[:3, :3])
    stage.animation.detach(cup)
    here = np.asarray(cup.transform.position)
    stage.animation.pose("bend")
    stage.step()
    assert np.asarray(cup.transform.position) == pytest.approx(here)
    with pytest.raises(AnimationError, match="does not carry"):
        stage.animation.attach(stage.obj, "hand")


def test_errors_name_what_is_wanted_and_what_there_is() -> None:
    animation = Stage().animation
    with pytest.raises(AnimationError, match="Arm: clip: expected one of bend, slide, found 'run'"):
        animation.play("run")
    with pytest.raises(AnimationError, match="joint: expected one of hand, shoulder, elbow"):
        animation.joint("head")
    with pytest.raises(AnimationError):
        animation.drive("head", (0, 0, 0))
    with pytest.raises(ValueError, match="speed"):
        animation.play("bend", speed=float("nan"))


def test_what_is_asked_for_while_loading_happens_when_the_model_is_there() -> None:
    stage = Stage(is_loaded=False)
    stage.animation.play("slide", blend=0.0)
    stage.animation.drive("tail", (0, 0, 0))
    wait = stage.animation.loaded()
    stage.step(0.5)
    assert stage.animation.clips == ()
    assert not wait.ready(0.0, False)
    stage.library.finish("arm.fbx", rig())
    stage.step(0.5)
    assert wait.ready(0.0, False)
    assert wait.result() is True
    assert stage.hand()[1] == pytest.approx(1.0)
    assert stage.errors == [
        "animation of Arm: joint: expected one of shoulder, elbow, hand, found 'tail'"
    ]


def test_a_clip_that_a_loaded_model_does_not_have_is_one_console_error() -> None:
    stage = Stage(is_loaded=False)
    wait = stage.animation.play_once("run")
    stage.library.finish("arm.fbx", rig())
    stage.step()
    stage.step()
    assert stage.errors == ["animation of Arm: clip: expected one of bend, slide, found 'run'"]
    assert wait.ready(0.0, False)
    assert wait.result() is False


def test_nobody_waits_for_a_model_that_cannot_be_had() -> None:
    stage = Stage(is_loaded=False)
    played, loaded = stage.animation.play_once("bend"), stage.animation.loaded()
    stage.library.finish("arm.fbx", None)
    stage.step()
    assert played.ready(0.0, False)
    assert played.result() is False
    assert loaded.ready(0.0, False)
    assert loaded.result() is False


def test_the_wait_for_an_end_tells_whether_it_was_reached() -> None:
    stage = Stage()
    wait = stage.animation.play_once("bend", blend=0.0)
    stage.step(0.6)
    assert not wait.ready(0.6, False)
    stage.step(0.6)
    assert wait.ready(1.2, False)
    assert wait.result() is True
    other = stage.animation.play_once("bend")
    stage.animation.play("slide")
    assert other.ready(1.2, False)
    assert other.result() is False


def test_at_maximum_speed_ends_are_there_at_once_and_loops_cost_nothing() -> None:
    stage = Stage()
    wait = stage.animation.play_once("bend")
    assert wait.ready(0.0, True)
    assert wait.result() is True
    stage.step(instant=True)
    assert stage.hand() == pytest.approx([1, 1, 0])
    stage.animation.play("slide")
    stage.step(instant=True)
    before = stage.animation.revision
    stage.step(count=20, instant=True)
    assert stage.animation.revision == before
    assert stage.hand() == pytest.approx([2, 0, 0])


def test_a_rate_limits_the_poses() -> None:
    stage = Stage()
    stage.animation.rate = 10.0
    stage.animation.play("slide", blend=0.0)
    stage.step(1 / 60)
    before = stage.animation.revision
    stage.step(1 / 60, 60)
    assert 9 <= stage.animation.revision - before <= 11
    stage.animation.drive("elbow", (5.0, 0.0, 0.0))
    stage.animation.stop()
    before = stage.animation.revision
    stage.step(1 / 60)
    assert stage.animation.revision == before + 1  # what is asked for is seen at once


def test_another_model_starts_anew_and_a_dead_object_is_forgotten() -> None:
    stage = Stage()
    stage.animation.play("bend", blend=0.0)
    stage.step(0.5)
    stage.obj.model = {"asset": "other.fbx"}
    stage.step()
    assert stage.animation.clips == ()
    stage.library.finish("other.fbx", rig())
    stage.step()
    assert stage.animation.clips == ("bend", "slide")
    stage.obj.destroy()
    stage.scene.flush()
    stage.step()
    assert stage.scene.animator.known(stage.obj.id) is None


def test_an_object_without_a_model_has_an_animation_that_says_so() -> None:
    scene = Scene()
    obj: SceneObject = scene.spawn("Empty")
    assert obj.animation.clips == ()
    with pytest.raises(AnimationError, match="not loaded"):
        obj.animation.duration("run")


# -- the file ------------------------------------------------------------------------------------


def test_a_rig_file_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "rig.npz"
    write_rig(path, rig())
    read = read_rig(path)
    assert read.joints == ("shoulder", "elbow", "hand")
    assert read.sliders == ("smile",)
    for name, clip in rig().clips.items():
        for time in (0.0, 0.3, 5.0):
            one, other = clip.sample(time, rig().rest), read.clips[name].sample(time, read.rest)
            assert model_matrices(one, read.parents) == pytest.approx(
                model_matrices(other, read.parents), abs=1e-6
            )


@pytest.mark.parametrize("change", ["cut", "text", "parents", "shape", "format"])
def test_an_unsound_rig_file_is_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "rig.npz"
    made = rig()
    if change == "parents":
        made = Rig(made.joints, np.array([1, 0, 1]), made.rest)
    if change == "shape":
        made = Rig(("one", "two"), np.array([-1, 0]), made.rest)
    write_rig(path, made)
    content = path.read_bytes()
    if change == "cut":
        content = content[:200]
    if change == "text":
        content = b"hello"
    if change == "format":
        with np.load(io.BytesIO(content)) as arrays:
            values = {name: arrays[name] for name in arrays.files}
        values["head"] = np.frombuffer(b'{"format": "x"}', dtype=np.uint8)
        stream = io.BytesIO()
        np.savez(stream, **values)
        content = stream.getvalue()
    path.write_bytes(content)
    with pytest.raises(CardFileError, match="expected a rig"):
        read_rig(path)


def test_degrees_are_those_of_a_transform() -> None:
    scene = Scene()
    obj = scene.spawn("A")
    rng = np.random.default_rng(5)
    for angles in [*rng.uniform(-89, 89, (40, 3)), np.array([20.0, 90.0, 0.0])]:
        obj.transform.rotation = angles
        matrix = np.asarray(obj.transform.matrix)
        obj.transform.rotation = degrees_of(matrix[:3, :3])
        assert np.asarray(obj.transform.matrix) == pytest.approx(matrix, abs=1e-9)


# -- a clip that is asked for in each frame ------------------------------------------------------


def test_a_clip_that_is_asked_for_in_each_frame_goes_on() -> None:
    stage = Stage()
    playing = stage.animation.play("slide", blend=0.0)
    for speed in (1.0, 1.0, 3.0):
        assert stage.animation.play("slide", blend=0.0, speed=speed) is playing
        stage.step(0.1)
    assert stage.animation.time == pytest.approx(0.5)
    wait = stage.animation.play_once("bend")
    for _ in range(8):
        assert stage.animation.play_once("bend").playing is wait.playing
        stage.step(0.125)
    assert (wait.ready(0.0, False), wait.result()) == (True, True)
    assert stage.animation.play_once("bend").playing is not wait.playing, "it has ended"
    stage.step(0.3)
    stage.animation.play_once("bend", restart=True)
    assert stage.animation.time == 0.0
    stage.step(0.3)
    stage.animation.play("bend")
    assert stage.animation.time == 0.0, "played once and repeated are two things"


def test_a_paused_clip_that_is_played_goes_on_where_it_was() -> None:
    stage = Stage()
    stage.animation.play("slide", blend=0.0)
    stage.step(0.5)
    stage.animation.pause()
    stage.animation.play("slide")
    stage.step(0.5)
    assert stage.animation.time == pytest.approx(1.0)


# -- who waits for what has gone -----------------------------------------------------------------


def destroy(stage: Stage) -> None:
    stage.obj.destroy()
    stage.scene.flush()


GONE = {
    "destroyed": destroy,
    "no model": lambda stage: setattr(stage.obj, "model", None),
    "builtin": lambda stage: setattr(stage.obj, "model", {"builtin": "box"}),
    "stopped": lambda stage: stage.animation.stop(),
}


@pytest.mark.parametrize("is_loaded", [True, False])
@pytest.mark.parametrize("how", GONE)
def test_nobody_waits_for_a_clip_that_has_gone(how: str, is_loaded: bool) -> None:
    stage = Stage(is_loaded=is_loaded)
    waits = [stage.animation.play_once("bend"), stage.animation.play_once("bend", layer="upper")]
    stage.step(0.1)
    GONE[how](stage)
    stage.step(0.1)
    for wait in waits:
        assert (wait.ready(0.0, False), wait.result()) == (True, False)
    if how == "destroyed":
        late = stage.animation.play_once("bend")
        assert (late.ready(0.0, False), late.result()) == (True, False)
        loaded = stage.animation.loaded()
        assert (loaded.ready(0.0, False), loaded.result()) == (True, is_loaded)


def test_a_disabled_figure_stands_and_goes_on() -> None:
    stage = Stage()
    wait = stage.animation.play_once("bend", blend=0.0)
    stage.step(0.5)
    stage.obj.enabled = False
    stage.step(1.0, 3)
    assert not wait.ready(0.0, False)
    stage.obj.enabled = True
    stage.step(0.5)
    assert (wait.ready(0.0, False), wait.result()) == (True, True)


# -- layers ---------------------------------------------------------------------------------------


def test_a_layer_moves_the_joints_of_its_mask_and_no_others() -> None:
    stage, alone = Stage(), Stage()
    for one in (stage, alone):
        one.animation.play("slide", blend=0.0)
    stage.animation.play("bend", loop=False, blend=0.0, layer="upper", mask="elbow")
    for _ in range(5):
        stage.step(0.2)
        alone.step(0.2)
    assert stage.animation.layers == {"upper": "bend"}
    assert stage.hand() == pytest.approx([1, 1 + alone.hand()[1], 0])
    assert np.array_equal(stage.animation.matrices[0], alone.animation.matrices[0])
    assert stage.animation.weights == pytest.approx([0.0]), "a mask is of joints"
    assert stage.animation.clip == "slide"
    stage.animation.stop("upper", blend=0.0)
    stage.step(0.2)
    alone.step(0.2)
    assert np.array_equal(stage.animation.matrices, alone.animation.matrices)
    assert stage.animation.layers == {}


@pytest.mark.parametrize("mask", ["hand", ("hand",), ["hand"]])
def test_a_clip_that_moves_nothing_of_the_mask_changes_nothing(mask: Any) -> None:
    stage, alone = Stage(), Stage()
    stage.animation.play("bend", blend=0.0, layer="fist", mask=mask)
    stage.step(0.5)
    alone.step(0.5)
    assert np.array_equal(stage.animation.matrices, alone.animation.matrices)


def test_a_layer_without_a_mask_takes_blend_shapes_too_and_has_a_weight() -> None:
    stage = Stage()
    stage.animation.play("bend", loop=False, blend=0.0, layer="all", weight=0.5)
    stage.step(0.5, 2)
    assert stage.animation.weights == pytest.approx([0.5])
    turn = degrees_of(stage.animation.matrices[1][:3, :3])
    assert turn[0] == pytest.approx(45.0)
    stage.animation.play("bend", loop=False, layer="all", weight=1.0, restart=True, blend=0.0)
    stage.step(0.5, 2)
    assert stage.animation.weights == pytest.approx([1.0])


def test_a_layer_is_blended_in_and_out() -> None:
    stage = Stage()
    wait = stage.animation.play_once("bend", blend=0.5, layer="upper", mask="elbow")
    turns = []
    for _ in range(20):
        stage.step(0.1)
        turns.append(degrees_of(stage.animation.matrices[1][:3, :3])[0])
    assert (wait.ready(0.0, False), wait.result()) == (True, True)
    top = turns.index(max(turns))
    assert turns[: top + 1] == sorted(turns[: top + 1])
    assert turns[top:] == sorted(turns[top:], reverse=True)
    assert 0.0 < turns[0] < 2.0
    assert max(turns) == pytest.approx(90.0)
    assert turns[-1] == pytest.approx(0.0, abs=1e-9)
    assert max(abs(np.diff(turns))) < 30.0
    assert stage.animation.layers == {}


def test_a_clip_takes_the_place_of_another_in_its_layer_without_a_jump() -> None:
    stage = Stage()
    stage.animation.play("bend", loop=False, blend=0.0, layer="top")
    stage.step(0.25, 4)
    wait = stage.animation.play_once("bend", layer="top")
    stage.animation.play("slide", speed=0.5, blend=1.0, layer="top")
    assert wait.ready(0.0, False)
    assert wait.result() is False
    places = [stage.hand()]
    for _ in range(12):
        stage.step(0.1)
        places.append(stage.hand())
    assert places[0] == pytest.approx([1, 1, 0])
    assert max(np.linalg.norm(np.diff(places, axis=0), axis=1)) < 0.35
    assert places[-1] == pytest.approx([2, 1.2, 0], abs=1e-6)


def test_layers_end_at_once_at_maximum_speed() -> None:
    stage = Stage()
    stage.animation.play("bend", loop=False, layer="upper")
    stage.step(instant=True)
    assert stage.hand() == pytest.approx([1, 1, 0])
    stage.animation.stop("upper")
    stage.step(instant=True)
    assert stage.hand() == pytest.approx([2, 0, 0])
    before = stage.animation.revision
    stage.step(count=5, instant=True)
    assert stage.animation.revision == before


def test_what_a_layer_does_not_find_is_said() -> None:
    stage = Stage()
    with pytest.raises(AnimationError, match="joint: expected one of shoulder, elbow, hand"):
        stage.animation.play("bend", layer="upper", mask="spine")
    with pytest.raises(ValueError, match="mask: expected a joint's name"):
        stage.animation.play("bend", layer="upper", mask=3)  # type: ignore[arg-type]  # wrong
    with pytest.raises(ValueError, match="mask: expected a layer with a name"):
        stage.animation.play("bend", mask="elbow")
    with pytest.raises(ValueError, match="weight: expected a finite number"):
        stage.animation.play("bend", layer="upper", weight=float("nan"))
    late = Stage(is_loaded=False)
    late.animation.play("bend", layer="upper", mask="spine")
    late.library.finish("arm.fbx", rig())
    late.step()
    assert late.errors == [
        "animation of Arm: mask: expected one of shoulder, elbow, hand, found 'spine'"
    ]
    assert late.animation.layers == {}


def test_figures_with_and_without_layers_are_computed_together() -> None:
    stage = Stage()
    others = [stage.scene.spawn("Arm", model=stage.obj.model) for _ in range(3)]
    clips = [("slide", ""), ("bend", "a"), ("slide", "a"), ("bend", "b")]
    for obj, (clip, layer) in zip((stage.obj, *others), clips, strict=True):
        obj.animation.play("slide", blend=0.0)
        if layer:
            obj.animation.play(clip, blend=0.0, layer=layer, mask="elbow")
    stage.step(0.5)
    found = [obj.animation.matrices.copy() for obj in (stage.obj, *others)]
    assert np.array_equal(found[0], found[2])
    assert np.array_equal(found[1], found[3])
    assert not np.allclose(found[0], found[1])
