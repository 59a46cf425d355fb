"""Input: raw events from a window, a gamepad or a test, and named actions bound to keys."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Literal

import numpy as np
import numpy.typing as npt

from base.closed import Closed
from sim.core.input.gamepad import Gamepad
from sim.core.input.key_map import checked_chord, chords_of, names_of, normal, split_chord
from sim.core.input.key_names import PAD_ALIASES, PAD_AXES, WHEEL, pad_part, unknown
from sim.core.input.mouse_lock import MouseLock

Vector = npt.NDArray[np.float64]
KeyEvent = Literal["key_down", "key_up", "text"]
PointerEvent = Literal["pointer_move", "button_down", "button_up", "wheel"]
WindowEvent = Literal["resize", "close", "focus", "blur", "minimize", "restore", "drop"]
PadEvent = Literal["pad_connected", "pad_disconnected", "pad_down", "pad_up", "pad_axis"]
EventKind = Literal[KeyEvent, PointerEvent, WindowEvent, PadEvent]
CLICK_SLACK = 5.0  # maximum movement of the pointer in a click, pixels
CLAIM_FRAMES = 600
"""Frames for which a key stays the scene's after a script has asked for it by its name."""
ENGINE = str(Path(__file__).resolve().parents[2])
"""Folder of the engine, whose own files use no keys as scripts do."""


@dataclass(frozen=True)
class InputEvent:
    """One raw input event, from a window, a gamepad or a test.

    Attributes:
        kind: what happened, such as "key_down".
        key: name of the keyboard key, the pointer button, or the button or axis of a gamepad. A key
            is named by the character that it types without modifiers, under the layout in use.
        text: typed text; for a "key_down" the character that the press types, if it is known; for
            a "drop" the path of the dropped file; for a "pad_connected" the name of the device.
        x: horizontal position in pixels from the window's left edge.
        y: vertical position in pixels from the window's top edge.
        modifiers: the held modifier keys, such as "shift".
        stand_in: name of the key at this place of a US keyboard, if no key of the layout in use
            types that without modifiers; else empty. A key that types another character of ASCII
            stands in for a letter or a digit only.
        dx: movement to the right in pixels, of a "pointer_move" while the mouse is locked.
        dy: movement downwards in pixels, likewise.
        pad: index of the gamepad.
        value: raw value of a gamepad's axis, -1 to 1, or 0 to 1 for a trigger.
    """

    kind: EventKind
    key: str = ""
    text: str = ""
    x: float = 0.0
    y: float = 0.0
    modifiers: frozenset[str] = frozenset()
    stand_in: str = ""
    dx: float = 0.0
    dy: float = 0.0
    pad: int = 0
    value: float = 0.0


@dataclass(frozen=True)
class Click:
    """A press and release of a pointer button without movement in between.

    Attributes:
        button: name of the button.
        x: horizontal position in pixels from the window's left edge.
        y: vertical position in pixels from the window's top edge.
        origin: start of the ray through this pixel, in world space; None without a view.
        direction: direction of the ray, in world space; None without a view.
    """

    button: str
    x: float
    y: float
    origin: Vector | None = None
    direction: Vector | None = None


