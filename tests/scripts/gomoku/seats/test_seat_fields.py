"""The fields of seats and of the hall are the players' options: default, bounds, choices, help."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ai import OptionError, get_player_info
from scripts.gomoku.seats.cnn_ann_seat import MEMORY_KEYS, TRAINING_KEYS, CnnAnnSeat
from scripts.gomoku.seats.genetic_seat import GeneticSeat
from scripts.gomoku.seats.seat import Seat
from scripts.hall.board import HallBoard
from sim import FieldError, Script, field

SEATS = [
    (GeneticSeat, "genetic", GeneticSeat.setting_keys),
    (CnnAnnSeat, "cnn-ann-plus", [key for key in MEMORY_KEYS + TRAINING_KEYS if key != "merges"]),
    (HallBoard, "cnn-ann-plus", ["records", "alpha"]),
]
CASES = [(owner, player, key) for owner, player, keys in SEATS for key in keys]


@pytest.mark.parametrize(("owner", "player", "key"), CASES)
def test_a_field_says_what_the_option_says(owner, player, key):
    (option,) = (item for item in get_player_info(player).settings if item.key == key)
    found = getattr(owner, key).option
    assert found.key == key
    assert (found.minimum, found.maximum) == (option.minimum, option.maximum)
    assert found.choices == option.choices
    assert found.help.lower() == option.help.lower()
    assert found.value_kind is option.value_kind
    if (owner, key) != (HallBoard, "alpha"):  # the hall's scenes leave it out for none
        assert found.default == option.default


def test_what_scenes_could_hold_before_still_fits():
    for owner, key, values in (
        (GeneticSeat, "generations", (1, 500)), (GeneticSeat, "elite", (0.01, 1.0)),
        (GeneticSeat, "patience", (1, 500)), (CnnAnnSeat, "alpha", (0.0, 100.0)),
        (CnnAnnSeat, "steps", (1, 5000)), (CnnAnnSeat, "least_steps", (1, 5000)),
        (CnnAnnSeat, "records", (1, 50)), (CnnAnnSeat, "relearn", ("memory", "last-game", "never")),
        (HallBoard, "alpha", (None, 0.0, 1e6)), (HallBoard, "player", ("cnn-ann", "ann")),
    ):  # fmt: skip
        for value in values:
            assert getattr(owner, key).parse(value) == value


def test_a_field_reads_what_is_typed_as_its_option_does():
    alpha = CnnAnnSeat.alpha.option
    assert alpha.resolve(" 7 ") == 7.0
    for text in ("none", "-1", "1e300", "seven"):
        with pytest.raises(OptionError, match="alpha: expected a number from 0 to 1000000, found"):
            alpha.resolve(text)
    assert HallBoard.alpha.option.resolve("None") is None


class Odd(Script):
    place: tuple[float, float] = field((0.0, 0.0))


def test_a_field_of_another_type_is_no_option():
    with pytest.raises(FieldError, match=r"Odd\.place: expected a switch, a number or a text"):
        _ = Odd.place.option


@pytest.mark.parametrize(
    ("worker", "is_compiled"),
    [
        (None, True),
        (SimpleNamespace(is_compiled=False), False),
        (SimpleNamespace(is_compiled=True), True),
    ],
)
def test_a_seat_runs_at_full_speed_until_its_worker_says_otherwise(worker, is_compiled):
    assert Seat.is_compiled.fget(SimpleNamespace(worker=worker)) is is_compiled
