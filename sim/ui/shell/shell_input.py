"""Routing of input to panels, key actions or the scene, in order of arrival."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import KeyAction, KeyMap, chords_of, normal
from sim.core.input.key_names import MODIFIERS, SIDED
from sim.core.script.panels import CommandEntry, PanelRegistry
from sim.render.view.camera_rig import FLIGHT_KEYS
from sim.ui.panels.keys_panel import KeysPanel
from sim.ui.panels.prompt import PromptLine
from sim.ui.panels.script_editor import ScriptEditorPanel
from sim.ui.shell.backend import ImGuiBackend, PanelLayer
from sim.ui.shell.bars import RewindBar
from sim.ui.shell.key_owner import COMMANDS, KeyOwner
from sim.ui.shell.keyboard_focus import KeyboardFocus
from sim.ui.shell.studio import Studio

ZOOMS = ("studio.larger", "studio.smaller")
"""Actions whose keys also work while text is typed."""
FREE = (
    "file.new_scene", "file.open", "file.save_as", "studio.next_part", "studio.previous_part",
    "studio.next_tab", "studio.previous_tab",
)  # fmt: skip
"""Those whose keys work there, too, because no text field has them."""
TABS = {"tab": 1, "shift+tab": -1}
"""Keys that begin to lead the keyboard through the window, with the number of steps."""
FUNCTION_KEY = re.compile(r"f\d+")
WER = {
    "w": "studio.tool_move",
    "e": "studio.tool_rotate",
    "r": "studio.tool_scale",
}
"""Actions of W, E and R while the option is on that these keys choose tools."""
ASKING = ("button_down", "button_up", "wheel", "key_down", "text")
"""Events whose receiver depends on how the panels handled all earlier ones."""
HANDLE_PASSES = 2  # until the pointer has left the handles that it was over
FOCUS_PASSES = 6  # until a field that an action gave the keyboard to has it


@dataclass(eq=False)
class ScriptCommands:
    """Keeps the key map in step with the commands that scripts offer.

    Args:
        registry: the commands.
        keys: the key map.
        run: runs a command.
    """

    registry: PanelRegistry
    keys: KeyMap
    run: Callable[[CommandEntry], object]

    _known: tuple[str, ...] = field(default=(), init=False)

    def sync(self) -> None:
        """Add the commands that are new to the key map, and remove those that are gone."""
        commands = list(self.registry.commands)
        names = tuple(f"{entry.name}/{entry.key}/{id(entry)}" for entry in commands)
        if names == self._known:
            return
        self._known = names
        kept = {f"{COMMANDS}{entry.name}" for entry in commands}
        for name in [key for key in self.keys.actions if key.startswith(COMMANDS)]:
            if name not in kept:
                self.keys.remove(name)
        for entry in commands:
            group = entry.slot.title
            action = KeyAction(f"{COMMANDS}{entry.name}", entry.label, entry.key, group)
            self.keys.add(action, functools.partial(self._run_known, entry))

    def _run_known(self, entry: CommandEntry) -> None:
        """Run a command, unless its script has removed it since the key was assigned.

        Args:
            entry: the command.
        """
        if any(command is entry for command in self.registry.commands):
            self.run(entry)


@dataclass(eq=False)
class ShellInput:
    """Routes input events to the panels and returns those for the scene.

    A slow frame may bring many events at once, such as a click into a text field and the text typed
    there. Therefore the panels are laid out, without rendering, before each event whose receiver
    depends on them.

    Args:
        backend: Dear ImGui, which receives the events.
        layer: lays out the panels.
        keys: the key map.
        owner: decides whether the scene or the window gets a key.
        focus: leads the keyboard through the parts of the window.
        commands: keeps the key map equal to the commands of the scene's scripts.
        key_list: the panel that assigns keys to actions.
        script: the script editor.
        prompt: the console's prompt; a click elsewhere cancels its request for the focus.
        studio: handles clicks into the view while a tool is active.
        timeline: the timeline, which has its own keys while the past is shown.
        is_tool_key: returns whether W, E and R choose tools at present.
        is_on_bar: returns whether a place (x, y) lies on the toolbar or the status bar, pixels.
        viewport: returns left, top, width and height of the 3D view, pixels.
        leave: closes the uppermost dialog; returns whether one was open.
        escape: ends presentation mode or closes the list of keys; returns whether it did.
    """

    backend: ImGuiBackend
    layer: PanelLayer
    keys: KeyMap
    owner: KeyOwner
    focus: KeyboardFocus
    commands: ScriptCommands
    key_list: KeysPanel
    script: ScriptEditorPanel
    prompt: PromptLine
    studio: Studio
    timeline: RewindBar
    is_tool_key: Callable[[], bool]
    is_on_bar: Callable[[float, float], bool]
    viewport: Callable[[], tuple[int, int, int, int]]
    leave: Callable[[], bool]
    escape: Callable[[], bool]

    _owed = 0  # passes before the next decision
    _early: list[InputEvent] = field(default_factory=list, init=False)  # before there were panels
    _is_silent = False  # the key that is down did something, and types nothing

    def feed(self, events: Iterable[InputEvent]) -> list[InputEvent]:
        """Send input events to the panels and shortcuts; return those that are left for the scene.

        Before the panels are drawn for the first time, events are kept for later.
        """
        if not self.layer.has_drawn:
            self._early.extend(events)
            return []
        found, self._early = [*self._early, *events], []
        imgui.set_current_context(self.backend.context)
        self.commands.sync()
        rest: list[InputEvent] = []
        for event in found:
            self.focus.note(event)
            if event.kind == "button_down" and self.studio.selection.tool != "play":
                self._owed = max(self._owed, HANDLE_PASSES)
            if event.kind in ASKING or _lets_go(event):
                self._catch_up()
            if event.kind == "text" and (self._is_silent or self.studio.view.camera.is_steered):
                continue
            if event.kind == "button_down":
                self.prompt.let_go()
            if not self._is_shortcut(event):
                self.backend.feed(event)
            if not self._is_taken(event):
                rest.append(event)
        return rest

    def _catch_up(self) -> None:
        """Lay out the panels so that they process the events so far."""
        if self.backend.has_unseen or self._owed:
            self.layer.lay_out(least=self._owed)
            self.commands.sync()
        self._owed = 0

    @property
    def _is_typing(self) -> bool:
        return bool(self.backend.io.want_text_input) or self.script.has_focus

    @property
    def _has_dialog(self) -> bool:
        """Whether a dialog is open that everything else waits for."""
        return imgui.internal.get_top_most_popup_modal() is not None

    def _is_shortcut(self, event: InputEvent) -> bool:
        """Return whether an event is a key that runs an action; panels do not receive it then."""
        is_flight = self.studio.view.camera.is_steered and event.key.lower() in FLIGHT_KEYS
        if event.kind == "key_down" and is_flight:
            return True  # whatever had the keyboard
        if event.kind != "key_down" or self._is_typing or self.key_list.waiting:
            return False
        if self._is_of_panels(event):
            return False
        if self._is_scenes(event):
            return True
        chord = self._chord(event)
        if chord in TABS and self.focus.begins():
            return True
        if self._has_dialog:
            return False
        if self.timeline.handles(chord):
            return True
        return bool(self._tool_of(chord)) or self.owner.action_of(chord) is not None

    def _is_of_panels(self, event: InputEvent) -> bool:
        """Return whether a pressed key moves or presses in the panel that the keyboard is in."""
        is_asked = self._is_typing or bool(self.key_list.waiting)
        return not is_asked and self.focus.takes(event)

    def _is_scenes(self, event: InputEvent) -> bool:
        """Return whether a pressed key is the scene's alone: no shortcut and no panel gets it."""
        if imgui.is_popup_open("", int(imgui.PopupFlags_.any_popup)):
            return False
        return any(map(self.owner.is_scenes, _chords(event)))

    def _chord(self, event: InputEvent) -> str:
        """Return the chord of a pressed key; "" while only a modifier is pressed.

        Of the chords that the press answers to, it is the first that does something. If none does,
        it is the first that can be typed on a Latin keyboard.
        """
        if event.key.lower() in MODIFIERS or event.key.lower() in SIDED:
            return ""
        chords = _chords(event)
        used = (
            chord
            for chord in chords
            if self.timeline.handles(chord)
            or self._tool_of(chord)
            or self.keys.action_of(chord) is not None
        )
        latin = (chord for chord in chords if chord.isascii())
        return next(used, next(latin, chords[0] if chords else ""))

    def _tool_of(self, chord: str) -> str:
        """Return the action of W, E, R or F; "" for other keys and if the option is off.

        After a click into a panel they count while an object is chosen: it is chosen in the tree.
        While the scene plays and has the keys, those of its scripts' commands come first.
        """
        has_keys = self.owner.is_playing and self.owner.focus == "view"
        is_command = (self.owner.action_of(chord) or "").startswith(COMMANDS)
        if not self.is_tool_key() or (has_keys and is_command):
            return ""
        is_chosen = self.studio.selection.object is not None
        if chord == "f" and is_chosen:
            return "studio.focus"
        return WER.get(chord, "") if is_chosen or self.owner.focus != "panel" else ""

    def _is_taken(self, event: InputEvent) -> bool:
        is_key = event.kind in ("key_down", "key_up")
        if is_key and self.studio.view.camera.steer(event):
            self._is_silent = event.kind == "key_down"
            return True
        if event.kind == "key_down":
            if self._is_of_panels(event):
                self._is_silent = False
                self.layer.repeat(FOCUS_PASSES)
                return True
            is_past = not self._has_dialog and self._handle_past_key(event)
            return is_past or self._handle_key(event)
        if event.kind == "key_up":
            self._is_silent = False
        if event.kind == "text":
            return bool(self.backend.io.want_text_input)
        if event.kind in ("button_down", "wheel"):
            return self._handle_pointer(event)
        return False

    def _handle_pointer(self, event: InputEvent) -> bool:
        """Send a click or the wheel to the panels or the studio; return whether one used it."""
        io = self.backend.io
        x, y = (event.x, event.y) if event.kind == "button_down" else io.mouse_pos
        left, top, width, height = self.viewport()
        is_inside = left <= x < left + width and top <= y < top + height
        is_inside = is_inside and not io.want_capture_mouse
        if event.kind == "button_down" and not self.is_on_bar(x, y):
            self.owner.click("view" if is_inside or self.studio.gizmo.is_over else "panel")
        return self.studio.handle_pointer(event) if is_inside else True

    def _handle_key(self, event: InputEvent) -> bool:
        chord = self._chord(event)
        self._is_silent = False
        if self.key_list.waiting:
            return self.key_list.capture(chord)
        if chord == "escape" and self.leave():
            return True
        is_typing = self._is_typing
        is_free = self.keys.action_of(chord) in (*ZOOMS, *FREE)
        is_free = is_free or FUNCTION_KEY.fullmatch(chord) is not None
        if is_typing and not is_free:
            return True
        is_scenes = self._is_scenes(event)
        if self._moves_focus(chord, is_scenes=is_scenes):
            return True
        if self._has_dialog and not is_free:
            return True  # nothing is changed behind it
        if is_scenes:
            if (name := self.owner.action_of(chord) or "").startswith(COMMANDS):
                self._run(name, event)
            return False
        tool = self._tool_of(chord)
        if tool:
            self._is_silent = self.keys.run(tool)
            return True
        name = self.owner.action_of(chord) or ""
        if name:
            self._run(name, event)
        is_lost = bool(name) and any(map(self.owner.use_of, _chords(event)))
        is_of_panels = self.owner.is_playing and not self.owner.is_scene_focused
        return is_typing or is_lost or is_of_panels

    def _moves_focus(self, chord: str, *, is_scenes: bool) -> bool:
        """Handle Escape, which leaves a panel or what is open, and Tab, which enters the panels.

        Args:
            chord: what is pressed.
            is_scenes: whether the scene gets it.

        Returns:
            Whether it was used.
        """
        if chord == "escape" and self.focus.is_in_panel:
            if not self.escape():
                self.focus.to_view()
        elif chord == "escape":
            return not is_scenes and self.escape()
        elif chord in TABS and not is_scenes and self.focus.begins():
            self.focus.step(TABS[chord])
            self._owed = FOCUS_PASSES
        else:
            return False
        self.layer.repeat(FOCUS_PASSES)
        return True

    def _run(self, name: str, event: InputEvent) -> None:
        """Run the action of a pressed key."""
        self.keys.run(name)
        self._owed = FOCUS_PASSES
        self.layer.repeat(FOCUS_PASSES)
        self._is_silent = len(event.key) == 1 or event.key == "space"

    def _handle_past_key(self, event: InputEvent) -> bool:
        """Run the timeline's command for a key while the past is shown.

        The keys of scripts' commands do nothing then.

        Returns:
            Whether the key was used; False if the present is shown.
        """
        timeline = self.timeline
        if not timeline.rewind.is_past or self._is_typing or self.key_list.waiting:
            return False
        chord = self._chord(event)
        if chord == "escape" and self.leave():
            return True
        is_of_a_script = (self.keys.action_of(chord) or "").startswith(COMMANDS)
        if not timeline.press(chord) and not is_of_a_script:
            return False
        self._is_silent = len(event.key) == 1 or event.key == "space"
        return True


def _chords(event: InputEvent) -> list[str]:
    """Return the chords that a pressed key answers to, the most fitting first."""
    found = chords_of(event.key, event.modifiers, event.stand_in, event.text)
    return [chord for chord in map(normal, found) if chord]


def _lets_go(event: InputEvent) -> bool:
    """Return whether an event is the release of a modifier key, such as Shift.

    The panels must process earlier clicks before it, as these were made with the key down.
    """
    return event.kind == "key_up" and event.key.lstrip("lr") in MODIFIERS
