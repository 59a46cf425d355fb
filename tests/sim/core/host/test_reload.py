"""Hot reload: the new code takes over with all state, or nothing changes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sim.core.host.reload import FileWatch
from sim.core.scene.scene import SlotState
from tests.sim.core.stage import thing

COUNTER = """
class Counter(Script):
    step: int = field(1)
    def start(self): self.count = 0
    def update(self, dt): self.count += self.step
"""


def test_state_is_kept_and_a_new_field_is_told(stage):
    stage.script("counter", COUNTER)
    slot = stage.open_one("scripts.counter:Counter", fields={"step": 3})
    stage.frames(4)
    instance = slot.instance
    assert instance.count == 12
    assert stage.save(
        "counter",
        COUNTER.replace("step: int = field(1)", "step: int = field(1)\n    boost: int = field(5)")
        .replace("self.step", "self.step + self.boost"),
    )  # fmt: skip
    assert slot.instance is instance
    stage.frames(1)
    assert instance.count == 12 + 3 + 5
    assert instance.step == 3
    line = stage.lines("info")[-1]
    assert line.startswith("reloaded scripts/counter.py: 1 class, 1 instance, +1 field (boost), ")
    assert line.endswith(" ms")
    assert stage.errors() == 0


def test_a_field_that_went_is_told(stage):
    stage.script("counter", COUNTER)
    slot = stage.open_one("scripts.counter:Counter")
    stage.frames(1)
    assert stage.save(
        "counter", "class Counter(Script):\n    def update(self, dt): self.count += 9"
    )
    stage.frames(1)
    assert slot.instance.count == 10
    assert "-1 field (step)" in stage.lines("info")[-1]


BAD = {
    "syntax": "class Counter(Script:\n",
    "raises": "1 / 0\n",
    "exits": "import sys; sys.exit(3)\n",
    "gone": "class Another(Script): pass\n",
    "near miss": "class Counter(Script):\n    def Update(self, dt): pass\n",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_failed_reload_leaves_the_old_code_running(stage, text):
    stage.script("counter", COUNTER)
    slot = stage.open_one("scripts.counter:Counter")
    stage.frames(2)
    old = type(slot.instance)
    assert not stage.save("counter", text)
    stage.frames(2)
    assert type(slot.instance) is old
    assert slot.instance.count == 4
    assert slot.state is SlotState.READY
    assert stage.errors() == 1
    assert not stage.app.run_context.stop_requested
    assert stage.save("counter", COUNTER.replace("+=", "-="))
    stage.frames(1)
    assert slot.instance.count == 3


def test_an_endless_module_is_broken_off(stage):
    stage.script("counter", COUNTER)
    slot = stage.open_one("scripts.counter:Counter", settings={"script_timeout": 0.2})
    stage.frames(1)
    assert not stage.save("counter", "while True: pass\n")
    stage.frames(1)
    assert slot.instance.count == 2
    assert stage.errors() == 1
    assert "ScriptTimeout" in stage.lines()[0]


def test_a_reloaded_hook_that_fails_rolls_that_component_back(stage):
    stage.script("counter", COUNTER)
    slot = stage.open_one("scripts.counter:Counter", fields={"step": 2})
    stage.frames(1)
    old = type(slot.instance)
    broken = COUNTER.replace("step: int", "pace: int")
    stage.save("counter", broken + "    def reloaded(self, old): 1 / 0\n")
    assert type(slot.instance) is old
    assert slot.values == {"step": 2}
    assert stage.errors() == 1
    assert stage.save("counter", COUNTER)
    stage.frames(1)
    assert slot.state is SlotState.READY
    assert slot.instance.count == 4


def test_reloaded_is_called_with_the_old_class(stage):
    stage.script("counter", COUNTER)
    slot = stage.open_one("scripts.counter:Counter")
    stage.frames(1)
    old = type(slot.instance)
    stage.save("counter", COUNTER + "    def reloaded(self, old): self.was = old\n")
    assert slot.instance.was is old
    assert type(slot.instance) is not old


def test_those_who_imported_a_class_get_the_new_one(stage):
    stage.script("shape", "class Shape(Script):\n    def sides(self): return 3\n")
    stage.script(
        "user",
        """
        from scripts.shape import Shape
        class User(Script):
            shape: Shape = field(None)
            def is_shape(self): return isinstance(self.shape, Shape)
        class Square(Shape):
            pass
        """,
    )
    stage.open(
        {
            "obj_shape": thing("Shape", {"cmp_shape": "scripts.shape:Shape"}),
            "obj_square": thing("Square", {"cmp_square": "scripts.user:Square"}),
            "obj_user": thing("U", {"cmp_user": ("scripts.user:User", {"shape": {"$ref": "cmp_shape"}})}),
        }
    )  # fmt: skip
    stage.frames(1)
    user, square = stage.slot("cmp_user").instance, stage.slot("cmp_square").instance
    assert (user.shape.sides(), square.sides(), user.is_shape()) == (3, 3, True)
    assert stage.save("shape", "class Shape(Script):\n    def sides(self): return 4\n")
    assert (user.shape.sides(), square.sides(), user.is_shape()) == (4, 4, True)
    new = type(stage.slot("cmp_shape").instance)
    assert isinstance(square, new)
    assert stage.errors() == 0


def test_a_reloaded_dependent_stays_a_subclass(stage):
    stage.script("shape", "class Shape(Script):\n    def sides(self): return 3\n")
    stage.script("user", "from scripts.shape import Shape\nclass Square(Shape): pass\n")
    slot = stage.open_one("scripts.user:Square")
    stage.frames(1)
    stage.save("shape", "class Shape(Script):\n    def sides(self): return 4\n")
    stage.save("user", "from scripts.shape import Shape\nclass Square(Shape):\n    big = True\n")
    assert slot.instance.big
    assert slot.instance.sides() == 4


def test_new_and_dropped_hooks_take_effect_at_once(stage):
    stage.script("counter", COUNTER)
    slot = stage.open_one("scripts.counter:Counter")
    stage.frames(1)
    stage.save("counter", "class Counter(Script):\n    def late_update(self, dt): self.late = 1\n")
    stage.frames(2)
    assert slot.instance.count == 1
    assert slot.instance.late == 1


def test_signal_handlers_are_bound_anew(stage):
    bell = "class Bell(Script):\n    struck = signal(int)\n    heard = 0\n"
    stage.script("bell", bell)
    slot = stage.open_one("scripts.bell:Bell")
    stage.frames(1)
    handler = "    @on('struck')\n    def hear(self, n): self.heard += n * {}\n"
    stage.save("bell", bell + handler.format(1))
    slot.instance.struck.emit(2)
    stage.save("bell", bell + handler.format(10))
    slot.instance.struck.emit(2)
    stage.save("bell", bell)
    slot.instance.struck.emit(2)
    assert slot.instance.heard == 22


def test_a_running_coroutine_goes_on(stage):
    text = (
        "class Walk(Script):\n    def start(self): self.start_coroutine(self.go())\n"
        "    async def go(self):\n        await self.seconds(0.1)\n        self.there = True\n"
    )
    stage.script("walk", text)
    slot = stage.open_one("scripts.walk:Walk")
    stage.frames(2)
    assert stage.save("walk", text)
    stage.frames(8)
    assert slot.instance.there


def test_files_that_nothing_uses_and_files_elsewhere_are_let_be(stage, tmp_path):
    stage.script("counter", COUNTER)
    stage.open_one("scripts.counter:Counter")
    assert not stage.save("unused", "1 / 0\n")
    (tmp_path / "notes.py").write_text("1 / 0\n")
    assert not stage.app.world.reloader.reload(tmp_path / "notes.py")
    assert stage.errors() == 0


def test_a_helper_module_is_reloaded_for_those_that_look_it_up(stage):
    stage.script("helper", "def number(): return 1\n")
    stage.script(
        "asks",
        """
        from scripts import helper
        class Asks(Script):
            def update(self, dt): self.number = helper.number()
        """,
    )
    slot = stage.open_one("scripts.asks:Asks")
    stage.frames(1)
    assert slot.instance.number == 1
    assert stage.save("helper", "def number(): return 2\n")
    stage.frames(1)
    assert slot.instance.number == 2


def test_panels_and_commands_run_the_new_code(stage):
    text = """
        class Shows(Script):
            def start(self):
                self.panel("Shown", self.draw)
                self.command("go", "Go", self.go)
            def draw(self, ui): self.drawn = 1
            def go(self): self.gone = 1
        """
    stage.script("shows", text)
    slot = stage.open_one("scripts.shows:Shows")
    stage.frames(1)
    assert stage.save("shows", text.replace("= 1", "= 2"))
    panels = stage.app.host.panels
    stage.app.host.call(slot, "panel", panels.panels[0].draw, None)
    stage.app.host.call(slot, "go", panels.commands[0].callback)
    assert (slot.instance.drawn, slot.instance.gone) == (2, 2)


PANELS = """
    class Shown(Script):
        updates = 0

        def start(self):
            self.panel("Mine", self.draw_mine)
            self.command("mine", "Mine", self.run_mine)
            self.command("other", "Other", self.run_other, checked=self.is_mine)
            self.opens_files((".mine",), self.take_mine, "Mine")

        def draw_mine(self, ui): ...
        def run_mine(self): ...
        def run_other(self): ...
        def is_mine(self): return True
        def take_mine(self, path): ...

        def update(self, dt):
            self.updates += 1
