"""Opens a window on an X server of its own, presses keys under several layouts, locks the mouse.

Words: layouts, such as "ru". Prints what the window told, as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import names_of
from sim.render.window.display import Display

KEYS = ("25", "24", "20")  # W, Q and minus of a US keyboard
TAPS = {
    "short": "key --delay 0 87 key --delay 0 10 key --delay 0 87 key --delay 0 88",
    "held": "keydown 87 key --delay 0 10",
    "row held": "keyup 87 keydown 10 key --delay 0 87 keyup 10",
}
"""Presses of 1 on the number pad (87) and in the upper row (10), and of 2 (88)."""
POLLS, MOST_POLLS = 15, 500


def hand(*words: str) -> None:
    subprocess.run(words, check=True, timeout=30.0)


def polled(display: Display, wanted: str = "", count: int = 0) -> list[InputEvent]:
    """Return the events of some polls: the server tells in its own time.

    Args:
        display: the window.
        wanted: kind of events to wait for.
        count: how many of them.
    """
    found: list[InputEvent] = []
    for number in range(MOST_POLLS):
        if number >= POLLS and sum(event.kind == wanted for event in found) >= count:
            break
        time.sleep(0.01)
        found += display.poll()
    return found


def main() -> None:
    display = Display(size=(320, 200))
    hand("xdotool", "search", "--sync", "--onlyvisible", "--name", "Goishi",
         "mousemove", "--window", "%1", "100", "100")  # fmt: skip
    polled(display)
    told: dict[str, object] = {}
    for layout in sys.argv[1:]:
        hand("setxkbmap", layout)
        hand("xdotool", "key", *KEYS)
        events = [event for event in polled(display, "key_up", 3) if event.kind == "key_down"]
        told[layout] = [names_of(event.key, event.stand_in, event.text) for event in events]
    hand("xdotool", "key", "Num_Lock")
    polled(display)
    for name, words in TAPS.items():
        hand("xdotool", *words.split())
        time.sleep(0.2)  # all of it before the next poll
        signs = {"key_down": "+", "key_up": "-"}
        events = [event for event in polled(display) if event.kind in signs]
        told[name] = " ".join(signs[event.kind] + event.key for event in events)
    hand("xdotool", "keyup", "87", "keyup", "10", "key", "Num_Lock")
    polled(display)
    display.lock_pointer(is_locked=True)
    polled(display)
    for step in ("30", "-60"):
        hand("xdotool", "mousemove_relative", "--", step, "5")
    moves = [event for event in polled(display, "pointer_move", 1) if event.kind == "pointer_move"]
    told["moved"] = [sum(event.dx for event in moves), sum(event.dy for event in moves)]
    display.lock_pointer(is_locked=False)
    told["freed"] = sum(abs(event.dx) for event in polled(display))
    display.close()
    sys.stdout.write(f"{json.dumps(told)}\n")


if __name__ == "__main__":
    main()
