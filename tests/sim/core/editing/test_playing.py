"""Play, pause, stop: what scripts did goes, what was edited by hand goes or stays."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.core.editing import PlaySession, PlayState
from tests.examples import examples
from tests.sim.core.editing.edit_stage import KINDS, OBJECTS, Program, spin

GAME = {
    **OBJECTS,
    "obj_game": {"name": "Game", "components": {"cmp_busy": {"type": "scripts.spin:Busy"}}},
}


def playing(stage, objects=None):
    """Return the editor and a session that stands still, as the app has it when it opens."""
    editor = stage.start(GAME if objects is None else objects)
    stage.app.clock.pause()
    stage.frames()
    return editor, PlaySession(editor, stage.app.clock, stage.app.world.metrics)


def stones(stage):
    return [obj.id for obj in stage.app.scene.objects.values() if obj.name == "Stone"]


def test_play_pause_and_stop(stage):
    _, session = playing(stage)
    assert session.state is PlayState.STOPPED
    assert session.stop() is False
    session.pause()
    assert session.state is PlayState.STOPPED
    session.play()
    stage.frames(3)
    assert session.state is PlayState.PLAYING
    assert stage.app.clock.time > 0.0
    session.pause()
    assert session.state is PlayState.PAUSED
    before = stage.app.clock.time
    stage.frames(3)
    assert stage.app.clock.time == before
    session.play()
    assert session.state is PlayState.PLAYING
    assert session.stop() is True
    assert session.state is PlayState.STOPPED
    assert stage.app.clock.time == 0.0
    assert stage.app.clock.paused


def test_stop_brings_everything_back_with_its_ids_and_scripts_start_anew(stage):
    editor, session = playing(stage)
    editor.rename(stage.find("Bud"), "Flower")
    before, told = stage.bytes, []
    editor.on_edit.append(lambda edit: told.append(edit.label))
    session.play()
    stage.frames(10)
    assert stones(stage)
    assert stage.app.scene.get("obj_game").name == "Game" + 10 * "!"
    stage.find("Flower").destroy()
    stage.frames()
    stage.spins()
    session.stop()
    assert stage.live_bytes == stage.bytes == before
    assert stones(stage) == []
    assert "Board destroy" in stage.spins()
    stage.frames()
    assert "Board awake 5.0" in stage.spins()
    assert stage.find("Game").transform.position.tolist() == [0, 0, 0]
    assert stage.slot("cmp_board").instance.target is stage.find("Leaf")
    assert told == ["Stop"]
    assert editor.undo()  # what was edited before is undone as ever
    assert stage.find("Bud").id == "obj_bud"
    assert stage.lines("warning") == []


def test_a_stop_clears_the_metrics_so_that_charts_begin_anew(stage):
    _, session = playing(stage)
    metrics = stage.app.world.metrics
    session.play()
    for game in (1, 2, 3):
        metrics.log("won", 1.0, step=game)
    revision = metrics.revision
    session.pause()
    assert metrics.series("won")[0].tolist() == [1.0, 2.0, 3.0], "a pause keeps them"
    session.stop()
    assert metrics.names() == []
    assert metrics.revision > revision
    session.play()
    metrics.log("won", 0.0, step=1)
    assert metrics.series("won")[0].tolist() == [1.0], "the line does not go back"


def test_edits_while_playing_go_with_a_stop(stage):
    editor, session = playing(stage)
    editor.rename(stage.find("Bud"), "One")
    editor.rename(stage.find("One"), "Two")
    editor.undo()
    before = stage.bytes
    session.play()
    stage.frames(2)
    assert not session.has_edits
    editor.undo()
    editor.create("New")
    editor.delete(stage.find("Twig"))
    assert session.has_edits
    session.stop()
    assert stage.live_bytes == stage.bytes == before
    assert (editor.undo_label, editor.redo_label) == ("Rename Bud to One", "Rename One to Two")
    editor.redo()
    assert stage.find("Two")
    assert not session.has_edits


def test_edits_while_playing_stay_where_that_is_wanted_and_what_scripts_did_goes(stage):
    editor, session = playing(stage)
    session.play()
    stage.frames(4)
    game = stage.app.scene.get("obj_game")
    editor.set_field(stage.slot("cmp_board"), "speed", 9)
    editor.set_material(game, "roughness", 0.5)
    made = editor.create("New", parent=game)
    stone = next(obj for obj in stage.app.scene.objects.values() if obj.name == "Stone")
    editor.set_visible(stone, False)
    assert editor.undo_label == "Hide Stone"
    stage.frames(3)
    before = stage.bytes
    session.stop(keep=True)
    assert stage.live_bytes == stage.bytes == before
    game = stage.find("Game")
    assert game.transform.position.tolist() == [0, 0, 0]
    assert dict(game.material) == {"roughness": 0.5}
    assert [child.id for child in game.children] == [made.id]
    assert stage.slot("cmp_board").values["speed"] == 9
    assert editor.undo_label == "Create New"  # the stone is no more
    for _ in range(3):
        assert editor.undo()
    assert not editor.can_undo
    assert stage.find("Game").children == []
    assert stage.lines("warning") == []
    assert stage.live_bytes == stage.bytes


def test_what_is_saved_while_playing_is_what_was_edited_by_hand(stage):
    editor, session = playing(stage)
    session.play()
    stage.frames(5)
    editor.set_visible(stage.find("Bud"), False)
    stage.frames(5)
    path = stage.root / "scenes" / "a.scene.json"
    editor.save(path)
    saved = path.read_bytes()
    assert b"Stone" not in saved
    assert not editor.is_changed
    session.stop(keep=True)
    assert stage.live_bytes == saved
    session.play()
    editor.set_visible(stage.find("Bud"), True)
    editor.save(path)
    session.stop()
    assert editor.is_changed  # the file has an edit that went
    assert stage.bytes == saved


def test_every_play_is_the_same(stage):
    _, session = playing(stage, {"obj_game": GAME["obj_game"]})
    seen = []
    for _ in range(2):
        session.play()
        stage.frames(4)
        seen.append(
            (stones(stage), [stage.slot("cmp_busy").instance.rng.random() for _ in range(3)])
        )
        session.stop()
        stage.frames()
    assert seen[0] == seen[1]


def test_scripts_that_did_not_finish_start_anew(stage):
    stage.script("slow", '''
        class Slow(Script):
            async def wait(self):
                await self.seconds(1000)
            def start(self): self.start_coroutine(self.wait())
            def destroy(self): self.scene.spawn("Late")
    ''')  # fmt: skip
    _, session = playing(stage, {
        "obj_slow": {"name": "Slow", "components": {"cmp_slow": {"type": "scripts.slow:Slow"}}},
        "obj_bad": {"name": "Bad", "components": {"cmp_bad": spin()}},
    })  # fmt: skip
    session.play()
    stage.frames(2)
    stage.app.host.fail(stage.slot("cmp_bad"), "update", ValueError("no"))
    session.stop()
    assert set(stage.app.scene.objects) == {"obj_slow", "obj_bad"}
    stage.frames()
    assert stage.slot("cmp_bad").error is None
    assert len(stage.slot("cmp_slow").runtime.tasks) == 1


numbers = st.integers(0, 2**16)
programs = st.lists(st.tuples(st.integers(0, len(KINDS) - 1), numbers, numbers), max_size=25)


@settings(
    max_examples=examples(8, 15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(before=programs, during=programs, keep=st.booleans(), after=programs)
def test_a_stop_is_exact_whatever_was_edited(stage, before, during, keep, after):
    with stage.closed():
        editor, session = playing(stage)
        run = Program(editor)
        run.run(before)
        begun, label = stage.bytes, editor.undo_label
        session.play()
        for number, operation in enumerate(during):
            run.step(operation)
            if number % 4 == 0:
                stage.frames()
        expected = stage.bytes if keep else begun
        session.stop(keep=keep)
        assert stage.live_bytes == stage.bytes == expected
        assert keep or editor.undo_label == label
        run.run(after)
        while editor.undo():
            pass
        assert stage.live_bytes == stage.bytes
        assert stage.lines("warning") == []
