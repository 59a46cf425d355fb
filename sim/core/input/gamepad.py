"""Gamepads: which buttons are held, and sticks and triggers with their dead zones."""

from __future__ import annotations

import math
from typing import Final

from base.closed import Closed
from sim.core.input.key_names import PAD_ALIASES, PAD_AXES, PAD_BUTTONS, PAD_DIRECTIONS, unknown

DEAD_ZONE: Final = (0.125, 0.925)
"""Values at or below the first count as 0, at or above the second as 1: those of Unity's
`StickDeadzoneProcessor` (Input System, Processors)."""
PRESS_POINT: Final = 0.5
"""Value from which a trigger, or a direction of a stick, counts as pressed."""
RELEASE_POINT: Final = 0.375
"""Value below which it is released again, lower so that it cannot flicker."""
TRIGGERS: Final = ("left_trigger", "right_trigger")


def stretched(value: float, low: float, high: float) -> float:
    """Return a value of 0 to 1 mapped so that `low` becomes 0 and `high` becomes 1."""
    return min(1.0, max(0.0, (value - low) / (high - low)))


def radial(x: float, y: float, low: float, high: float) -> tuple[float, float]:
    """Apply a radial dead zone to a stick: its direction stays, only its length changes.

    >>> radial(0.1, 0.05, 0.125, 0.925), radial(0.0, -1.0, 0.125, 0.925)
    ((0.0, 0.0), (0.0, -1.0))

    Args:
        x: deflection to the right, -1 to 1.
        y: deflection upwards, -1 to 1.
        low: length up to which the stick counts as centred.
        high: length from which it counts as fully deflected.

    Returns:
        The deflection to the right and upwards, a vector of length at most 1.
    """
    length = math.hypot(x, y)
    if length <= low:
        return 0.0, 0.0
    scale = stretched(length, low, high) / length
    return x * scale, y * scale


class Gamepad(Closed):
    """One gamepad, as scripts read it.

    Args:
        index: its place among the pads, from 0; it stays while the pad is connected.
        name: what the device calls itself.

    Attributes:
        index: its place among the pads, from 0.
        name: what the device calls itself.
        is_connected: whether it is still connected; a pad that is not has nothing pressed.
        dead_zone: two lengths: a stick or trigger up to the first counts as 0, from the second on
            as 1.
    """

    __slots__ = (
        "_held", "_pressed", "_values", "dead_zone", "index", "is_connected", "name",
    )  # fmt: skip

    def __init__(self, index: int, name: str) -> None:
        self.index = index
        self.name = name
        self.is_connected = True
        self.dead_zone = DEAD_ZONE
        self._values: dict[str, float] = {}
        self._held: set[str] = set()
        self._pressed: set[str] = set()

    def down(self, button: str) -> bool:
        """Return whether a button is held, or was in this frame.

        Args:
            button: such as "south", "a" or "left_shoulder"; a trigger, or a direction of a stick
                such as "left_stick_up", counts as held from half its way on.

        Raises:
            ValueError: there is no such button.
        """
        return self._is_down(_button(button))

    def pressed(self, button: str) -> bool:
        """Return whether a button was pressed in this frame.

        Args:
            button: as for `down`.

        Raises:
            ValueError: there is no such button.
        """
        return _button(button) in self._pressed

    def axis(self, name: str) -> float:
        """Return the value of an axis, its dead zone applied.

        Args:
            name: "left_x", "left_y", "right_x" or "right_y", from -1 to 1, right and up positive;
                "left_trigger" or "right_trigger", from 0 to 1.

        Raises:
            ValueError: there is no such axis.
        """
        part = PAD_ALIASES.get(name, name)
        if part not in PAD_AXES:
            raise ValueError(f"axis: expected one of {', '.join(PAD_AXES)}, found {name!r}")
        if part in TRIGGERS:
            return stretched(self._values.get(part, 0.0), *self.dead_zone)
        side = part.partition("_")[0]
        return self._stick(side)[0 if part.endswith("x") else 1]

    @property
    def left_stick(self) -> tuple[float, float]:
        """How far the left stick is to the right and up, a vector of length at most 1."""
        return self._stick("left")

    @property
    def right_stick(self) -> tuple[float, float]:
        """How far the right stick is to the right and up, a vector of length at most 1."""
        return self._stick("right")

    def strength(self, part: str) -> float:
        """Return how far a part is pressed, from 0 to 1; a button is either.

        Args:
            part: name of a button, an axis or a direction of a stick; of an axis only its positive
                side counts.
        """
        if part in PAD_DIRECTIONS:
            axis, sign = PAD_DIRECTIONS[part]
            return max(0.0, sign * self.axis(axis))
        if part in PAD_AXES:
            return max(0.0, self.axis(part))
        return float(self._is_down(part))

    def _is_down(self, part: str) -> bool:
        return part in self._held or part in self._pressed

    def press(self, part: str, *, is_down: bool) -> None:
        """Record that a button was pressed or released, as the device tells."""
        if is_down and part not in self._held:
            self._pressed.add(part)
        (self._held.add if is_down else self._held.discard)(part)

    def move(self, axis: str, value: float) -> list[tuple[str, bool]]:
        """Record the raw value of an axis, as the device tells.

        Args:
            axis: name of the axis.
            value: from -1 to 1; other values are cut off, and no number counts as 0.

        Returns:
            Triggers and directions of sticks that were pressed (True) or released (False) by it.
        """
        self._values[axis] = min(1.0, max(-1.0, value)) if math.isfinite(value) else 0.0
        changed: list[tuple[str, bool]] = []
        for part in (*PAD_DIRECTIONS, *TRIGGERS):
            is_held = part in self._held
            is_down = self.strength(part) >= (RELEASE_POINT if is_held else PRESS_POINT)
            if is_down != is_held:
                self.press(part, is_down=is_down)
                changed.append((part, is_down))
        return changed

    def let_go(self) -> None:
        """Release everything, as when the pad is disconnected or the window loses the focus."""
        self._values.clear()
        self._held.clear()
        self._pressed.clear()

    def end_frame(self) -> None:
        """Forget what was pressed in this frame."""
        self._pressed.clear()

    def _stick(self, side: str) -> tuple[float, float]:
        x, y = (self._values.get(f"{side}_{axis}", 0.0) for axis in "xy")
        return radial(x, y, *self.dead_zone)

    def __repr__(self) -> str:
        return f"Gamepad({self.index}, {self.name!r})"


def _button(name: str) -> str:
    part = PAD_ALIASES.get(name, name)
    if part in PAD_BUTTONS or part in PAD_DIRECTIONS or part in TRIGGERS:
        return part
    known = (*PAD_BUTTONS, *PAD_DIRECTIONS, *TRIGGERS)
    raise ValueError(f"button: expected one of {', '.join(known)}, {unknown(name, known)}")
