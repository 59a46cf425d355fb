"""Small scene files and scenes built from them, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from sim.core.files import scene_file
from sim.core.files.scene_checker import FORMAT, PREFAB_FORMAT
from sim.core.scene.scene import Scene

ROOT = Path(__file__).resolve().parents[4]
SCHEMA = json.loads((ROOT / "sim/core/files/scene.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
SCENES = sorted((ROOT / "scenes").glob("*.scene.json"))


def minimal(**entry: Any) -> dict[str, Any]:
    """Return a scene of one object."""
    return {
        "format": FORMAT,
        "id": "scn_test001",
        "settings": {},
        "objects": {"obj_one": {"name": "One", **entry}},
    }


def write(folder: Path, data: Any, name: str = "a.scene.json") -> Path:
    (folder / "scenes").mkdir(exist_ok=True)
    path = folder / "scenes" / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def built(path: Path) -> Scene:
    scene = Scene()
    scene.load_document(scene_file.load(path))
    return scene


PREFAB: dict[str, Any] = {
    "format": PREFAB_FORMAT,
    "name": "Lamp",
    "scale": [2, 2, 2],
    "components": {
        "cmp_light": {"type": "sim:Light", "fields": {"kind": "point", "power": 1}},
        "cmp_switch": {"type": "scripts.a:B", "fields": {"light": {"$ref": "cmp_light"}}},
    },
}


def prefab_scene(folder: Path, objects: dict[str, Any], prefab: Any = None) -> Path:
    (folder / "lamp.prefab.json").write_text(json.dumps(prefab or PREFAB), encoding="utf-8")
    return write(folder, {**minimal(), "objects": objects})
