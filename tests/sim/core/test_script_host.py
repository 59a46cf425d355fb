"""The script host: order of hooks, quarantine, policies, retry, the end."""

from __future__ import annotations

import time

import pytest

from sim.core.console import Console, ConsoleRecord
from sim.core.errors import FieldError, ScriptTimeout
from sim.core.scene_object import SlotState
from sim.core.script_loader import ScriptLoader
from sim.core.watchdog import Watchdog
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


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path)
    yield made
    made.close()


def family(stage: Stage) -> list[str]:
    stage.script("tell", CALLS)
    stage.open(
        {
            "obj_parent": thing("parent", {"cmp_parent": "scripts.tell:Tell"}),
            "obj_child": thing("child", {"cmp_child": "scripts.tell:Tell"}, parent="obj_parent"),
        }
    )
    return type(stage.slot("cmp_parent").instance).calls


# -- order ------------------------------------------------------------------------------------


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


# -- quarantine and retry ---------------------------------------------------------------------

FRAGILE = """
class Fragile(Script):
    fail = ""
    starts = 0
    ran = 0
    def awake(self):
        if Fragile.fail == "awake": 1 / 0
    def start(self):
        self.starts += 1
        if Fragile.fail == "start": 1 / 0
    def update(self, dt):
        if Fragile.fail == "update": 1 / 0
        self.ran += 1
"""


@pytest.mark.parametrize("hook", ["awake", "start", "update"])
def test_a_broken_component_stands_still_until_it_is_retried(stage, hook):
    stage.script("fragile", FRAGILE)
    slot = stage.open_one("scripts.fragile:Fragile")
    cls = type(slot.instance)
    cls.fail = hook
    stage.frames(5)
    assert stage.errors() == 1
    assert slot.state is SlotState.QUARANTINED
    assert slot.error.hook == hook
    assert slot.instance.ran == 0
    cls.fail = ""
    stage.app.host.retry(slot)
    stage.frames(2)
    assert slot.state is SlotState.READY
    assert slot.error is None
    assert slot.instance.ran == 2
    assert slot.instance.starts == (2 if hook == "start" else 1)


def test_a_retry_of_what_is_still_broken_counts_on_the_same_line(stage):
    stage.script("fragile", FRAGILE)
    slot = stage.open_one("scripts.fragile:Fragile")
    type(slot.instance).fail = "update"
    stage.frames(2)
    stage.app.host.retry(slot)
    stage.frames(2)
    assert stage.errors() == 2
    assert len(stage.lines()) == 1
    assert slot.error.count == 2
    assert stage.app.host.error_count == 2


def test_retry_loads_a_placeholder_again(stage):
    stage.script("late", "import no_such_module\n")
    slot = stage.open_one("scripts.late:Late", fields={"size": 4.0})
    assert slot.state is SlotState.PLACEHOLDER
    assert slot.instance is None
    assert slot.values == {"size": 4.0}
    stage.script("late", "class Late(Script):\n    size: float = field(1.0)\n")
    stage.app.host.retry(slot)
    stage.frames(1)
    assert slot.state is SlotState.READY
    assert slot.instance.size == 4.0


def test_a_set_field_that_does_not_fit_changes_nothing(stage):
    stage.script("sized", "class Sized(Script):\n    size: float = field(1.0, min=0)\n")
    slot = stage.open_one("scripts.sized:Sized")
    stage.frames(1)
    with pytest.raises(FieldError):
        stage.app.host.set_field(slot, "size", "wide")
    with pytest.raises(FieldError):
        stage.app.host.set_field(slot, "width", 2.0)
    assert slot.instance.size == 1.0
    assert stage.errors() == 0


def test_an_edit_lets_a_quarantined_component_try_again(stage):
    stage.script(
        "edge",
        """
        class Edge(Script):
            size: float = field(0.0)
            ran = 0
            def update(self, dt):
                1 / self.size
                self.ran += 1
        """,
    )
    slot = stage.open_one("scripts.edge:Edge")
    stage.frames(2)
    assert slot.state is SlotState.QUARANTINED
    stage.app.host.set_field(slot, "size", 2.0)
    stage.frames(2)
    assert slot.state is SlotState.READY
    assert slot.instance.ran == 2


# -- policies ---------------------------------------------------------------------------------

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


# -- loading ----------------------------------------------------------------------------------

NEAR_MISSES = {
    "def Update(self, dt): pass": "Fine.Update is no hook; did you mean update?",
    "def on_start(self): pass": "Fine.on_start is no hook; did you mean start?",
    "def fixedUpdate(self, dt): pass": "Fine.fixedUpdate is no hook; did you mean fixed_update?",
    "def update(self): pass": "Fine.update: expected the parameters (self, dt), found (self)",
    "def start(self, dt): pass": "Fine.start: expected the parameters (self), found (self, dt)",
    "@on('other.rang')\n    def hear(self): pass": "other is no field",
    "@on('rang')\n    def hear(self): pass": "Fine has no such signal",
}


