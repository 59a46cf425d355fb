"""Scene files: the canonical form, saved atomically, built in order."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from sim.core.files import scene_file
from sim.core.files.scene_file import dumps, save
from sim.core.scene.scene_data import scene_data
from tests.sim.core.files.scene_files import SCENES, VALIDATOR, built, minimal, write

# -- canonical form -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name)
def test_shipped_scenes_are_sound_and_canonical(path: Path) -> None:
    document = scene_file.load(path)
    assert dumps(document.data) == path.read_bytes()
    assert list(VALIDATOR.iter_errors(document.data)) == []


def test_negative_zero_is_written_as_zero(tmp_path: Path) -> None:
    text = json.dumps(minimal(position=[-0.0, 1.0, 2.0], order=-0.0, material={"opacity": -0.0}))
    content = dumps(scene_file.load(write(tmp_path, text)).data)
    assert b"-0.0" not in content
    position = json.loads(content)["objects"]["obj_one"]["position"]
    assert math.copysign(1.0, position[0]) == 1.0


def test_bytes_are_utf8_with_lf_and_end_in_a_newline() -> None:
    content = dumps(minimal(note="碁石 é"))
    assert "碁石 é".encode() in content
    assert content.endswith(b"}\n")
    assert b"\r" not in content


def test_known_keys_come_first_in_their_order_then_the_others_sorted() -> None:
    data = minimal(zeta=1, position=[0, 0, 0], alpha=2)
    data["objects"]["obj_one"] = dict(reversed(data["objects"]["obj_one"].items()))
    keys = list(json.loads(dumps(data))["objects"]["obj_one"])
    assert keys == ["name", "position", "alpha", "zeta"]


def test_orphaned_fields_and_unknown_keys_come_back_from_a_built_scene(tmp_path: Path) -> None:
    part = {
        "type": "scripts.gone:Gone",
        "fields": {"was": {"x": [1]}},
        "note": "n",
        "enabled": False,
    }
    data = {**minimal(components={"cmp_one": part}, tag="t"), "author": "a"}
    data["settings"] = {"theme": "dark", "seed": 3}
    saved = scene_data(built(write(tmp_path, data)))
    assert saved["objects"]["obj_one"]["components"]["cmp_one"] == part
    assert saved["objects"]["obj_one"]["tag"] == "t"
    assert saved["author"] == "a"
    assert saved["settings"]["theme"] == "dark"
    assert saved["settings"]["seed"] == 3


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800"])
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, value: object) -> None:
    path = write(tmp_path, minimal())
    before = path.read_bytes()
    with pytest.raises(ValueError):
        save(path, minimal(bad=value))
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


# -- saving -------------------------------------------------------------------------------------


def test_saving_replaces_the_file_and_keeps_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "a.scene.json"
    contents = []
    for name in ("first", "second", "third"):
        save(path, minimal(note=name))
        contents.append(dumps(minimal(note=name)))
    assert path.read_bytes() == contents[2]
    assert path.with_name("a.scene.json.bak").read_bytes() == contents[1]
    assert sorted(os.listdir(tmp_path)) == ["a.scene.json", "a.scene.json.bak"]


@pytest.mark.parametrize("failing", ["open", "fsync", "replace 1", "replace 2", "write_bytes"])
def test_a_failing_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "a.scene.json"
    save(path, minimal(note="older"))
    save(path, minimal(note="old"))
    calls = 0
    replace = os.replace

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def fail_nth(source: Any, target: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == int(failing[-1]):
            fail()
        replace(source, target)

    with monkeypatch.context() as patch:
        if failing.startswith("replace"):
            patch.setattr(os, "replace", fail_nth)
        elif failing == "fsync":
            patch.setattr(os, "fsync", fail)
        else:
            patch.setattr(Path, failing, fail)
        with pytest.raises(OSError, match="No space left"):
            save(path, minimal(note="new"))
    assert path.read_bytes() == dumps(minimal(note="old"))
    kept = "old" if failing == "replace 2" else "older"
    assert path.with_name(f"{path.name}.bak").read_bytes() == dumps(minimal(note=kept))
    assert sorted(os.listdir(tmp_path)) == [path.name, f"{path.name}.bak"]


# -- building -----------------------------------------------------------------------------------


def test_siblings_are_built_by_their_order_parents_first(tmp_path: Path) -> None:
    data = minimal()
    data["objects"] = {
        "obj_ccc": {"name": "c", "parent": "obj_root", "order": 2},
        "obj_aaa": {"name": "a", "parent": "obj_root", "order": 1},
        "obj_bbb": {"name": "b", "parent": "obj_aaa", "visible": False, "enabled": False},
        "obj_root": {"name": "root", "casts_shadow": False, "position": [1, 2, 3]},
    }
    scene = built(write(tmp_path, data))
    assert [obj.path for obj in scene.objects.values()] == ["root", "root/a", "root/a/b", "root/c"]
    inner = scene.objects["obj_bbb"]
    assert not inner.enabled
    assert not inner.visible
    assert not scene.objects["obj_root"].casts_shadow
    assert inner.transform.world_position.tolist() == [1, 2, 3]
