"""What a script's classes and exceptions do when the host asks them: the app goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from base.interruption import Interruption
from sim.core.reporting.console import Console
from sim.core.reporting.failure_text import SafeInspector, describe
from sim.core.scene.scene import SlotState
from tests.sim.core.stage import Stage, thing

OTHER = """
class Other(Script):
    count = 0

    def update(self, dt):
        self.count += 1
"""
QUICK = {"script_timeout": 0.1}


def play(stage: Stage, text: str, frames: int = 6) -> None:
    """Run a script beside another one, which goes on whatever the first does."""
    stage.script("other", OTHER)
    stage.script("one", text)
    objects = {
        "obj_one": thing("A", {"cmp_one": "scripts.one:One"}),
        "obj_two": thing("B", {"cmp_two": "scripts.other:Other"}),
    }
    stage.open(objects, QUICK)
    stage.frames(frames)
    assert stage.slot("cmp_two").instance.count == frames


RAISING = {
    "line-is-none": ("e = ValueError('x'); e.file = 'scripts/one.py'; e.line = None", "raise e"),
    "file-is-an-object": ("e = ValueError('x'); e.file = object()", "raise e"),
    "attributes-raise": (
        "E = type('E', (Exception,), {'__getattr__': lambda self, name: 1 / 0})",
        "raise E()",
    ),
    "no-name": ("E = type('', (Exception,), {})", "raise E()"),
    "syntax-error-of-its-own": ("e = SyntaxError('x', (5, None, None, None))", "raise e"),
    "text-is-endless": (
        "E = type('E', (Exception,), {'__str__': lambda self: [0 for _ in iter(int, 1) if _]})",
        "raise E()",
    ),
    "text-exits": (
        "E = type('E', (BaseException,), {'__str__': lambda self: exit(3)})",
        "raise E()",
    ),
}


@pytest.mark.parametrize("name", RAISING)
def test_an_exception_is_one_line_whatever_it_answers(stage: Stage, name: str) -> None:
    before, then = RAISING[name]
    play(
        stage, f"class One(Script):\n    def update(self, dt):\n        {before}\n        {then}\n"
    )
    assert stage.errors() == 1
    assert stage.slot("cmp_one").state is SlotState.QUARANTINED


def test_a_local_value_whose_text_never_ends_is_left_out(stage: Stage) -> None:
    play(
        stage,
        """
        class Endless:
            def __repr__(self):
                while True:
                    pass

        class One(Script):
            def update(self, dt):
                first = second = third = Endless()
                raise ValueError("here")
        """,
    )
    record = stage.slot("cmp_one").error
    assert record.text == "ValueError: here"
    assert record.details.count("<repr raised ScriptTimeout>") == 3


@pytest.mark.parametrize("hook", ["awake", "enable", "start", "update", "validate", "destroy"])
def test_a_hook_that_cannot_be_had_is_one_error(stage: Stage, hook: str) -> None:
    parameters = "self, dt" if hook == "update" else "self"
    play(
        stage,
        f"""
        class One(Script):
            size: float = field(1.0)

            def __getattribute__(self, name):
                if name == "{hook}":
                    raise RuntimeError("not this one")
                return super().__getattribute__(name)

            def {hook}({parameters}):
                pass
        """,
    )
    if hook == "validate":
        stage.app.host.set_field(stage.slot("cmp_one"), "size", 2.0)
    elif hook == "destroy":
        stage.app.scene.get("obj_one").destroy()
        stage.frames()
    assert stage.lines() == ["RuntimeError: not this one"]


def test_attributes_of_a_class_that_raise_are_not_asked(stage: Stage) -> None:
    play(
        stage,
        """
        class Sour:
            def __get__(self, instance, owner):
                raise ValueError("sour")

        class One(Script):
            sour = Sour()
            struck = signal()
            heard = 0

            def update(self, dt):
                self.struck.emit()

            @on("struck")
            def hear(self):
                self.heard += 1
        """,
    )
    assert stage.errors() == 0
    assert stage.slot("cmp_one").instance.heard == 6


def test_a_field_that_raises_when_signals_are_bound_is_one_error(stage: Stage) -> None:
    play(
        stage,
        """
        class One(Script):
            bell: "One" = field(None)
            struck = signal()

            def __getattribute__(self, name):
                if name == "bell":
                    raise RuntimeError("no bell")
                return super().__getattribute__(name)

            @on("bell.struck")
            def hear(self):
                pass
        """,
    )
    assert stage.lines() == ["RuntimeError: no bell"]


@pytest.mark.parametrize("then", ["raise ValueError('now')", "self.object.destroy()"])
def test_a_coroutine_that_never_ends_when_cancelled_is_broken_off(stage: Stage, then: str) -> None:
    play(
        stage,
        f"""
        class One(Script):
            count = 0

            def start(self):
                self.start_coroutine(self.work())

            async def work(self):
                try:
                    while True:
                        await self.next_frame()
                finally:
                    n = 0
                    while True:
                        n += 1

            def update(self, dt):
                self.count += 1
                if self.count == 3:
                    {then}
        """,
    )
    assert any(line.startswith("ScriptTimeout") for line in stage.lines())


@pytest.mark.parametrize("how", ["self.task.cancel()", "self.object.destroy(); self.scene.flush()"])
def test_a_coroutine_that_cancels_itself_ends_at_its_next_wait(stage: Stage, how: str) -> None:
    play(
        stage,
        f"""
        class One(Script):
            def start(self):
                self.seen = self.scene.find("B").components[0].instance.seen = []
                self.task = self.start_coroutine(self.work())

            async def work(self):
                try:
                    await self.next_frame()
                    {how}
                    self.seen.append("goes on")
                    await self.next_frame()
                    self.seen.append("too far")
                finally:
                    self.seen.append("ended")
        """,
    )
    assert stage.lines() == []
    assert stage.slot("cmp_two").instance.seen == ["goes on", "ended"]


def test_a_wait_of_no_number_is_an_error(stage: Stage) -> None:
    play(
        stage,
        """
        class One(Script):
            def start(self):
                self.start_coroutine(self.work())

            def work(self):
                yield float("nan")
        """,
    )
    assert stage.lines() == ["ValueError: seconds: expected a number, found nan"]


def test_a_call_goes_on_under_watch_after_one_inside_it_failed(stage: Stage) -> None:
    stage.script("bad", "class Bad(Script):\n    @on('x.y')\n    def hear(self): pass\n")
    play(
        stage,
        """
        class One(Script):
            struck = signal()

            def update(self, dt):
                self.scene.find("B").add("scripts.bad:Bad")
                n = 0
                while True:
                    n += 1
        """,
    )
    assert len(stage.lines()) == 2
    assert stage.lines()[1].startswith("ScriptTimeout: did not finish")


def test_a_reload_hook_that_never_ends_is_broken_off(stage: Stage) -> None:
    text = "class One(Script):\n    def update(self, dt):\n        pass\n"
    play(stage, text)
    endless = (
        "    def reloaded(self, old):\n        n = 0\n        while True:\n            n += 1\n"
    )
    stage.save("one", text + endless)
    stage.frames()
    assert stage.lines()[0].startswith("ScriptTimeout")


@pytest.mark.parametrize("broken", ["closed", "none"])
def test_errors_go_on_where_nobody_reads_stderr(
    stage: Stage, broken: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stream = (tmp_path / "log.txt").open("w", encoding="utf-8")
    stream.close()
    monkeypatch.setattr(sys, "stderr", None if broken == "none" else stream)
    play(stage, "class One(Script):\n    def update(self, dt):\n        1 / 0\n")
    assert stage.lines() == ["ZeroDivisionError: division by zero"]


def test_ctrl_c_inside_an_exceptions_text_still_ends_the_app() -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise Interruption

    with pytest.raises(Interruption):
        Console(stderr=False).failure(Rude(), source="", component="", hook="", slot_id="")


def test_a_long_text_is_cut() -> None:
    assert len(describe(ValueError("x" * 10**6))) < 30_000
    assert describe(ValueError("short"), SafeInspector()) == "ValueError: short"
