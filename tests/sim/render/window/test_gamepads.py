"""Reading gamepads: from devices such as Panda3D gives, to input events."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from panda3d.core import ButtonEvent

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
    told: list[tuple[str, int]] = field(default_factory=list)

    def has_button_event(self):
        return bool(self.told)

    def get_button_events(self):
        told, self.told = self.told, []
        events = [SimpleNamespace(button=name, type=kind) for name, kind in told]
        return SimpleNamespace(
            get_num_events=lambda: len(events), get_event=lambda place: events[place]
        )

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


def test_a_tap_that_is_shorter_than_a_frame_is_a_press():
    device, actions = FakeDevice(vendor_id=0x054C), InputActions()
    reader = PadReader(lambda: [device])
    down, up = ButtonEvent.T_down, ButtonEvent.T_up

    def frame(*, is_focused: bool = True) -> list[tuple[str, str]]:
        actions.end_frame()
        events = reader.poll(is_focused=is_focused)
        actions.feed(events)
        return [(event.kind, event.key) for event in events]

    frame()
    device.told = [("face_a", down), ("face_a", up), ("face_a", ButtonEvent.T_keystroke),
                   ("unheard_of", down), ("face_a", down), ("face_a", up)]  # fmt: skip
    assert frame() == [("pad_down", "south"), ("pad_up", "south")] * 2
    assert actions.pressed("pad_south")
    device.told, device.held = [("hat_left", down)], {"hat_left"}
    assert frame() == [("pad_down", "dpad_left")], "it is told once"
    assert actions.down("pad_dpad_left")
    device.told, device.held = [("rtrigger", down), ("rtrigger", up), ("hat_left", up)], set()
    frame()
    assert actions.pressed("pad_right_trigger")
    assert actions.axis("right_trigger") == 0.0
    assert not actions.down("pad_dpad_left")
    device.told = [("face_a", down), ("face_a", up)]
    assert frame(is_focused=False) == frame() == [], "what went to another window"
