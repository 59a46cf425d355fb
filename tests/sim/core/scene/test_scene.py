"""The scene: spawning, destroying, parents, changes; and metrics, panels and status lines."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import LimitError
from sim.core.files.scene_checker import ID_PATTERN
from sim.core.files.scene_settings import SceneSettings
from sim.core.reporting.metrics import MetricStore
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject, SlotState, new_id
from sim.core.script.panels import PanelRegistry, StatusBoard
from tests.sim.core.stage import Stage


class Recorder:
    """Stands for the script host and notes what it is told."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, str]] = []

    def attach(self, slot: ComponentSlot) -> None:
        self.notes.append(("attach", slot.id))

    def detach(self, slot: ComponentSlot) -> None:
        self.notes.append(("detach", slot.id))

    def activity_changed(self, slot: ComponentSlot) -> None:
        self.notes.append(("activity", slot.id))


def family() -> tuple[Scene, SceneObject, SceneObject, SceneObject]:
    """Return a scene with a grandparent, a parent and a child, one component each."""
    scene = Scene()
    scene.host = Recorder()
    top = scene.spawn("top", object_id="obj_top")
    middle = scene.spawn("middle", parent=top, object_id="obj_middle")
    low = scene.spawn("low", parent=middle, object_id="obj_low")
    for obj in (top, middle, low):
        scene.attach(obj, "sim:Text", {}, f"cmp_{obj.name}")
    scene.drain_changes()
    scene.host.notes.clear()
    return scene, top, middle, low


def test_ids_match_the_format_and_differ() -> None:
    ids = {new_id(prefix) for prefix in ("scn", "obj", "cmp") for _ in range(100)}
    assert len(ids) == 300
    assert all(ID_PATTERN.fullmatch(item) for item in ids)


def test_objects_are_found_by_id_name_and_path() -> None:
    scene, top, _, low = family()
    other = scene.spawn("low", parent=top)
    assert scene.get("obj_low") is low
    assert scene.get("obj_gone") is None
    assert scene.find("low") is low
    assert scene.find_all("low") == [low, other]
    assert scene.find_all("top/low") == [other]
    assert scene.find("nobody") is None
    assert scene.object_of_transform(low.transform.slot) == "obj_low"
    slot = scene.component("cmp_low")
    assert slot is not None
    assert slot.object is low


def test_components_come_children_first() -> None:
    scene, *_ = family()
    assert [slot.id for slot in scene.components()] == ["cmp_low", "cmp_middle", "cmp_top"]


def test_destroying_lets_children_go_first_at_the_flush() -> None:
    scene, top, middle, low = family()
    middle.destroy()
    middle.destroy()
    low.destroy()
    assert not low.is_alive
    assert scene.get("obj_low") is low  # until the end of the frame
    scene.flush()
    assert scene.host.notes == [("detach", "cmp_low"), ("detach", "cmp_middle")]
    assert list(scene.objects) == ["obj_top"]
    assert top.children == []
    assert low.components[0].state is SlotState.DESTROYED
    assert scene.component("cmp_low") is None
    changes = scene.drain_changes()
    assert changes.destroyed == {"obj_low", "obj_middle"}
    assert not scene.drain_changes()


def test_what_came_and_went_between_two_pictures_is_no_change() -> None:
    scene = Scene()
    scene.spawn("brief").destroy()
    scene.flush()
    assert not scene.drain_changes()


def test_switching_off_reaches_all_below() -> None:
    scene, top, _, low = family()
    top.enabled = False
    top.enabled = False
    assert not low.is_active
    assert not low.is_shown
    assert not low.components[0].is_active
    assert len(scene.host.notes) == 3
    assert scene.drain_changes().visual == {"obj_top", "obj_middle", "obj_low"}
    top.enabled = True
    top.visible = False
    assert low.is_active
    assert not low.is_shown


def test_a_component_is_switched_alone() -> None:
    _, _, _, low = family()
    low.components[0].enabled = False
    assert not low.components[0].is_active
    assert low.is_active


def test_an_object_cannot_hang_below_itself() -> None:
    scene, top, middle, low = family()
    for parent in (top, low):
        with pytest.raises(ValueError, match="parent: expected an object outside top"):
            scene.set_parent(top, parent)
    scene.set_parent(low, None)
    assert scene.roots == [top, low]
    assert middle.children == []
    scene.set_parent(top, low)
    assert top.path == "low/top"


def test_a_refused_object_leaves_nothing_behind() -> None:
    scene = Scene(SceneSettings(max_objects=1))
    with pytest.raises(ValueError, match="rotation: expected three finite numbers"):
        scene.spawn("bad", rotation=[0, math.nan, 0])
    assert scene.objects == {}
    assert scene.roots == []
    assert scene.transforms.update_world().tolist() == []
    scene.spawn("good")
    with pytest.raises(LimitError, match=r"at most 1 objects \(setting max_objects\)"):
        scene.spawn("more")
    assert len(scene.roots) == 1


def test_each_change_of_looks_is_told_once() -> None:
    scene, top, _, _ = family()
    top.material = {}
    assert not scene.drain_changes()
    top.material = {"opacity": 0.5}
    top.model = {"builtin": "box"}
    top.texture = "a.png"
    assert scene.drain_changes().visual == {"obj_top"}


