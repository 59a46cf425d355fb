"""Looking back: what it costs to keep the last seconds of a scene.

    python -m benchmarks.rewind [FRAMES]

Per frame and per minute, for 1,000 objects: at rest, moved along one axis by scripts, moved and
turned in all axes, and as falling bodies. Time is the thread's, of the recorder alone, the median
of all frames; memory is what the tape says it takes, at 60 frames a second. Beside them the frame's
own time without it, in the same run.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

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


def scene_of(root: Path, kind: str, fields: dict[str, Any]) -> Path:
    """Write a project with a scene of many objects; return the scene's path."""
    (root / "scenes").mkdir(parents=True)
    (root / "scripts").mkdir()
    (root / "scripts" / "many.py").write_text(SCRIPT, encoding="utf-8")
    objects = {
        f"obj_many{number:06d}": {
            "name": f"Thing {number}",
            "position": [number % 40 * 3.0, number // 40 * 3.0, 0.0],
            "components": {f"cmp_many{number:06d}": {"type": kind, "fields": fields}}
            if kind
            else {},
        }
        for number in range(COUNT)
    }
    path = root / "scenes" / "many.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_many", "settings": {}, "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def measure(kind: str, fields: dict[str, Any], frames: int) -> tuple[float, float, float]:
    """Return milliseconds of a frame without it, of the recorder, and megabytes a minute."""
    with tempfile.TemporaryDirectory() as folder:
        scene = scene_of(Path(folder) / "project", kind, fields)
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
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"{COUNT} objects, {frames} frames each")
    print(f"{'':26}{'frame, ms':>10}{'kept, ms':>10}{'MB a minute':>13}")
    for name, (kind, fields) in CASES.items():
        whole, own, size = measure(kind, fields, frames)
        print(f"{name:26}{whole:10.2f}{own:10.3f}{size:13.2f}")


if __name__ == "__main__":
    main()
