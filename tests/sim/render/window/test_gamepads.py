"""Reading gamepads: from devices such as Panda3D gives, to input events."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from sim.core.input.input_actions import InputActions
from sim.render.window.gamepads import PadReader


@dataclass(eq=False)
class FakeDevice:
    """A device with the attributes of Panda3D's `InputDevice` that are read."""

    name: str = "Fake pad"
    vendor_id: int = 0x045E
    connected: bool = True
    held: set[str] = field(default_factory=set)
    values: dict[str, float] = field(default_factory=dict)

    @property
    def buttons(self):
        return [SimpleNamespace(handle=name, pressed=True) for name in self.held]

    @property
    def axes(self):
        return [
            SimpleNamespace(axis=SimpleNamespace(name=name), value=value, known=True)
            for name, value in self.values.items()
        ]


def test_a_pad_is_connected_while_running_plays_and_goes():
    devices: list[FakeDevice] = []
    reader, actions = PadReader(lambda: devices), InputActions()

    def frame(*, is_focused: bool = True) -> None:
        actions.end_frame()
        actions.feed(reader.poll(is_focused=is_focused))

    frame()
    assert actions.pads == ()
    one, other = FakeDevice("One"), FakeDevice("Other")
    devices += [one, other]
    one.held, one.values = {"face_a", "unheard_of"}, {"left_x": -1.0, "wheel": 1.0}
    frame()
    assert [pad.name for pad in actions.pads] == ["One", "Other"]
    assert actions.pressed("pad1_south")
    assert actions.axis("left_x") == -1.0
    frame()
    assert not actions.pressed("pad_south")
    assert actions.down("pad_south")
    one.held, one.values = {"ltrigger", "hat_left"}, {}
    frame()
    assert not actions.down("pad_south")
    assert actions.axis("left_x") == 0.0
    assert actions.axis("left_trigger") == 1.0
    assert actions.down("pad_dpad_left")
    frame(is_focused=False)
    frame()
    assert actions.down("pad_dpad_left"), "still held when the focus comes back"
    devices.remove(one)
    frame()
    assert [pad.index for pad in actions.pads] == [1]
    devices.append(FakeDevice("New"))
    frame()
    assert [pad.name for pad in actions.pads] == ["New", "Other"], "it takes the free place"
    other.connected = False
    reader.forget()
    frame()
    assert actions.pads[0].name == "New", "another scene hears of all again"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what Linux's drivers report")
@pytest.mark.parametrize(("vendor", "button", "place"), [
    (0x045E, "face_x", "west"), (0x045E, "face_y", "north"), (0x054C, "face_x", "north"),
    (0x057E, "face_y", "west"), (0x054C, "face_a", "south"),
])  # fmt: skip
def test_buttons_are_named_by_their_place_on_every_make(vendor, button, place):
    reader = PadReader(lambda: [device])
    device = FakeDevice(vendor_id=vendor, held={button})
    assert [event.key for event in reader.poll()] == ["", place]
