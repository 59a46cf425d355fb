"""The script host: order of hooks, policies, the end."""

from __future__ import annotations

import time

from sim.core.editing.editor import Editor
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.core.scene.scene_data import scene_data
from tests.sim.core.stage import Stage, thing

CALLS = """
class Tell(Script):
    calls = []

    def _tell(self, hook):
        Tell.calls.append(f"{self.object.name} {hook}")

    def awake(self): self._tell("awake")
    def enable(self): self._tell("enable")
    def start(self): self._tell("start")
    def fixed_update(self, dt): self._tell("fixed_update")
    def update(self, dt): self._tell("update")
    def late_update(self, dt): self._tell("late_update")
    def disable(self): self._tell("disable")
    def destroy(self): self._tell("destroy")
"""


def family(stage: Stage) -> list[str]:
    stage.script("tell", CALLS)
    stage.open(
        {
            "obj_parent": thing("parent", {"cmp_parent": "scripts.tell:Tell"}),
            "obj_child": thing("child", {"cmp_child": "scripts.tell:Tell"}, parent="obj_parent"),
        }
    )
    return type(stage.slot("cmp_parent").instance).calls


def test_children_come_first_and_each_hook_waits_for_all_of_the_one_before(stage):
    calls = family(stage)
    assert calls == []
    stage.app.host.begin_frame()
    assert calls == [
        "child awake", "parent awake", "child enable", "parent enable", "child start",
        "parent start",
    ]  # fmt: skip


def test_a_frame_runs_fixed_updates_then_updates_then_late_updates(stage):
    calls = family(stage)
    stage.frames(2)
    calls.clear()
    stage.frames(1)
    kinds = list(dict.fromkeys(call.split()[1] for call in calls))
    assert kinds == ["fixed_update", "update", "late_update"]
    assert [call for call in calls if call.endswith(" update")] == ["child update", "parent update"]


def test_disable_and_destroy_run_at_the_end_once(stage):
    calls = family(stage)
    stage.frames(1)
    calls.clear()
    stage.app.close()
    stage.app.close()
    assert sorted(calls) == ["child destroy", "child disable", "parent destroy", "parent disable"]
    assert calls.index("child disable") < calls.index("child destroy")


def test_what_never_woke_is_not_destroyed(stage):
    calls = family(stage)
    stage.app.close()
    assert calls == []


def test_enable_and_disable_follow_activity(stage):
    calls = family(stage)
    stage.frames(1)
    calls.clear()
    slot = stage.slot("cmp_child")
    slot.enabled = False
    assert calls == ["child disable"]
    stage.frames(2)
    assert not any(call == "child update" for call in calls)
    calls.clear()
    slot.enabled = True
    assert calls == ["child enable"]
    stage.frames(1)
    assert "child update" in calls
    assert "child start" not in calls


def test_destroying_an_object_runs_its_last_hooks(stage):
    calls = family(stage)
    stage.frames(1)
    calls.clear()
    stage.app.scene.destroy(stage.app.scene.find("child"))
    stage.frames(1)
    assert [call for call in calls if call.startswith("child d")] == [
        "child disable", "child destroy",
    ]  # fmt: skip
    assert "child update" not in calls


def test_an_error_in_destroy_is_one_line_and_ends_nothing(stage):
    stage.script("last", "class Last(Script):\n    def destroy(self): 1 / 0\n")
    stage.open_one("scripts.last:Last")
    stage.frames(1)
    stage.app.close()
    assert stage.lines() == ["ZeroDivisionError: division by zero"]


def test_what_is_spawned_in_a_hook_starts_with_the_next_frame(stage):
    stage.script(
        "maker",
        """
        class Maker(Script):
            def start(self):
                made = self.scene.spawn("made")
                self.scene.attach(made, "scripts.maker:Made")
        class Made(Script):
            count = 0
            def update(self, dt): self.count += 1
        """,
    )
    stage.open_one("scripts.maker:Maker")
    stage.frames(3)
    made = stage.app.scene.find("made")
    assert made.components[0].state is SlotState.READY
    assert made.components[0].instance.count >= 2
    assert stage.errors() == 0


FAILS = """
class Fails(Script):
    def update(self, dt): 1 / 0
"""


def test_pause_stops_the_clock_and_keeps_the_app(stage):
    stage.script("fails", FAILS)
    stage.open_one("scripts.fails:Fails", settings={"on_script_error": "pause"})
    stage.frames(1)
    assert stage.app.clock.paused
    now = stage.app.clock.time
    stage.frames(3)
    assert stage.app.clock.time == now
    assert not stage.app.run_context.stop_requested


def test_abort_ends_the_run_with_code_1(stage):
    stage.script("fails", FAILS)
    stage.open_one("scripts.fails:Fails", settings={"on_script_error": "abort"})
    assert stage.app.run() == 1
    assert stage.errors() == 1


def test_the_command_line_beats_the_scene(stage):
    stage.script("fails", FAILS)
    settings = {"on_script_error": "abort"}
    stage.open_one("scripts.fails:Fails", settings=settings, on_error="isolate")
    stage.frames(3)
    assert not stage.app.run_context.stop_requested


