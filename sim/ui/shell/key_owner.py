"""Whose a pressed key is: the scene's, whose scripts use it, or the window's with its shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from base.language.wording import tr
from sim.core.input.input_actions import InputActions
from sim.core.input.key_map import KeyMap, normal, split_chord
from sim.core.tasks.clock import Clock

SAFE: Final = ("f1", "f3", "f4", "f11", "escape")
"""Keys that stay the window's, whatever scripts bind them to."""
CONTROLS: Final = ("control", "lcontrol", "rcontrol")
COMMANDS: Final = "command."
"""How the names of scripts' commands begin in the key map."""
Place = Literal["view", "panel", ""]


@dataclass(eq=False)
class KeyOwner:
    """Decides whether the scene or the window gets a key that both have a use for.

    The scene has its keys while it plays: in the Watch layout and in presentation mode always, in
    the Studio layout after a click into the view, until one into a panel.

    Args:
        inputs: the input of the scene's scripts, which knows the keys that they use.
        clock: the scene's clock.
        keys: the key map.
        layout: returns the name of the layout in use.
        is_presenting: returns whether presentation mode is on.
        is_past: returns whether the past is shown.
    """

    inputs: InputActions
    clock: Clock
    keys: KeyMap
    layout: Callable[[], str]
    is_presenting: Callable[[], bool]
    is_past: Callable[[], bool]

    _clicked: tuple[str, Place] = field(default=("", ""), init=False)

    @property
    def focus(self) -> Place:
        """Where the last click was since the layout is shown; "" if there was none."""
        layout, place = self._clicked
        return place if layout == self.layout() else ""

    def click(self, place: Place) -> None:
        """Note a click into the view or into a panel."""
        self._clicked = (self.layout(), place)

    @property
    def is_in_studio(self) -> bool:
        """Whether the focus decides: in the Studio layout, out of presentation mode."""
        return self.layout() == "studio" and not self.is_presenting()

    @property
    def is_scene_focused(self) -> bool:
        """Whether the focus leaves the keys to the scene."""
        return not self.is_in_studio or self.focus == "view" or self.inputs.lock.is_on

    @property
    def is_playing(self) -> bool:
        """Whether the scene plays; a scene that is paused, stopped or past uses no keys."""
        return not (self.clock.paused or self.clock.is_stopped or self.is_past())

    def is_scenes(self, chord: str) -> bool:
        """Return whether the scene gets a key or chord now, and the window's shortcuts do not.

        An open menu of the scene has its keys although it has paused the scene.
        """
        if self.inputs.has_grabbed(chord):
            return self.is_scene_focused and not (self.clock.is_stopped or self.is_past())
        return self.is_playing and self.is_scene_focused and bool(self.use_of(chord))

    def use_of(self, chord: str) -> str:
        """Return what the scene uses a key or chord for; "" for nothing, and for safe keys.

        Chords with Ctrl are safe, unless scripts use the Ctrl key itself, as to crouch. Then those
        of their keys are the scene's.

        Args:
            chord: the key or chord, in its normal form.
        """
        modifiers, key = split_chord(chord)
        if key in SAFE:
            return ""
        if "control" not in modifiers:
            return self.inputs.use_of(chord)
        return self.inputs.use_of(key) if any(map(self.inputs.use_of, CONTROLS)) else ""

    def action_of(self, chord: str) -> str | None:
        """Return the action of the key map that a key or chord runs; None for none.

        A script's command precedes the window's own shortcut, but not at a safe key. In the Studio
        layout it does so only while the focus leaves the keys to the scene.
        """
        if self.inputs.has_grabbed(chord) and self.is_scenes(chord):
            return None
        name = self.keys.action_of(chord)
        if name is None or not name.startswith(COMMANDS):
            return name
        if self.is_scene_focused and split_chord(normal(chord))[1] not in SAFE:
            return name
        return self.keys.action_of(chord, without=COMMANDS) or name

    def lent_to(self, action: str) -> str:
        """Return what the scene uses the key of a window's action for; "" if it is not lent.

        Args:
            action: name of the action in the key map.
        """
        chord = self.keys.chord(action)
        return self.use_of(chord) if chord and not action.startswith(COMMANDS) else ""

    def told(self) -> str:
        """Return a text for the status bar that says who gets the scene's keys; "" if it is clear.

        It is clear out of the Studio layout, and for scenes that use no keys.
        """
        is_asked = self.is_in_studio and self.is_playing and any(self.inputs.used_keys().values())
        if not is_asked:
            return ""
        return (
            tr("Keys: scene")
            if self.is_scene_focused
            else tr("Keys: studio, click the view to play")
        )
