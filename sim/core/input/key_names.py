"""Names of keys, pointer buttons and parts of a gamepad, with the other names they are known by."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Final

from base.spelling import near_names

MODIFIERS: Final = ("alt", "control", "shift")
SIDED: Final = {
    f"{side}{name}": name for side in ("l", "r") for name in ("shift", "control", "alt", "meta")
}
"""Keys that a keyboard has at the left and at the right, with the name for either."""
KEYS: Final = frozenset(
    (*MODIFIERS, *SIDED, *(f"f{number}" for number in range(1, 17)), "meta", "space", "enter",
     "tab", "escape", "backspace", "insert", "delete", "home", "end", "page_up", "page_down",
     "arrow_left", "arrow_right", "arrow_up", "arrow_down", "caps_lock", "num_lock",
     "scroll_lock", "print_screen", "pause", "menu", "help",
     *(f"num_{digit}" for digit in range(10)))
)  # fmt: skip
"""Keys that type no character of their own."""
POINTER_BUTTONS: Final = frozenset({f"mouse{number}" for number in range(1, 6)})
WHEEL: Final = ("wheel_up", "wheel_down")
"""Turns of the wheel: they are pressed for a frame, and never held."""
CHARACTERS: Final = {
    "+": ("plus",), "-": ("minus", "hyphen", "dash"), "=": ("equals", "equal"), ",": ("comma",),
    ".": ("period", "dot", "full_stop"), "/": ("slash",), "\\": ("backslash",),
    ";": ("semicolon",), ":": ("colon",), "'": ("quote", "apostrophe"),
    '"': ("double_quote", "quotation_mark"), "`": ("backquote", "backtick", "grave"),
    "~": ("tilde",), "!": ("exclamation", "exclamation_mark"), "?": ("question", "question_mark"),
    "@": ("at",), "#": ("hash", "number_sign"), "$": ("dollar",), "%": ("percent",),
    "^": ("caret", "circumflex"), "&": ("ampersand",), "*": ("asterisk", "star"),
    "(": ("left_parenthesis", "left_paren"), ")": ("right_parenthesis", "right_paren"),
    "_": ("underscore",), "[": ("left_bracket",), "]": ("right_bracket",), "{": ("left_brace",),
    "}": ("right_brace",), "|": ("pipe", "bar"), "<": ("less",), ">": ("greater",),
}  # fmt: skip
"""Punctuation characters with their names."""
PAD_BUTTONS: Final = (
    "south", "east", "west", "north", "back", "guide", "start", "left_stick", "right_stick",
    "left_shoulder", "right_shoulder", "dpad_up", "dpad_down", "dpad_left", "dpad_right",
)  # fmt: skip
"""Buttons of a gamepad, named by their place as in SDL 3."""
PAD_AXES: Final = ("left_x", "left_y", "right_x", "right_y", "left_trigger", "right_trigger")
"""Axes of a gamepad."""
PAD_DIRECTIONS: Final = {
    f"{stick}_stick_{way}": (f"{stick}_{axis}", sign)
    for stick in ("left", "right")
    for way, axis, sign in (("left", "x", -1), ("right", "x", 1), ("down", "y", -1), ("up", "y", 1))
}
"""Directions of the sticks, each with its axis and the axis's sign there."""
PAD_ALIASES: Final = {
    "a": "south", "b": "east", "x": "west", "y": "north", "select": "back", "lb": "left_shoulder",
    "rb": "right_shoulder", "lt": "left_trigger", "rt": "right_trigger", "l3": "left_stick",
    "r3": "right_stick", "l1": "left_shoulder", "r1": "right_shoulder", "l2": "left_trigger",
    "r2": "right_trigger", "up": "dpad_up", "down": "dpad_down", "left": "dpad_left",
    "right": "dpad_right", "cross": "south", "circle": "east", "square": "west",
    "triangle": "north",
}  # fmt: skip
"""Other names of parts of a gamepad: the letters are those of an Xbox pad."""
_PAD_PARTS: Final = frozenset({*PAD_BUTTONS, *PAD_AXES, *PAD_DIRECTIONS})
_PAD: Final = re.compile(r"pad([1-9]\d?)?_(\w+)")
ALIASES: Final = {
    **{name: character for character, names in CHARACTERS.items() for name in names},
    " ": "space", "spacebar": "space", "return": "enter", "esc": "escape", "del": "delete",
    "ins": "insert", "ctrl": "control", "lctrl": "lcontrol", "rctrl": "rcontrol",
    "pageup": "page_up", "pgup": "page_up", "pagedown": "page_down", "pgdn": "page_down",
    "left": "arrow_left", "right": "arrow_right", "up": "arrow_up", "down": "arrow_down",
    "left_arrow": "arrow_left", "right_arrow": "arrow_right", "up_arrow": "arrow_up",
    "down_arrow": "arrow_down", "capslock": "caps_lock", "numlock": "num_lock",
    "scrolllock": "scroll_lock", "printscreen": "print_screen", "option": "alt",
    "left_mouse": "mouse1", "middle_mouse": "mouse2", "right_mouse": "mouse3",
}  # fmt: skip
"""Other names of keys and pointer buttons."""


@functools.lru_cache(maxsize=1024)
def key_of(name: str) -> str:
    """Return the name that events have for a key, a pointer button or a part of a gamepad.

    >>> key_of("Plus"), key_of("return"), key_of("pad_a"), key_of("spcae")
    ('+', 'enter', 'pad_south', '')

    Args:
        name: the name or another name of the same key, in any case; a character names its key.

    Returns:
        The name; "" if there is no such key.
    """
    plain = name.lower()
    if plain in KEYS or plain in POINTER_BUTTONS or plain in WHEEL:
        return plain
    if plain in ALIASES:
        return ALIASES[plain]
    if len(plain) == 1 and plain.isprintable():
        return plain
    found = pad_part(plain)
    return "" if found is None else f"pad{'' if found[0] is None else found[0] + 1}_{found[1]}"


def pad_part(name: str) -> tuple[int | None, str] | None:
    """Return which gamepad a name such as "pad_south" or "pad2_left_x" means, and which part of it.

    Args:
        name: the name, in lower case.

    Returns:
        Index of the pad, None for any pad, and the part's name; None if the name means no pad.
    """
    found = _PAD.fullmatch(name)
    if found is None:
        return None
    number, part = found.groups()
    part = PAD_ALIASES.get(part, part)
    return (int(number) - 1 if number else None, part) if part in _PAD_PARTS else None


def near(name: str, more: Iterable[str] = ()) -> list[str]:
    """Return up to three names of keys that look like a misspelt one, the most similar first.

    Args:
        name: the misspelt name.
        more: other names that it may have meant, such as those of actions.
    """
    wrong = [part for part in name.split("+") if part and not key_of(part)]
    if len(wrong) == 1 and wrong != [name]:  # a chord with a misspelt part
        return [name.replace(wrong[0], part) for part in near(wrong[0], more)]
    pads = (f"pad_{part}" for part in _PAD_PARTS)
    known = [*more, *sorted({*KEYS, *POINTER_BUTTONS, *WHEEL, *ALIASES, *pads})]
    return near_names(known, name)[:3]


def unknown(name: object, more: Iterable[str] = ()) -> str:
    """Return the end of a message about an unknown key: what was found, and names near to it."""
    found = near(name, more) if isinstance(name, str) else []
    hint = f"; did you mean {' or '.join(map(repr, found))}?" if found else ""
    return f"found {name!r:.80}{hint}"
