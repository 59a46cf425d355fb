"""Calls that take too long are broken off, and nothing else is."""

from __future__ import annotations

import time

import pytest

from base.errors import ScriptTimeout
from sim.core.hangs.watchdog import Watchdog
from sim.core.scene.scene import SlotState
from tests.sim.core.stage import thing


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
        with pytest.raises(ScriptTimeout):
            spin(10.0)
        begun = time.perf_counter()
        spin(0.2)  # it fires once a call
        assert time.perf_counter() - begun >= 0.2
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
    assert stage.lines() == ["ScriptTimeout: did not finish within 0.1 s (setting script_timeout)"]


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
