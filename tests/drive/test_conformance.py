"""Every shipped scene and every shipped component goes through one suite."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from sim.core.components import components as engine_components
from sim.core.files import scene_file
from sim.core.files.scene_file import dumps
from sim.core.host.script_loader import ScriptLoader, near_misses
from sim.core.scene.fields import collect_fields
from sim.core.scene.scene import Scene
from sim.core.scene.scene_data import scene_data
from sim.core.script.script import Script
from sim.testing import Pilot

SCENES = sorted((SHIPPED_ROOT / "scenes").glob("*.scene.json"))
SCRIPTS = sorted((SHIPPED_ROOT / "scripts").rglob("*.py"))
NEEDS_A_RUN = {"replay.scene.json"}  # opened by `replay`, see test_replay.py
SEES = {"ball_tracker.scene.json"}  # its agent observes a camera's picture


def shipped_components() -> list[str]:
    """Return the type of every component that ships."""
    found = [
        f"sim:{name}"
        for name, value in vars(engine_components).items()
        if inspect.isclass(value) and issubclass(value, Script) and value is not Script
    ]
    for path in SCRIPTS:
        module = ".".join(path.relative_to(SHIPPED_ROOT).with_suffix("").parts)
        found += [
            f"{module}:{line.split('(')[0].removeprefix('class ')}"
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith("class ") and ("(Script)" in line or "Seat)" in line)
        ]
    return sorted(found)


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name)
def test_a_scene_is_saved_as_it_was_read(path: Path) -> None:
    scene = Scene()
    scene.load_document(scene_file.load(path))
    assert dumps(scene_data(scene)) == path.read_bytes()


@pytest.mark.parametrize(
    ("path", "graphics"),
    [
        pytest.param(path, graphics, id=f"{path.name}-{'drawn' if graphics else 'undrawn'}")
        for path in SCENES
        for graphics in (True, False)
        if path.name not in NEEDS_A_RUN and (graphics or path.name not in SEES)
    ],
)
def test_a_scene_runs_pauses_and_ends_without_an_error(path: Path, graphics: bool) -> None:
    with Pilot(scene=path, graphics=graphics, speed=1.0, window=(800, 600)) as pilot:
        pilot.step(20)
        pilot.press("space") if graphics else pilot.app.clock.pause()
        pilot.step(3)
        assert pilot.app.clock.paused
        assert pilot.app.host.error_count == 0
        assert [item.text for item in pilot.app.console.records if item.level == "error"] == []


@pytest.mark.parametrize("name", sorted(SEES))
def test_a_scene_that_sees_says_in_one_line_that_nothing_is_drawn(name: str) -> None:
    with Pilot(scene=f"scenes/{name}", graphics=False) as pilot:
        pilot.wait_until(lambda: pilot.app.host.error_count)
        pilot.step(20)
        (text,) = [item.text for item in pilot.app.console.records if item.level == "error"]
        assert "expected a run that draws, got one with --no-graphics" in text


@pytest.mark.parametrize("type_name", shipped_components())
def test_a_component_is_described_and_its_defaults_are_sound(type_name: str) -> None:
    cls = ScriptLoader(SHIPPED_ROOT, SHIPPED_ROOT).load(type_name)
    assert (cls.__doc__ or "").strip().endswith((".", "…")), "the Inspector shows it"
    assert near_misses(cls) == []
    for name, item in collect_fields(cls).items():
        assert not name.startswith("_")
        assert item.default is None or item.parse(item.default) == item.default


@pytest.mark.parametrize("type_name", shipped_components())
def test_a_component_alone_runs_or_says_in_one_line_what_it_lacks(type_name: str) -> None:
    with Pilot(scene="scenes/hello.scene.json", graphics=False, speed=1.0) as pilot:
        made = pilot.app.scene.spawn("Alone")
        slot = pilot.app.scene.attach(made, type_name)
        pilot.step(5)
        lines = [item for item in pilot.app.console.records if item.level == "error"]
        assert len(lines) <= 1
        assert all("Alone" in str(item) and slot.class_name in str(item) for item in lines)
        made.destroy()
        pilot.step(2)
        assert made.id not in pilot.app.scene.objects
