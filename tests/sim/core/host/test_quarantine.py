"""A component that fails stands still until it is retried or edited."""

from __future__ import annotations

import pytest

from base.errors import FieldError
from sim.core.scene.scene import SlotState

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


def test_an_edit_that_validate_refuses_is_taken_back_with_all_that_it_changed(stage):
    stage.script(
        "span",
        """
        class Span(Script):
            low: float = field(0.0)
            high: float = field(1.0)
            width: float = field(1.0)
            def validate(self):
                self.width = self.high - self.low
                if self.width < 0:
                    raise FieldError("low", expected="at most high", found=str(self.low))
        """,
    )
    slot = stage.open_one("scripts.span:Span")
    stage.frames(1)
    stage.app.host.set_field(slot, "high", 4.0)
    with pytest.raises(FieldError, match=r"^low: expected at most high, found 9.0$"):
        stage.app.host.set_field(slot, "low", 9.0)
    assert (slot.instance.low, slot.instance.high, slot.instance.width) == (0.0, 4.0, 4.0)
    assert slot.state is SlotState.READY
    assert stage.errors() == 0
    stage.frames(2)
    stage.app.host.set_field(slot, "high", 10.0)
    stage.app.host.set_field(slot, "low", 9.0)
    assert slot.instance.width == 1.0
