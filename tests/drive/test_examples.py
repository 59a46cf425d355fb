"""The example scenes: what a user sees in each, and what a click does."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from tests.common import place

EXAMPLES = ("sandbox", "solar_system", "character")
MOST_LINES = 150


def opened(name: str) -> Pilot:
    pilot = Pilot(
        scene=SHIPPED_ROOT / "scenes" / f"{name}.scene.json", panels=False, speed=1.0,
        window=(480, 300), quality="low",
    )  # fmt: skip
    pilot.app.clock.frame_step = 1 / 30
    pilot.step(2)
    return pilot


def pass_unseen(pilot: Pilot, frames: int) -> None:
    """Run frames that are not drawn."""
    pilot.app.inject(InputEvent("minimize"))
    pilot.step(frames)
    pilot.app.inject(InputEvent("restore"))
    pilot.step()


def click_on(pilot: Pilot, obj: Any) -> None:
    pilot.click_at(place(obj))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_short_and_has_its_card(name: str) -> None:
    text = (SHIPPED_ROOT / "scenes" / f"{name}.scene.json").read_text(encoding="utf-8")
    scene = json.loads(text)
    types = {
        component["type"].partition(":")[0]
        for obj in scene["objects"].values()
        for component in obj.get("components", {}).values()
    }
    files = [SHIPPED_ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in types - {"sim"}]
    assert files
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) < MOST_LINES
    assert scene["name"]
    assert scene["description"].endswith(".")
    assert (SHIPPED_ROOT / "docs" / "images" / "scenes" / f"{name}.png").is_file()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Pilot]:
    with opened("sandbox") as pilot:
        yield pilot


def test_the_globe_turns_and_the_moon_goes_around_it(sandbox: Pilot) -> None:
    scene = sandbox.app.scene
    globe, moon, moonlet = (scene.find(name) for name in ("Globe", "Moon", "Moon/Moonlet"))
    heading, begin = globe.transform.rotation[0], place(moon)
    pass_unseen(sandbox, 29)
    assert (globe.transform.rotation[0] - heading) % 360.0 == pytest.approx(40.0, abs=0.1)
    assert np.linalg.norm(place(moon) - place(globe)) == pytest.approx(1.75, abs=1e-6)
    assert np.linalg.norm(place(moon) - begin) > 1.0
    assert np.linalg.norm(place(moonlet) - place(moon)) == pytest.approx(0.42, abs=1e-6)


def test_the_caterpillar_stays_in_one_piece(sandbox: Pilot) -> None:
    parts = [
        sandbox.app.scene.find(name) for name in ("Head", *(f"Segment {n}" for n in range(1, 9)))
    ]
    before = place(parts[-1])
    pass_unseen(sandbox, 60)
    for ahead, behind in itertools.pairwise(parts):
        assert np.linalg.norm(place(ahead) - place(behind)) < 0.461
    assert np.linalg.norm(place(parts[-1]) - before) > 1.0


def test_a_click_tints_the_block_that_was_clicked(sandbox: Pilot) -> None:
    block, other = sandbox.app.scene.find("Block 3"), sandbox.app.scene.find("Block 1")
    x, y = (int(value) for value in sandbox.pixel_of(place(block)))
    before, others = sandbox.picture()[y, x].astype(int), dict(other.material)
    click_on(sandbox, block)
    pass_unseen(sandbox, 45)
    assert np.abs(sandbox.picture()[y, x].astype(int) - before).max() > 40
    assert dict(other.material) == others
    assert place(block)[2] == pytest.approx(0.42, abs=1e-6)


def test_a_click_on_the_fountain_throws_balls_that_go_again(sandbox: Pilot) -> None:
    scene = sandbox.app.scene
    sandbox.app.host.set_field(sandbox.component("Fountain").slot, "per_second", 0.0)
    pass_unseen(sandbox, 50)
    assert scene.find_all("Ball") == []
    click_on(sandbox, scene.find("Fountain"))
    sandbox.step(12)
    balls = scene.find_all("Ball")
    assert len(balls) == 30
    assert max(place(ball)[2] for ball in balls) > 2.0
    pass_unseen(sandbox, 50)
    assert scene.find_all("Ball") == []
    assert sandbox.app.host.error_count == 0


@pytest.fixture(scope="module")
def planets() -> Iterator[Pilot]:
    with opened("solar_system") as pilot:
        yield pilot


def angle(obj: Any) -> float:
    return float(np.degrees(np.arctan2(*place(obj)[1::-1])))


def test_a_year_is_as_long_as_its_field_says_and_the_speed_is_a_field(planets: Pilot) -> None:
    scene, sun = planets.app.scene, planets.component("Sun")
    earth, moon = scene.find("Earth"), scene.find("Earth/Moon")
    for speed in (12.0, -36.5):
        planets.app.host.set_field(sun.slot, "days_per_second", speed)
        begin = angle(earth)
        pass_unseen(planets, 29)
        turned = (angle(earth) - begin + 180.0) % 360.0 - 180.0
        assert turned == pytest.approx(360.0 * speed / 365.0, abs=0.01)
        assert np.linalg.norm(place(earth)) == pytest.approx(3.85)
        assert np.linalg.norm(place(moon) - place(earth)) == pytest.approx(0.72)
    planets.app.host.set_field(sun.slot, "days_per_second", 12.0)
    assert abs(place(scene.find("Earth/Moon"))[2]) > 1e-3  # its way is tilted with the earth


def test_the_names_stand_above_the_planets_and_are_seen(planets: Pilot) -> None:
    saturn, labels = planets.app.scene.find("Saturn"), planets.app.scene.find_all("Label")
    label = min(labels, key=lambda item: float(np.linalg.norm((place(item) - place(saturn))[:2])))
    assert np.allclose(place(label)[:2], place(saturn)[:2], atol=1e-6)
    assert planets.pixel_of(place(label))[1] < planets.pixel_of(place(saturn))[1]
    shown = planets.picture().astype(int)
    label.visible = False
    planets.step()
    assert (np.abs(planets.picture().astype(int) - shown).max(axis=2) > 60).sum() > 20
    label.visible = True


def test_a_click_flies_to_a_planet_and_stays_with_it(planets: Pilot) -> None:
    saturn, camera = planets.app.scene.find("Saturn"), planets.app.scene.camera
    home = camera.view
    click_on(planets, saturn)
    planets.step(60)
    assert np.allclose(camera.view.target, place(saturn), atol=0.2)
    assert camera.view.distance == pytest.approx(0.66 * 8.0)
    planets.step(30)
    x, y = planets.pixel_of(place(saturn))
    assert max(abs(x - 240), abs(y - 150)) < 10
    planets.click(5, 5)
    planets.wait_until(lambda: camera.view.distance > 0.98 * home.distance, frames=1500)
    assert np.linalg.norm(np.subtract(camera.view.target, home.target)) < 0.5
    assert planets.app.host.error_count == 0


@pytest.fixture(scope="module")
def garden() -> Iterator[Pilot]:
    with opened("character") as pilot:
        pilot.wait_until(lambda: pilot.component("Walker").object.animation.is_ready)
        yield pilot


def test_the_figure_walks_over_the_stones_and_turns_smoothly(garden: Pilot) -> None:
    walker, scene = garden.component("Walker"), garden.app.scene
    stones = [place(stone) for stone in scene.find("Path").children]
    nearest, headings = [np.inf] * len(stones), []
    assert walker.object.animation.clip == "walk"
    garden.app.inject(InputEvent("minimize"))
    while walker.is_walking and len(headings) < 900:
        garden.step()
        headings.append(walker.object.transform.rotation[0])
        gaps = [float(np.linalg.norm(place(walker.object) - stone)) for stone in stones]
        nearest = [min(pair) for pair in zip(nearest, gaps, strict=True)]
    garden.app.inject(InputEvent("restore"))
    garden.step()
    assert max(nearest) < 0.05
    turns = (np.diff(headings[30:]) + 180.0) % 360.0 - 180.0
    assert np.abs(turns).max() < 8.0
    assert abs(turns.sum()) > 300.0
    assert walker.object.animation.clip == "idle"
    pass_unseen(garden, 90)
    assert walker.object.animation.clip == "walk"


def test_it_looks_up_and_waves_when_it_is_clicked(garden: Pilot) -> None:
    walker = garden.component("Walker")
    obj, stands = walker.object, place(walker.object)
    garden.click(*garden.pixel_of(np.asarray(obj.animation.joint("chest"))[3, :3]))
    assert obj.animation.clip == "wave"
    garden.step(40)
    hand, chest = (np.asarray(obj.animation.joint(name))[3, 2] for name in ("hand_r", "chest"))
    assert hand > chest + 0.2
    eye = np.asarray(garden.app.scene.camera.view.position) - place(obj)
    assert float(np.asarray(obj.transform.forward)[:2] @ eye[:2]) > 0.95 * np.linalg.norm(eye[:2])
    assert np.linalg.norm(place(obj) - stands) < 0.2
    pass_unseen(garden, 50)
    assert walker.is_walking
    assert garden.app.host.error_count == 0


def test_a_path_of_two_stones_is_told_in_one_line() -> None:
    with opened("character") as pilot:
        steps = pilot.app.scene.find("Path").children
        for stone in list(steps[2:]):
            stone.destroy()
        pilot.step(2)
        lost = pilot.app.scene.spawn("Lost")
        lost.add("scripts.examples.character.walker:Walker", path={"$ref": steps[0].parent.id})
        pilot.step(3)
        lines = [str(item) for item in pilot.app.console.records if item.level == "error"]
        assert len(lines) == 1
        assert "at least 3 waypoints, found 2" in lines[0]
