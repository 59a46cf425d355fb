"""What scripts do with objects that were destroyed: nothing else in the scene notices."""

from __future__ import annotations

import pytest

from sim.core.scene.scene import Scene
from tests.sim.core.stage import Stage, thing


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_what_is_written_to_a_gone_object_moves_no_other(scene: Scene) -> None:
    first = scene.spawn("first", position=(1, 2, 3))
    kept = first.transform
    first.destroy()
    scene.flush()
    second = scene.spawn("second")
    kept.position = (9.0, 9.0, 9.0)
    kept.rotation = (90.0, 0.0, 0.0)
    assert second.transform.position.tolist() == [0, 0, 0]
    assert second.transform.rotation.tolist() == [0, 0, 0]
    assert kept.world_position.tolist() == [9, 9, 9]


def test_the_last_place_of_a_gone_object_can_be_read(scene: Scene) -> None:
    first = scene.spawn("first", position=(1, 2, 3), scale=(2, 2, 2))
    first.destroy()
    scene.flush()
    scene.spawn("second", position=(5, 5, 5))
    assert first.transform.position.tolist() == [1, 2, 3]
    assert first.transform.scale.tolist() == [2, 2, 2]


def test_nothing_hangs_below_a_gone_object(scene: Scene) -> None:
    gone, left = scene.spawn("gone"), scene.spawn("left")
    gone.destroy()
    scene.flush()
    for change in (
        lambda: scene.spawn("ghost", parent=gone),
        lambda: scene.set_parent(left, gone),
        lambda: scene.set_parent(gone, left),
        lambda: scene.attach(gone, "scripts.x:X"),
    ):
        with pytest.raises(ValueError, match="expected an object of the scene, found gone"):
            change()
    assert [obj.name for obj in scene.objects.values()] == ["left"]
    assert scene.roots == [left]


def test_what_is_about_to_go_is_not_moved_elsewhere(scene: Scene) -> None:
    above = scene.spawn("above")
    below = scene.spawn("below", parent=above)
    left = scene.spawn("left")
    above.destroy()
    with pytest.raises(ValueError, match="which was destroyed"):
        below.parent = None
    with pytest.raises(ValueError, match="which was destroyed"):
        left.parent = above
    scene.flush()
    assert list(scene.objects.values()) == [left]


def test_what_last_hooks_make_goes_as_well(stage: Stage) -> None:
    stage.script(
        "one",
        """
        class One(Script):
            def destroy(self):
                self.made = self.scene.spawn("late", parent=self.object)
                self.scene.spawn("beside")
        """,
    )
    stage.open({"obj_one": thing("A", {"cmp_one": "scripts.one:One"})})
    stage.frames(2)
    scene, script = stage.app.scene, stage.slot("cmp_one").instance
    scene.get("obj_one").destroy()
    stage.frames(2)
    assert [obj.name for obj in scene.objects.values()] == ["beside"]
    assert not script.made.is_alive
    assert stage.errors() == 0


@pytest.mark.parametrize("hook", ["awake", "start", "disable", "destroy"])
def test_a_component_that_takes_itself_off_runs_its_last_hooks_once(
    stage: Stage, hook: str
) -> None:
    stage.script(
        "one",
        f"""
        SEEN = []
        class One(Script):
            def disable(self):
                SEEN.append("disable")

            def destroy(self):
                SEEN.append("destroy")

        class Two(One):
            def {hook}(self):
                getattr(One, "{hook}")(self)
                self.scene.detach(self.slot)
                self.scene.detach(self.slot)
        """,
    )
    stage.open({"obj_one": thing("A", {"cmp_one": "scripts.one:Two"})})
    seen = stage.slot("cmp_one").instance.destroy.__globals__["SEEN"]
    stage.frames(2)
    for obj in list(stage.app.scene.objects.values()):
        obj.destroy()
    stage.frames(2)
    assert stage.errors() == 0
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("name", [5, None, "", "x" * 201, "half \ud800"])
def test_a_name_that_no_file_could_keep_is_refused(scene: Scene, name: object) -> None:
    obj = scene.spawn("sound")
    with pytest.raises(ValueError, match="name: expected a text of 1 to 200 characters"):
        obj.name = name  # type: ignore[assignment]
    with pytest.raises(ValueError, match="name: expected a text"):
        scene.spawn(name)  # type: ignore[arg-type]
    assert obj.path == "sound"
    assert list(scene.objects.values()) == [obj]
