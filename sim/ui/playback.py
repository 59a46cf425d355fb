"""Playback: pause, step, speed, and the commands that scripts add."""

from __future__ import annotations

import math

from imgui_bundle import imgui

from sim.core.clock import FASTEST, MAX_SPEED, SLOWEST
from sim.core.script_host import ScriptHost
from sim.ui.theme import AMBER, icons

SPEEDS = [2.0**power for power in range(-5, 7)]
ICONS = {"forward": icons.ICON_FA_FORWARD_FAST}


class PlaybackBar:
    """The bar at the top."""

    def __init__(self, host: ScriptHost) -> None:
        self.host = host

    def press(self, key: str) -> None:
        """Take a key that belongs to playback."""
        clock = self.host.clock
        if key == "space":
            self.toggle()
        elif key == "." and clock.paused:
            clock.step()
        elif key in ("+", "=", "-") and clock.speed != MAX_SPEED:
            factor = 0.5 if key == "-" else 2.0
            clock.speed = min(FASTEST, max(SLOWEST, clock.speed * factor))

    def toggle(self) -> None:
        """Pause or go on."""
        clock = self.host.clock
        (clock.resume if clock.paused else clock.pause)()

    def draw(self, is_narrow: bool) -> None:
        """Draw the bar."""
        clock = self.host.clock
        icon = icons.ICON_FA_PLAY if clock.paused else icons.ICON_FA_PAUSE
        if imgui.button(f"{icon}##pause"):
            self.toggle()
        _tip("Pause or go on (Space)")
        imgui.same_line()
        imgui.begin_disabled(not clock.paused)
        if imgui.button(f"{icons.ICON_FA_FORWARD_STEP}##step"):
            clock.step()
        imgui.end_disabled()
        _tip("One step while paused (.)")
        imgui.same_line()
        self._draw_speed(is_narrow)
        for entry in list(self.host.panels.commands):
            imgui.same_line(0, 14 if entry is self.host.panels.commands[0] else -1)
            is_on = entry.checked is not None and bool(
                self.host.call(entry.slot, entry.name, entry.checked)
            )
            if is_on:
                imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(0.42, 0.31, 0.16, 1.0))
                imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(*AMBER))
            icon = ICONS.get(entry.icon, "")
            label = entry.label if not (is_narrow and icon) else ""
            if imgui.button(f"{icon} {label}##{entry.name}".strip()):
                self.host.call(entry.slot, entry.name, entry.callback)
            if is_on:
                imgui.pop_style_color(2)
            _tip(f"{entry.label} ({entry.key.upper()})")

    def _draw_speed(self, is_narrow: bool) -> None:
        clock = self.host.clock
        imgui.set_next_item_width(90 if is_narrow else 130)
        speed = clock.speed
        if math.isinf(speed):
            imgui.begin_disabled()
            imgui.slider_float("##speed", 6.0, -5.0, 6.0, "")
            imgui.end_disabled()
            _beside("max")
            return
        power = math.log2(speed)
        label = f"{speed:g}x" if speed >= 1 else f"1/{1 / speed:g}x"
        changed, value = imgui.slider_float("##speed", power, -5.0, 6.0, "")
        if changed:
            clock.speed = SPEEDS[min(range(12), key=lambda i: abs(math.log2(SPEEDS[i]) - value))]
        _tip("Speed (- and +)")
        _beside(label)


def _beside(text: str) -> None:
    """Write a text in a place as wide as the widest speed, so that what follows stands still."""
    imgui.same_line(0, 6)
    imgui.align_text_to_frame_padding()
    start = imgui.get_cursor_pos_x()
    imgui.text(text)
    imgui.same_line(start + imgui.calc_text_size("1/32x").x)
    imgui.dummy(imgui.ImVec2(1, 1))


def _tip(text: str) -> None:
    if imgui.is_item_hovered():
        imgui.set_tooltip(text)
