"""Ten ways to break a script: one console line each, and mending the file heals the object."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from sim.core.scene.scene import SlotState
from tests.sim.core.stage import Stage, thing

GOOD = """
from scripts.bell import Bell

class Subject(Script):
    size: float = field(1.0)
    bell: Bell = field(None)

    def start(self):
        self.count = 0

    def update(self, dt):
        self.count += 1
        self.object.transform.position = (self.count, 0, 0)

    def validate(self):
        pass

    @on("bell.struck")
    def heard(self, number):
        self.last = number
"""


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


@dataclass
class Broken:
    name: str
    text: str
    state: SlotState
    found: str
    """what the console line says"""
    trigger: str = ""
    ways: tuple[bool, ...] = (False, True)
    """whether it is saved over running code; `start` has run by then"""
    settings: dict[str, object] = field(default_factory=dict)


KINDS = [
    Broken("syntax", GOOD + "\ndef broken(:\n", SlotState.READY, "SyntaxError", ways=(True,)),
    Broken(
        "start",
        changed("self.count = 0", "1 / 0"),
        SlotState.QUARANTINED,
        "ZeroDivisionError",
        ways=(False,),
    ),
    Broken(
        "update", changed("self.count += 1", "1 / 0"), SlotState.QUARANTINED, "ZeroDivisionError"
    ),
    Broken(
        "signal",
        changed("self.last = number", "{}[number]"),
        SlotState.QUARANTINED,
        "KeyError: 7",
        trigger="emit",
    ),
    Broken(
        "coroutine",
        changed("self.count = 0", "self.count = 0\n        self.start_coroutine(self.go())")
        + "\n    async def go(self):\n        await self.next_frame()\n        [][3]\n",
        SlotState.QUARANTINED,
        "IndexError",
    ),
    Broken(
        "validate",
        changed("        pass", "        int('x')"),
        SlotState.QUARANTINED,
        "ValueError",
        trigger="edit",
    ),
    Broken(
        "endless",
        changed("self.count += 1", "while True: pass"),
        SlotState.QUARANTINED,
        "ScriptTimeout",
        settings={"script_timeout": 0.2},
    ),
    Broken(
        "exit",
        changed("self.count += 1", "import sys; sys.exit()"),
        SlotState.QUARANTINED,
        "SystemExit",
    ),
    Broken(
        "no exception",
        changed("self.count += 1", "raise type('Rude', (BaseException,), {})('out')"),
        SlotState.QUARANTINED,
        "Rude: out",
    ),
    Broken(
        "no text",
        changed("self.count += 1", "raise Mute()")
        + "\nclass Mute(Exception):\n    def __str__(self):\n        raise SystemExit\n",
        SlotState.QUARANTINED,
        "Mute (its text raised SystemExit)",
    ),
    Broken(
        "no repr",
        changed("self.count += 1", "mute = Mute(); 1 / 0")
        + "\nclass Mute:\n    def __repr__(self):\n        raise SystemExit\n",
        SlotState.QUARANTINED,
        "ZeroDivisionError",
    ),
    Broken(
        "blank text",
        changed("self.count += 1", "raise ValueError('\\n')"),
        SlotState.QUARANTINED,
        "ValueError",
    ),
    Broken(
        "import", "import no_such_module\n" + GOOD, SlotState.PLACEHOLDER, "ModuleNotFoundError"
    ),
    Broken(
        "renamed",
        changed("class Subject", "class Object"),
        SlotState.PLACEHOLDER,
        "expected the class Subject, found Object",
    ),
]


def provoke(stage: Stage, kind: Broken) -> None:
    if kind.trigger == "emit":
        stage.slot("cmp_bell").instance.struck.emit(7)
    elif kind.trigger == "edit":
        stage.app.host.set_field(stage.slot("cmp_subject"), "size", 2.0)


def updates(stage: Stage) -> float:
    """How far the subject comes in three frames."""
    stage.frames(1)
    before = stage.slot("cmp_subject").instance.count
    stage.frames(3)
    return stage.slot("cmp_subject").instance.count - before


def open_scene(stage: Stage, kind: Broken, text: str) -> None:
    stage.script("subject", text)
    stage.script("bystander", "class By(Script):\n    n = 0\n    def update(self, dt): self.n += 1")
    bell = thing("Bell", {"cmp_bell": "scripts.bell:Bell"})
    stage.script("bell", "class Bell(Script):\n    struck = signal(int)\n")
    fields = {"size": 1.0, "bell": {"$ref": "cmp_bell"}}
    stage.open(
        {
            "obj_bell": bell,
            "obj_subject": thing("Subject", {"cmp_subject": ("scripts.subject:Subject", fields)}),
            "obj_bystander": thing("By", {"cmp_bystander": "scripts.bystander:By"}),
        },
        kind.settings,
    )


CASES = [(kind, live) for kind in KINDS for live in kind.ways]


@pytest.mark.parametrize(
    ("kind", "live"), CASES, ids=[f"{k.name}-{'saved' if live else 'opened'}" for k, live in CASES]
)
def test_a_broken_script_is_one_line_and_heals_when_mended(stage, kind, live):
    good, bad = GOOD, kind.text
    open_scene(stage, kind, good if live else bad)
    slot = stage.slot("cmp_subject")
    if live:
        stage.frames(3)
        assert slot.state is SlotState.READY
        stage.save("subject", bad)
        if kind.name == "coroutine":
            stage.app.host.tasks.start(slot, slot.instance.go())
    stage.frames(4)
    provoke(stage, kind)
    stage.frames(4)

    assert stage.errors() == 1
    assert len(stage.lines()) == 1
    assert kind.found in stage.lines()[0]
    assert not stage.app.run_context.stop_requested
    assert not stage.app.clock.paused
    is_old_code = live and kind.name in ("syntax", "import", "renamed")
    assert slot.state is (SlotState.READY if is_old_code else kind.state)
    assert stage.slot("cmp_bystander").instance.n > 0
    record = next(r for r in stage.app.console.records if r.level == "error")
    assert record.file == "scripts/subject.py"
    assert record.line > 0
    assert record.slot_id == "cmp_subject"
    if not is_old_code:
        assert slot.error is record

    assert stage.save("subject", good)
    assert updates(stage) == 3
    assert slot.state is SlotState.READY
    assert slot.error is None
    assert slot.object.transform.position[0] == slot.instance.count
    stage.slot("cmp_bell").instance.struck.emit(5)
    assert slot.instance.last == 5
    stage.app.host.set_field(slot, "size", 3.0)
    assert slot.instance.size == 3.0
    assert stage.errors() == 1


def test_the_old_code_goes_on_while_a_saved_file_is_broken(stage):
    kind = KINDS[0]
    open_scene(stage, kind, GOOD)
    stage.frames(2)
    assert not stage.save("subject", kind.text)
    assert updates(stage) == 3