def test_safe_mode_loads_nothing_of_the_user(stage):
    stage.script("fails", "raise SystemExit(3)\n")
    slot = stage.open_one("scripts.fails:Fails", safe=True)
    stage.frames(2)
    assert slot.state is SlotState.PLACEHOLDER
    assert stage.errors() == 0


def test_what_detaches_itself_as_it_leaves_is_destroyed_once(stage):
    stage.script(
        "last",
        """
        class Last(Script):
            ends = 0
            def destroy(self):
                self.ends += 1
                self.slot.host.detach(self.slot)
        """,
    )
    slot = stage.open_one("scripts.last:Last")
    stage.frames(1)
    instance = slot.instance
    stage.app.host.detach(slot)
    stage.app.host.detach(slot)
    assert instance.ends == 1
    assert stage.errors() == 0


ENDS = """
class Ends(Script):
    rounds: int | None = option(min=1, ends_run=True, help="How many.")
    fails: bool = field(False)

    def update(self, dt):
        if self.fails:
            raise OSError("no paper")

class Other(Script):
    def update(self, dt):
        raise OSError("no ink")
"""


def ending(stage: Stage, *, fails: bool, **options: object) -> int | None:
    """Run two frames in which another component fails, and the one that ends the run perhaps."""
    stage.script("ends", ENDS)
    stage.open(
        {
            "obj_one": thing("A", {"cmp_one": ("scripts.ends:Ends", {"fails": fails})}),
            "obj_two": thing("B", {"cmp_two": "scripts.ends:Other"}),
        },
        **{"headless": True, "seconds": None, "script_options": {"rounds": 3}, **options},
    )
    stage.frames(2)
    return stage.app.run_context.exit_code


def test_a_headless_run_ends_where_what_would_have_ended_it_failed(stage):
    assert ending(stage, fails=True) == 1
    assert "the run ends: what would have ended it failed (--rounds)" in stage.lines()


def test_it_goes_on_where_another_component_failed_or_its_time_is_set(stage, tmp_path):
    assert ending(stage, fails=False) is None
    other = Stage(tmp_path / "other")
    assert ending(other, fails=True, seconds=60.0) is None
    other.close()


def test_another_program_decides_when_a_run_under_remote_control_ends(stage):
    assert ending(stage, fails=True, remote=True) is None


ASKS = """
    class Asks(Script):
        def start(self):
            self.link = self.workers.open(
                "doomed", "tests.sim.core.workers.link_workers:die", owner=self.slot
            )
            self.link.send("anything")

        def begin(self):
            self.task = self.start_coroutine(self.wait())

        async def wait(self):
            await self.seconds(1.0)
"""


def asking(stage: Stage, **options: object) -> ComponentSlot:
    """Run a component whose worker dies at once until the worker was given up."""
    stage.script("asks", ASKS)
    slot = stage.open_one("scripts.asks:Asks", **options)
    end = time.monotonic() + 60.0
    while not stage.app.world.links.given_up(slot):
        assert time.monotonic() < end
        stage.frames()
        time.sleep(0.01)
    return slot


def test_a_worker_that_was_given_up_ends_a_headless_run(stage):
    asking(stage)
    assert stage.app.run_context.exit_code == 1
    text = "worker doomed ended with exit code 3, 6 times in a row: given up; the run ends"
    assert stage.lines() == [text]


def test_where_somebody_can_act_a_retry_starts_the_worker_again(stage):
    slot = asking(stage, remote=True)
    assert stage.app.run_context.exit_code is None
    (record,) = [one for one in stage.app.console.records if one.level == "error"]
    assert record.slot_id == slot.id, "the console offers the restart there"
    stage.app.host.retry(slot)
    assert stage.app.world.links.given_up() == []


def test_a_coroutine_of_a_stopped_component_is_over_so_that_nobody_waits_for_it(stage):
    stage.script("asks", ASKS.replace("def start", "def never"))
    slot = stage.open_one("scripts.asks:Asks")
    stage.frames()
    stage.app.host.fail(slot, "update", ValueError("broken"))
    slot.instance.begin()
    assert slot.instance.task.done


def test_a_renamed_field_is_found_by_its_former_name(stage):
    stage.script("a", """
        class Clock(Script):
            pause: float = field(0.5, former=("wait",))

            def update(self, dt):
                self.seen = self.wait
    """)  # fmt: skip
    given = ("scripts.a:Clock", {"wait": 2.0})
    stage.open({"obj_one": thing("A", {"cmp_one": given, "cmp_two": given})})
    stage.frames(2)
    slot = stage.slot("cmp_one")
    assert slot.instance.seen == slot.instance.pause == 2.0
    told = [text for text in stage.lines("info") if "wait" in text]
    assert told == ["the field wait is now pause; the old name still works"]
    editor = Editor(stage.app.scene, stage.app.console)
    editor.set_field(slot, "wait", 3.0)
    assert slot.values == {"pause": 3.0}
    editor.undo()
    entry = scene_data(stage.app.scene)["objects"]["obj_one"]["components"]["cmp_two"]
    assert (slot.instance.wait, entry["fields"]) == (2.0, {"pause": 2.0})
