"""The shipped match with another White, in a project of its own."""

from __future__ import annotations

import json
from pathlib import Path

from base.files import SHIPPED_ROOT

SCENE = SHIPPED_ROOT / "scenes" / "self_teaching.scene.json"
QUICK = {
    "steps": 8, "epochs": 1, "least_steps": 2, "hidden": "4,8,8", "branch": 0,
    "kernel_sizes": "3,3,3", "variations": 1,
}  # fmt: skip
"""White's settings where a training is to take no time; what it learns is of no use to it."""


def scene_with(folder: Path, values: dict[str, object]) -> Path:
    """Write the shipped scene with other values of White's seat."""
    data = json.loads(SCENE.read_text(encoding="utf-8"))
    del data["objects"]["obj_figure0001"]  # its model is a file
    fields = data["objects"]["obj_white00001"]["components"]["cmp_white00001"]["fields"]
    fields |= values
    path = folder / "scenes" / "own.scene.json"
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(data).replace('"scripts.', '"goishi:scripts.')
    path.write_text(text, encoding="utf-8")
    return path


def quick_scene(folder: Path) -> Path:
    """Write the shipped scene with a White that remembers boards and trains in no time."""
    more = {"player_kind": "cnn-ann-plus"}
    return scene_with(
        folder, more | {"more": " ".join("{}={}".format(*item) for item in QUICK.items())}
    )
