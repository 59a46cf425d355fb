"""The key map: which key or chord runs which action, with defaults and the user's changes.

A chord is a key with its modifiers, such as "control+s".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from base.language.wording import tr, wording
from sim.core.input.key_names import KEYS, MODIFIERS, SIDED, key_of, unknown

NAMES = {
    "control": tr("Ctrl", "key"), "shift": tr("Shift", "key"), "alt": tr("Alt", "key"),
    "arrow_left": tr("Left", "key"), "arrow_right": tr("Right", "key"),
    "arrow_up": tr("Up", "key"), "arrow_down": tr("Down", "key"),
    "page_up": tr("Page up", "key"), "page_down": tr("Page down", "key"),
    "space": tr("Space", "key"), "escape": tr("Escape", "key"), "delete": tr("Delete", "key"),
    "enter": tr("Enter", "key"), "tab": tr("Tab", "key"), "home": tr("Home", "key"),
    "end": tr("End", "key"), "backspace": tr("Backspace", "key"),
    **{f"num_{digit}": f"Num {digit}" for digit in range(10)},
}  # fmt: skip
PAD = tr("Pad {part}", "key")
PAD_PARTS = {
    "south": tr("south", "pad"), "east": tr("east", "pad"), "west": tr("west", "pad"),
    "north": tr("north", "pad"), "start": tr("start", "pad"), "back": tr("back", "pad"),
    "left_stick": tr("left stick", "pad"), "right_stick": tr("right stick", "pad"),
    "left_shoulder": tr("left shoulder", "pad"), "right_shoulder": tr("right shoulder", "pad"),
    "left_trigger": tr("left trigger", "pad"), "right_trigger": tr("right trigger", "pad"),
    "dpad": tr("dpad", "pad"),
}  # fmt: skip
WAYS = {
    "up": tr("{part} up", "pad"), "down": tr("{part} down", "pad"),
    "left": tr("{part} left", "pad"), "right": tr("{part} right", "pad"),
}  # fmt: skip


class KeyMapError(ValueError):
    """A chord is invalid, or another action has it already."""


@dataclass(frozen=True)
class KeyAction:
    """An action that can be bound to a key.

    Attributes:
        name: stable id, such as "studio.undo"; the settings file uses it.
        label: text shown to the user.
        usual: default chord, such as "control+z"; empty for none.
        group: heading under which the action is listed.
    """

    name: str
    label: str
    usual: str
    group: str


class KeyMap:
    """Actions by name, each with at most one chord and a callback.

    Args:
        changed: chords that the user has changed, by action name; None for none.
    """

    def __init__(self, changed: Mapping[str, str] | None = None) -> None:
        self.actions: dict[str, KeyAction] = {}
        self.changed: dict[str, str] = {
            name: normal(chord) for name, chord in (changed or {}).items()
        }
        self._callbacks: dict[str, Callable[[], object]] = {}
        self.on_run: list[Callable[[str], object]] = []
        """Functions called with the name of an action before the action runs."""
        self.revision = 0

    def add(self, action: KeyAction, callback: Callable[[], object]) -> None:
        """Register an action; an action of the same name is replaced.

        Args:
            action: the action.
            callback: called without arguments when the action runs.
        """
        self.actions[action.name] = action
        self._callbacks[action.name] = callback
        self.revision += 1

    def remove(self, name: str) -> None:
        """Unregister an action; the user's key for it is kept in case it is registered again."""
        self.actions.pop(name, None)
        self._callbacks.pop(name, None)
        self.revision += 1

    def chord(self, name: str) -> str:
        """Return the chord of an action, empty for none."""
        action = self.actions.get(name)
        return self.changed.get(name, normal(action.usual) if action else "")

    def press(self, chord: str) -> bool:
        """Run the action bound to a chord; return whether there was one.

        If several actions have the chord, the action added last runs: scripts' commands precede the
        engine's.
        """
        name = self.action_of(chord)
        return name is not None and self.run(name)

    def run(self, name: str) -> bool:
        """Run an action by name; return False if there is none."""
        callback = self._callbacks.get(name)
        if callback is None:
            return False
        for listener in self.on_run:
            listener(name)
        callback()
        return True

    def action_of(self, chord: str, *, without: str = "") -> str | None:
        """Return the name of the action that this chord runs, None for none.

        Args:
            chord: the chord.
            without: beginning of the names of actions that do not count; "" if all count.
        """
        wanted = normal(chord)
        if not wanted:
            return None
        names = (name for name in reversed(self.actions) if self.chord(name) == wanted)
        return next((name for name in names if not without or not name.startswith(without)), None)

    def bind(self, name: str, chord: str) -> None:
        """Bind an action to a chord; "" unbinds it.

        Raises:
            KeyMapError: the chord is invalid, or another action has it; nothing was changed.
        """
        wanted = normal(chord)
        if chord.strip() and not wanted:
            raise KeyMapError(
                f"{chord!r}: expected a key such as f5 or control+s, {unknown(chord)}"
            )
        for other in self.actions:
            if wanted and other != name and self.chord(other) == wanted:
                label = self.actions[other].label
                raise KeyMapError(f"{shown(wanted)} is taken already: {label}")
        self.changed[name] = wanted
        self.revision += 1

    def reset(self, name: str | None = None) -> None:
        """Restore the default chord of an action, or of all actions if `name` is None."""
        for key in [name] if name is not None else list(self.changed):
            self.changed.pop(key, None)
        self.revision += 1

    def conflicts(self) -> list[tuple[str, str]]:
        """Return pairs of names of actions that share a chord; the action added later runs."""
        seen: dict[str, str] = {}
        found: list[tuple[str, str]] = []
        for name in self.actions:
            chord = self.chord(name)
            if chord and chord in seen:
                found.append((seen[chord], name))
            seen.setdefault(chord, name)
        return found

    def taken_by(self, name: str) -> KeyAction | None:
        """Return the action that runs in place of this one because both have the same chord.

        Returns:
            None if this action runs, or if it has no chord.
        """
        runs = self.action_of(self.chord(name))
        return None if runs in (None, name) else self.actions[runs]

    def groups(self) -> dict[str, list[KeyAction]]:
        """Return the actions under each heading of the list of keys.

        Returns:
            The actions, by the heading; see `group` of `KeyAction`.
        """
        found: dict[str, list[KeyAction]] = {}
        for action in self.actions.values():
            found.setdefault(action.group, []).append(action)
        return found


