"""The keyboard: Panda3D's key events as presses and releases of named keys.

Of one press Panda3D reports up to three things: the raw key, named as on a US keyboard; what it
types; and the mapped key, named by its character, if that is one of ASCII. A key that types a
letter of another script has no mapped key, and one that an input method takes has only a raw one.

On X11 they come in this order. On Windows the mapped key comes first; of Shift, Control and Alt its
left or right one comes last. A key that repeats has no raw one there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from sim.core.input.key_names import POINTER_BUTTONS
from sim.render.window.key_layout import Characters

RAW_DOWN: Final = "goishi-raw-down"
RAW_UP: Final = "goishi-raw-up"
DOWN: Final = "goishi-down"
UP: Final = "goishi-up"
TEXT: Final = "goishi-text"


class NamedKey(NamedTuple):
    """A key as an input event names it; see `InputEvent`.

    Attributes:
        key: its name under the layout in use.
        stand_in: name of the US key at its place, if the layout types that nowhere.
    """

    key: str
    stand_in: str = ""


@dataclass
class Stroke:
    """What Panda3D reported of one press or release of a key or a pointer button.

    Attributes:
        kind: whether a key or a button went down or up, or only text arrived.
        raw: name of the key on a US keyboard; "" if it is not known.
        mapped: names under the layout; of Shift, Control and Alt two.
        typed: the texts that arrived with it.
    """

    kind: Literal["down", "up", "button", "button_up", "text"]
    raw: str = ""
    mapped: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)

    @property
    def letters(self) -> list[str]:
        """The typed texts that put something into a text field, unlike those of Delete or Enter."""
        return [text for text in self.typed if unicodedata.category(text[:1] or " ") != "Cc"]

    def marks(self, *, is_windows: bool) -> int:
        """Return how many entries it left in the list of pointer positions; see `in_order`.

        On X11 a press of a key leaves two, or none if an input method took it. All else leaves one.
        On Windows each mapped key and each button that goes down leaves one, and nothing else.

        Args:
            is_windows: whether Windows reported it.
        """
        if is_windows:
            return len(self.mapped) if self.kind in ("down", "button") else 0
        if self.kind == "text" or (self.kind == "down" and (self.mapped or self.typed)):
            return 2
        return 0 if self.kind == "down" else 1


def strokes_of(events: Sequence[tuple[str, str]], *, is_windows: bool = False) -> list[Stroke]:
    """Group Panda3D's events by the press or release that they belong to.

    Args:
        events: the name of each event, and its button or text.
        is_windows: whether they come in the order of Windows.
    """
    found: list[Stroke] = []
    last = Stroke("text")
    for name, value in events:
        is_pointer = value in POINTER_BUTTONS or value.startswith("wheel_")
        kind: Literal["down", "up"] = "down" if name in (RAW_DOWN, DOWN) else "up"
        is_more = bool(found) and last.kind == kind
        if name in (RAW_DOWN, RAW_UP):
            if not (is_windows and is_more and last.mapped and not last.raw and not last.typed):
                last = Stroke(kind)
            last.raw = value
        elif name in (DOWN, UP) and is_pointer:
            last = Stroke("button" if name == DOWN else "button_up", "", [value])
        elif name in (DOWN, UP):
            if not is_more or (is_windows and not _is_side_of(value, last.mapped)):
                last = Stroke(kind)
            last.mapped.append(value)
        else:
            if not (found and last.kind in ("down", "text")):
                last = Stroke("text")
            last.typed.append(value)
        if not found or found[-1] is not last:
            found.append(last)
    return found


def _is_side_of(name: str, mapped: Sequence[str]) -> bool:
    """Whether a name is the left or right one of a key, such as `lshift` of `shift`."""
    return len(mapped) == 1 and name in (f"l{mapped[0]}", f"r{mapped[0]}")


class Keyboard:
    """Names the keys of a window, and remembers which are held.

    Args:
        read_layout: returns the character that each key types without modifiers.
        digit_key: returns which key of a digit was pressed or released, such as "1" or "num_1"; ""
            if it is not known. It is called in the order of presses and releases.
    """

    def __init__(
        self,
        read_layout: Callable[[], Characters],
        digit_key: Callable[[str, bool], str] = lambda digit, is_down: digit,
    ) -> None:
        self._read_layout, self._digit_key = read_layout, digit_key
        self._held: dict[str, list[NamedKey]] = {}
        self._raw: dict[str, str] = {}
        """The raw key that was pressed last for each mapped one."""
        self._digits: dict[str, str] = {}
        """The key that was pressed last for each digit: of the upper row or of the number pad."""

    def press(self, stroke: Stroke) -> list[NamedKey]:
        """Return the keys that a press means; none if it means no key of ours.

        A key that repeats keeps the name of its first press.
        """
        name = self._place_of(stroke)
        if name in self._held:
            return self._held[name]
        found = self._named(stroke, name)
        if found:
            self._held[name] = found
        return found

    def release(self, stroke: Stroke) -> list[str]:
        """Return the names of the keys that a release means: the same as of their press."""
        held = self._held.pop(self._place_of(stroke), None)
        return [item.key for item in held] if held is not None else stroke.mapped

    def let_go(self) -> None:
        """Forget which keys are held, as when the window loses the focus."""
        self._held.clear()
        self._raw.clear()
        self._digits.clear()

    def _place_of(self, stroke: Stroke) -> str:
        """Return what tells a key from all others: where it is, if that is known."""
        mapped = "".join(stroke.mapped[:1])
        if stroke.raw and mapped:
            self._raw[mapped] = stroke.raw
        place = stroke.raw or self._raw.get(mapped, mapped)
        if len(place) == 1 and place.isdigit() and len(mapped) <= 1:
            is_down = stroke.kind == "down"
            self._digits[place] = self._digit_key(place, is_down) or self._digits.get(place, place)
            return self._digits[place]
        return place

    def _named(self, stroke: Stroke, place: str) -> list[NamedKey]:
        if any(len(name) > 1 for name in stroke.mapped):
            return [NamedKey(name) for name in stroke.mapped]
        if len(stroke.raw) > 1:  # taken by an input method, or no key of ours, such as AltGr
            return []
        mapped = stroke.mapped[0] if stroke.mapped else ""
        if place.startswith("num_"):
            return [NamedKey(place, place[-1])]
        return [name_key(stroke.raw, mapped, "".join(stroke.typed), self._read_layout())]


def name_key(raw: str, mapped: str, typed: str, layout: Characters) -> NamedKey:
    """Return the name of a key that types a character.

    >>> name_key("w", "", "ц", {"w": "", "q": ""})
    NamedKey(key='ц', stand_in='w')
    >>> name_key("w", "z", "z", {"w": "z", "z": "w"})
    NamedKey(key='z', stand_in='')

    Args:
        raw: name of the key on a US keyboard; "" if it is not known.
        mapped: its character in the first layout of the keyboard, if it is one of ASCII; else "".
        typed: what the press types; "" for nothing, as of a key that an input method takes.
        layout: the character that each key types without modifiers in the layout in use, by `raw`;
            "" for one that is not known.
    """
    letter = typed.lower() if len(typed) == 1 and typed.isalpha() else ""
    own = mapped if mapped and mapped == typed else layout.get(raw, "") or letter
    if not own:
        return NamedKey(mapped or raw)
    places = (raw,) if own.isascii() else (mapped, raw)  # the first layout is the one printed
    missing = (
        place
        for place in places
        if place not in ("", own, *layout.values()) and (place.isalnum() or not own.isascii())
    )
    return NamedKey(own, next(missing, ""))
