"""The window of a packed game: its keys, and the modules that such a game loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from base.language.wording import tr
from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import KeyAction, KeyMap, chords_of

if TYPE_CHECKING:
    from sim.render.window.display import Display

FULL_SCREEN: Final = "f11"
GAME_MODULES: Final = (
    "sim.commands.packed_game",
    "sim.app.app",
    "sim.core.host.job_worker",
    "sim.physics.world",
    "sim.render.audio.sound",
    "sim.render.capture.recorder",
    "sim.render.importing.child",
    "sim.render.models.figures",
    "sim.render.passes.composition",
    "sim.render.passes.fog",
    "sim.render.passes.sky",
    "sim.render.passes.sun_maps",
    "sim.render.view.hud_layer",
    "sim.render.view.scene_view",
    "sim.render.window.display",
)
"""Modules that a game without panels loads; what they import at their top is always packed."""

GROUP = tr("Game", "group of keys")


class GameWindow:
    """The keys of a packed game's window: one ends the game, F11 switches full screen.

    Args:
        display: the window.
        quit_key: chord that ends the game, such as "control+q"; empty for none.
        is_full: whether the game begins in full screen.
    """

    def __init__(self, display: Display, quit_key: str, *, is_full: bool) -> None:
        self._display = display
        self._is_full = False
        self._quit_key = quit_key
        self._keys = KeyMap()
        self._keys.add(
            KeyAction("game.full_screen", tr("Full screen"), FULL_SCREEN, GROUP),
            self.switch,
        )
        if is_full:
            self.switch()

    def switch(self) -> None:
        """Enter full screen, or leave it."""
        self._is_full = not self._is_full
        self._display.set_fullscreen(self._is_full)

    def feed(self, events: Sequence[InputEvent], end: Callable[[], object]) -> list[InputEvent]:
        """Act on the game's own keys; return the events without them.

        Args:
            events: the window's events of a frame.
            end: called without arguments to end the game.
        """
        self._keys.add(KeyAction("game.quit", tr("Quit"), self._quit_key, GROUP), end)
        return [event for event in events if not self._is_taken(event)]

    def _is_taken(self, event: InputEvent) -> bool:
        if event.kind != "key_down":
            return False
        chords = chords_of(event.key, event.modifiers, event.stand_in, event.text)
        return any(self._keys.press(chord) for chord in chords)
