"""Many objects of one look are drawn by one call, and all about them stays as for one by one."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sim.render.view.crowds as crowds
from sim.render.passes.layers import MOVING, STILL
from sim.testing import Pilot

COUNT = 40
SIZE = (320, 200)
CHOSEN = 17


def write_scene(root):
    (root / "scenes").mkdir()
    path = root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_crowds", "objects": {}}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def fill(scene):
    """Put a floor, a camera and two kinds of objects in some colours into a scene."""
    eye = ("sim:Camera", {"target": [4.0, 3.0, 0.0], "fov": 40.0})
    scene.spawn("Eye", components=[eye], position=(4.0, -9.0, 8.0))
    scene.spawn("Floor", model={"builtin": "box", "size": [30, 30, 1]}, position=(4.0, 3.0, -1.5))
    made = []
    for number in range(2 * COUNT):
        metal = {"metallic": 1.0} if number % 2 else {}
        made.append(
            scene.spawn(
                f"Bar {number}",
                model={"builtin": ("box", "sphere")[number % 2]},
                material={"color": [number % 5 / 5.0, 0.5, 0.2], **metal},
                position=(number % 10, number // 10, 0.0),
                rotation=(7.0 * number, 3.0 * number, 0.0),
                scale=(0.5, 0.5, 0.3 + number % 3 * 0.3),
            )
        )
    return made


def rest(pilot):
    """Let everything come to rest."""
    pilot.step()
    pilot.wait_until(lambda: not (pilot.app.view._resting.moving or pilot.app.view._resting.baking))
    pilot.step(2)


def drawn_counts(app, layer):
    """Return the sizes of the crowds that are drawn in a layer."""
    found = app.view._resting._crowds._crowds.values()
    return sorted(len(one.members) for one in found if one.is_drawn and one.layer == layer)


def looked_at(pilot, objects):
    """Return what is seen of, and asked about, objects that rest, move and change."""
    app = pilot.app
    found = {}

    def see(name):
        found[name] = app.view.image(None, SIZE, overlays=True).astype(int)

    see("at rest")
    one = objects[CHOSEN]
    found["distances"] = app.view.depth(None, SIZE)
    found["outline"] = np.concatenate(app.view.outlines(one.id))
    found["middle"] = np.array(app.view.middle_of(one.id))
    found["picked"] = [
        app.scene.get(key).name if (key := app.view.pick(x, y)) else ""
        for x in range(20, SIZE[0], 60)
        for y in range(20, SIZE[1], 40)
    ]
    one.transform.position = (4.0, 1.0, 2.0)
    pilot.step()
    found["one: outline"] = np.concatenate(app.view.outlines(one.id))
    see("one moved")
    for number, obj in enumerate(objects):
        obj.transform.position = (number % 10, number // 10, 0.2 + number % 4 / 2.0)
    pilot.step()
    found["moving"] = drawn_counts(app, MOVING)
    found["all moving"] = app.display.image().astype(int)
    found["all: middle"] = np.array(app.view.middle_of(one.id))
    see("all moved")
    objects[0].transform.scale = (-0.5, 0.5, 1.0)
    objects[1].material = {"color": [1.0, 0.0, 0.0], "emission": 1.0}
    objects[2].visible = False
    objects[3].destroy()
    pilot.step()
    see("changed")
    found["radius"] = np.array(app.view.radius_of(objects[5].id))
    return found


@pytest.mark.parametrize("shadows", ["spots", "cast"])
def test_a_crowd_looks_and_is_picked_as_its_objects_one_by_one(tmp_path, monkeypatch, shadows):
    scene = write_scene(tmp_path)
    seen = []
    with Pilot(scene=scene, panels=False, speed=1.0, quality="low", window=SIZE) as pilot:
        app = pilot.app
        app.scene.spawn("Sun", components=[("sim:Light", {"kind": "sun", "shadows": shadows})])
        for least, drawn in ((10**9, []), (COUNT // 2, [COUNT, COUNT])):
            monkeypatch.setattr(crowds, "LEAST", least)
            monkeypatch.setattr(crowds, "FEWEST", COUNT // 4)
            before = set(app.scene.objects)
            objects = fill(app.scene)
            rest(pilot)
            assert drawn_counts(app, STILL) == drawn
            seen.append(looked_at(pilot, objects))
            for key in set(app.scene.objects) - before:
                app.scene.get(key).destroy()
            pilot.step(2)
            assert not app.view._resting._crowds._crowds
    alone, together = seen
    assert (alone.pop("moving"), together.pop("moving")) == ([], [COUNT, COUNT])
    assert alone.pop("picked") == together.pop("picked")
    for name, wanted in alone.items():
        if wanted.ndim == 3:  # a picture: the last bits of places differ
            differs = np.abs(wanted - together[name]).max(axis=2) > 12
            assert differs.mean() < 0.01, name
        else:
            assert np.allclose(wanted, together[name], rtol=1e-3, equal_nan=True), name


def test_few_objects_are_no_crowd_and_a_crowd_that_shrinks_ends(tmp_path, monkeypatch):
    scene = write_scene(tmp_path)
    with Pilot(scene=scene, panels=False, speed=1.0, quality="low", window=SIZE) as pilot:
        app = pilot.app
        objects = fill(app.scene)
        rest(pilot)
        assert drawn_counts(app, STILL) == []
        monkeypatch.setattr(crowds, "LEAST", COUNT)
        monkeypatch.setattr(crowds, "FEWEST", COUNT)
        for obj in objects:
            obj.material = {"color": [0.5, 0.5, 0.5]}
        rest(pilot)
        assert drawn_counts(app, STILL) == [COUNT, COUNT]
        before = app.view.image(None, SIZE, overlays=True).astype(int)
        for obj in objects[:2]:
            obj.destroy()
        rest(pilot)
        assert drawn_counts(app, STILL) == []
        view = app.view._views[objects[5].id]
        place = objects[5].transform.world_position
        assert np.allclose(view.node.get_pos(), place, atol=1e-6)
        after = app.view.image(None, SIZE, overlays=True).astype(int)
        assert (np.abs(after - before).max(axis=2) > 12).mean() < 0.05  # the two are gone


def test_what_a_crowd_cannot_draw_stands_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(crowds, "LEAST", 2)
    scene = write_scene(tmp_path)
    box = {"builtin": "box"}
    with Pilot(scene=scene, panels=False, speed=1.0, quality="low", window=SIZE) as pilot:
        app = pilot.app
        picture = np.zeros((4, 4, 3), dtype=np.uint8)
        for _ in range(3):
            app.scene.spawn("Glass", model=box, material={"opacity": 0.5})
            app.scene.spawn("Mark", model=box, material={"layer": 1})
            app.scene.spawn("Picture", model=box).texture = picture
        pilot.step(3)
        assert all(view.look is None for view in app.view._views.values())
        assert drawn_counts(app, STILL) == []
