"""Input: raw events from a window or a test, and named actions bound to keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from sim.core.input.key_map import split_chord

Vector = npt.NDArray[np.float64]
KeyEvent = Literal["key_down", "key_up", "text"]
PointerEvent = Literal["pointer_move", "button_down", "button_up", "wheel"]
WindowEvent = Literal["resize", "close", "focus", "blur", "minimize", "restore", "drop"]
EventKind = Literal[KeyEvent, PointerEvent, WindowEvent]
CLICK_SLACK = 5.0  # maximum movement of the pointer in a click, pixels


@dataclass(frozen=True)
class InputEvent:
    """One raw input event, from a window or a test.

    Attributes:
        kind: what happened, such as "key_down".
        key: name of the keyboard key or pointer button.
        text: typed text, or for a "drop" the path of the dropped file.
        x: horizontal position in pixels from the window's left edge.
        y: vertical position in pixels from the window's top edge.
        modifiers: the held modifier keys, such as "shift".
    """

    kind: EventKind
    key: str = ""
    text: str = ""
    x: float = 0.0
    y: float = 0.0
    modifiers: frozenset[str] = frozenset()


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


class InputActions:
    """Keys, pointer and clicks of the present frame."""

    def __init__(self) -> None:
        self.bindings: dict[str, tuple[str, ...]] = {}
        self.pointer = (0.0, 0.0)
        self.pointer_ray: tuple[Vector, Vector] | None = None
        self.clicks: list[Click] = []
        self._ray: Callable[[float, float], tuple[Vector, Vector]] | None = None
        self._held: set[str] = set()
        self._pressed: set[str] = set()
        self._press_place: dict[str, tuple[float, float]] = {}

    def bind(self, action: str, *keys: str) -> None:
        """Bind an action to keys or chords such as "f" and "control+s".

        These replace the action's former keys.

        Args:
            action: name of the action.
            *keys: the keys and chords; each of them triggers the action.
        """
        self.bindings[action] = tuple(_chord(key.lower()) for key in keys)

    def feed(
        self,
        events: Iterable[InputEvent],
        *,
        ray: Callable[[float, float], tuple[Vector, Vector]] | None = None,
    ) -> None:
        """Process this frame's input events, in order.

        Args:
            events: the events; kinds other than keys, pointer and focus loss are ignored.
            ray: returns origin and direction of the world-space ray through a pixel (x, y); None to
                use `pointer_ray` for clicks.
        """
        self._ray = ray
        for event in events:
            handler = getattr(self, f"_on_{event.kind}", None)
            if handler is not None:
                handler(event)

    def pressed(self, action: str) -> bool:
        """Return whether an action's key was pressed in this frame.

        Args:
            action: name of a bound action; any other name is a key itself.
        """
        return any(key in self._pressed for key in self.bindings.get(action, (action,)))

    def down(self, action: str) -> bool:
        """Return whether an action's key is held down; the chord's modifiers are ignored.

        Args:
            action: name of a bound action; any other name is a key itself.
        """
        keys = self.bindings.get(action, (action,))
        return any(split_chord(key)[1] in self._held for key in keys)

    def end_frame(self) -> None:
        """Forget this frame's key presses and clicks; held keys stay held."""
        self._pressed.clear()
        self.clicks.clear()

    def _on_key_down(self, event: InputEvent) -> None:
        key = event.key.lower()
        if key not in self._held:
            self._pressed.add("+".join([*sorted(event.modifiers), key]))
        self._held.add(key)

    def _on_key_up(self, event: InputEvent) -> None:
        self._held.discard(event.key.lower())

    def _on_blur(self, event: InputEvent) -> None:
        self._held.clear()
        self._press_place.clear()

    def _on_pointer_move(self, event: InputEvent) -> None:
        self.pointer = (event.x, event.y)

    def _on_button_down(self, event: InputEvent) -> None:
        self.pointer = (event.x, event.y)
        self._held.add(event.key)
        self._press_place[event.key] = self.pointer

    def _on_button_up(self, event: InputEvent) -> None:
        self.pointer = (event.x, event.y)
        self._held.discard(event.key)
        place = self._press_place.pop(event.key, None)
        if place is None:
            return
        moved = max(abs(event.x - place[0]), abs(event.y - place[1]))
        if moved <= CLICK_SLACK:
            found = self._ray(event.x, event.y) if self._ray is not None else self.pointer_ray
            origin, direction = found or (None, None)
            self.clicks.append(Click(event.key, event.x, event.y, origin, direction))


def _chord(text: str) -> str:
    """Return a chord with its modifiers in alphabetical order, as events have them."""
    modifiers, key = split_chord(text)
    return "+".join([*sorted(modifiers), key])
