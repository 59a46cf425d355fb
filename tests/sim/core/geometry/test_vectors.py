"""Vectors of scripts: equal to NumPy beside every kind of operand, and never changed in vain."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyrr
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.geometry.transform import Transform, TransformStore
from sim.core.geometry.vectors import Matrix44, Quaternion, Vector3

numbers = st.floats(-1e3, 1e3, allow_subnormal=False).filter(lambda item: abs(item) > 1e-3)
threes = st.tuples(numbers, numbers, numbers)
KINDS: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple,
    "list": list,
    "array": np.array,
    "vector": lambda item: np.array(item).view(Vector3),
    "vector of pyrr": lambda item: pyrr.Vector3(item),
    "array of whole numbers": lambda item: np.array(item, dtype=np.int64) + 2000,
    "number": lambda item: item[0],
    "whole number": lambda item: int(item[0]) + 2000,
    "number of NumPy": lambda item: np.float64(item[0]),
}
SIGNS = [operator.add, operator.sub, operator.mul, operator.truediv]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]


def vector_of(values: Any) -> Any:
    return np.array(values, dtype=np.float64).view(Vector3)


@pytest.mark.parametrize("kind", KINDS)
@given(one=threes, two=threes)
def test_operators_are_those_of_numpy(kind: str, one: Any, two: Any) -> None:
    vector, other = vector_of(one), KINDS[kind](two)
    plain = np.array(other)
    for sign in SIGNS:
        for found, wanted in (
            (sign(vector, other), sign(np.array(one), plain)),
            (sign(other, vector), sign(plain, np.array(one))),
        ):
            assert type(found) is Vector3
            assert np.array_equal(np.array(found), wanted)
    for sign, plainly in zip(IN_PLACE, SIGNS, strict=True):
        changed = vector_of(one)
        assert sign(changed, other) is changed
        assert np.array_equal(np.array(changed), plainly(np.array(one), plain))


@pytest.mark.parametrize("kind", KINDS)
@given(one=threes, two=threes)
def test_vectors_are_equal_where_all_numbers_are(kind: str, one: Any, two: Any) -> None:
    for values in (one, two):
        other = KINDS[kind](values)
        is_equal = bool(np.all(np.array(one) == np.array(other)))
        vector = vector_of(one)
        assert (vector == other) is is_equal
        assert (other == vector) == is_equal
        assert (vector != other) is not is_equal


@given(one=threes, two=threes)
def test_products_are_those_of_pyrr(one: Any, two: Any) -> None:
    vector, old = vector_of(one), pyrr.Vector3(one)
    assert vector.dot(two) == vector | two == old.dot(two)
    assert np.array_equal(np.array(vector.cross(two)), np.array(old.cross(list(two))))
    assert (vector ^ two) == vector.cross(two)
    assert vector.length == old.length
    for name in ("normalized", "normalised", "inverse"):
        assert type(getattr(vector, name)) is Vector3
        assert getattr(vector, name) == np.array(getattr(old, name))


@pytest.mark.parametrize("other", [None, "a", "abc", (1, 2), (1, 2, 3, 4), [], object(), {}])
def test_what_is_no_vector_is_unequal_and_one_line_where_it_is_added(other: Any) -> None:
    vector = vector_of((1, 2, 3))
    assert vector != other
    assert not vector == other  # noqa: SIM201  both operators are tested
    for sign in (*SIGNS, *IN_PLACE):
        with pytest.raises((TypeError, ValueError), match="expected a number or three numbers"):
            sign(vector, other)
    assert vector.tolist() == [1, 2, 3]


def test_a_vector_stays_an_array() -> None:
    vector, points = vector_of((3, 4, 12)), np.arange(12.0).reshape(4, 3)
    assert np.linalg.norm(vector) == 13
    assert vector.tolist() == [3, 4, 12]
    assert [*vector] == [3, 4, 12]
    assert np.allclose(vector, (3, 4, 12))
    assert np.isclose(vector, (3, 5, 12)).tolist() == [True, False, True]
    assert (vector[:2] - (1, 1)).tolist() == [2, 3]
    assert (vector.xy * 2).tolist() == [6, 8]
    for found in (points - vector, vector - points):
        assert type(found) is np.ndarray
        assert (found * 2).shape == (4, 3)
    assert vector in [(1, 2, 3), (3, 4, 12)]
    for twin in (pickle.loads(pickle.dumps(vector)), copy.deepcopy(vector), vector.copy()):
        assert (type(twin), twin.tolist()) == (Vector3, [3, 4, 12])
    assert repr(vector) == "Vector3([ 3.,  4., 12.])"


@given(angle=st.floats(-3, 3), one=threes)
def test_rotations_and_matrices_take_what_vectors_take(angle: float, one: Any) -> None:
    turn, old = Quaternion.from_z_rotation(angle), pyrr.Quaternion.from_z_rotation(angle)
    matrix, was = turn.matrix44, old.matrix44
    for other in (one, list(one), np.array(one), pyrr.Vector3(one), vector_of(one)):
        for found, wanted in ((turn * other, old * pyrr.Vector3(one)),
                              (matrix * other, was * pyrr.Vector3(one))):  # fmt: skip
            assert np.array_equal(np.array(found), np.array(wanted))
            assert type(found) is Vector3
    assert (turn * (1, 0, 0)) == (turn * (1.0, 0.0, 0.0))
    assert turn == -turn
    assert not turn != -turn  # noqa: SIM202  both operators are tested
    assert turn == tuple(turn)
    for name in ("inverse", "conjugate", "matrix33", "matrix44"):
        found = getattr(turn, name)
        assert np.array_equal(np.array(found), np.array(getattr(old, name)))
        assert type(found).__module__.startswith("sim.")
    assert matrix == was
    assert np.allclose(matrix.inverse * (matrix * one), one)
    assert (matrix[3, :3] + (1, 2, 3)).tolist() == [1, 2, 3]
    scale, _, place = matrix.decompose()
    assert np.allclose(scale, 1)
    assert place == (0, 0, 0)


@pytest.mark.parametrize(
    "compute",
    [
        lambda turn, matrix: turn * "a",
        lambda turn, matrix: turn * (1, 2),
        lambda turn, matrix: turn + np.ones(3),
        lambda turn, matrix: matrix * None,
        lambda turn, matrix: matrix * (1, 2),
        lambda turn, matrix: matrix - "a",
        lambda turn, matrix: turn | object(),
        lambda turn, matrix: vector_of((1, 2, 3)) * matrix,
        lambda turn, matrix: vector_of((1, 2, 3)).dot("a"),
        lambda turn, matrix: vector_of((1, 2, 3)).cross((1, 2)),
    ],
)
def test_what_cannot_be_computed_is_one_line(compute: Callable[..., Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"expected|Cannot multiply"):
        compute(Quaternion(), Matrix44.identity())
    assert Quaternion() != None  # noqa: E711  the operator is tested
    assert Matrix44.identity() != "a"


# -- changes of items ---------------------------------------------------------------------------


def change_items(item: Transform) -> None:
    item.position[0] = 5
    item.position.y = 6
    item.position[2] += 1
    item.rotation[:] = (10, 20, 30)
    item.rotation.z -= 5
    item.scale.xy = (2, 3)
    item.scale[2:] *= 4


def test_items_can_be_assigned() -> None:
    item = Transform(TransformStore(), 0)
    change_items(item)
    assert item.position == (5, 6, 1)
    assert item.rotation == (10, 20, 25)
    assert item.scale == (2, 3, 4)
    item.world_position[2] = 9
    assert item.position == (5, 6, 9)
    item.world_matrix[3][0] = 7
    item.matrix[3, 1] -= 1
    assert np.allclose(item.position, (7, 5, 9))
    item.position.normalize()
    item.position.length = 2
    assert math.isclose(item.position.length, 2)
    item.position.fill(1)
    item.position += (1, 0, 0)
    item.position -= [0, 1, 0]
    item.position *= 3
    assert item.position == (6, 0, 3)
    exec("item.position[0] = 1", {"item": item})
    assert item.position == (1, 0, 3)


def test_what_a_name_holds_is_a_copy() -> None:
    item = Transform(TransformStore(), 0)
    place = item.position
    for number in range(3):
        place[number] = 9
    place.x += 1
    place += (1, 1, 1)
    place.normalize()
    del place
    held = [item.rotation]
    held[0][0] = 4
    held.clear()
    assert item.position == item.rotation == (0, 0, 0)
    place = item.position  # as Unity's scripts do
    place[2] += 2
    item.position = place
    assert item.position == (0, 0, 2)


def test_a_change_that_can_go_nowhere_is_one_line() -> None:
    item = Transform(TransformStore(), 0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        item.forward[2] = 0
        ahead = item.forward  # a copy, which may be changed
        ahead[2] = 0
    assert [str(line.message).partition(":")[0] for line in told] == ["forward"]
    with pytest.raises(ValueError, match="position: expected finite numbers"):
        item.position[1] = math.nan
    with pytest.raises(AttributeError):
        item.forward += (1, 0, 0)
    assert item.position == (0, 0, 0)


@given(angles=st.tuples(st.floats(-179, 179), st.floats(-80, 80), st.floats(-179, 179)))
def test_a_quaternion_can_be_assigned(angles: Any) -> None:
    item, twin = Transform(TransformStore(), 0), Transform(TransformStore(), 0)
    item.rotation = angles
    twin.quaternion = tuple(2 * item.quaternion)
    assert np.allclose(twin.rotation, angles, atol=1e-6)
    twin.quaternion = (0, 0, 0, 1)
    assert twin.rotation == (0, 0, 0)


@pytest.mark.parametrize("value", [(0, 0, 0, 0), (1, 2, 3), "a", (math.nan, 0, 0, 1)])
def test_what_is_no_rotation_is_refused(value: Any) -> None:
    item = Transform(TransformStore(), 0)
    with pytest.raises(ValueError, match="quaternion"):
        item.quaternion = value
    with pytest.raises(ValueError, match="matrix"):
        item.world_matrix = value
