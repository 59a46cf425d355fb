"""Scenes that scripts open, and the saved games that they share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.errors import WorldError
from sim.app.app import run
from sim.app.world import open_unseen
from sim.core.files.scene_file import load
from sim.core.project.run_options import RunOptions
from sim.core.scene.scene import SlotState
from sim.testing import Pilot

DOOR = '''from sim import Script


class Door(Script):
    """Opens the scene that a test names, and keeps what it was given."""

    def awake(self):
        self.frames = 0
        self.given = self.scene.given

    def update(self, dt):
        self.frames += 1

    def go(self, path, **more):
        return self.scene.open(path, **more)


class Goalkeeper(Script):
    """An old script: it has a method `save` and counts its own `saves`."""

    def start(self):
        self.saves = 0

    def save(self):
        self.saves += 1


class Leaver(Script):
    """Goes to the cave by itself, and ends the run there."""

    def update(self, dt):
        self.saves.write("visits", [*self.saves.read("visits", []), self.run.scene_path.name])
        if self.scene.given:
            self.stats["visits"] = self.saves.read("visits")
            self.run.finish(0)
        else:
            self.scene.open("scenes/cave.scene.json", given={"lives": 2})
'''


def write_scene(project: Path, name: str, *types: str) -> Path:
    components = {f"cmp_{kind.lower()}": {"type": f"scripts.door:{kind}"} for kind in types}
    data = {
        "format": "goishi.scene/1",
        "id": f"scn_{name}",
        "objects": {"obj_one": {"name": name, "components": components}},
    }
    path = project / "scenes" / f"{name}.scene.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "game"
    for name in ("scenes", "scripts"):
        (root / name).mkdir(parents=True)
    (root / "scripts" / "door.py").write_text(DOOR, encoding="utf-8")
    write_scene(root, "hall", "Door", "Goalkeeper")
    write_scene(root, "cave", "Door")
    (root / "scenes" / "torn.scene.json").write_text('{"format": "goishi.scene/1", ', "utf-8")
    (root / "inner" / "scenes").mkdir(parents=True)
    (root / "inner" / "scenes" / "a.scene.json").write_text("{}", "utf-8")
    return root


@pytest.fixture
def pilot(project: Path):
    with Pilot(scene=project / "scenes" / "hall.scene.json", graphics=False) as driven:
        yield driven


def call(pilot: Pilot, *arguments: object, **more: object) -> None:
    """Call `go` of the scene's door, as a hook of it would."""
    door = pilot.component("Door")
    door.slot.call("update", lambda: door.go(*arguments, **more))


def test_another_scene_follows_and_gets_what_it_is_given(pilot: Pilot) -> None:
    hall = pilot.app
    place = pilot.component("Door").object.transform.position
    call(pilot, "scenes/cave.scene.json", given={"lives": 2, "at": place, "bag": ("key", None)})
    call(pilot, "scenes/hall.scene.json", given={"lives": 9})  # the first call counts
    pilot.step(2)
    assert pilot.app is not hall
    assert pilot.app.scene.find("cave") is not None
    given = pilot.component("Door").given
    assert given == {"lives": 2, "at": [0.0, 0.0, 0.0], "bag": ["key", None]}
    given["lives"] = 0
    assert pilot.app.scene.given["lives"] == 2, "a copy"
    call(pilot, "scenes/hall.scene.json")
    pilot.step(2)
    assert pilot.app.scene.find("hall") is not None
    assert pilot.app.scene.given == {}
    assert pilot.app.host.error_count == 0


@pytest.mark.parametrize(
    ("path", "more", "said"),
    [
        ("scenes/cav.scene.json", {}, "expected a file of the project, such as scenes/cave"),
        ("scenes/torn.scene.json", {}, "scenes/torn.scene.json: expected a valid scene file"),
        ("../cave.scene.json", {}, "expected a path inside the project"),
        ("inner/scenes/a.scene.json", {}, "expected a scene of this project"),
        (3, {}, "expected the path of a scene as text, found 3"),
        ("scenes/cave.scene.json", {"fade": -1}, "fade: expected 0 to 60 seconds, found -1"),
        ("scenes/cave.scene.json", {"given": [1]}, "given: expected a dict, found [1]"),
        ("scenes/cave.scene.json", {"given": {"a": {1, 2}}}, "scene.open: given['a']: expected"),
    ],
)
def test_a_scene_that_cannot_be_opened_is_one_line_and_the_old_one_goes_on(
    pilot: Pilot, path: object, more: dict[str, object], said: str
) -> None:
    app, keeper = pilot.app, pilot.component("Goalkeeper")
    call(pilot, path, **more)
    pilot.step(3)
    errors = [record for record in app.console.records if record.level == "error"]
    assert len(errors) == 1
    assert said in errors[0].text
    assert (errors[0].file, errors[0].line) == ("scripts/door.py", 15)
    assert pilot.app is app
    assert not app.run_context.stop_requested
    assert keeper.slot.state is SlotState.READY


def test_a_script_of_before_keeps_its_save_and_its_saves(pilot: Pilot) -> None:
    keeper = pilot.component("Goalkeeper")
    keeper.save()
    assert keeper.saves == 1
    assert keeper.slot.state is SlotState.READY
    pilot.component("Door").saves.write("one", {"a": 1})
    assert pilot.component("Door").saves.names() == ["one"]


def test_saved_games_of_a_headless_run_last_as_long_as_the_run(pilot: Pilot) -> None:
    pilot.component("Door").saves.write("slot 1", {"level": 3})
    folder = pilot.component("Door").saves.folder
    call(pilot, "scenes/cave.scene.json")
    pilot.step(2)
    assert pilot.component("Door").saves.read("slot 1") == {"level": 3}
    assert pilot.component("Door").saves.folder == folder
    pilot.__exit__()
    assert not folder.exists(), "and touch nothing of the user's"


def test_a_whole_run_goes_through_both_scenes_and_tells_of_the_last(
    project: Path, tmp_path: Path
) -> None:
    for name in ("hall", "cave"):
        write_scene(project, name, "Leaver")
    stats = tmp_path / "stats.json"
    options = RunOptions(
        scene=project / "scenes" / "hall.scene.json", graphics=False, seconds=60.0, stats=stats,
        trust=True, data_dir=tmp_path / "data",
    )  # fmt: skip
    assert run(options) == 0
    found = json.loads(stats.read_text(encoding="utf-8"))
    assert found["scene"] == "cave.scene.json"
    assert found["visits"] == ["hall.scene.json", "cave.scene.json"]
    assert len(list((tmp_path / "data" / "saves").glob("game-*/visits.json"))) == 1


def test_an_environment_refuses_in_one_line(project: Path, tmp_path: Path) -> None:
    scene = write_scene(project, "hall", "Leaver")
    world = open_unseen(load(scene), scene, 1, tmp_path / "empty")
    try:
        world.awake()
        with pytest.raises(WorldError, match="expected a run of its own, found an environment"):
            world.frame()
    finally:
        world.close()
