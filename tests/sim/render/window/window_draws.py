"""Run as a process: says how often a layer of a real window was drawn, and what a hand did there."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from panda3d.core import PythonCallbackObject

from sim.render.window.display import Display

ROUNDS = 5


def main() -> None:
    """Present the panels' layer some times, looking for input in between."""
    display = Display(size=(640, 400))
    drawn = 0

    def count(data: Any) -> None:
        nonlocal drawn
        drawn += 1
        data.upcall()

    region = display.ui_buffer.make_display_region()
    region.set_draw_callback(PythonCallbackObject(count))
    for _ in range(ROUNDS):
        display.ui_buffer.set_active(True)
        display.present()
        display.poll()
        display.poll()
    subprocess.run(sys.argv[1:], check=True)
    events = []
    while not any(event.kind == "key_up" for event in events):
        events += [event for event in display.poll() if "button" in event.kind or event.text
                   or event.kind == "key_up"]  # fmt: skip
    told = {
        "drawn": drawn,
        "presented": ROUNDS,
        "events": [(event.kind, event.x, event.y) for event in events],
    }
    sys.stdout.write(f"{json.dumps(told)}\n")
    display.close()


if __name__ == "__main__":
    main()
