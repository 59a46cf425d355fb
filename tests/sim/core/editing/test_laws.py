"""Laws of editing: undo is exact, refused edits change nothing, what is saved can be opened."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from base.files import SHIPPED_ROOT
from sim.app.app import App
from sim.core.editing import Editor, prompt_names
from sim.core.files import scene_file
from sim.core.files.scene_file import dumps
from sim.core.project.run_options import RunOptions
from sim.core.scene.scene import Scene
from sim.core.scene.scene_data import scene_data
from tests.examples import examples
from tests.sim.core.editing.edit_stage import KINDS, EditStage, Operation, Program


def random_program(seed: int, length: int) -> list[Operation]:
    rng = random.Random(seed)
    return [
        (rng.randrange(len(KINDS)), rng.randrange(2**16), rng.randrange(2**16))
        for _ in range(length)
    ]


numbers = st.integers(0, 2**16)
operations = st.tuples(st.integers(0, len(KINDS) - 1), numbers, numbers)
long_programs = st.builds(random_program, numbers, st.integers(20, 120))
programs = st.lists(operations, max_size=20) | long_programs
many = settings(
    max_examples=examples(8, 15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def undo_all(editor: Editor) -> int:
    count = 0
    while editor.undo():
        count += 1
    assert not editor.can_undo
    return count


def redo_all(editor: Editor) -> int:
    count = 0
    while editor.redo():
        count += 1
    assert not editor.can_redo
    return count


def check_undo_and_redo(stage: EditStage, program: list[Operation]) -> None:
    editor = stage.start()
    before, live_before = stage.bytes, stage.live_bytes
    Program(editor).run(program)
    after, live_after = stage.bytes, stage.live_bytes
    assert live_after == after
    for _ in range(2):
        count = undo_all(editor)
        assert stage.bytes == before
        assert stage.live_bytes == live_before
        assert redo_all(editor) == count
        assert stage.bytes == after
        assert stage.live_bytes == live_after
    assert stage.lines("warning") == []


@many
@given(program=programs)
def test_undo_of_everything_is_exact_and_so_is_redo(stage, program):
    with stage.closed():
        check_undo_and_redo(stage, program)


@pytest.mark.parametrize(
    ("seed", "edits"),
    [(0, 150), *(pytest.param(seed, 500, marks=pytest.mark.nightly) for seed in (0, 1, 2))],
)
def test_many_edits_are_undone_and_redone_to_the_byte(stage, seed, edits):
    program = random_program(seed, 900)
    editor = stage.start()
    before = stage.bytes
    steps = []
    run = Program(editor)
    for operation in program:
        run.step(operation)
        if len(editor.history.done) > len(steps):
            steps.append(stage.bytes)
        if run.done == edits:
            break
    assert run.done == edits
    assert run.refused > edits / 10
    for expected in [*steps[-2::-1], before]:
        assert editor.undo()
        assert stage.bytes == expected
    assert not editor.undo()
    for expected in steps:
        assert editor.redo()
        assert stage.bytes == expected
    assert not editor.redo()
    assert stage.lines("warning") == []


@many
@given(program=programs, walk=st.lists(st.booleans(), max_size=30), more=programs)
def test_walking_back_and_forth_then_editing_is_exact_too(stage, program, walk, more):
    with stage.closed():
        editor = stage.start()
        before = stage.bytes
        Program(editor).run(program)
        for is_undo in walk:
            editor.undo() if is_undo else editor.redo()
        Program(editor).run(more)
        redo_all(editor)
        after = stage.bytes
        undo_all(editor)
        assert stage.bytes == before
        redo_all(editor)
        assert stage.bytes == after


@many
@given(program=programs)
def test_what_is_saved_is_sound_and_opens_to_the_same_bytes_and_order(stage, program):
    with stage.closed():
        editor = stage.start()
        Program(editor).run(program)
        path = stage.root / "scenes" / "saved.scene.json"
        editor.save(path)
        assert scene_file.check(path) == []
        opened = Scene()
        opened.load_document(scene_file.load(path))
        assert dumps(scene_data(opened)) == path.read_bytes() == stage.bytes
        assert tree(opened.roots) == tree(editor.scene.roots)
        assert not editor.is_changed


def tree(roots) -> list[object]:
    return [[obj.id, [slot.id for slot in obj.components], tree(obj.children)] for obj in roots]


@many
@given(program=programs)
def test_pasted_lines_do_the_same(stage, program):
    with stage.closed():
        told: list[str] = []
        editor = stage.start()
        editor.on_edit.append(lambda edit: told.append(edit.python))
        Program(editor).run(program)
        expected = stage.bytes
        editor = stage.start()
        for python in told:
            exec(python, prompt_names(editor))
        assert stage.bytes == expected


@many
@given(program=programs)
def test_a_running_game_never_reaches_the_file(stage, program):
    with stage.closed():
        stage.start()
        editor = stage.editor
        busy = editor.create("Busy", components=["scripts.spin:Busy"])
        editor.set_parent(busy, stage.find("Board"))
        before = stage.bytes
        run = Program(editor)
        for number, operation in enumerate(program):
            run.step(operation)
            if number % 3 == 0:
                stage.frames()
        after = stage.bytes
        while len(editor.history.done) > 2:
            editor.undo()
            stage.frames()
        assert stage.bytes == before
        redo_all(editor)
        stage.frames()
        assert stage.bytes == after
        assert {line.split(":")[0] for line in stage.lines("error")} <= {"ScriptLoadError"}


@pytest.mark.parametrize(
    "path", sorted((SHIPPED_ROOT / "scenes").glob("*.json")), ids=lambda path: path.stem
)
def test_a_shipped_scene_that_nobody_edits_is_saved_as_it_is(path):
    app = App(RunOptions(scene=path, graphics=False, seconds=1.0, speed=1.0))
    try:
        editor = Editor(app.scene, app.console)
        assert dumps(editor.data()) == dumps(scene_file.load(path).data)
        for obj in list(app.scene.roots):
            editor.delete(obj)
        while editor.undo():
            pass
        assert dumps(editor.data()) == dumps(scene_file.load(path).data)
    finally:
        app.close()