@pytest.mark.parametrize(("code", "said"), NEAR_MISSES.items(), ids=NEAR_MISSES.values())
def test_a_near_miss_is_told_at_load(stage, code, said):
    stage.script("fine", f"class Fine(Script):\n    {code}\n")
    slot = stage.open_one("scripts.fine:Fine")
    assert slot.state is SlotState.PLACEHOLDER
    assert stage.errors() == 1
    assert said in stage.lines()[0]


def test_private_helpers_are_no_near_misses(stage):
    stage.script("fine", "class Fine(Script):\n    def _update(self): pass\n")
    assert stage.open_one("scripts.fine:Fine").state is SlotState.PENDING


def test_a_missing_file_is_a_placeholder(stage):
    slot = stage.open_one("scripts.nowhere:Nothing")
    stage.frames(1)
    assert slot.state is SlotState.PLACEHOLDER
    assert stage.errors() == 1
    assert "nowhere.py" in stage.lines()[0]


def test_two_projects_with_the_same_file_names_do_not_mix(tmp_path):
    loaders = []
    for number in (1, 2):
        scripts = tmp_path / str(number) / "scripts"
        scripts.mkdir(parents=True)
        (scripts / "helper.py").write_text(f"NUMBER = {number}\n")
        (scripts / "same.py").write_text(
            "from sim import Script\nfrom scripts.helper import NUMBER\n"
            "class Same(Script):\n    number = NUMBER\n"
        )
        loaders.append(ScriptLoader(scripts.parent, tmp_path))
    classes = [loader.load("scripts.same:Same") for loader in loaders]
    assert [cls.number for cls in classes] == [1, 2]


def test_tensorflow_is_refused_beside_the_window(stage):
    stage.script("deep", "import tensorflow\n")
    slot = stage.open_one("scripts.deep:Deep")
    assert slot.state is SlotState.PLACEHOLDER
    assert "run it in a worker" in stage.lines()[0]


# -- signals ----------------------------------------------------------------------------------


def test_a_signal_reaches_every_listener_though_one_fails(stage):
    stage.script(
        "talk",
        """
        class Bell(Script):
            struck = signal(int)
        class Ear(Script):
            bell: Bell = field(None)
            deaf: bool = field(False)
            heard = 0
            @on("bell.struck")
            def hear(self, number):
                if self.deaf: raise RuntimeError("deaf")
                self.heard += number
        """,
    )
    bell = {"$ref": "cmp_bell"}
    stage.open(
        {
            "obj_bell": thing("Bell", {"cmp_bell": "scripts.talk:Bell"}),
            "obj_deaf": thing("Deaf", {"cmp_deaf": ("scripts.talk:Ear", {"bell": bell, "deaf": True})}),
            "obj_well": thing("Well", {"cmp_well": ("scripts.talk:Ear", {"bell": bell})}),
        }
    )  # fmt: skip
    stage.frames(1)
    stage.slot("cmp_bell").instance.struck.emit(3)
    stage.slot("cmp_bell").instance.struck.emit(4)
    assert stage.slot("cmp_well").instance.heard == 7
    assert stage.slot("cmp_deaf").state is SlotState.QUARANTINED
    assert stage.slot("cmp_bell").state is SlotState.READY
    assert stage.lines() == ["RuntimeError: deaf"]


def test_connect_disconnect_and_a_wrong_number_of_arguments(stage):
    stage.script("bell", "class Bell(Script):\n    struck = signal(int, str)\n")
    bell = stage.open_one("scripts.bell:Bell").instance
    stage.frames(1)
    heard = []

    def hear(number, text):
        heard.append((number, text))

    bell.struck.connect(hear)
    bell.struck.emit(1, "a")
    with pytest.raises(TypeError, match=r"expected 2 arguments \(int, str\), got 1"):
        bell.struck.emit(2)
    bell.struck.disconnect(hear)
    bell.struck.emit(3, "b")
    assert heard == [(1, "a")]


def test_a_listener_that_was_destroyed_hears_no_more(stage):
    stage.script(
        "talk",
        """
        class Bell(Script):
            struck = signal()
        class Ear(Script):
            bell: Bell = field(None)
            heard = 0
            @on("bell.struck")
            def hear(self): Ear.heard += 1
        """,
    )
    fields = {"bell": {"$ref": "cmp_bell"}}
    stage.open(
        {
            "obj_bell": thing("Bell", {"cmp_bell": "scripts.talk:Bell"}),
            "obj_ear": thing("Ear", {"cmp_ear": ("scripts.talk:Ear", fields)}),
        }
    )
    stage.frames(1)
    cls = type(stage.slot("cmp_ear").instance)
    bell = stage.slot("cmp_bell").instance
    bell.struck.emit()
    stage.app.scene.destroy(stage.app.scene.find("Ear"))
    stage.frames(1)
    bell.struck.emit()
    assert cls.heard == 1


# -- the watchdog -----------------------------------------------------------------------------


