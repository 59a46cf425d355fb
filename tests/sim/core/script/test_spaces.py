"""Spaces: what they take, what they refuse, and what they draw."""

from __future__ import annotations

import numpy as np
import pytest

from base.errors import FieldError
from sim import Box, Discrete, MultiBinary, MultiDiscrete
from sim.core.script.spaces import (
    checked_space,
    plain_space,
    random_value,
    validate_action,
    validate_actions,
    validate_observation,
)

SPACES = (
    Box(-1.0, 1.0, (3,)), Box([0, -np.inf], [np.inf, 5]), Box(0, 255, (4, 5, 3), "uint8"),
    Discrete(4), Discrete(3, start=-1), MultiDiscrete([2, 5]), MultiBinary(3),
    {"place": Box(-1.0, 1.0, (2,)), "gear": Discrete(5)},
)  # fmt: skip


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_a_random_value_is_one_of_the_space_and_comes_back_as_it_is(space) -> None:
    value = random_value(space, np.random.default_rng(3))
    again = validate_action(space, value, "x")
    np.testing.assert_equal(again, value)
    np.testing.assert_equal(validate_observation(space, value, "x"), value)
    assert plain_space(space)[0] in ("box", "discrete", "numbers", "binary", "dict")


@pytest.mark.parametrize(
    ("space", "value", "text"),
    [
        (Box(-1, 1, (2,)), [0.0, np.nan], "finite numbers [2] of float32, found [0.0, nan]"),
        (Box(-1, 1, (2,)), [0.0, np.inf], "finite numbers [2]"),
        (Box(-1, 1, (2,)), [0.0], "finite numbers [2] of float32, found [0.0]"),
        (Box(-1, 1, (2,)), "left", "found 'left'"),
        (Box(-1, 1, (2,)), None, "found None"),
        (Discrete(2), 2, "a whole number from 0 to 1, found 2"),
        (Discrete(2), np.nan, "a whole number from 0 to 1, found nan"),
        (Discrete(2), 0.5, "found 0.5"),
        (Discrete(2), np.array([0, 1]), "found [0, 1] [2] of int64"),
        (MultiDiscrete([2, 3]), [1, 3], "whole numbers from 0 to below [2, 3], found [1, 3]"),
        (MultiDiscrete([2, 3]), [0.5, 1], "found [0.5, 1]"),
        (MultiDiscrete([2, 3]), [[0], [1, 2]], "found [[0], [1, 2]]"),
        (MultiBinary(2), [0, 2], "from 0 to below [2, 2]"),
        ({"a": Discrete(2)}, {"b": 1}, "a dict with the keys a, found the keys b"),
        ({"a": Discrete(2)}, {"a": 7}, "x: a: expected a whole number"),
        ({"a": Discrete(2)}, 1, "a dict with the keys a, found 1"),
    ],
)
def test_what_is_no_value_is_refused_with_one_line(space, value, text) -> None:
    with pytest.raises(FieldError) as caught:
        validate_action(space, value, "x")
    assert text in str(caught.value)
    assert str(caught.value).startswith("x: ")
    assert "\n" not in str(caught.value)


def test_an_action_beyond_the_bounds_is_moved_to_them_and_an_observation_is_not() -> None:
    space = Box(-1.0, 1.0, (2,))
    assert validate_action(space, [3.0, -0.5], "x").tolist() == [1.0, -0.5]
    assert validate_observation(space, [3.0, -0.5], "x").tolist() == [3.0, -0.5]


def test_what_is_taken_is_a_copy() -> None:
    given = np.zeros(2, np.float32)
    taken = validate_observation(Box(-1, 1, (2,)), given, "x")
    given[0] = 1.0
    assert taken.tolist() == [0.0, 0.0]


def test_numbers_of_numpy_are_whole_numbers() -> None:
    for one in (np.int64(1), np.int8(1), np.array(1), np.array([1])):
        assert validate_action(Discrete(2), one, "x") == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Box(1.0, -1.0, (2,)), lambda: Box("a", 1.0), lambda: Box([0, 1], [1, 2, 3]),
        lambda: Box(0, 1, (2,), "float16"), lambda: Discrete(0), lambda: Discrete(True),
        lambda: MultiDiscrete([]), lambda: MultiDiscrete([0, 1]), lambda: MultiDiscrete([1.5]),
        lambda: MultiBinary(0), lambda: checked_space(7, "A.action_space"),
        lambda: checked_space({}, "A.action_space"), lambda: checked_space({"a": 1}, "A.action"),
    ],
)  # fmt: skip
def test_a_space_that_is_none_is_refused(make) -> None:
    with pytest.raises(FieldError, match="expected"):
        make()


@pytest.mark.parametrize(
    ("space", "rows"),
    [
        (Box(-1, 1, (2,)), np.array([[3.0, -0.5], [0.0, -9.0]], np.float32)),
        (Discrete(3, 5), np.array([5, 7])),
        (MultiDiscrete([2, 4]), np.array([[0, 3], [1, 0]])),
        (MultiBinary(2), np.array([[0, 1], [1, 1]], np.int8)),
    ],
)
def test_many_actions_are_validated_as_each_is(space, rows) -> None:
    for found, row in zip(validate_actions(space, rows), rows, strict=True):
        np.testing.assert_equal(found, validate_action(space, row, "x"))
    several = {"a": space, "b": Discrete(9)}
    found = validate_actions(several, {"a": rows, "b": np.array([4, 8])})
    for one, row, number in zip(found, rows, (4, 8), strict=True):
        np.testing.assert_equal(one, validate_action(several, {"a": row, "b": number}, "x"))
    assert validate_actions(several, {"a": rows, "b": np.array([4, 9])}) is None


@pytest.mark.parametrize(
    ("space", "rows"),
    [
        (Box(-1, 1), np.array([1.0, np.nan], np.float32)),
        (Discrete(3, 5), np.array([5, 8])),
        (MultiDiscrete([2, 4]), np.array([[0, 4], [1, 0]])),
        (MultiBinary(2), np.array([[0, 1], [-1, 1]], np.int8)),
    ],
)
def test_actions_of_which_one_is_none_are_looked_at_singly(space, rows) -> None:
    assert validate_actions(space, rows) is None


def test_the_former_name_of_validate_goes_on_working_with_one_line(caplog) -> None:
    assert Discrete(3).take(1, "x") == 1
    assert caplog.messages == ["Discrete.take is now Discrete.validate; the old name still works"]
