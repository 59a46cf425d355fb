"""Suns, point lights and spot lights: how many are drawn, where they shine, how far one sees."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.core.components.environment import MOST_LAMPS
from sim.core.geometry.camera_pose import CameraPose
from sim.testing import Pilot

SIZE = (96, 96)
DOWN = (0.0, -90.0, 0.0)


def scene_of(folder: Path) -> Path:
    """Write a scene with a floor, a dark sun, and far posts."""
    (folder / "scenes").mkdir()
    dark = {"kind": "sun", "intensity": 0.0}
    objects: dict[str, Any] = {
        "obj_floor": {"name": "Floor", "model": {"builtin": "box", "size": [80, 80, 0.1]},
                      "material": {"color": [0.6, 0.6, 0.6], "roughness": 1.0}},
        "obj_sun": {"name": "Sun", "position": [0, 0, 9],
                    "components": {"cmp_sun": {"type": "sim:Light", "fields": dark}}},
        "obj_post120": {"name": "Near post", "position": [0, 120, 0],
                        "model": {"builtin": "box", "size": [6, 1, 40]}},
        "obj_post900": {"name": "Far post", "position": [400, 900, 0],
                        "model": {"builtin": "box", "size": [40, 1, 300]}},
    }  # fmt: skip
    path = folder / "scenes" / "a.scene.json"
    document = {"format": "goishi.scene/1", "id": "scn_lights", "objects": objects}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pilot]:
    scene = scene_of(tmp_path_factory.mktemp("project"))
    with Pilot(scene=scene, panels=False, window=(320, 200), quality="medium") as found:
        found.step(2)
        yield found


def lamp(pilot: Pilot, kind: str, place: tuple[float, float, float], **fields: Any) -> Any:
    light = ("sim:Light", {"kind": kind, "intensity": 12.0, **fields})
    made = pilot.app.scene.spawn(f"Lamp {kind}", components=[light])
    made.transform.position = place
    return made


def from_above(pilot: Pilot, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    """Return the brightness `[96, 96]` of the floor, 12 m a side, seen from above."""
    pilot.step(2)
    pilot.app.view.finish()  # where the processor draws, light changes a few times a second only
    fov = 2.0 * math.degrees(math.atan(6.0 / 20.0))
    pose = CameraPose.looking_at((x, y - 0.001, 20.0), (x, y, 0.0), fov)
    return np.asarray(pilot.app.view.image(pose, SIZE, overlays=False), dtype=float).sum(axis=2)


def test_as_many_lamps_shine_as_are_said_and_the_others_are_named(pilot) -> None:
    places = [(4.0 * (number % 5) - 8.0, 4.0 * (number // 5) - 8.0) for number in range(18)]
    bare = [from_above(pilot, x, y)[48, 48] for x, y in places]
    lamps = [lamp(pilot, "point", (x, y, 1.0), intensity=0.5) for x, y in places]
    lit = [from_above(pilot, x, y)[48, 48] for x, y in places]
    is_lit = [after > before + 60 for before, after in zip(bare, lit, strict=True)]
    assert is_lit == [True] * MOST_LAMPS + [False] * (len(places) - MOST_LAMPS)
    lines = [record.text for record in pilot.app.world.host.console.records]
    (line,) = [line for line in lines if line.startswith("lights:")]
    assert line.startswith(
        f"lights: expected at most {MOST_LAMPS} of kind point or spot and further suns, found 18: "
    )
    assert all(item.path in line for item in lamps[MOST_LAMPS:])
    for item in lamps:
        item.destroy()


def test_a_spot_light_shines_in_its_cone_only(pilot) -> None:
    bare = from_above(pilot)
    spot = lamp(pilot, "spot", (0.0, 0.0, 4.0), angle=40.0, softness=0.2)
    spot.transform.rotation = DOWN
    image = from_above(pilot) - bare
    rows, columns = np.mgrid[0:96, 0:96]
    away = np.hypot(rows - 47.5, columns - 47.5) * 12.0 / 96.0
    edge = 4.0 * math.tan(math.radians(20.0))
    assert image[away < 0.6 * edge].min() > 100
    assert np.abs(image[away > 1.1 * edge]).max() < 6
    spot.transform.rotation = (0.0, 90.0, 0.0)
    assert np.abs(from_above(pilot) - bare).max() < 6, "it shines up"
    spot.transform.rotation = DOWN
    component = spot.components[0].instance
    component.angle = 80.0
    wide = from_above(pilot) - bare
    assert wide[(away > 1.2 * edge) & (away < 1.5 * edge)].min() > 60
    point = lamp(pilot, "point", (4.0, 0.0, 1.0))
    assert (from_above(pilot) - bare)[48, 80] > 100, "a point light beside it shines everywhere"
    point.destroy()
    spot.destroy()


def test_what_is_far_away_is_drawn_by_itself(pilot) -> None:
    eye = CameraPose.looking_at((0.0, -8.0, 3.0), (0.0, 0.0, 3.0), 60.0)
    image = np.asarray(pilot.app.view.image(eye, SIZE, overlays=False), dtype=int)
    for name, column in (("Near post", 48), ("Far post", 83)):
        post = pilot.app.scene.find(name)
        post.visible = False
        pilot.step(2)
        bare = np.asarray(pilot.app.view.image(eye, SIZE, overlays=False), dtype=int)
        post.visible = True
        pilot.step(2)
        assert np.abs(image - bare)[30:48, column - 3 : column + 4].max() > 8, name


CAST = {"kind": "sun", "intensity": 0.7, "shadows": "cast"}
SECOND: list[tuple[dict[str, Any], tuple[float, float, float]]] = [
    ({"kind": "sun"}, (0.0, 0.0, 0.0)),  # as "Add component" makes one
    ({"kind": "sun", "intensity": 0.0}, (0.0, 0.0, 5.0)),
    ({"kind": "sun", "intensity": 0.2, "shadows": "cast"}, (0.0, 0.0, 5.0)),
    ({"kind": "sun", "intensity": 5.0, "shadows": "cast"}, (6.0, 0.0, 2.0)),
    ({"kind": "sun", "intensity": 5.0}, (0.0, 0.0, -5.0)),
    ({"kind": "point"}, (0.0, 0.0, 2.0)),
    ({"kind": "spot", "angle": 150.0}, (0.0, -2.0, 1.0)),
    ({"kind": "ambient", "intensity": 0.1}, (0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize("first", [{**CAST, "shadows": "spots"}, CAST], ids=["spots", "cast"])
def test_a_second_light_never_darkens_the_first_one(pilot, first) -> None:
    """Whatever it is, and wherever it stands among the objects."""
    scene = pilot.app.scene
    post = scene.spawn("Post", model={"builtin": "box", "size": [1, 1, 2]})
    post.transform.position = (0.0, 1.0, 1.0)
    sun = lamp(pilot, place=(5.0, 0.0, 4.0), **first)

    def floor() -> np.ndarray:
        image = from_above(pilot)
        image[30:46, 40:56] = 0.0  # the post
        return image

    alone = floor()
    for fields, place in SECOND:
        second = lamp(pilot, place=place, **fields)
        both = floor()
        assert (both - alone).min() > -6, fields
        light = fields.get("intensity", 12.0)
        if light >= 5.0 and place[2] >= 0.0:
            assert (both - alone).max() > 12, fields
        if first is CAST:  # spots are seen where the first sun throws them
            sun.components[0].enabled = False
            without = floor()
            sun.components[0].enabled = True
            assert (both - without).min() > -6, f"the first, added to {fields}"
        second.destroy()
    sun.destroy()
    post.destroy()
