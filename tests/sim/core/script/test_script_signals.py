"""Signals between scripts: who hears, who fails, who is gone."""

from __future__ import annotations

import pytest

from sim.core.scene.scene import SlotState
from tests.sim.core.stage import thing


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