"""


def test_what_a_saved_script_no_longer_offers_goes_and_the_component_stays(stage):
    stage.script("shown", PANELS)
    slot = stage.open_one("scripts.shown:Shown")
    stage.frames()
    panels = stage.app.host.panels
    draw = panels.panels[0].draw
    assert stage.save(
        "shown",
        """
        class Shown(Script):
            updates = 0

            def run_other(self): ...

            def update(self, dt):
                self.updates += 2
    """,
    )
    stage.frames()
    assert (panels.panels, panels.openers) == ([], [])
    assert [entry.name for entry in panels.commands] == ["open_file"]
    assert draw(None) is None, "whoever still has it calls nothing"
    assert (slot.state, slot.instance.updates) == (SlotState.READY, 3)
    assert stage.errors() == 0
    assert "panel Mine is removed: its method draw_mine is gone" in stage.lines("warning")
    assert stage.save("shown", PANELS)
    stage.frames()
    assert slot.state is SlotState.READY
    assert [entry.title for entry in panels.panels] == ["Mine"], "it is back"
    assert len(panels.commands) == 3


def test_a_panel_of_before_that_fails_after_a_reload_goes_and_its_component_stays(stage):
    stage.script(
        "shown",
        """
        class Shown(Script):
            def start(self):
                self.panel("Mine", lambda ui: self.draw_mine(ui))

            def draw_mine(self, ui): ...
    """,
    )
    slot = stage.open_one("scripts.shown:Shown")
    stage.frames()
    panels = stage.app.host.panels

    def draw():
        for entry in list(panels.panels):
            entry.slot.draw(entry.hook, entry.draw, None)

    assert stage.save("shown", "class Shown(Script): pass")
    draw()
    assert (slot.state, panels.panels, stage.errors()) == (SlotState.READY, [], 1)
    assert stage.save("shown", "class Shown(Script):\n    size = 3")
    draw()
    assert (slot.state, stage.errors()) == (SlotState.READY, 1)


def test_a_drawing_that_fails_is_set_aside_until_its_script_is_saved(stage):
    text = """
        class Score(Script):
            def start(self):
                self.updates = 0
                self.hud.canvas("score", draw=self.draw)
                self.panel("Score", self.show)

            def update(self, dt):
                self.updates += 1

            def draw(self, canvas):
                canvas.button("Go", (0, 0, 50, 20), self.go, is_on=1 / PARTS > 1)

            def show(self, ui):
                return 1 / PARTS

            def go(self): ...
    """
    stage.script("score", text.replace("PARTS", "0"))
    slot = stage.open_one("scripts.score:Score")
    board, panels = stage.app.host.hud, stage.app.host.panels

    def draw():
        board.arrange((0, 0, 640, 400), 1.0)
        for entry in panels.panels:
            if entry.error is None:
                entry.attempt(entry.draw, None)

    stage.frames()
    for _ in range(3):
        draw()
        stage.frames()
    assert (slot.state, stage.errors(), board.shown()) == (SlotState.READY, 2, [])
    assert slot.instance.updates >= 4
    record = next(item for item in stage.app.console.records if item.level == "error")
    assert (record.file, record.line) == ("scripts/score.py", 13)
    assert record.text.startswith("ZeroDivisionError: division by zero; this drawing is set aside")
    assert stage.save("score", text.replace("PARTS", "2"))
    draw()
    assert stage.errors() == 2
    assert [item.label for item in board.shown()[0].buttons] == ["Go"]
    assert panels.panels[0].error is None


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_script_that_is_deleted_while_it_runs_is_one_line(stage, what):
    (stage.root / "scripts" / "deep").mkdir()
    path = stage.script("deep/counter", COUNTER)
    slot = stage.open_one("scripts.deep.counter:Counter")
    stage.frames(2)
    gone = path if what == "file" else path.parent
    gone.rename(stage.root / "elsewhere")
    stage.app.world.reloader._files._saved.put(gone)
    stage.frames(3)
    assert slot.instance.count > 2
    assert stage.errors() == 0
    assert stage.lines("warning") == [
        "scripts/deep/counter.py was deleted or renamed: 1 component goes on with what it held; "
        "the scene cannot be opened again without it"
    ]
    (stage.root / "elsewhere").rename(gone)
    assert stage.save("deep/counter", COUNTER)


def test_a_file_that_is_no_script_in_use_goes_silently(stage):
    stage.script("counter", COUNTER)
    stage.open_one("scripts.counter:Counter")
    for name in ("other.py", "deep", "counter.py"):
        stage.app.world.reloader._files._saved.put(stage.root / "scripts" / name)
    stage.frames(2)
    assert stage.lines("warning") == []


def test_the_watch_reports_folders_that_went(tmp_path):
    (tmp_path / "deep").mkdir()
    watch = FileWatch("a test's", (".py",))
    watch.start([tmp_path])
    try:
        found: list[Path] = []
        for number in range(100):  # the watch begins some time after its start
            (tmp_path / f"{number}.py").write_text("")
            time.sleep(0.05)
            if watch.saved():
                break
        (tmp_path / "deep").rename(tmp_path / "deeper")
        end = time.monotonic() + 30.0
        while tmp_path / "deep" not in found and time.monotonic() < end:
            time.sleep(0.02)
            found += watch.saved()
        assert tmp_path / "deep" in found
        assert tmp_path / "deeper" not in found
    finally:
        watch.close()
