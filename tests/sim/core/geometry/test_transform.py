"""Transforms: the batch equals pyrr and Panda3D, and going to local and back is the identity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from panda3d.core import NodePath
from pyrr import Matrix44, Vector3

from sim.core.geometry.rotations import FEW, are_mirrored, is_mirrored, local_matrices, turns
from sim.core.geometry.transform import NO_PARENT, Transform, TransformStore
from tests.examples import examples

Values = tuple[list[float], list[float], list[float]]

coordinates = st.floats(-100, 100, allow_subnormal=False)
degrees = st.floats(-720, 720, allow_subnormal=False)
factors = st.floats(0.25, 4) | st.floats(-4, -0.25)
triples = st.tuples(
    st.lists(coordinates, min_size=3, max_size=3),
    st.lists(degrees, min_size=3, max_size=3),
    st.lists(factors, min_size=3, max_size=3),
)
points = st.lists(coordinates, min_size=3, max_size=3)
laws = settings(max_examples=examples(30, 60), deadline=None)


@st.composite
def hierarchies(draw: st.DrawFn, most: int = 12) -> list[tuple[int, Values]]:
    """Draw (index of the parent or -1, values), parents first."""
    found = []
    for index in range(draw(st.integers(1, most))):
        parent = draw(st.integers(max(-1, index - 4), index - 1))
        found.append((parent, draw(triples)))
    return found


def made(hierarchy: list[tuple[int, Values]]) -> tuple[TransformStore, list[Transform]]:
    store = TransformStore()
    transforms: list[Transform] = []
    for parent, (position, rotation, scale) in hierarchy:
        slot = store.allocate(transforms[parent].slot if parent >= 0 else NO_PARENT)
        transforms.append(Transform(store, slot))
        transforms[-1].position = position
        transforms[-1].rotation = rotation
        transforms[-1].scale = scale
    return store, transforms


def pyrr_local(values: Values) -> Any:
    """Compose the local matrix from pyrr's parts. pyrr's turns go the other way round."""
    position, rotation, scale = values
    h, p, r = (math.radians(item) for item in rotation)
    turns = (
        Matrix44.from_y_rotation(-r),
        Matrix44.from_x_rotation(-p),
        Matrix44.from_z_rotation(-h),
    )
    matrix = np.array(Matrix44.from_scale(scale))
    for part in (*turns, Matrix44.from_translation(position)):
        matrix = matrix @ np.array(part)
    return matrix


def close(found: Any, expected: Any, tolerance: float = 1e-9) -> bool:
    size = 1.0 + float(np.abs(np.asarray(expected)).max())
    return bool(np.allclose(np.asarray(found), expected, rtol=0, atol=tolerance * size))


@laws
@given(hierarchies())
def test_the_batch_equals_pyrr(hierarchy: list[tuple[int, Values]]) -> None:
    store, transforms = made(hierarchy)
    alone = [np.array(item.world_matrix) for item in transforms]
    moved = store.update_world()
    assert sorted(moved) == [item.slot for item in transforms]
    expected: list[Any] = []
    for index, (parent, values) in enumerate(hierarchy):
        local = pyrr_local(values)
        expected.append(local @ expected[parent] if parent >= 0 else local)
        assert close(transforms[index].matrix, local)
        assert close(store.world[transforms[index].slot], expected[-1])
        assert close(alone[index], expected[-1])
        assert close(transforms[index].world_position, expected[-1][3, :3])


@laws
@given(hierarchies())
def test_the_batch_equals_panda3d(hierarchy: list[tuple[int, Values]]) -> None:
    store, transforms = made(hierarchy)
    store.update_world()
    nodes: list[Any] = []
    for parent, (position, rotation, scale) in hierarchy:
        node = (nodes[parent] if parent >= 0 else NodePath("top")).attachNewNode("node")
        node.setPosHprScale(*position, *rotation, *scale)
        nodes.append(node)
    for node, item in zip(nodes, transforms, strict=True):
        assert close(store.world[item.slot], np.array(node.getNetTransform().getMat()), 1e-3)


@laws
@given(hierarchies(5), points)
def test_to_world_and_back_is_the_identity(
    hierarchy: list[tuple[int, Values]], point: list[float]
) -> None:
    _, transforms = made(hierarchy)
    last = transforms[-1]
    world = last.to_world(point)
    condition = float(np.linalg.cond(np.array(last.world_matrix)))
    assume(condition < 1e9)
    size = 1.0 + float(np.abs(point).max())
    assert np.allclose(
        np.asarray(last.to_local(world)), point, rtol=0, atol=1e-13 * condition * size + 1e-9
    )
    assert close(world, (np.array([*point, 1.0]) @ np.array(last.world_matrix))[:3])


@laws
@given(triples)
def test_quaternion_and_axes_say_what_the_matrix_says(values: Values) -> None:
    position, rotation, scale = values
    _, (item,) = made([(-1, (position, rotation, [abs(factor) for factor in scale]))])
    rows = np.array(item.matrix)[:3, :3]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert math.isclose(float(np.linalg.norm(item.quaternion)), 1.0)
    for row, axis, unit in zip(rows, (item.right, item.forward, item.up), np.eye(3), strict=True):
        assert close(axis, row)
        assert close(item.quaternion * Vector3(unit), row)


@laws
@given(triples, points)
def test_look_at_turns_y_to_the_target(values: Values, target: list[float]) -> None:
    _, (item,) = made([(-1, (values[0], values[1], [1.0, 1.0, 1.0]))])
    away = np.array(target) - values[0]
    length = float(np.linalg.norm(away))
    assume(length > 1e-6)
    item.look_at(target)
    assert close(item.forward, away / length, 1e-9)
    assert item.rotation[2] == 0.0
    assert item.up[2] >= -1e-9  # upright
    node = NodePath("node")
    node.setPos(*values[0])
    node.lookAt(*target)
    if math.hypot(away[0], away[1]) > 0.1 and length > 0.1:
        ahead = node.getMat().getRow3(1)
        assert close(item.forward, [ahead[0], ahead[1], ahead[2]], 1e-3)


def test_look_at_its_own_place_changes_nothing_and_straight_up_is_up() -> None:
    _, (item,) = made([(-1, ([1, 2, 3], [10, 20, 30], [1, 1, 1]))])
    item.look_at([1, 2, 3])
    assert item.rotation.tolist() == [10, 20, 30]
    item.look_at([1, 2, 9])
    assert item.rotation.tolist() == [0, 90, 0]
    item.look_at([1, 2, -9])
    assert item.rotation.tolist() == [0, -90, 0]


@laws
@given(hierarchies(), st.data())
def test_changes_of_parents_and_values_reach_all_below(
    hierarchy: list[tuple[int, Values]], data: st.DataObject
) -> None:
    store, transforms = made(hierarchy)
    store.update_world()
    indices = st.integers(0, len(hierarchy) - 1)
    changed = list(hierarchy)
    for _ in range(data.draw(st.integers(1, 4))):
        index = data.draw(indices)
        parent = data.draw(st.integers(-1, index - 1))  # never below itself
        values = data.draw(triples)
        changed[index] = (parent, values)
        above = transforms[parent].slot if parent >= 0 else NO_PARENT
        store.set_parent(transforms[index].slot, above)
        item = transforms[index]
        item.position, item.rotation, item.scale = values
    again, expected = made(changed)
    alone = [np.array(item.world_matrix) for item in transforms]
    store.update_world()
    again.update_world()
    for index, (item, other) in enumerate(zip(transforms, expected, strict=True)):
        assert np.array_equal(store.world[item.slot], again.world[other.slot])
        assert close(alone[index], again.world[other.slot])


def test_only_what_moved_is_updated() -> None:
    store, transforms = made([(-1, ([0, 0, 0], [0, 0, 0], [1, 1, 1]))] * 3)
    store.update_world()
    assert store.update_world().tolist() == []
    transforms[1].position = [0, 0, 0]  # as it was
    assert store.update_world().tolist() == []
    transforms[1].translate([1, 0, 0])
    assert store.update_world().tolist() == [transforms[1].slot]


def test_slots_are_used_again_as_new_and_the_arrays_grow() -> None:
    identity: Values = ([0, 0, 0], [0, 0, 0], [1, 1, 1])
    store, transforms = made([(-1, ([1, 2, 3], [4, 5, 6], [7, 8, 9])), (0, identity)])
    store.update_world()
    for item in reversed(transforms):
        store.release(item.slot)
    slots = [store.allocate() for _ in range(500)]
    assert len(set(slots)) == 500
    store.update_world()
    assert np.array_equal(store.world[slots], np.tile(np.eye(4), (500, 1, 1)))
    assert (store.parents[slots] == NO_PARENT).all()


@pytest.mark.parametrize("name", ["position", "rotation", "scale"])
@pytest.mark.parametrize("value", [[1, 2], 5, [1, 2, math.nan], [math.inf, 0, 0]])
def test_what_is_no_vector_is_refused(name: str, value: Any) -> None:
    _, (item,) = made([(-1, ([1, 2, 3], [4, 5, 6], [7, 8, 9]))])
    before = getattr(item, name).tolist()
    with pytest.raises(ValueError, match=f"{name}: expected three finite numbers"):
        setattr(item, name, value)
    assert getattr(item, name).tolist() == before


def test_vectors_that_are_kept_are_copies() -> None:
    _, (item,) = made([(-1, ([1, 2, 3], [4, 5, 6], [7, 8, 9]))])
    position, matrix = item.position, item.world_matrix
    position[0] = position.y = 99
    matrix[3][0] = 99
    assert item.position.tolist() == [1, 2, 3]
    assert item.world_position.tolist() == [1, 2, 3]


def test_a_direction_keeps_no_place() -> None:
    _, (item,) = made([(-1, ([1, 2, 3], [90, 0, 0], [2, 2, 2]))])
    assert close(item.direction_to_local([0, 1, 0]), [0.5, 0, 0])


@laws
@given(triples, triples, points)
def test_a_direction_goes_to_the_world_as_the_way_between_two_places(
    above: Values, values: Values, way: list[float]
) -> None:
    _, (_, transform) = made([(-1, above), (0, values)])
    assume(not transform.is_flat)
    turned = transform.direction_to_world(way)
    between = transform.to_world(way) - transform.to_world((0, 0, 0))
    assert np.allclose(turned, between, rtol=1e-9, atol=1e-6)
    assert np.allclose(transform.direction_to_local(turned), way, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "name", ["to_world", "to_local", "direction_to_world", "direction_to_local"]
)
def test_what_is_no_place_and_no_direction_is_one_clear_error(name: str) -> None:
    transform = Transform(TransformStore(), 0)
    for value in ((1, 2), "abc", None, (1, 2, math.nan), 3):
        with pytest.raises(ValueError, match=f"^{name}: expected three finite numbers, got "):
            getattr(transform, name)(value)


@given(triples, triples)
@settings(max_examples=15, deadline=None)
def test_what_is_placed_in_the_world_is_there(above: Values, values: Values) -> None:
    even = (above[0], above[1], [above[2][0]] * 3)  # no shear
    _, (_, child) = made([(-1, even), (0, ([0, 0, 0], [0, 0, 0], [1, 1, 1]))])
    world = pyrr_local(values)  # mirrored or not, below what is mirrored or not
    child.place(world)
    assert close(child.world_matrix, world, 1e-7)
    assert (np.linalg.det(world[:3, :3]) < 0) == is_mirrored(np.asarray(child.world_matrix))


@given(triples, triples, triples)
@settings(max_examples=20, deadline=None)
def test_a_place_in_the_world_is_its_scale_then_its_rotation(
    above: Values, values: Values, other: Values
) -> None:
    even = (above[0], above[1], [above[2][0]] * 2 + [-above[2][0]])
    _, (_, child) = made([(-1, even), (0, values)])
    for _ in range(2):
        rows = np.asarray(child.world_matrix)[:3, :3]
        turned = turns(np.asarray(child.world_rotation))
        assert close(np.asarray(child.world_scale)[:, None] * turned, rows, 1e-7)
        child.world_rotation = other[1]
        assert close(turns(np.asarray(child.world_rotation)), turns(other[1]), 1e-7)


@given(triples, triples, points)
@settings(max_examples=20, deadline=None)
def test_the_y_axis_looks_where_it_is_told_below_any_parent(
    above: Values, values: Values, away: list[float]
) -> None:
    assume(np.linalg.norm(away) > 1e-3)
    _, (_, child) = made([(-1, above), (0, values)])
    child.look_along(away)
    assert close(child.forward, np.array(away) / np.linalg.norm(away), 1e-6)


def test_what_is_looked_at_is_as_before_below_an_even_parent() -> None:
    _, (_, child) = made(
        [(-1, ([1, 2, 3], [30, 40, 50], [2, 2, 2])), (0, ([1, 0, 0],) * 2 + ([1, 1, 1],))]
    )
    child.look_along([3.0, 4.0, 0.0])
    assert close(child.right, [0.8, -0.6, 0.0])
    assert close(child.up, [0.0, 0.0, 1.0])


@pytest.mark.parametrize("factors", [[1, 0, 1], [0, 0, 0]])
def test_below_a_scale_of_zero_no_place_in_the_world_can_be_had(factors: list[float]) -> None:
    _, (_, child) = made(
        [(-1, ([0, 0, 0], [10, 20, 30], factors)), (0, ([0, 0, 0],) * 2 + ([1, 1, 1],))]
    )
    before = child.position.tolist()
    with pytest.raises(ValueError, match="world_position: expected no scale of 0"):
        child.world_position = [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="place: expected no scale of 0"):
        child.place(np.eye(4))
    with pytest.raises(ValueError, match="to_local: expected no scale of 0"):
        child.to_local([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="look_at: expected no scale of 0"):
        child.look_along([1.0, 2.0, 3.0])
    assert child.position.tolist() == before
    assert child.is_flat


def test_mirrors_are_told_of_many_matrices_as_of_one() -> None:
    matrices = np.random.default_rng(3).standard_normal((40, 4, 4))
    expected = np.linalg.det(matrices[:, :3, :3]) < 0.0
    assert are_mirrored(matrices).tolist() == expected.tolist()
    assert [is_mirrored(matrix) for matrix in matrices] == expected.tolist()


def test_the_matrices_of_few_are_to_the_bit_those_of_many():
    rng = np.random.default_rng(5)
    count = 3 * FEW
    positions, scales = rng.normal(size=(count, 3)), rng.uniform(-2.0, 3.0, (count, 3))
    rotations = rng.uniform(-400.0, 400.0, (count, 3))
    rotations[rng.random((count, 3)) < 0.3] = 0.0
    many = local_matrices(positions, rotations, scales)
    for begin in range(count):
        part = slice(begin, begin + 1 + begin % FEW)
        few = local_matrices(positions[part], rotations[part], scales[part])
        assert few.tobytes() == many[part].tobytes()


class Waiting:
    """Moves of slots, to be made when somebody looks."""

    def __init__(self, store: TransformStore, slots: Any, positions: Any, rotations: Any) -> None:
        self.store, self.moves = store, (slots, positions, rotations)
        self.asked: list[int] = []

    def apply(self) -> None:
        self.store.put_roots(*self.moves)

    def matrix_of(self, slot: int) -> Any:
        self.asked.append(slot)
        slots, positions, rotations = self.moves
        row = slots.tolist().index(slot) if slot in slots else -1
        if row < 0:
            return None
        one = slice(row, row + 1)
        return local_matrices(positions[one], rotations[one], self.store.scales[slot : slot + 1])[0]


READERS = {
    "position": lambda store, item: item.position,
    "rotation": lambda store, item: item.rotation,
    "scale": lambda store, item: item.scale,
    "matrix": lambda store, item: item.matrix,
    "quaternion": lambda store, item: item.quaternion,
    "world_matrix": lambda store, item: item.world_matrix,
    "world_position": lambda store, item: item.world_position,
    "world_rotation": lambda store, item: item.world_rotation,
    "forward": lambda store, item: item.forward,
    "translate": lambda store, item: item.translate((1.0, 2.0, 3.0)) or item.position,
    "numbers": lambda store, item: store.numbers()[item.slot],
    "world": lambda store, item: store.world[item.slot],
    "memory": lambda store, item: np.concatenate(
        [part[item.slot].ravel() for part in store.memory()]
    ),
    "leave": lambda store, item: item.leave() or item.position,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_whoever_looks_finds_what_was_deferred_moved(reader: Any) -> None:
    values: Values = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [1.0, 2.0, 0.5])
    positions, rotations = np.array([[4.0, 5.0, 6.0]]), np.array([[70.0, -80.0, 90.0]])
    found = []
    for is_deferred in (False, True):
        store, transforms = made([(-1, values), (-1, values), (1, values)])
        store.update_world()
        item = transforms[0]
        slots = np.array([item.slot])
        if is_deferred:
            store.defer(Waiting(store, slots, positions, rotations))
        else:
            store.move(slots, positions, rotations)
            store.refresh()
        found.append(np.array(reader(store, item)).tobytes())
        store.refresh()
        assert store.deferred is None
    assert found[0] == found[1]


def test_others_are_looked_at_and_what_is_deferred_waits_until_something_is_moved() -> None:
    values: Values = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [1.0, 1.0, 1.0])
    store, (first, second, child) = made([(-1, values), (-1, values), (1, values)])
    store.update_world()
    before = np.array(child.world_matrix)
    moves = Waiting(store, np.array([first.slot]), np.ones((1, 3)), np.zeros((1, 3)))
    revision = store.revision
    store.defer(moves)
    assert store.revision > revision
    assert np.array_equal(child.world_matrix, before)
    assert store.deferred is moves
    assert first.world_position.tolist() == [1.0, 1.0, 1.0]
    assert store.deferred is moves
    second.position = (9.0, 9.0, 9.0)
    assert store.deferred is None
    assert first.position.tolist() == [1.0, 1.0, 1.0]
    assert sorted(store.update_world()) == sorted([first.slot, second.slot, child.slot])


def test_what_is_deferred_later_comes_after_what_was_before() -> None:
    values: Values = ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0])
    store, (first, second) = made([(-1, values)] * 2)
    store.update_world()
    both = np.array([first.slot, second.slot])
    store.defer(Waiting(store, both, np.full((2, 3), 5.0), np.zeros((2, 3))))
    store.defer(Waiting(store, both[:1], np.full((1, 3), 7.0), np.zeros((1, 3))))
    assert second.position.tolist() == [5.0, 5.0, 5.0]
    assert first.position.tolist() == [7.0, 7.0, 7.0]


def test_what_is_broken_off_as_it_is_moved_is_moved_with_the_next_look() -> None:
    """A script's time may be up in the middle of its look."""
    values: Values = ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0])
    store, (item,) = made([(-1, values)])
    store.update_world()
    moves = Waiting(store, np.array([item.slot]), np.full((1, 3), 5.0), np.zeros((1, 3)))
    whole, moves.moves = moves.moves, ()
    store.defer(moves)
    with pytest.raises(TypeError):
        _ = item.position
    moves.moves = whole
    assert item.position.tolist() == [5.0, 5.0, 5.0]