class InputActions(Closed):
    """Keys, pointer, clicks and gamepads of the present frame.

    The keys that scripts bind or ask for belong to the scene: the window's own shortcuts give way
    to them (`use_of`).
    """

    __slots__ = (
        "_asked", "_follows_pointer", "_frame", "_grabbed", "_held", "_pads", "_press_place",
        "_pressed", "_ray", "_touched", "bindings", "clicks", "lock", "mouse_delta", "pointer",
        "pointer_ray", "revision", "wheel",
    )  # fmt: skip

    def __init__(self) -> None:
        self.bindings: dict[str, tuple[str, ...]] = {}
        self.pointer = (0.0, 0.0)
        """Place of the pointer, in pixels from the left and upper edge of the window.

        It is the last known place while the pointer is outside of the window.
        """
        self.mouse_delta = (0.0, 0.0)
        """Movement of the mouse in this frame, in pixels to the right and downwards."""
        self.wheel = 0.0
        """How far the wheel was turned in this frame, in steps; away from the user is positive."""
        self.pointer_ray: tuple[Vector, Vector] | None = None
        """Ray from the camera through the pointer: origin `[3]` and unit direction `[3]`.

        Both are in world space, the origin in metres. It is None while the pointer is outside of
        the 3D view, and where nothing is drawn.
        """
        self.clicks: list[Click] = []
        self.lock = MouseLock()
        self._grabbed: frozenset[str] = frozenset()
        self.revision = 0
        """Counts the changes of what `used_keys` returns."""
        self._pads: dict[int, Gamepad] = {}
        self._ray: Callable[[float, float], tuple[Vector, Vector]] | None = None
        self._held: dict[str, tuple[str, ...]] = {}  # by event's key, the names it answers to
        self._pressed: set[str] = set()
        self._touched: set[str] = set()  # names of the keys that went down in this frame
        self._press_place: dict[str, tuple[float, float]] = {}
        self._follows_pointer = False  # before it has been anywhere, and while it is locked
        self._frame = 0
        self._asked: dict[str, tuple[str, int]] = {}  # by key, the script's file and the frame

    # -- actions ------------------------------------------------------------------------------

    def bind(self, action: str, *keys: str) -> None:
        """Bind an action to keys or chords such as "f", "control+s", "+" and "pad_south".

        These replace the action's former keys; without keys, the action has none. A key is a
        character, or a name such as "space", "plus", "f5", "mouse1", "wheel_up", "pad_a"
        or "pad_left_stick_up". A character is found wherever the keyboard's layout has it, with or
        without Shift. Where the layout has it nowhere, the key at the same place of a US keyboard
        counts.

        Args:
            action: name of the action.
            *keys: the keys and chords; each of them triggers the action.

        Raises:
            ValueError: there is no such key; nothing was bound.
        """
        place = f"bind({action!r}, …)"
        self.bindings[action] = tuple(checked_chord(key, place) for key in keys)
        self.revision += 1

    def pressed(self, action: str) -> bool:
        """Return whether an action's key was pressed in this frame.

        Args:
            action: name of a bound action; any other name is a key itself.

        Raises:
            ValueError: there is neither such an action nor such a key.
        """
        return any(key in self._pressed for key in self._keys_of(action))

    def down(self, action: str) -> bool:
        """Return whether an action's key is held down; the chord's modifiers are ignored.

        A key that was pressed and released in this frame counts, too: no tap is lost in a slow one.

        Args:
            action: name of a bound action; any other name is a key itself.

        Raises:
            ValueError: there is neither such an action nor such a key.
        """
        return any(self._is_held(split_chord(key)[1]) for key in self._keys_of(action))

    def strength(self, action: str) -> float:
        """Return how far an action is pressed, from 0 to 1.

        Keys and buttons give 0 or 1. Triggers and directions of sticks, such as
        "pad_left_stick_up", give all values between.

        Args:
            action: name of a bound action; any other name is a key itself.

        Raises:
            ValueError: there is neither such an action nor such a key.
        """
        keys = [split_chord(key)[1] for key in self._keys_of(action)]
        return max((self._strength_of(key) for key in keys), default=0.0)

    def axis(self, negative: str, positive: str = "") -> float:
        """Return a value from -1 to 1 of two actions, or of one axis of the gamepads.

        Args:
            negative: action that counts as -1. If it is the only argument: an axis such as
                "left_x" or "pad2_left_x". Without a number it is the axis of the pad that deflects
                it most.
            positive: action that counts as 1.

        Raises:
            ValueError: the only argument is no axis, or one of two is neither an action nor a key.
        """
        if positive:
            return self.strength(positive) - self.strength(negative)
        found = pad_part(negative.lower()) or pad_part(f"pad_{negative.lower()}")
        if found is None or found[1] not in PAD_AXES:
            expected = f"axis: expected one of {', '.join(PAD_AXES)}, or two actions"
            raise ValueError(f"{expected}, {unknown(negative, PAD_AXES)}")
        index, name = found
        values = [pad.axis(name) for pad in self.pads if index in (None, pad.index)]
        return max(values, key=abs, default=0.0)

    def grab(self, keys: Iterable[str]) -> None:
        """Give keys to an open menu of the scene, which has them although the scene is paused.

        Args:
            keys: the keys and chords, in their normal form; none when the menu is closed.
        """
        self._grabbed = frozenset(keys)

    def has_grabbed(self, chord: str) -> bool:
        """Return whether an open menu of the scene has a key or chord."""
        return chord in self._grabbed

    # -- whose keys they are ------------------------------------------------------------------

    def use_of(self, chord: str) -> str:
        """Return what the scene's scripts use a key or chord for; "" if they do not use it.

        A key that is bound alone is the scene's with modifiers, too.

        Args:
            chord: the key or chord, in its normal form.

        Returns:
            Name of the action; of a key that a script asks for by its name, the script's file.
        """
        return self._use_of_key(chord) or self._use_of_key(split_chord(chord)[1])

    def used_keys(self) -> Mapping[str, tuple[str, ...]]:
        """Return what the scene's scripts use keys for, each with its keys and chords.

        Returns:
            Keys by the name of the action. Keys that scripts ask for by their names stand under
            the script's file.
        """
        found = dict(self.bindings)
        for key, (file, frame) in self._asked.items():
            if self._frame - frame <= CLAIM_FRAMES:
                found[file] = (*found.get(file, ()), key)
        return found

    def forget(self) -> None:
        """Forget all actions and what scripts have asked for, as when the scene is stopped."""
        if self.bindings or self._asked:
            self.bindings.clear()
            self._asked.clear()
            self.revision += 1

    def _use_of_key(self, chord: str) -> str:
        for action, keys in self.bindings.items():
            if chord in keys:
                return action
        file, frame = self._asked.get(chord, ("", 0))
        return file if self._frame - frame <= CLAIM_FRAMES else ""

    def _claim(self, chord: str) -> None:
        """Note that a script has asked for a key by its name in this frame."""
        known = self._asked.get(chord)
        if known is None or self._frame - known[1] > CLAIM_FRAMES:
            self.revision += 1
            self._asked[chord] = (_script_name(), self._frame)
        else:
            self._asked[chord] = (known[0], self._frame)

    # -- gamepads and the mouse ---------------------------------------------------------------

    @property
    def pads(self) -> tuple[Gamepad, ...]:
        """The connected gamepads, in order of their `index`."""
        return tuple(self._pads[index] for index in sorted(self._pads))

    @property
    def mouse_lock(self) -> bool:
        """Whether the mouse is locked: it is hidden, and only `mouse_delta` tells its movement.

        Set it to True for a first-person camera. Escape gives the pointer back, and so does another
        window; a click into the view locks it again. It is off while the scene is paused. A stop
        and an error of a script end it.
        """
        return self.lock.is_on

    @mouse_lock.setter
    def mouse_lock(self, is_wanted: bool) -> None:
        self.lock.ask(bool(is_wanted))

    # -- frames -------------------------------------------------------------------------------

    def feed(
        self,
        events: Iterable[InputEvent],
        *,
        ray: Callable[[float, float], tuple[Vector, Vector]] | None = None,
    ) -> None:
        """Process this frame's input events, in order.

        Args:
            events: the events; kinds other than keys, pointer, gamepads and focus loss are ignored.
            ray: returns origin and direction of the world-space ray through a pixel (x, y); None to
                use `pointer_ray` for clicks.
        """
        self._ray = ray
        for event in events:
            handler = getattr(self, f"_on_{event.kind}", None)
            if handler is not None:
                handler(event)

    def end_frame(self, *, is_running: bool = True) -> None:
        """Forget this frame's presses, clicks and movement; held keys stay held.

        Args:
            is_running: whether scripts were updated in this frame.
        """
        self._frame += is_running
        self._pressed.clear()
        self._touched.clear()
        self.clicks.clear()
        self.mouse_delta, self.wheel = (0.0, 0.0), 0.0
        for pad in self._pads.values():
            pad.end_frame()

    def _keys_of(self, action: str) -> tuple[str, ...]:
        keys = self.bindings.get(action)
        if keys is not None:
            return keys
        chord = normal(action) if isinstance(action, str) else ""
        if not chord:
            text = "input: expected an action that is bound, or a key"
            raise ValueError(f"{text}, {unknown(action, self.bindings)}")
        self._claim(chord)
        return (action, chord) if chord != action else (action,)

    def _is_held(self, key: str) -> bool:
        return key in self._touched or any(key in names for names in self._held.values())

    def _strength_of(self, key: str) -> float:
        found = pad_part(key)
        if found is None:
            return float(self._is_held(key))
        index, part = found
        pads = [pad for pad in self.pads if index in (None, pad.index)]
        return max((pad.strength(part) for pad in pads), default=0.0)

    # -- keys ---------------------------------------------------------------------------------

    def _on_key_down(self, event: InputEvent) -> None:
        key = event.key.lower()
        if key not in self._held:
            self._pressed.update(chords_of(event.key, event.modifiers, event.stand_in, event.text))
        self._hold(key, names_of(event.key, event.stand_in, event.text))

    def _hold(self, key: str, names: tuple[str, ...]) -> None:
        """Record that a key or button is held.

        Args:
            key: the event's name of it.
            names: the names that it answers to.
        """
        self._held[key] = names
        self._touched.update(names)

    def _on_key_up(self, event: InputEvent) -> None:
        self._held.pop(event.key.lower(), None)

    def _on_blur(self, event: InputEvent) -> None:
        self._held.clear()
        self._touched.clear()
        self._press_place.clear()
        for pad in self._pads.values():
            pad.let_go()

    # -- pointer ------------------------------------------------------------------------------

    def _on_pointer_move(self, event: InputEvent) -> None:
        x, y = self.mouse_delta
        if event.dx or event.dy:
            self.mouse_delta = (x + event.dx, y + event.dy)
        elif self._follows_pointer:
            self.mouse_delta = (x + event.x - self.pointer[0], y + event.y - self.pointer[1])
        self._follows_pointer = not self.lock.is_on
        self.pointer = (event.x, event.y)

    def _on_button_down(self, event: InputEvent) -> None:
        self.pointer = (event.x, event.y)
        if event.key not in self._held:
            self._pressed.add("+".join([*sorted(event.modifiers), event.key]))
        self._hold(event.key, (event.key,))
        self._press_place[event.key] = self.pointer

    def _on_button_up(self, event: InputEvent) -> None:
        self.pointer = (event.x, event.y)
        self._held.pop(event.key, None)
        place = self._press_place.pop(event.key, None)
        if place is None:
            return
        moved = max(abs(event.x - place[0]), abs(event.y - place[1]))
        if moved <= CLICK_SLACK:
            found = self._ray(event.x, event.y) if self._ray is not None else self.pointer_ray
            origin, direction = found or (None, None)
            self.clicks.append(Click(event.key, event.x, event.y, origin, direction))

    def _on_wheel(self, event: InputEvent) -> None:
        self.wheel += event.y
        if event.y:
            turn = WHEEL[0] if event.y > 0 else WHEEL[1]
            self._pressed.add("+".join([*sorted(event.modifiers), turn]))

    # -- gamepads -----------------------------------------------------------------------------

    def _on_pad_connected(self, event: InputEvent) -> None:
        self._pads[event.pad] = Gamepad(event.pad, event.text)

    def _on_pad_disconnected(self, event: InputEvent) -> None:
        pad = self._pads.pop(event.pad, None)
        if pad is not None:
            pad.is_connected = False
            pad.let_go()
        for part in [key for key in self._held if key.startswith(f"pad{event.pad + 1}_")]:
            self._touched.difference_update(self._held.pop(part))

    def _on_pad_down(self, event: InputEvent) -> None:
        self._press_part(event.pad, PAD_ALIASES.get(event.key, event.key), is_down=True)

    def _on_pad_up(self, event: InputEvent) -> None:
        self._press_part(event.pad, PAD_ALIASES.get(event.key, event.key), is_down=False)

    def _press_part(self, index: int, part: str, *, is_down: bool) -> None:
        pad = self._pads.get(index)
        if pad is not None:
            pad.press(part, is_down=is_down)
            self._note_part(index, part, is_down=is_down)

    def _on_pad_axis(self, event: InputEvent) -> None:
        pad = self._pads.get(event.pad)
        if pad is not None:
            axis = PAD_ALIASES.get(event.key, event.key)
            for part, is_down in pad.move(axis, event.value):
                self._note_part(event.pad, part, is_down=is_down)

    def _note_part(self, index: int, part: str, *, is_down: bool) -> None:
        """Record a press or release of a pad's part under its names as a key.

        Args:
            index: index of the pad.
            part: the part, such as "south".
            is_down: whether it was pressed.
        """
        own = f"pad{index + 1}_{part}"
        if not is_down:
            self._held.pop(own, None)
            return
        names = (own, f"pad_{part}")
        if own not in self._held:
            self._pressed.update(names)
        self._hold(own, names)


def _script_name() -> str:
    """Return the file's name of the innermost call from outside the engine; "script" for none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(ENGINE):
        frame = frame.f_back
    return "script" if frame is None else Path(frame.f_code.co_filename).name
