"""Rays, balls and boxes against the shapes of models."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.files import SHIPPED_ROOT
from sim.core.geometry.collision_shapes import is_inside, solid_of, solid_of_triangles
from sim.core.geometry.rotations import turns
from sim.core.scene.scene import Scene
from tests.sim.core.stage import thing

BOX = {"builtin": "box", "size": [2.0, 1.0, 1.0]}
BALL = {"builtin": "sphere", "radius": 0.5}
EXACT = [
    {"builtin": "box", "size": [1.0, 0.6, 0.4]},
    {"builtin": "sphere", "radius": 0.5},
    {"builtin": "cylinder", "radius": 0.4, "height": 0.9},
    {"builtin": "capsule", "radius": 0.3, "height": 1.1},
    {"builtin": "bar", "length": 1.0, "width": 0.3, "height": 0.2},
]
coordinates = st.floats(-1.0, 1.0, allow_nan=False)
points = st.tuples(coordinates, coordinates, coordinates)


def test_a_ray_tells_what_where_and_which_way_the_surface_faces():
    scene = Scene()
    near = scene.spawn("near", model=BOX, position=(0, 5, 0), rotation=(90, 0, 0))
    far = scene.spawn("far", model=BALL, position=(0, 9, 0))
    hit = scene.ray_cast((0, 0, 0), (0, 3, 0))
    assert hit is not None
    assert hit.object is near
    assert hit.distance == pytest.approx(4.0)
    assert hit.point.tolist() == pytest.approx([0, 4, 0])
    assert hit.normal.tolist() == pytest.approx([0, -1, 0], abs=1e-12)
    assert [item.object for item in scene.ray_cast_all((0, 0, 0), (0, 1, 0))] == [near, far]
    assert scene.ray_cast((0, 0, 0), (0, 1, 0), distance=3.9) is None
    assert scene.ray_cast((0, 0, 0), (0, -1, 0)) is None


def test_a_ray_follows_what_moves_changes_hides_and_goes():
    scene = Scene()
    ball = scene.spawn("ball", model=BALL, position=(3, 0, 0))
    group = scene.spawn("group")

    def hit():
        return scene.ray_cast((0, 0, 0), (1, 0, 0))

    assert hit().distance == pytest.approx(2.5)
    ball.transform.position = (5, 0, 0)
    assert hit().distance == pytest.approx(4.5)
    ball.model["radius"] = 2.0
    assert hit().distance == pytest.approx(3.0)
    ball.parent = group
    group.transform.scale = (2, 2, 2)
    assert hit().distance == pytest.approx(6.0)
    group.visible = False
    assert hit() is None
    group.visible = True
    assert hit() is not None
    ball.destroy()
    assert hit() is None
    scene.flush()
    assert hit() is None


def test_what_is_asked_for_can_be_narrowed(stage):
    wall = ("sim:Layer", {"name": "wall"})
    stage.open({
        "obj_one": thing("One", {"cmp_one": wall}, position=[0, 2, 0]),
        "obj_two": thing("Two", {}, model=BALL, parent="obj_one"),
        "obj_three": thing("Three", {}, model=BALL, position=[0, 4, 0]),
    })  # fmt: skip
    scene = stage.app.scene
    two, three = scene.find("Two"), scene.find("Three")
    ray = ((0, 0, 0), (0, 1, 0))
    assert scene.ray_cast(*ray).object is two
    assert scene.ray_cast(*ray, ignore=scene.find("One")).object is three
    assert scene.ray_cast(*ray, ignore=[two, three]) is None
    assert scene.ray_cast(*ray, where=lambda obj: obj.name == "Three").object is three
    assert [hit.object for hit in scene.ray_cast_all(*ray, layers="wall")] == [two]
    assert [hit.object for hit in scene.ray_cast_all(*ray, layers={""})] == [three]
    assert scene.overlap_sphere((0, 3, 0), 2.0, layers=["wall"]) == [two]


@pytest.mark.parametrize("model", EXACT, ids=lambda model: model["builtin"])
def test_exact_shapes_agree_with_their_triangles(model):
    exact = solid_of(model)
    drawn = solid_of_triangles(exact.triangles)
    assert exact.kind != "mesh"
    rng = np.random.default_rng(4)
    met = 0
    for origin, target in zip(
        rng.normal(0, 1.2, (200, 3)), rng.normal(0, 0.3, (200, 3)), strict=True
    ):
        ways = [solid.meet(origin, target - origin) for solid in (exact, drawn)]
        if None not in ways:
            met += 1
            length = np.linalg.norm(target - origin)
            assert abs(ways[0][0] - ways[1][0]) * length < 0.03
    assert met > 40


@settings(max_examples=40, deadline=None)
@given(points, points, st.tuples(*[st.floats(0.3, 2.0)] * 3), points)
def test_what_a_ray_meets_lies_on_the_surface_in_front(origin, direction, scale, angles):
    scene = Scene()
    turned = tuple(180.0 * item for item in angles)
    ball = scene.spawn("ball", model=BALL, rotation=turned, scale=scale, position=(0.2, 0, 0.1))
    if np.linalg.norm(direction) < 1e-3:
        return
    hit = scene.ray_cast(np.array(origin) * 3, direction)
    if hit is not None:
        local = np.array(ball.transform.to_local(hit.point))
        assert np.linalg.norm(local) == pytest.approx(0.5, abs=1e-6)
        assert float(np.dot(hit.normal, direction)) <= 1e-9
        assert np.linalg.norm(hit.normal) == pytest.approx(1.0)
        way = np.array(direction) / np.linalg.norm(direction)
        assert np.allclose(
            np.array(origin) * 3 + way * hit.distance, np.array(hit.point), atol=1e-6
        )


@settings(max_examples=40, deadline=None)
@given(points, st.floats(0.05, 1.0))
def test_a_ball_overlaps_a_box_where_their_gap_says_so(center, radius):
    scene = Scene()
    scene.spawn("box", model={"builtin": "box", "size": [1.0, 0.6, 0.4]}, rotation=(30, 20, 10))
    away = np.array(center) * 1.5
    local = away @ turns((30, 20, 10)).T
    gap = np.linalg.norm(np.maximum(np.abs(local) - [0.5, 0.3, 0.2], 0.0))
    if abs(gap - radius) > 1e-4:
        assert bool(scene.overlap_sphere(away, radius)) == (gap < radius)


def test_boxes_overlap_as_they_are_turned():
    scene = Scene()
    thin = scene.spawn("thin", model={"builtin": "box", "size": [4.0, 0.2, 0.2]})
    assert scene.overlap_box((0, 1.5, 0), (1, 1, 1)) == []
    assert scene.overlap_box((0, 1.5, 0), (3, 0.1, 0.1), rotation=(90, 0, 0)) == [thin]
    thin.transform.rotation = (90, 0, 0)
    assert scene.overlap_box((0, 1.5, 0), (1, 1, 1)) == [thin]
    assert scene.overlap_box((0, 0, 0), (9, 9, 9)) == [thin], "it lies inside"


def test_what_is_small_is_found_inside_what_is_large():
    scene = Scene()
    room = scene.spawn("room", model={"builtin": "sphere", "radius": 3.0})
    plane = scene.spawn("plane", model={"builtin": "plane", "size": 20}, position=(0, 0, -1))
    assert scene.overlap_sphere((0, 0, 0), 0.1) == [room]
    assert scene.overlap_sphere((0, 0, -0.95), 0.1) == [room, plane]
    assert scene.overlap_box((0, 0, 0), (0.1, 0.1, 0.1)) == [room]
    assert not is_inside(solid_of({"builtin": "plane", "size": 20}).triangles, np.array([0, 0, 1]))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda scene: scene.ray_cast((0, 0, 0), (0, 0, 0)), "a direction"),
        (lambda scene: scene.ray_cast((0, 0, 0), (0, 0, 1), distance=0), "above 0"),
        (lambda scene: scene.ray_cast((0, 0), (0, 0, 1)), "origin: expected three"),
        (lambda scene: scene.ray_cast((0, 0, 0), (0, math.nan, 1)), "direction: expected three"),
        (lambda scene: scene.overlap_sphere((0, 0, 0), -1), "radius: expected a positive"),
        (lambda scene: scene.overlap_box((0, 0, 0), (1, 0, 1)), "size: expected three positive"),
    ],
)
def test_wrong_numbers_are_named(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(Scene())


def test_wrong_models_and_flattened_objects_are_met_by_nothing():
    scene = Scene()
    scene.spawn("wrong", model={"builtin": "box", "size": "large"})
    scene.spawn("flat", model=BALL, scale=(1, 1, 0))
    assert scene.ray_cast((0, 0, 5), (0, 0, -1)) is None


def test_a_script_asks_for_the_box_around_a_model() -> None:
    scene = Scene()
    tower = scene.spawn("Tower", model={"builtin": "cylinder", "radius": 1.0, "height": 3.0})
    tower.transform.position, tower.transform.scale = (10.0, 0.0, 0.0), (1.0, 2.0, 2.0)
    bounds = tower.bounds
    assert bounds is not None
    assert bounds.low.tolist() == pytest.approx([9.0, -2.0, 0.0], abs=1e-5)
    assert bounds.high.tolist() == pytest.approx([11.0, 2.0, 6.0], abs=1e-5)
    assert bounds.center.tolist() == pytest.approx([10.0, 0.0, 3.0], abs=1e-5)
    tower.visible = False
    tower.transform.rotation = (0.0, 0.0, 90.0)
    assert tower.bounds is not None, "what is hidden has a size, too"
    assert tower.bounds.size.tolist() == pytest.approx([6.0, 4.0, 2.0], abs=1e-4)
    cloud = scene.spawn("Cloud", model={"builtin": "points"})
    assert cloud.bounds is None
    cloud.points = np.array([(1.0, 2.0, 3.0), (4.0, 4.0, 4.0)])
    assert cloud.bounds is not None
    assert cloud.bounds.size.tolist() == [3.0, 2.0, 1.0]
    assert scene.spawn("Empty").bounds is None


def test_a_model_from_a_file_is_met_once_it_is_there(stage):
    import shutil

    (stage.root / "assets").mkdir()
    shutil.copy(SHIPPED_ROOT / "assets" / "models" / "figure.glb", stage.root / "assets")
    stage.open({"obj_one": thing("Figure", {}, model={"asset": "assets/figure.glb"})})
    scene = stage.app.scene
    assert scene.ray_cast((0, 0, 50), (0, 0, -1)) is None
    assert scene.find("Figure").bounds is None
    stage.app.world.assets.poll(30.0)
    hit = scene.ray_cast((0, -50, 1.0), (0, 1, 0))
    assert hit is not None
    assert hit.object.name == "Figure"
    assert 48.0 < hit.distance < 50.5
    bounds = scene.find("Figure").bounds
    assert bounds is not None
    assert 1.0 < bounds.size[2] < 3.0


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_both_ends_of_a_cylinder_face_outwards(way):
    scene = Scene()
    scene.spawn("A", model={"builtin": "cylinder", "radius": 0.4, "height": 0.9})
    hit = scene.ray_cast((0.1, 0.0, -5.0 * way), (0, 0, way))
    assert hit.normal.tolist() == [0, 0, -way]


LATHE = {"builtin": "lathe", "profile": [[0, 0], [0.5, 0], [0.3, 0.6], [0, 0.6]]}


@pytest.mark.parametrize("seed", range(4))
def test_many_rays_at_once_are_to_the_bit_as_free_as_each_alone(seed):
    rng, scene = np.random.default_rng(seed), Scene()
    boxes = [{"builtin": "box", "size": rng.uniform(0.2, 1.5, 3).tolist()} for _ in range(30)]
    ground = {"builtin": "box", "size": [1.0, 1.0, 0.5], "origin": "bottom"}
    leaning = scene.spawn("leaning", rotation=(30, 40, 50), scale=(1, 2, 0.5))
    for number, model in enumerate([*boxes, *EXACT, LATHE, ground, BALL]):
        scene.spawn(
            f"{number}", model=model, position=rng.uniform(-4, 4, 3).tolist(),
            rotation=rng.uniform(-180, 180, 3).tolist(), parent=leaning if number % 3 else None,
            scale=rng.uniform(0.5, 2.0, 3).tolist(),
        )  # fmt: skip
    scene.spawn("flat", model=BOX, scale=(1, 0, 1))
    ignored = scene.find("leaning")
    for distance in (math.inf, 3.0):
        for ignore in ((), ignored):
            origin, ways = rng.uniform(-1, 1, 3), rng.normal(size=(40, 3))
            ways[0] = (0.0, 1.0, 0.0)
            alone = [scene.ray_cast(origin, way, distance=distance, ignore=ignore) for way in ways]
            wanted = [math.inf if hit is None else hit.distance for hit in alone]
            assert len(set(wanted)) > 1
            found = scene.ray_ways(origin, ways, distance=distance, ignore=ignore)
            assert found.tolist() == wanted


def test_rays_at_once_meet_what_is_wanted_and_refuse_what_is_no_direction():
    scene = Scene()
    assert scene.ray_ways((0, 0, 0), [(0, 1, 0)]).tolist() == [math.inf]
    scene.spawn("near", model=BALL, position=(0, 3, 0))
    scene.spawn("far", model=BALL, position=(0, 6, 0))

    def is_far(obj):
        return obj.name == "far"

    assert scene.ray_ways((0, 0, 0), [(0, 2, 0), (1, 0, 0)]).tolist() == [2.5, math.inf]
    assert scene.ray_ways((0, 0, 0), [(0, 2, 0)], where=is_far).tolist() == [5.5]
    for way, distance in (((0, 0, 0), 1.0), ((0, math.nan, 0), 1.0), ((0, 1, 0), 0.0)):
        with pytest.raises(ValueError, match="expected finite directions"):
            scene.ray_ways((0, 0, 0), [way], distance=distance)
