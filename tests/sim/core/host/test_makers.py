"""Models and sounds of a project that fail: one line with file and line, and all else goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from base.errors import MakerError
from base.files import SHIPPED_ROOT
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.declared import DeclaredKinds
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.manifest import read_manifest
from sim.core.reporting.console import Console
from sim.core.scene.scene import SlotState
from sim.render.audio.sound import cached_wav
from sim.testing import Pilot

SOUNDS = {
    "no argument": "def ding():\n    return np.zeros(9)\n\nDING = SoundKind(ding)",
    "raises": "def ding(seed):\n    return 1 / 0\n\nDING = SoundKind(ding)",
    "nothing": "def ding(seed):\n    pass\n\nDING = SoundKind(ding)",
    "text": "DING = SoundKind(lambda seed: 'ding')",
    "a matrix": "DING = SoundKind(lambda seed: np.zeros((2, 9)))",
    "no number": "DING = SoundKind(lambda seed: np.full(9, np.nan))",
    "never ends": "def ding(seed):\n    while True:\n        pass\n\nDING = SoundKind(ding)",
    "exits": "def ding(seed):\n    raise SystemExit\n\nDING = SoundKind(ding)",
    "no function": "DING = SoundKind(None)",
    "no variants": "DING = SoundKind(lambda seed: np.zeros(9), variants=0)",
    "odd variants": "DING = SoundKind(lambda seed: np.zeros(9), variants='two')",
    "another kind": "DING = 3",
    "unknown name": "DING = undefined",
}
MESHES = {
    "no argument": "def tree():\n    pass\n\nTREE = ModelKind(tree, {'size': ModelKey.length(1.0)})",
    "raises": "def tree():\n    raise KeyError('leaf')\n\nTREE = ModelKind(tree)",
    "nothing": "TREE = ModelKind(lambda: None)",
    "empty": "TREE = ModelKind(lambda: Mesh())",
    "no number": "TREE = ModelKind(lambda: Mesh.box(np.nan, 1, 1, top=1))",
    "never ends": "def tree():\n    while True:\n        pass\n\nTREE = ModelKind(tree)",
    "recursion": "def tree():\n    return tree()\n\nTREE = ModelKind(tree)",
    "exits": "def tree():\n    raise SystemExit\n\nTREE = ModelKind(tree)",
    "look": "def look():\n    return (1, 0)\n\nTREE = ModelKind(BOX, look=look)",
    "color": "TREE = ModelKind(BOX, look=lambda: ModelLook((1.0, 'red', 0.0)))",
    "paint": "TREE = ModelKind(BOX, paint=lambda paints: np.zeros((4, 4)))",
    "parts": "TREE = ModelKind(BOX, parts=lambda: [3])",
    "shadow": "TREE = ModelKind(BOX, shadow=lambda: 'wide')",
    "surface": "TREE = ModelKind(BOX, surface=lambda: 1 / 0)",
    "check": "TREE = ModelKind(lambda size: BOX(), {'size': ModelKey(1, lambda name, value: 1 / 0)})",
}
KINDS = {
    "keys": "TREE = ModelKind(BOX, ['size'])",
    "shape": "TREE = ModelKind(BOX, shape='cone')",
    "mesh": "TREE = ModelKind('box')",
    "fixed look": "TREE = ModelKind(BOX, look='red')",
    "fixed shadow": "TREE = ModelKind(BOX, shadow='wide')",
}


def project(root: Path, **texts: str) -> Path:
    """Write a project that declares the sound ding and the model tree; return its scene."""
    top = (
        "import numpy as np\nfrom sim import Mesh, ModelKey, ModelKind, ModelLook, SoundKind\n\n"
        "BOX = lambda: Mesh.box(1, 1, 1, top=1)\n\n"
    )
    files = {
        "goishi.toml": '[sounds]\nding = "scripts.ding:DING"\n[models]\ntree = "scripts.tree:TREE"\n',
        **{f"scripts/{name}.py": top + text for name, text in texts.items()},
    }
    objects = {
        "obj_tree": {
            "name": "Tree",
            "model": {"builtin": "tree"},
            "components": {"cmp_body": {"type": "sim:RigidBody"}},
        },
        "obj_box": {"name": "Box", "model": {"builtin": "box"}},
    }
    data = {
        "format": "goishi.scene/1",
        "id": "scn_one",
        "settings": {"script_timeout": 0.2},
        "objects": objects,
    }
    files["scenes/a.scene.json"] = json.dumps(data)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, encoding="utf-8")
    return root / "scenes" / "a.scene.json"


def kinds_of(root: Path) -> tuple[DeclaredKinds, Console]:
    console = Console(stderr=False)
    console.project = root
    loader = ScriptLoader(root, SHIPPED_ROOT)
    return DeclaredKinds(loader, read_manifest(root), console, Watchdog(0.2)), console


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_that_fails_is_one_line_with_its_place_and_silent(tmp_path, name):
    project(tmp_path, ding=SOUNDS[name], tree="")
    kinds, console = kinds_of(tmp_path)
    for _ in range(2):
        assert kinds.sounds.samples("ding").tolist() == [0.0]
        assert cached_wav(tmp_path / "cache", kinds.sounds, "ding", 0).is_file()
    (record,) = console.records
    assert record.text.startswith("sound ding: ")
    has_place = name not in ("no function", "no variants", "odd variants", "another kind")
    assert record.file == ("scripts/ding.py" if has_place else "")
    assert len(str(record).splitlines()) == 1


@pytest.mark.parametrize("name", [*MESHES, *KINDS])
def test_a_model_that_fails_is_one_error_with_its_place(tmp_path, name):
    text = {**MESHES, **KINDS}[name]
    project(tmp_path, ding="", tree=text)
    kinds, console = kinds_of(tmp_path)
    kind = kinds.models.kind("tree")
    if name in KINDS:
        assert kind is None
        (record,) = console.records
        assert record.text.startswith("model tree: TypeError: ")
        return
    model = {"builtin": "tree"}

    def use():
        return [
            kind.made(model), kind.look_of(model), kind.painted(model, None),
            kind.parts_of(model), kind.shadow_of(model), kind.surface_of(model),
        ]  # fmt: skip

    with pytest.raises(MakerError) as caught:
        use()
    assert caught.value.file == "scripts/tree.py"
    assert f"(scripts/tree.py:{caught.value.line})" in str(caught.value)


def test_a_scene_goes_on_without_a_sound_and_a_model_that_fail(tmp_path):
    scene = project(tmp_path, ding=SOUNDS["no argument"], tree=MESHES["raises"])
    with Pilot(scene=scene) as pilot:
        pilot.step(3)
        pilot.app.run_context.sound.play("ding")
        pilot.app.world.kinds.sounds.samples("ding")
        pilot.step(3)
        told = [str(one) for one in pilot.app.console.records if one.level == "error"]
    place = "scripts/tree.py:7"
    assert any(line.startswith("ERROR Tree") and place in line for line in told), told
    assert any("sound ding: TypeError" in line and "scripts/ding.py:6" in line for line in told)
    assert len(told) <= 3


def test_a_saved_module_makes_its_models_and_sounds_anew(tmp_path):
    scene = project(
        tmp_path,
        ding=SOUNDS["raises"],
        tree="from scripts.leaf import leaf\n\nTREE = ModelKind(leaf)",
        leaf="def leaf():\n    raise ValueError('no leaf')",
    )
    with Pilot(scene=scene) as pilot:
        world = pilot.app.world
        pilot.step(2)
        assert world.kinds.sounds.samples("ding").tolist() == [0.0]
        first = world.kinds.models.kind("tree")
        project(
            tmp_path,
            ding="DING = SoundKind(lambda seed: np.ones(3))",
            leaf="def leaf():\n    return Mesh.box(2, 2, 2, top=2)",
        )
        assert world.reloader.reload(tmp_path / "scripts" / "ding.py")
        assert world.reloader.reload(tmp_path / "scripts" / "leaf.py")
        pilot.step(2)
        assert world.kinds.sounds.samples("ding").tolist() == [1.0, 1.0, 1.0]
        second = world.kinds.models.kind("tree")
        assert second is not first
        assert np.ptp(second.made({"builtin": "tree"}).points[:, 0]) == 2.0
        told = [one.text for one in pilot.app.console.records if "reloaded" in one.text]
        assert any("scripts/tree.py" in text and "1 model" in text for text in told)
        body = pilot.app.scene.component("cmp_body")
        assert body.state is SlotState.READY, "what failed without the model is tried again"


def test_a_module_that_could_not_be_loaded_is_tried_again_when_it_is_saved(tmp_path):
    scene = project(tmp_path, ding="", tree="TREE = undefined")
    with Pilot(scene=scene, graphics=False) as pilot:
        kinds = pilot.app.world.kinds
        assert kinds.models.kind("tree") is None
        project(tmp_path, tree="TREE = ModelKind(BOX)")
        assert pilot.app.world.reloader.reload(tmp_path / "scripts" / "tree.py")
        assert kinds.models.kind("tree") is not None
