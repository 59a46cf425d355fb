"""The options of a scene: read from the files of its scripts, and from the classes alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.errors import UsageError
from base.files import SHIPPED_ROOT
from sim.core.files.scene_file import load
from sim.core.host.scene_options import options_of_scene, read_options
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.run_options import Flag, RunOptions, check_options
from sim.core.script.options import collect_options
from sim.testing import Pilot

SCENES = sorted((SHIPPED_ROOT / "scenes").glob("*.scene.json"))
GATE = """
from __future__ import annotations
from sim import Script, option
print("a script ran")
class Gate(Script):
    rounds: int | None = option(min=1, metavar="N", ends_run=True, help="How many.")
    def update(self, dt):
        if self.rounds is not None and self.time.frame >= self.rounds:
            self.stats["gate"] = [self.rounds, self.run.rounds, self.run.pace]
            self.run.finish()
"""
FENCE = """
from __future__ import annotations
from scripts.garden.gate import Gate as Base
from sim import option
class Fence(Base):
    pace: float = option(2.5, help="How fast.")
    slow: bool = option(False, excludes=("pace",), help="As slow as can be.")
"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A scene of a project with one component, whose class derives from another file's."""
    for name, text in {"garden/gate": GATE, "fence": FENCE}.items():
        path = tmp_path / "scripts" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    path = tmp_path / "scenes" / "garden.scene.json"
    path.parent.mkdir()
    component = {"type": "scripts.fence:Fence", "fields": {}}
    objects = {"obj_one": {"name": "One", "components": {"cmp_one": component}}}
    data = {"format": "goishi.scene/1", "id": "scn_one", "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_options_are_read_and_no_script_runs(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read_options(scene)
    assert found["rounds"] == Flag(
        "rounds", None, 1, kind=int, metavar="N", ends_run=True, help="How many."
    )
    assert found["pace"] == Flag("pace", 2.5, kind=float, help="How fast.")
    assert found["slow"] == Flag(
        "slow", False, kind=bool, excludes=("pace",), help="As slow as can be."
    )
    assert capsys.readouterr().out == ""


def test_a_broken_script_has_no_options_and_stops_nobody(scene: Path) -> None:
    (scene.parents[1] / "scripts" / "fence.py").write_text("class (", encoding="utf-8")
    assert read_options(scene) == {}


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name)
def test_the_files_say_what_the_classes_say(path: Path) -> None:
    document = load(path)
    loader = ScriptLoader(document.project, SHIPPED_ROOT)
    declared: dict[str, Flag] = {}
    for entry in document.data["objects"].values():
        for component in entry.get("components", {}).values():
            declared = {**collect_options(loader.load(component["type"])), **declared}
    assert read_options(path) == declared


def test_scripts_read_what_was_given(scene: Path) -> None:
    with Pilot(scene=scene, graphics=False, rounds=3) as pilot:
        assert set(options_of_scene(pilot.app.scene)) == {"rounds", "pace", "slow"}
        pilot.wait_until(lambda: pilot.app.run_context.stop_requested)
        assert pilot.app.run_context.stats["gate"] == [3, 3, None]
        assert pilot.component("Fence").pace == 2.5
        with pytest.raises(AttributeError, match="the scene no option --speed"):
            _ = pilot.app.run_context.speed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sheep": 1}, "--sheep: expected a scene that has this option, found garden.scene.json"),
        ({"rounds": 0}, "--rounds: expected a whole number of at least 1, found 0"),
        ({"slow": True, "pace": 1.0}, "--slow: expected no --pace beside it, found both"),
    ],
)
def test_what_the_scene_has_not_is_refused(scene: Path, given: dict, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Pilot(scene=scene, graphics=False, **given)
    assert str(caught.value) == message


def test_a_headless_run_needs_an_end(scene: Path) -> None:
    declared = read_options(scene)
    for options, flag in (
        (RunOptions(scene=scene, headless=True), "--headless"),
        (RunOptions(scene=scene, graphics=False, script_options={"pace": 1.0}), "--no-graphics"),
    ):
        with pytest.raises(UsageError, match=rf"{flag}: expected --rounds N or --for SECONDS"):
            check_options(options, declared)
    with pytest.raises(UsageError, match="--headless: expected --for SECONDS beside it"):
        check_options(RunOptions(headless=True), {})
    check_options(RunOptions(headless=True, script_options={"rounds": 1}), declared)
    check_options(RunOptions(headless=True, seconds=1.0), {})