def spin(seconds: float) -> None:
    """Stay in Python code: the watchdog breaks between two instructions."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_the_watchdog_breaks_a_long_call_and_only_that():
    dog = Watchdog(0.05)
    try:
        dog.begin()
        with pytest.raises(ScriptTimeout):
            spin(10.0)
        dog.end()
        spin(0.2)
        dog.begin()
        dog.end()
        spin(0.2)
    finally:
        dog.close()


def test_a_timeout_that_was_caught_by_the_script_ends_there():
    dog = Watchdog(0.05)
    try:
        dog.begin()
        try:
            spin(10.0)
        except ScriptTimeout:
            pass
        spin(0.2)  # it fires once a call
        dog.end()
    finally:
        dog.close()


def test_a_late_timeout_is_taken_back_and_the_app_goes_on(stage):
    stage.script("slow", "class Slow(Script):\n    n = 0\n    def update(self, dt): self.n += 1\n")
    slot = stage.open_one("scripts.slow:Slow")
    stage.frames(1)
    host = stage.app.host
    real = host.watchdog.end
    raised = []

    def late():
        if not raised:
            raised.append(True)
            raise ScriptTimeout  # arrives after the call's end, before the deadline is lifted
        real()

    host.watchdog.end = late
    stage.frames(1)
    host.watchdog.end = real
    stage.frames(1)
    assert raised == [True]
    assert slot.state is SlotState.READY
    assert slot.instance.n == 3
    assert stage.errors() == 0


def test_except_exception_does_not_swallow_the_timeout(stage):
    stage.script(
        "stubborn",
        """
        class Stubborn(Script):
            def update(self, dt):
                while True:
                    try:
                        sum(range(10))
                    except Exception:
                        pass
        """,
    )
    slot = stage.open_one("scripts.stubborn:Stubborn", settings={"script_timeout": 0.1})
    stage.frames(2)
    assert slot.state is SlotState.QUARANTINED
    assert stage.lines() == [
        "ScriptTimeout: did not come back within 0.1 s (setting script_timeout)"
    ]


def test_one_that_fails_or_hangs_leaves_the_others_their_frame_and_their_time(stage):
    stage.script(
        "many",
        """
        import time

        class Many(Script):
            kind: str = field("")
            n = 0

            def update(self, dt):
                self.n += 1
                if self.kind == "fails":
                    raise RuntimeError("mine")
                end = time.monotonic() + (10.0 if self.kind == "hangs" else 0.1)
                while time.monotonic() < end:
                    pass
        """,
    )
    kinds = ["works", "works", "fails", "works", "hangs", "works", "works"]
    stage.open(
        {
            f"obj_many{number}": thing(
                kind, {f"cmp_many{number}": ("scripts.many:Many", {"kind": kind})}
            )
            for number, kind in enumerate(kinds)
        },
        settings={"script_timeout": 0.25},
    )
    stage.frames(2)
    slots = [stage.slot(f"cmp_many{number}") for number in range(len(kinds))]
    assert [slot.instance.n for slot in slots] == [2, 2, 1, 2, 1, 2, 2]
    broken = [slot.object.name for slot in slots if slot.state is SlotState.QUARANTINED]
    assert broken == ["fails", "hangs"]
    assert stage.errors() == 2


# -- the console ------------------------------------------------------------------------------


def test_equal_errors_are_one_record_and_plain_lines_are_not_joined(capsys):
    console = Console()
    seen = []
    console.subscribe(lambda record: seen.append(record.count))
    for _ in range(3):
        console.error("broken")
        console.info("hello")
    assert [str(record) for record in console.records if record.level == "error"] == [
        "ERROR broken  (x3)"
    ]
    assert console.counts == {"debug": 0, "info": 3, "warning": 0, "error": 3}
    assert capsys.readouterr().err.count("broken") == 1
    assert len(seen) == 6
    console.clear()
    console.error("broken")
    assert console.records[0].count == 1


def test_the_console_keeps_only_the_last():
    console = Console(stderr=False, capacity=3)
    for number in range(10):
        console.info(str(number))
    assert [record.text for record in console.records] == ["7", "8", "9"]


def test_a_record_names_object_component_hook_and_place():
    record = ConsoleRecord(
        "error", "bad", source="A/B", component="C", hook="update", file="scripts/c.py", line=3
    )
    assert str(record) == "ERROR A/B > C.update  scripts/c.py:3  bad"


def test_the_details_show_the_locals_of_the_user_alone(stage):
    stage.script(
        "odd",
        """
        class Odd(Script):
            def update(self, dt):
                number = 42
                class Nasty:
                    def __repr__(self): raise ValueError
                nasty = Nasty()
                raise RuntimeError("two\\nlines")
        """,
    )
    slot = stage.open_one("scripts.odd:Odd")
    stage.frames(1)
    assert slot.error.text == "RuntimeError: two"
    assert "number = 42" in slot.error.details
    assert "nasty = <repr raised ValueError>" in slot.error.details
    assert "script_host.py" not in slot.error.details
