"""Options: values and texts are read alike, what does not fit is told, bounds in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import GoishiError
from base.schema import (
    Option,
    OptionError,
    bounds_text,
    check_fields,
    fits_bounds,
    options_of,
    parse_pairs,
    resolve,
    setting,
)

BOUNDS = st.one_of(st.none(), st.integers(-50, 50))
ALPHA = Option("alpha", 0.0, 0.0, 100.0)
RECORDS = Option("records", 1, 1, 50)
CAPACITY = Option("capacity", None, 1, 4000, kind=int)


@pytest.mark.parametrize(
    ("default", "given", "value"),
    [
        (True, "off", False), (False, "Yes", True), (False, True, True),
        (3, "4", 4), (3, 4.0, 4), (3, "4e1", 40), (3, "9007199254740993", 2**53 + 1), (0.5, 2, 2.0), (0.5, " 1.5 ", 1.5),
        ("a", "b", "b"), ("a", "none", "none"), (None, "none", None), (None, "5", 5.0),
    ],
)  # fmt: skip
def test_a_text_means_what_its_value_means(default, given, value):
    found = Option("x", default).resolve(given)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("option", "given", "expected"),
    [
        (Option("x", True), 1, "true or false"),
        (Option("x", True), "maybe", "true or false"),
        (Option("x", 3), 3.5, "a whole number"),
        (Option("x", 3), True, "a whole number"),
        (Option("x", 3), None, "a whole number"),
        (Option("x", 3, 1, 5), 6, "a whole number from 1 to 5"),
        (Option("x", 3.0, 1), 0.5, "a number of at least 1"),
        (Option("x", 3.0, maximum=5), math.inf, "a number of at most 5"),
        (Option("x", 3.0), "nan", "a number"),
        (Option("x", 3.0, optional=True), "five", "a number or none"),
        (Option("x", "a", choices=("a", "b")), "c", "one of a, b"),
        (Option("x", "a"), 3, "a text"),
        (Option("x", 3), [3], "a whole number"),
    ],
)
def test_what_does_not_fit_is_told(option, given, expected):
    with pytest.raises(OptionError) as caught:
        option.resolve(given)
    assert str(caught.value) == f"x: expected {expected}, found {given!r}"
    assert isinstance(caught.value, GoishiError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (Option("x", True), "on"), (Option("x", 3), "4"), (Option("x", 3), 10**400),
        (Option("x", None, kind=int), 2.5), (Option("x", None, kind=bool), 1),
    ],
)  # fmt: skip
def test_a_value_that_is_checked_is_not_read(option, value):
    with pytest.raises(OptionError, match="x: expected "):
        option.check(value)


def test_a_whole_number_is_kept_to_the_last_digit():
    option = Option("x", None, 0, 2**63 - 1, kind=int)
    assert option.check(2**63 - 1) == 2**63 - 1
    assert (option.resolve("7"), option.check(None)) == (7, None)


@given(st.floats(0.0, 100.0))
def test_every_number_within_bounds_is_taken_as_it_is(number):
    assert ALPHA.resolve(repr(number)) == number
    assert ALPHA.resolve(f"  {number!r} ") == number


@given(st.integers(1, 50))
def test_whole_numbers_are_whole(number):
    value = RECORDS.resolve(str(number))
    assert value == number
    assert type(value) is int


@given(st.text(max_size=40))
def test_any_text_is_a_number_within_bounds_or_refused(text):
    try:
        value = ALPHA.resolve(text)
    except OptionError:
        return
    assert math.isfinite(value)
    assert 0.0 <= value <= 100.0


@pytest.mark.parametrize(
    "text",
    ["", " ", "nan", "NaN", "inf", "-inf", "1e300", "1e999", "-1", "-0.5", "🙂", "٣", "1_0", "0x10",
     "5 5", "5,5", "none", "true", "9" * 5000, "1e", "--1", "\x00", "alpha"],
)  # fmt: skip
def test_nonsense_is_refused(text):
    with pytest.raises(OptionError, match="expected a number from 0 to 100"):
        ALPHA.resolve(text)
    with pytest.raises(OptionError, match="expected a whole number from 1 to 50"):
        RECORDS.resolve(text)


@pytest.mark.parametrize("text", ["2.5", "0", "51", "1e2"])
def test_a_whole_number_is_neither_broken_nor_out_of_bounds(text):
    with pytest.raises(OptionError):
        RECORDS.resolve(text)


def test_none_is_for_fields_that_may_be_none():
    assert CAPACITY.resolve("None") is None
    assert CAPACITY.resolve("12") == 12


def test_all_options_have_a_value_and_a_mistyped_one_is_an_error():
    options = [Option("depth", 3, 1, 9), Option("wide", False)]
    assert resolve(options, {"wide": "on"}, owner="me") == {"depth": 3, "wide": True}
    with pytest.raises(OptionError, match="me: expected one of depth, wide; found 'dept'"):
        resolve(options, {"dept": 3}, owner="me")
    with pytest.raises(OptionError, match="me: expected one of no settings at all; found 'x'"):
        resolve([], {"x": 1}, owner="me")


def test_a_setting_is_found_under_its_former_key():
    options = [Option("rate", 0.1, former=("speed", "pace")), Option("depth", 3)]
    assert resolve(options, {"pace": "0.5"}, owner="me") == {"rate": 0.5, "depth": 3}
    with pytest.raises(OptionError, match="rate: expected a number, found 'fast'"):
        resolve(options, {"speed": "fast"}, owner="me")


def test_a_former_value_is_read_as_the_one_that_took_its_place():
    option = Option("search", "auto", choices=("auto", "all"), former_values=(("hash", "auto"),))
    assert (option.resolve("hash"), option.check("hash"), option.check("all")) == (
        "auto",
        "auto",
        "all",
    )
    assert option.expectation == "one of auto, all"
    assert Option("depth", 3, former_values=((1, 3),)).check(1) == 3
    with pytest.raises(OptionError, match="search: expected one of auto, all, found 'hush'"):
        option.check("hush")


def test_a_number_may_fit_beside_the_bounds():
    option = Option("scale", 0.0, 0.75, 3.0, besides=(0.0,))
    assert (option.check(0), option.check(2)) == (0.0, 2.0)
    with pytest.raises(OptionError, match=r"scale: expected 0 or a number from 0\.75 to 3, found"):
        option.check(0.5)


def test_a_dataclass_declares_its_options():
    @dataclass(frozen=True)
    class Given:
        depth: int = setting(3, minimum=1)
        name: str = setting("a", choices=("a", "b"))
        other: tuple[int, ...] = ()

    assert options_of(Given) == {
        "depth": Option("depth", 3, 1), "name": Option("name", "a", choices=("a", "b")),
    }  # fmt: skip
    assert Given() == Given(3, "a")


@settings(deadline=None)
@given(low=BOUNDS, high=BOUNDS, value=st.floats(-100, 100), is_whole=st.booleans())
def test_what_is_taken_lies_within_the_bounds_and_its_text_means_the_same(
    low, high, value, is_whole
):
    option = Option("x", 1 if is_whole else 1.0, low, high)
    try:
        found = option.resolve(value)
    except OptionError:
        return
    assert fits_bounds(found, low, high)
    assert found == value
    assert option.resolve(str(found)) == found


@given(low=BOUNDS, high=BOUNDS)
def test_a_bound_stands_in_the_words_if_there_is_one(low, high):
    words = bounds_text("a number", low, high).split()
    assert words[:2] == ["a", "number"]
    assert [int(word) for word in words[2:] if word.lstrip("-").isdigit()] == [
        bound for bound in (low, high) if bound is not None
    ]


def test_no_number_is_within_any_bounds():
    assert not fits_bounds(math.nan, None, None)
    assert fits_bounds(math.inf, 0, None)


def test_the_declared_fields_of_a_dataclass_are_checked_and_no_others():
    @dataclass
    class Search:
        depth: int = setting(3, 1, key="--depth")
        free: int = 0

    check_fields(Search(1, -5))
    with pytest.raises(OptionError, match=r"--depth: expected .* at least 1, found 0"):
        check_fields(Search(0))


def test_pairs_are_split_at_their_first_equals_sign():
    assert parse_pairs(["a=1", "b=x=y", "c="], "--set") == {"a": "1", "b": "x=y", "c": ""}
    with pytest.raises(OptionError, match="--set: expected KEY=VALUE, found 'depth'"):
        parse_pairs(["depth"], "--set")
