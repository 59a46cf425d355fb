"""Options of scripts: what a declaration says, which values fit, what a script reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.errors import UsageError
from sim import Script, option
from sim.core.project.run_options import Flag
from sim.core.script.options import collect_options


class Gate(Script):
    rounds: int | None = option(min=1, max=9, metavar="N", ends_run=True, help="How many.")
    pace: float = option(1.5, min=0.0)
    sheep_name: str | None = option(choices=["dolly", "shaun"])
    is_open: bool = option(False)


class Fence(Gate):
    pace: float = option(2.5)


def test_a_declaration_becomes_an_option() -> None:
    found = collect_options(Gate)
    assert list(found) == ["rounds", "pace", "sheep-name", "is-open"]
    assert found["rounds"] == Flag(
        "rounds", None, 1, 9, kind=int, metavar="N", ends_run=True, help="How many."
    )
    assert [item.usage for item in found.values()] == [
        "--rounds N", "--pace N", "--sheep-name TEXT", "--is-open",
    ]  # fmt: skip
    assert collect_options(Fence)["pace"].default == 2.5


@given(st.integers())
def test_whole_numbers_within_the_bounds_fit(value: int) -> None:
    rounds = collect_options(Gate)["rounds"]
    if 1 <= value <= 9:
        assert rounds.check(value) == value
    else:
        with pytest.raises(
            UsageError, match="--rounds: expected a whole number from 1 to 9, found "
        ):
            rounds.check(value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rounds", True, "--rounds: expected a whole number from 1 to 9, found True"),
        ("rounds", "3", "--rounds: expected a whole number from 1 to 9, found '3'"),
        ("pace", -1.0, "--pace: expected a number of at least 0, found -1.0"),
        ("pace", float("nan"), "--pace: expected a number of at least 0, found nan"),
        ("sheep-name", "ben", "--sheep-name: expected one of dolly, shaun, found 'ben'"),
        ("is-open", 1, "--is-open: expected true or false, found 1"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, value: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        collect_options(Gate)[name].check(value)
    assert str(caught.value) == message


def declare(annotation: str, **given: object) -> None:
    type("Bad", (Script,), {"__annotations__": {"seed_of": annotation}, "seed_of": option(**given)})


@pytest.mark.parametrize(
    ("annotation", "given", "message"),
    [
        ("list[int]", {}, "expected a type of int, float, str, bool, found 'list[int]'"),
        ("int", {"least": 1}, "unknown words ['least']"),
        ("int", {"name": "seed"}, "expected a flag of its own, found --seed"),
    ],
)
def test_a_wrong_declaration_names_itself(annotation: str, given: dict, message: str) -> None:
    with pytest.raises((TypeError, RuntimeError)) as caught:
        declare(annotation, **given)
    text = str(caught.value.__cause__ or caught.value)
    assert text == f"option seed_of: {message}"


def test_a_class_has_the_declaration_itself() -> None:
    assert Gate.rounds is vars(Gate)["rounds"]
    assert Fence.pace is not Gate.pace
