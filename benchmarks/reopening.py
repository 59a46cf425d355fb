"""What is kept when a scene is opened and closed again and again.

    python -m benchmarks.reopening [SCENE] [--times N]

Each time the scene is drawn offscreen, closed and freed. Prints by how much Python's objects,
Panda3D's looks (`RenderState`) and the resident memory grow, from the second closing on. Memory is
read when the C library has given back what is free. The baseline is the emptiest scene, in the same
process.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from base.files import SHIPPED_ROOT
from benchmarks.console import machine, parser_of
from sim.app.app import App
from sim.core.project.run_options import RunOptions

BASELINE = "hello"


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__, times=6)
    parser.add_argument("scene", nargs="?", default="solar_system", help="a shipped scene's name")
    options = parser.parse_args()
    print(machine())
    grown = {}
    for name in (BASELINE, options.scene):
        path = SHIPPED_ROOT / "scenes" / f"{name}.scene.json"
        found = [_open_and_close(path) for _ in range(options.times + 2)][1:]
        objects, looks, memory = (
            (last - first) / options.times for first, last in zip(found[0], found[-1], strict=True)
        )
        grown[name] = memory
        print(
            f"{name:>14}: each opening adds {objects:.1f} objects of Python, {looks:.1f} looks, "
            f"{memory:.2f} MB"
        )
    print(f"{options.scene} - {BASELINE}: {grown[options.scene] - grown[BASELINE]:.2f} MB more")


def _open_and_close(path: Path) -> tuple[int, int, float]:
    """Return how many objects and looks there are afterwards, and megabytes of memory."""
    app = App(RunOptions(scene=path, headless=True, seconds=3600.0, seed=1, window=(640, 360)))
    for _ in range(8):
        app.frame()
    app.draw_now()
    app.close()
    del app
    gc.collect()
    from panda3d.core import RenderState  # loaded by the app, after it has parted the heaps

    RenderState.garbage_collect()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).malloc_trim(0)
    memory = psutil.Process().memory_info().rss / 1e6
    return len(gc.get_objects()), RenderState.get_num_states(), memory


if __name__ == "__main__":
    main()
