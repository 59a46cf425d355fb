"""The tutorial's code is taken from the page, built in an empty folder, and does what it says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from benchmarks.tutorial_pictures import (
    MOST_BYTES,
    PAGE,
    SCENE,
    Step,
    click_firefly,
    open_world,
    read_steps,
)
from sim.core.input_actions import InputEvent
from sim.testing import Pilot

STEPS = {step.number: step for step in read_steps()}
World = Callable[..., Pilot]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Build the steps up to a number in an empty folder, and open the world."""
    opened: list[Pilot] = []

    def open_step(
        number: int, scene: str = SCENE, *, graphics: bool = False, **options: Any
    ) -> Pilot:
        project = tmp_path / f"garden{len(opened)}"
        for step in STEPS.values():
            if step.number <= number:
                step.build(project)
        opened.append(open_world(project, scene, graphics=graphics, quality="low",
                                 window=(640, 360), **options))  # fmt: skip
        return opened[-1]

    yield open_step
    for pilot in opened:
        pilot.app.close()


def errors(pilot: Pilot) -> list[str]:
    return [str(item) for item in pilot.app.console.records if item.level == "error"]


def place(obj: Any) -> np.ndarray:
    return np.asarray(obj.transform.world_position, dtype=float)


def test_the_page_has_nine_steps_each_with_code_and_a_picture_that_is_light() -> None:
    assert list(STEPS) == list(range(1, 10))
    assert all(step.edits or step.commands for step in STEPS.values())
    pictures = re.findall(r"!\[[^\]]+\]\((images/tutorial/[^)]+)\)", PAGE.read_text("utf-8"))
    assert pictures == [f"images/tutorial/{number:02}.png" for number in STEPS]
    for name in pictures:
        file = PAGE.parent / name
        assert file.stat().st_size <= MOST_BYTES
        assert cv2.imread(str(file)).std() > 5.0


def test_what_stands_before_no_file_is_told(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("## 1. One\n\nSome words:\n\n```python\npass\n```\n", "utf-8")
    with pytest.raises(ValueError, match="Some words"):
        read_steps(page)


def test_1_the_new_project_runs(world: World) -> None:
    pilot = world(1)
    stone = pilot.app.scene.find("Stone")
    pilot.step(15)
    assert place(stone)[2] > 0.3
    assert errors(pilot) == []


def test_2_the_garden_is_seen(world: World) -> None:
    pilot = world(2, graphics=True)
    x, y = (int(value) for value in pilot.pixel_of(place(pilot.app.scene.find("Post/Lantern"))))
    blue, green, red = pilot.picture()[y, x].astype(int)
    assert red > green > blue
    assert errors(pilot) == []


def test_3_the_fields_say_how_a_firefly_flies(world: World) -> None:
    pilot = world(3)
    high, low = pilot.app.scene.find_all("Firefly")
    pilot.step(30)
    assert abs(place(high)[2] - 1.2) <= 0.151
    assert abs(place(low)[2] - 0.7) <= 0.151
    assert 0.05 < np.linalg.norm(place(high)[:2] - (-1.2, -0.6)) < 0.9
    pilot.app.host.set_field(high.components[0], "color", [0.0, 1.0, 0.0])
    pilot.step()
    assert high.material["color"] == [0.0, 1.0, 0.0]


def test_4_a_mistake_is_one_line_that_leads_to_its_place(world: World) -> None:
    pilot = world(3)
    project = pilot.app.scene.project
    wrong, right = STEPS[4].edits
    pilot.step(10)
    pilot.app.reloader.reload(wrong.apply(project))
    pilot.step(3)
    said = re.search(r"^ERROR .+$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert said is not None
    assert errors(pilot) == [said[0]]
    record = next(item for item in pilot.app.console.records if item.level == "error")
    lines = (project / wrong.path).read_text("utf-8").splitlines()
    assert "raech" in lines[record.line - 1]
    stands = place(pilot.app.scene.find("Firefly"))
    pilot.app.reloader.reload(right.apply(project))
    pilot.step(10)
    assert 0.05 < np.linalg.norm(place(pilot.app.scene.find("Firefly")) - stands) < 1.0
    assert len(errors(pilot)) == 1


def test_5_a_key_holds_them_still_and_a_click_sends_one_home(world: World) -> None:
    pilot = world(5, graphics=True)
    flies = pilot.app.scene.find_all("Firefly")
    pilot.app.inject(InputEvent("key_down", key="c"))
    pilot.step()
    before = [place(fly) for fly in flies]
    pilot.step(5)
    assert np.allclose(before, [place(fly) for fly in flies])
    pilot.app.inject(InputEvent("key_up", key="c"))
    pilot.step(5)
    assert not np.allclose(before, [place(fly) for fly in flies])
    click_firefly(pilot)
    pilot.step(30)
    assert len(pilot.app.scene.find_all("Firefly")) == 1
    assert errors(pilot) == []


def test_6_fireflies_come_until_there_are_enough(world: World) -> None:
    pilot = world(6)
    swarm = pilot.component("Swarm")
    pilot.step(60)
    some = len(swarm.object.children)
    assert 4 <= some < 12
    pilot.step(150)
    assert len(swarm.object.children) == 12
    swarm.object.children[0].get("Firefly").catch()
    swarm.object.children[-1].get("Firefly").catch()
    pilot.step(30)
    assert swarm.total == 2
    assert errors(pilot) == []


def test_7_the_lantern_hears_of_each_and_fades(world: World) -> None:
    pilot = world(7)
    lantern = pilot.app.scene.find("Post/Lantern")
    pilot.step(5)
    assert lantern.material.get("emission", 0.0) == 0.0
    pilot.app.scene.find("Swarm/Firefly").get("Firefly").catch()
    pilot.step(30)
    glow = lantern.material["emission"]
    assert 0.6 < glow <= 0.8
    pilot.step(120)
    assert 0.0 < lantern.material["emission"] < 0.75 * glow
    assert errors(pilot) == []


def test_8_the_panel_and_its_chart_follow(world: World) -> None:
    pilot = world(8, graphics=True, panels=True)
    assert "Fireflies" in [panel.title for panel in pilot.app.panels.panels]
    pilot.step(60)
    count = len(pilot.app.scene.find("Swarm").children)
    pilot.press("x")
    pilot.step(25)
    seconds, caught = pilot.app.metrics.series("caught")
    assert caught.tolist() == list(range(1, count + 1))
    assert (seconds > 2.0).all()
    pilot.draw_panels(3)
    assert errors(pilot) == []


def test_9_the_own_player_plays_and_beats_chance(world: World) -> None:
    pilot = world(9, "scenes/match.scene.json", player_white="random", seed=4, games=1,
                  speed=math.inf, frame_step=None)  # fmt: skip
    match = pilot.component("Match")
    pilot.wait_until(lambda: match.played == 1, frames=800)
    record = match.records[0]
    assert match.black.label == "scripts.my_player:create"
    assert record.winner == 1
    assert len(record.moves) % 2 == 1
    assert errors(pilot) == []


def test_an_edit_that_finds_no_place_is_told(tmp_path: Path) -> None:
    step: Step = STEPS[4]
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "firefly.py").write_text("pass\n")
    with pytest.raises(ValueError, match="once"):
        step.build(tmp_path)
