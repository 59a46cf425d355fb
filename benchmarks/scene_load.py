"""How long a scene of 1,000 objects takes to load and build, and how fast one too large is refused.

    python -m benchmarks.scene_load [ROUNDS]

Prints the machine, the median seconds, and the ratio to plain `json.loads` of the same bytes,
measured in the same process, in turn.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from base.errors import SceneFileError
from sim.core.files import scene_file
from sim.core.files.scene_checker import FORMAT
from sim.core.files.scene_file import dumps
from sim.core.scene.scene import Scene

OBJECTS = 1_000
TOO_MANY = 60_000


def main() -> None:
    """Run the benchmark."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print(f"machine: {platform.platform()}, {platform.machine()}; Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        for count, name, work in (
            (OBJECTS, "load and build", _load_and_build),
            (TOO_MANY, "refuse", _refuse),
        ):
            path = Path(folder) / f"{count}.scene.json"
            path.write_bytes(dumps(_make(count)))
            ours, plain = _measure(path, work, rounds)
            print(
                f"{name} {count:,} objects ({path.stat().st_size / 1e6:.1f} MB): {ours:.4f} s; "
                f"json.loads {plain:.4f} s; ratio {ours / plain:.1f}"
            )


def _make(count: int) -> dict[str, Any]:
    objects = {
        f"obj_{index:06}": {
            "name": f"Object {index}",
            "parent": f"obj_{(index - 1) // 4:06}" if index else None,
            "order": index % 4,
            "position": [index * 0.1, 0.5, 1.0],
            "rotation": [index % 360, 0.0, 0.0],
            "model": {"builtin": "stone", "color": "black"},
            "components": {
                f"cmp_{index:06}": {
                    "type": "scripts.common.hello_stone:HelloStone",
                    "fields": {"speed": 1.5, "other": {"$ref": "obj_000000"}},
                }
            },
        }
        for index in range(count)
    }
    return {"format": FORMAT, "id": "scn_bench0001", "settings": {}, "objects": objects}


def _measure(path: Path, work: Callable[[Path], None], rounds: int) -> tuple[float, float]:
    content = path.read_bytes()
    ours, plain = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        work(path)
        middle = time.perf_counter()
        json.loads(content)
        plain.append(time.perf_counter() - middle)
        ours.append(middle - start)
    return statistics.median(ours), statistics.median(plain)


def _load_and_build(path: Path) -> None:
    scene = Scene()
    scene.load_document(scene_file.load(path))
    scene.transforms.update_world()


def _refuse(path: Path) -> None:
    try:
        scene_file.load(path)
    except SceneFileError as error:
        if "max_objects" in str(error):
            return
    raise SystemExit("the scene was not refused by max_objects")


if __name__ == "__main__":
    main()
