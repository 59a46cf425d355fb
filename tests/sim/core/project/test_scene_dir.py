"""What a scene has learnt is its own: copies and scenes from elsewhere begin anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json
from sim.core.project import scene_dir as module
from sim.core.project.scene_dir import KEYS_FILE, SceneIdentity, project_id, scene_dir
from sim.testing import Pilot

TEACHING = "scenes/self_teaching.scene.json"


def scene(project: Path, name: str = "a", scene_id: str = "scn_mine", own_id: str = "") -> Path:
    """Write a scene, and the id of its project."""
    file = project / "scenes" / f"{name}.scene.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"format": "goishi.scene/1", "id": scene_id, "objects": {}}))
    if own_id:
        (project / "goishi.toml").write_text(f'id = "{own_id}"\n')
    return file


def opened(data: Path, file: Path, *, is_known: bool = True) -> tuple[Path, str]:
    project = file.parents[1]
    identity = SceneIdentity.of(json.loads(file.read_text())["id"], file, project)
    return scene_dir(data, identity, is_known=is_known)


def learnt(folder: Path) -> str:
    file = folder / "learner" / "weights"
    return file.read_text() if file.exists() else ""


def teach(folder: Path, text: str = "learnt") -> None:
    (folder / "learner").mkdir(parents=True, exist_ok=True)
    (folder / "learner" / "weights").write_text(text)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Goishi's folder in another place."""
    root = tmp_path / "clone"
    scene(root, "self_teaching", read_json(KEYS_FILE)[TEACHING])
    monkeypatch.setattr(module, "SHIPPED_ROOT", root)
    return root


def test_every_shipped_scene_has_its_key() -> None:
    files = [
        *SHIPPED_ROOT.glob("scenes/*.scene.json"),
        *SHIPPED_ROOT.glob("docs/projects/*/scenes/*"),
    ]
    keys = {file.relative_to(SHIPPED_ROOT).as_posix(): read_json(file)["id"] for file in files}
    assert read_json(KEYS_FILE) == keys, "what is learnt hangs on the ids: they stay as they are"
    assert len(set(keys.values())) == len(keys)


def test_a_shipped_scene_keeps_its_folder_of_today_wherever_goishi_stands(
    tmp_path: Path, clone: Path
) -> None:
    today = tmp_path / "data" / read_json(KEYS_FILE)[TEACHING]
    teach(today)
    folder, note = opened(tmp_path / "data", clone / TEACHING, is_known=False)
    assert (folder, note) == (today, "")
    assert learnt(folder) == "learnt"


def test_a_copy_of_a_shipped_scene_begins_anew_and_says_so(tmp_path: Path, clone: Path) -> None:
    shipped = read_json(KEYS_FILE)[TEACHING]
    teach(tmp_path / "data" / shipped)
    copies = (scene(tmp_path / "elsewhere", scene_id=shipped), scene(clone, "mine", shipped))
    for copy in copies:
        folder, note = opened(tmp_path / "data", copy)
        assert note == f"{copy.name} begins anew: what {shipped} has learnt is another scene's"
        assert learnt(folder) == ""
        teach(folder, "other")
        assert opened(tmp_path / "data", copy) == (folder, ""), "it is said once"
    assert learnt(tmp_path / "data" / shipped) == "learnt"


def test_what_stands_in_a_folder_of_before_is_taken_over_once_with_a_line(tmp_path: Path) -> None:
    data, file = tmp_path / "data", scene(tmp_path / "mine")
    teach(data / "scn_mine")
    folder, note = opened(data, file)
    assert note == "what this scene has learnt is taken over from scn_mine"
    assert learnt(folder) == "learnt"
    assert not (data / "scn_mine").exists()
    assert opened(data, file) == (folder, "")
    other, note = opened(data, scene(tmp_path / "other"))
    assert "begins anew" in note
    assert learnt(other) == ""


def test_a_scene_from_elsewhere_takes_nothing_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    teach(data / "scn_mine")
    folder, note = opened(data, scene(tmp_path / "foreign"), is_known=False)
    assert "begins anew" in note
    assert learnt(folder) == ""
    assert learnt(data / "scn_mine") == "learnt"


@pytest.mark.parametrize("own_id", ["", "prj_mine"])
def test_a_scene_that_was_moved_keeps_what_it_has_learnt(tmp_path: Path, own_id: str) -> None:
    data, file = tmp_path / "data", scene(tmp_path / "mine", own_id=own_id)
    folder, note = opened(data, file)
    assert note == ""
    teach(folder)
    file.rename(file.with_name("renamed.scene.json"))
    (tmp_path / "mine").rename(tmp_path / "moved")
    folder, note = opened(
        data, tmp_path / "moved" / "scenes" / "renamed.scene.json", is_known=not own_id
    )
    assert note.startswith("what this scene has learnt is taken over from scn_mine-")
    assert learnt(folder) == "learnt"


def test_a_copied_project_begins_anew_while_the_first_is_there(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first, _ = opened(data, scene(tmp_path / "mine", own_id="prj_mine"))
    teach(first)
    copy, note = opened(data, scene(tmp_path / "copy", own_id="prj_mine"))
    assert "begins anew" in note
    assert (learnt(first), learnt(copy)) == ("learnt", "")


def test_what_was_moved_is_not_given_to_another_project(tmp_path: Path) -> None:
    data, file = tmp_path / "data", scene(tmp_path / "mine", own_id="prj_mine")
    first, _ = opened(data, file)
    teach(first)
    file.unlink()
    for own_id in ("prj_other", ""):
        folder, note = opened(data, scene(tmp_path / f"foreign{own_id}", own_id=own_id))
        assert "begins anew" in note
        assert learnt(folder) == ""
    assert learnt(first) == "learnt"


def test_a_project_that_gets_an_id_goes_on(tmp_path: Path) -> None:
    data, file = tmp_path / "data", scene(tmp_path / "mine")
    teach(opened(data, file)[0])
    scene(tmp_path / "mine", own_id="prj_mine")
    assert project_id(tmp_path / "mine") == "prj_mine"
    assert learnt(opened(data, file)[0]) == "learnt"


def test_a_run_has_the_folder_of_its_scene_and_says_what_it_takes_over(tmp_path: Path) -> None:
    data, file, told = tmp_path / "data", scene(tmp_path / "mine"), list[str]()
    teach(data / "scn_mine")
    (data / "goishi-data.json").write_text('{"format": "goishi.data/1"}')
    with Pilot(scene=file, data_dir=data, graphics=False) as pilot:
        pilot.app.console.subscribe(lambda record: told.append(record.text))
        assert learnt(pilot.app.run_context.scene_dir) == "learnt"
        assert pilot.app.run_context.scene_dir.parent == data
    assert told == ["what this scene has learnt is taken over from scn_mine"]
