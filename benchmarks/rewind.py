"""Looking back: what it costs to keep the last seconds of a scene.

    python -m benchmarks.rewind [FRAMES]

Measures 1,000 objects: at rest, moved along one axis by scripts, moved and turned in all axes, and
as falling bodies. Prints the milliseconds of a frame without the recorder, those of the recorder in
the same run, and the memory of a minute at 60 frames a second. Times are medians of processor time
of the thread.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.console import at_least_one, machine, parser_of
from benchmarks.programs import grid_of_objects, write_project
from sim.app.app import App
from sim.core.project.run_options import RunOptions

COUNT = 1000
FRAMES_A_MINUTE = 3600
WARM_FRAMES = 10
SCRIPT = """
import math

from sim import Script, field


class Bob(Script):
    x: float = field(0.0)

    def update(self, dt):
        self.object.transform.position = (self.x, 0.0, math.sin(self.time.now + self.x))


class Tumble(Script):
    x: float = field(0.0, recorded=True)

    def update(self, dt):
        self.x = self.time.now
        self.object.transform.position = (math.sin(self.x), math.cos(self.x), self.x)
        self.object.transform.rotation = (self.x, 2.0 * self.x, 3.0 * self.x)
"""
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "at rest": ("", {}),
    "moved along one axis": ("scripts.many:Bob", {}),
    "moved, turned, one field": ("scripts.many:Tumble", {}),
    "falling bodies": ("sim:RigidBody", {"shape": "box"}),
}


def measure(kind: str, fields: dict[str, Any], frames: int) -> tuple[float, float, float]:
    """Return milliseconds of a frame without it, of the recorder, and megabytes a minute."""
    with tempfile.TemporaryDirectory() as folder:
        objects = grid_of_objects(COUNT, kind, lambda number: fields)
        scene = write_project(Path(folder), objects, {"many": SCRIPT})
        app = App(RunOptions(scene=scene, graphics=False, seconds=3600.0, speed=1.0))
        app.clock.frame_step = 1 / 60
        record, spent = app.rewind.record, [0.0]

        def timed() -> None:
            begun = time.thread_time()
            record()
            spent[0] = time.thread_time() - begun

        app.rewind.record = timed  # type: ignore[method-assign]
        app.rewind.seconds = 60.0
        whole: list[float] = []
        own: list[float] = []
        for number in range(WARM_FRAMES + frames):
            begun = time.thread_time()
            app.frame()
            if number >= WARM_FRAMES:
                own.append(spent[0] * 1000.0)
                whole.append((time.thread_time() - begun) * 1000.0 - own[-1])
        tape = app.rewind.tape
        size = 0.0 if tape is None else tape.bytes / len(tape) * FRAMES_A_MINUTE / 2**20
        app.close()
    return statistics.median(whole), statistics.median(own), size


def main() -> None:
    """Measure all cases and print them."""
    parser = parser_of(__doc__)
    parser.add_argument("frames", nargs="?", type=at_least_one, default=300)
    frames = parser.parse_args().frames
    print(machine())
    print(f"{COUNT} objects, {frames} frames each")
    print(f"{'':26}{'frame, ms':>10}{'kept, ms':>10}{'MB a minute':>13}")
    for name, (kind, fields) in CASES.items():
        whole, own, size = measure(kind, fields, frames)
        print(f"{name:26}{whole:10.2f}{own:10.3f}{size:13.2f}")


if __name__ == "__main__":
    main()
