"""Routing of input to panels, key actions or the scene, in order of arrival."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import MODIFIERS, KeyAction, chord_of
from sim.ui.widgets.set_aside import is_set_aside

if TYPE_CHECKING:
    from sim.ui.shell.rewind_bar import RewindBar
    from sim.ui.shell.shell import Shell

ZOOMS = ("studio.larger", "studio.smaller")
"""What keys do while text is typed, too, as function keys do."""
COMMANDS = "command."
FUNCTION_KEY = re.compile(r"f\d+")
WER = {
    "w": "studio.tool_move",
    "e": "studio.tool_rotate",
    "r": "studio.tool_scale",
}
"""Actions of the keys of the preset, which is off by default."""
ASKING = ("button_down", "button_up", "wheel", "key_down", "text")
"""What is decided by what the panels made of all that came before it."""
HANDLE_PASSES = 2  # until the pointer has left the handles that it was over
FOCUS_PASSES = 6  # until a field that an action gave the keyboard to has it


class ShellInput:
    """Routes events to the panels and returns those for the scene.

    A slow frame may bring many events at once, such as a click into a text field and the text typed
    there. So the panels are laid out, without drawing, before an event whose receiver they decide.
    """

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.timeline: RewindBar | None = None
        self._owed = 0  # passes before the next decision
        self._early: list[InputEvent] = []  # what came before there were panels
        self._is_silent = False  # the key that is down did something, and types nothing
        self._commands: tuple[str, ...] = ()
        self._is_view_focused = True  # until a click into a panel

    def feed(self, events: Iterable[InputEvent]) -> list[InputEvent]:
        """Forward events to the panels; return those for the scene."""
        shell = self.shell
        if not shell.has_drawn:
            self._early.extend(events)
            return []
        found, self._early = [*self._early, *events], []
        imgui.set_current_context(shell.backend.context)
        self._sync_commands()
        rest: list[InputEvent] = []
        for event in found:
            if event.kind == "button_down" and shell.studio.selection.tool != "play":
                self._owed = max(self._owed, HANDLE_PASSES)
            if event.kind in ASKING or _lets_go(event):
                self._catch_up()
            if event.kind == "text" and self._is_silent:
                continue
            prompt = shell.console.prompt
            if event.kind == "button_down" and prompt is not None:
                prompt.let_go()
            if not self._is_shortcut(event):
                shell.backend.feed(event)
            if not self._is_taken(event):
                rest.append(event)
        return rest

    def _catch_up(self) -> None:
        """Lay out the panels so that they process the events so far."""
        if self.shell.backend.has_unseen or self._owed:
            self.shell.lay_out(least=self._owed)
            self._sync_commands()
        self._owed = 0

    @property
    def _is_typing(self) -> bool:
        return bool(self.shell.backend.io.want_text_input) or self.shell.script.has_focus

    def _is_shortcut(self, event: InputEvent) -> bool:
        """Return whether a key runs an action: then it moves or presses nothing in the panels."""
        if event.kind != "key_down" or self._is_typing or self.shell.key_list.waiting:
            return False
        chord = chord_of(event.key, event.modifiers)
        if self.timeline is not None and self.timeline.takes(chord):
            return True
        return bool(self._tool_of(chord)) or self.shell.keys.action_of(chord) is not None

    def _tool_of(self, chord: str) -> str:
        """Return the action of a key of the preset; "" where the preset is off, or elsewhere."""
        shell = self.shell
        is_there = self._is_view_focused and shell.layout.name == "studio"
        is_there = is_there and not shell.host.panels.is_presenting
        return WER.get(chord, "") if is_there and shell.settings.values.wer_keys else ""

    def _is_taken(self, event: InputEvent) -> bool:
        shell = self.shell
        if event.kind == "key_down":
            return self._take_past_key(event) or self._take_key(event)
        if event.kind == "key_up":
            self._is_silent = False
        if event.kind == "text":
            return bool(shell.backend.io.want_text_input)
        if event.kind in ("button_down", "wheel"):
            left, top, width, height = shell.viewport
            is_inside = left <= event.x < left + width and top <= event.y < top + height
            if event.kind == "wheel":
                place = shell.backend.io.mouse_pos
                is_inside = left <= place.x < left + width and top <= place.y < top + height
            is_inside = is_inside and not shell.backend.io.want_capture_mouse
            if event.kind == "button_down":
                self._is_view_focused = is_inside or shell.studio.gizmo.is_over
            if not is_inside:
                return True
            return shell.studio.take(event)
        return False

    def _take_key(self, event: InputEvent) -> bool:
        shell = self.shell
        chord = chord_of(event.key, event.modifiers)
        self._is_silent = False
        if shell.key_list.waiting:
            return shell.key_list.capture(chord)
        if chord == "escape" and any(leave() for leave in shell.on_escape):
            return True
        is_typing = self._is_typing
        is_zoom = shell.keys.action_of(chord) in ZOOMS
        if is_typing and not is_zoom and not FUNCTION_KEY.fullmatch(chord):
            return True
        if chord == "escape" and shell.escape():
            return True
        tool = self._tool_of(chord)
        if tool:
            self._is_silent = shell.keys.run(tool)
            return True
        if shell.keys.press(chord):
            self._owed = FOCUS_PASSES
            self._is_silent = len(event.key) == 1 or event.key == "space"
        return is_typing

    def _take_past_key(self, event: InputEvent) -> bool:
        """Give the timeline its keys while the past is shown; scripts' commands do nothing then."""
        timeline, shell = self.timeline, self.shell
        if timeline is None or not timeline.rewind.is_past:
            return False
        if self._is_typing or shell.key_list.waiting:
            return False
        chord = chord_of(event.key, event.modifiers)
        if chord == "escape" and any(leave() for leave in shell.on_escape):
            return True
        is_of_a_script = (shell.keys.action_of(chord) or "").startswith(COMMANDS)
        if not timeline.press(chord) and not is_of_a_script:
            return False
        self._is_silent = len(event.key) == 1 or event.key == "space"
        return True

    def _sync_commands(self) -> None:
        """Keep the key map in step with the commands that scripts offer."""
        keys, commands = self.shell.keys, list(self.shell.host.panels.commands)
        names = tuple(f"{entry.name}/{entry.key}/{id(entry)}" for entry in commands)
        if names == self._commands:
            return
        self._commands = names
        kept = {f"command.{entry.name}" for entry in commands}
        for name in [key for key in keys.actions if key.startswith("command.")]:
            if name not in kept:
                keys.remove(name)
        for entry in commands:
            group = entry.slot.class_name
            action = KeyAction(f"command.{entry.name}", entry.label, entry.key, group)
            keys.add(action, functools.partial(self._run_command, entry))

    def _run_command(self, entry: object) -> None:
        host = self.shell.host
        for command in list(host.panels.commands):
            if command is entry and is_set_aside(command.slot):
                self.shell.playback.offer_retry(command.slot)
            elif command is entry:
                host.call(command.slot, command.name, command.callback)


def _lets_go(event: InputEvent) -> bool:
    """Return whether a modifier is let go: what was pressed with it is seen before that."""
    return event.kind == "key_up" and event.key.lstrip("lr") in MODIFIERS
