"""Laws of looking back: after any sequence of changes every moment comes back to the bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.core.rewind.recorder import TapeRecorder
from sim.core.rewind.restoring import PastView, continue_from
from sim.core.rewind.tape import Tape
from tests.sim.core.stage import Stage, thing

SCRIPT = """
class Counter(Script):
    count: int = field(0, recorded=True)
    total = 0

    def save_state(self):
        return {"total": self.total}

    def load_state(self, state):
        self.total = state["total"]
"""
KINDS = ("spawn", "destroy", "move", "turn", "parent", "order", "visible", "enabled", "count")
changes = st.tuples(
    st.sampled_from(KINDS), st.integers(0, 30), st.integers(0, 30), st.floats(-1e6, 1e6)
)
moments = st.lists(st.lists(changes, max_size=4), min_size=2, max_size=7)
many = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    stage = Stage(Path(tmp_path_factory.mktemp("laws")))
    stage.script("counter", SCRIPT)
    yield stage.open({"obj_one": thing("A", {"cmp_one": "scripts.counter:Counter"})})
    stage.close()


def do(scene: Any, change: tuple[str, int, int, float]) -> None:
    kind, first, second, number = change
    objects = [obj for obj in scene.objects.values() if obj.is_alive]
    if kind == "spawn" or not objects:
        parent = objects[second % len(objects)] if objects and second % 3 else None
        parts = [("scripts.counter:Counter", {})] if first % 2 else []
        scene.spawn("new", parent=parent, position=(number, 0, first), components=parts)
        return
    obj, other = objects[first % len(objects)], objects[second % len(objects)]
    if kind == "destroy":
        scene.destroy(obj)
    elif kind == "move":
        obj.transform.position = (number, -number, second)
    elif kind == "turn":
        obj.transform.rotation = (number % 360, 0.1, 0.0)
        obj.transform.scale = (1.0 + second, 1.0, 1.0)
    elif kind == "parent" and other not in obj.subtree():
        scene.set_parent(obj, other)
    elif kind == "order":
        siblings = scene.roots if obj.parent is None else obj.parent.children
        scene.set_parent(obj, obj.parent, second % len(siblings))
    elif kind in ("visible", "enabled"):
        setattr(obj, kind, not getattr(obj, kind))
    elif kind == "count":
        for slot in obj.components:
            slot.instance.count, slot.instance.total = second, first


def tree_of(scene: Any) -> list[Any]:
    """All of a scene that is kept, without anything that the recorder made."""

    def below(obj: Any) -> list[Any]:
        transform = obj.transform
        numbers = np.concatenate([transform.position, transform.rotation, transform.scale])
        scripts = [(slot.id, slot.instance.count, slot.instance.total) for slot in obj.components
                   if slot.instance is not None]  # fmt: skip
        return [obj.id, obj.name, numbers.tobytes(), obj.enabled, obj.visible, scripts,
                [below(child) for child in obj.children]]  # fmt: skip

    return [below(root) for root in scene.roots]


def without_totals(tree: list[Any]) -> list[Any]:
    return [[*item[:5], [part[:2] for part in item[5]], without_totals(item[6])] for item in tree]


def hidden_left_out(tree: list[Any], shown: set[str]) -> list[Any]:
    return [[*item[:6], hidden_left_out(item[6], shown)] for item in tree if item[0] in shown]


def without_scripts(tree: list[Any]) -> list[Any]:
    return [[*item[:5], without_scripts(item[6])] for item in tree]


def run(app: Any, sequence: list[Any]) -> tuple[TapeRecorder, Tape, list[Any]]:
    scene = app.scene
    scene.clear()
    scene.spawn("first", components=[("scripts.counter:Counter", {})])
    app.host.begin_frame()
    world = app.world
    recorder = TapeRecorder(
        scene, app.clock, app.console, world.agents, world.metrics, world.watchdog
    )
    tape, trees = Tape(recorder.moment()), [tree_of(scene)]
    for parts in sequence:
        for part in parts:
            do(scene, part)
        app.host.begin_frame()
        tape.append(recorder.step())
        trees.append(tree_of(scene))
    return recorder, tape, trees


@many
@given(moments, st.data())
def test_each_moment_is_shown_to_the_bit_and_the_present_is_left_as_it_was(
    app: Any, sequence: list[Any], data: st.DataObject
) -> None:
    recorder, tape, trees = run(app, sequence)
    scene = app.scene
    showing = PastView(scene, recorder.moment())
    for index in data.draw(st.lists(st.integers(0, len(tape) - 1), min_size=1, max_size=3)):
        showing.show(tape.moment(index))
        ids = set(tape.moment(index).objects())
        now = hidden_left_out(tree_of(scene), ids)
        assert without_scripts(now) == without_scripts(trees[index])
        assert all(not obj.visible for key, obj in scene.objects.items() if key not in ids)
        alive = {item for item in ids if scene.get(item).components}
        counts = {key: value for key, value in counts_of(trees[index]).items() if key[0] in alive}
        assert {key: counts_of(now)[key] for key in counts} == counts
    showing.end()
    assert tree_of(scene) == trees[-1]
    assert not recorder.step().values


def counts_of(tree: list[Any]) -> dict[Any, int]:
    found = {(item[0], part[0]): part[1] for item in tree for part in item[5]}
    for item in tree:
        found |= counts_of(item[6])
    return found


@many
@given(moments, st.data())
def test_a_scene_goes_on_from_each_moment_and_that_can_be_undone(
    app: Any, sequence: list[Any], data: st.DataObject
) -> None:
    recorder, tape, trees = run(app, sequence)
    index = data.draw(st.integers(0, len(tape) - 1))
    before, agents = recorder.moment(), app.world.agents
    continue_from(app.scene, app.host, agents, tape.moment(index))
    assert tree_of(app.scene) == trees[index]
    continue_from(app.scene, app.host, agents, before)
    assert tree_of(app.scene) == trees[-1]


@many
@given(moments, st.integers(0, 5))
def test_what_is_dropped_or_cut_off_changes_no_other_moment(
    app: Any, sequence: list[Any], count: int
) -> None:
    _, tape, _ = run(app, sequence)
    whole = [tape.moment(index).copy() for index in range(len(tape))]
    count = min(count, len(tape) - 1)
    tape.drop(count)
    for index in range(len(tape)):
        found, wanted = tape.moment(index), whole[count + index]
        assert found.values == wanted.values
        assert found.arrays["transforms"].tobytes() == wanted.arrays["transforms"].tobytes()
    tape.cut(0)
    assert len(tape) == 1
    assert tape.bytes == 0