@pytest.mark.parametrize("change", [
    lambda look: look.__setitem__("size", 9), lambda look: look.__delitem__("size"),
    lambda look: look.update(size=9), lambda look: look.pop("size"), lambda look: look.clear(),
    lambda look: look.popitem(), lambda look: look.setdefault("color", "red"),
    lambda look: look.__ior__({"size": 9}),
])  # fmt: skip
@pytest.mark.parametrize("name", ["model", "material"])
def test_a_look_changed_in_place_is_seen(name: str, change: Callable[[Any], object]) -> None:
    scene, top, _, _ = family()
    given: dict[str, Any] = {"size": 1}
    setattr(top, name, given)
    scene.drain_changes()
    change(getattr(top, name))
    assert scene.drain_changes().visual == {"obj_top"}
    assert given == {"size": 1}


def test_a_look_is_copied_and_sent_as_a_plain_map() -> None:
    _, top, _, _ = family()
    top.model = {"builtin": "box"}
    sent = pickle.loads(pickle.dumps(top.model))
    for made in (copy.copy(top.model), copy.deepcopy(top.model), sent):
        assert type(made) is dict
        assert made == {"builtin": "box"}


def test_what_is_destroyed_is_found_no_more() -> None:
    scene, top, child, _ = family()
    assert scene.find(child.name) is child
    top.destroy()
    assert scene.find(child.name) is None
    assert scene.find_all(child.path) == []


SPAWNER = """
class Spawner(Script):
    def start(self):
        for _ in range(3):
            self.scene.spawn("made", components=[("scripts.spawner:Made", {})])

class Made(Script):
    number = 0.0
    def start(self):
        self.number = float(self.rng.random())
"""


def test_what_scripts_make_has_the_same_ids_and_randomness_each_run(tmp_path: Path) -> None:
    runs = []
    for index, seed in enumerate((7, 7, 8)):
        stage = Stage(tmp_path / str(index))
        stage.script("spawner", SPAWNER)
        stage.open_one("scripts.spawner:Spawner", seed=seed)
        stage.frames(3)
        made = stage.app.scene.find_all("made")
        runs.append([(obj.id, obj.components[0].id, obj.get("Made").number) for obj in made])
        stage.close()
    assert len(runs[0]) == len({number for _, _, number in runs[0]}) == 3
    assert runs[0] == runs[1]
    assert [item[2] for item in runs[0]] != [item[2] for item in runs[2]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 20)), max_size=40))
def test_any_history_leaves_a_whole_tree(history: list[tuple[int, int, int]]) -> None:
    scene = Scene()
    for what, first, second in history:
        alive = [obj for obj in scene.objects.values() if obj.is_alive]
        one = alive[first % len(alive)] if alive else None
        other = alive[second % len(alive)] if alive and second else None
        if what == 0 or one is None:
            scene.spawn("o", parent=one if second % 3 else None, position=[1, 0, 0])
        elif what == 1:
            one.destroy()
            if second % 2:
                scene.flush()
        elif other is None or other not in one.subtree():
            scene.set_parent(one, other)
    scene.flush()
    reached = [obj for root in scene.roots for obj in root.subtree()]
    assert {obj.id for obj in reached} == set(scene.objects)
    assert len(reached) == len(scene.objects)
    slots = [obj.transform.slot for obj in reached]
    assert len(set(slots)) == len(slots)
    scene.transforms.update_world()
    for obj in reached:
        assert obj.is_alive
        assert scene.transforms.world[obj.transform.slot][3, 0] == obj.path.count("/") + 1


# -- metrics ------------------------------------------------------------------------------------


def test_metrics_keep_series_and_write_lines(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    store = MetricStore(path)
    store.log("loss", 0.5)
    store.log("loss", 0.25)
    store.log("rating", 3, step=10)
    with pytest.raises(ValueError, match="metric loss: expected a finite number, got nan"):
        store.log("loss", math.nan)
    store.close()
    store.close()
    steps, values = store.series("loss")
    assert (steps.tolist(), values.tolist()) == ([0.0, 1.0], [0.5, 0.25])
    assert store.series("none")[0].shape == (0,)
    assert store.names() == ["loss", "rating"]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[2] == {"name": "rating", "step": 10.0, "value": 3.0}
    store.clear("loss")
    assert store.names() == ["rating"]


def test_a_metric_with_a_step_that_is_no_number_is_refused_whole() -> None:
    store = MetricStore()
    for step in (math.nan, math.inf):
        with pytest.raises(ValueError, match="metric a"):
            store.log("a", 1.0, step=step)
    assert store.series("a")[0].tolist() == []
    assert store.names() == []


# -- panels and status lines --------------------------------------------------------------------


def test_what_a_component_added_goes_with_it() -> None:
    _, top, _, low = family()
    one, two = top.components[0], low.components[0]
    registry = PanelRegistry()
    registry.register(one, "Z", print, order=1)
    registry.register(two, "B", print)
    registry.register(one, "A", print, dock="left")
    registry.add_command(one, "go", "Go", print, key="g")
    registry.set_legend(one, "old", ())
    registry.set_legend(one, "new", ("line",))
    assert [panel.title for panel in registry.panels] == ["A", "B", "Z"]
    assert registry.legends == [(one, "new", ("line",), ())]
    before = registry.revision
    registry.unregister(one)
    assert [panel.title for panel in registry.panels] == ["B"]
    assert registry.commands == []
    assert registry.legends == []
    assert registry.revision > before


def test_a_status_line_begins_when_its_text_does() -> None:
    board = StatusBoard()
    board.set("train", "training", busy=True)
    line, revision = board.lines["train"], board.revision
    board.set("train", "training", busy=True)
    assert board.lines["train"] is line
    assert board.revision == revision
    assert board.is_busy("train")
    assert line.seconds >= 0.0
    board.set("train", "done")
    assert not board.is_busy("train")
    board.clear("train")
    board.clear("train")
    assert board.lines == {}
    assert not board.is_busy("train")