def split_chord(chord: str) -> tuple[list[str], str]:
    """Split a chord into modifiers and key; the key may be "+" itself."""
    key = "+" if chord.endswith("+") else chord.rpartition("+")[2]
    return [part for part in chord.removesuffix(key).split("+") if part], key


@functools.lru_cache(maxsize=1024)
def normal(chord: str) -> str:
    """Return a chord in its normal form: lower case, modifiers in order; "" if it is invalid.

    Other names of a key, such as "plus" or "return", become the one that events have. Shift with
    "=" or "+" becomes "+", because many keyboards type + that way.
    """
    parts, key = split_chord(chord.lower() if chord == " " else chord.strip().lower())
    parts, key = [key_of(part) for part in parts], key_of(key)
    if not key or any(part not in MODIFIERS for part in parts):
        return ""
    if key in "+=" and "shift" in parts:  # on many keyboards + is Shift and =
        key, parts = "+", [part for part in parts if part != "shift"]
    return "+".join([*sorted(set(parts)), key])


def checked_chord(key: object, place: str) -> str:
    """Return a key or chord that a script names, in its normal form.

    Args:
        key: the key or chord.
        place: what it was given to, for the message.

    Raises:
        ValueError: there is no such key; the message names keys that are spelt alike.
    """
    chord = normal(key) if isinstance(key, str) else ""
    if not chord:
        expected = "expected a key such as 'f', '+', 'space' or 'control+s'"
        raise ValueError(f"{place}: {expected}, {unknown(key)}")
    return chord


def names_of(key: str, stand_in: str = "", text: str = "") -> tuple[str, ...]:
    """Return the names that a pressed key answers to, the most fitting first.

    Args:
        key: name of the key under the layout in use.
        stand_in: name of the US key at its place, if the layout types that nowhere; "" for none.
        text: the character that the press types; "" if it is not known.
    """
    plain = key.lower()
    typed = text if _is_own(text) and plain not in KEYS else ""
    return tuple(dict.fromkeys(name for name in (plain, typed, stand_in) if name))


def chords_of(
    key: str, modifiers: Iterable[str], stand_in: str = "", text: str = ""
) -> tuple[str, ...]:
    """Return the chords that a pressed key answers to, the most fitting first.

    A punctuation character or a digit that is typed with Shift is also its own chord: Shift and 7
    are "/" on a German keyboard. Shift does not count for it then.

    Args:
        key: name of the key under the layout in use.
        modifiers: the held modifier keys.
        stand_in: name of the US key at its place, if the layout types that nowhere; "" for none.
        text: the character that the press types; "" if it is not known.
    """
    plain = key.lower()
    held = sorted(set(modifiers) - {plain, SIDED.get(plain, plain)})
    found = ["+".join([*held, name]) for name in (plain, stand_in) if name]
    if "+".join(held) == "shift" and plain == "=":
        found.append("+")
    if _is_own(text) and plain not in KEYS:
        found.insert(1, "+".join([*(name for name in held if name != "shift"), text]))
    return tuple(dict.fromkeys(found))


def chord_of(key: str, modifiers: Iterable[str]) -> str:
    """Return the chord of a pressed key; "" while only a modifier is pressed."""
    plain = key.lower()
    if plain in MODIFIERS or plain in SIDED:
        return ""
    return normal("+".join([*sorted(modifiers), plain]))


def _is_own(text: str) -> bool:
    """Return whether a typed text is a character that a chord may name without Shift."""
    return len(text) == 1 and text.isprintable() and not text.isalpha() and text != " "


@functools.lru_cache(maxsize=1024)
def shown(chord: str) -> str:
    """Return a chord for display: "Ctrl+Shift+Z"."""
    if not chord:
        return tr("no key")
    head, key = split_chord(chord)
    return wording("+").join([*(NAMES[part] for part in head), NAMES.get(key, _capital(key))])


def _capital(key: str) -> str:
    """Return the name of a key for display: "F5", "Pad south"."""
    before, _, part = key.partition("pad_")
    name, _, way = part.rpartition("_")
    if not before and part in PAD_PARTS:
        return PAD.format(part=PAD_PARTS[part])
    if not before and name in PAD_PARTS and way in WAYS:
        return PAD.format(part=WAYS[way].format(part=PAD_PARTS[name]))
    is_short = len(key) == 1 or key[1:].isdecimal()
    return key.upper() if is_short else key.replace("_", " ").capitalize()
