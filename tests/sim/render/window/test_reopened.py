"""Scenes that are opened again and again keep nothing.

Objects are counted, not bytes: what the allocators keep for the next scene is theirs.
"""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
from panda3d.core import RenderState, Texture

from sim.testing import Pilot

BODY = {"name": "Ball", "model": {"builtin": "sphere"}, "texture": "wall.png"}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A project whose script uses fields, actions and a picture of its own."""
    import cv2
    import numpy as np

    from tests.sim.core.stage import Stage, thing

    stage = Stage(tmp_path)
    stage.script(
        "one",
        "class One(Script):\n    speed: float = field(1.0)\n"
        "    @action\n    def go(self): pass\n"
        "    def start(self):\n        self.canvas.clear((0.1, 0.2, 0.3))\n",
    )
    cv2.imwrite(str(tmp_path / "wall.png"), np.zeros((64, 64, 3), np.uint8))
    objects = {f"obj_ball{number}": dict(BODY) for number in range(3)}
    objects["obj_one"] = {**BODY, **thing("A", {"cmp_one": "scripts.one:One"})}
    stage.open(objects)
    stage.close()
    return tmp_path / "scenes" / "a.scene.json"


def states_after(scene: Path) -> tuple[int, list[weakref.ref]]:
    """Open and close a scene; return how many looks there are then, and who must be gone."""
    with Pilot(scene=scene, window=(400, 240)) as pilot:
        pilot.step(5)
        (script,) = pilot.app.scene.components()
        assert script.error is None
        kept = [weakref.ref(item) for item in (pilot.app, pilot.app.scene, type(script.instance))]
    del pilot, script
    gc.collect()
    for _ in range(20):  # each call looks at a part of them only
        RenderState.garbage_collect()
    return RenderState.get_num_states(), kept


def test_scenes_opened_again_keep_no_scripts_no_looks_and_no_textures(scene: Path) -> None:
    first, kept = states_after(scene)
    textures = count_textures()
    for _ in range(2):
        states, more = states_after(scene)
        kept += more
    assert [item() for item in kept] == [None] * len(kept)
    assert states <= first
    assert count_textures() <= textures


def count_textures() -> int:
    return sum(issubclass(type(item), Texture) for item in gc.get_objects())  # not of proxies
