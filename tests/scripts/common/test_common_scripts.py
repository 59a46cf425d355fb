"""The scripts to copy from: each runs in its scene without a complaint, and does what it says."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from sim.app.world import World
from sim.commands.new import new_project
from sim.core.files.scene_file import load
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.script_host import ScriptHost
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console
from sim.core.tasks.clock import Clock


@pytest.fixture
def open_scene(tmp_path: Path):
    """Open a scene without a picture; everything is closed at the end."""
    opened: list[World] = []

    def open_it(path: Path) -> ScriptHost:
        document = load(path)
        console = Console(stderr=False)
        clock = Clock(document.settings.fixed_dt)
        clock.frame_step = 1 / 60
        run = RunContext(scene_path=path, project=document.project, data_dir=tmp_path)
        world = World(document, run, console=console, clock=clock, watchdog=Watchdog(math.inf))
        opened.append(world)
        return world.host

    yield open_it
    for world in opened:
        world.close()


def run_frames(host: ScriptHost, count: int, name: str) -> list[float]:
    """Run frames and return the heights of an object."""
    heights = []
    for _ in range(count):
        host.begin_frame()
        host.run_frame(host.clock.advance(1 / 60))
        found = host.scene.find(name)
        assert found is not None
        heights.append(float(found.transform.position[2]))
    assert [str(record) for record in host.console.records if record.level == "error"] == []
    return heights


def test_the_hello_stone_hops_as_high_as_its_field_says(open_scene) -> None:
    host = open_scene(SHIPPED_ROOT / "scenes" / "hello.scene.json")
    heights = run_frames(host, 150, "Stone")
    assert max(heights) == pytest.approx(1.5, abs=0.02)
    assert min(heights) >= 0.0


def test_the_template_hops_turns_and_counts(open_scene, tmp_path: Path) -> None:
    new_project(tmp_path / "games")
    host = open_scene(tmp_path / "games" / "scenes" / "main.scene.json")
    heights = run_frames(host, 200, "Stone")
    assert max(heights) == pytest.approx(1.2, abs=0.02)
    _, values = host.metrics.series("landings")
    assert list(values) == [1.0, 2.0]
    stone = host.scene.find("Stone")
    assert stone is not None
    assert stone.transform.rotation[0] == pytest.approx(45.0 * 200 / 60 % 360, abs=1.0)
    before = host.error_count
    stone.get("Hello").rest()
    run_frames(host, 10, "Stone")
    assert host.error_count == before
