from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.experiments.configuration import (
    CellConfiguration,
    ConfigurationError,
    parse_alpha,
    parse_pairs,
    strength,
)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"games": 0}, "--games"),
        ({"seed": -1}, "--seed"),
        ({"ga": "10"}, "--ga"),
        ({"ga": "0x5"}, "--ga"),
        ({"randomness": "some"}, "--randomness"),
        ({"player": "nobody"}, "--player"),
        ({"player": "genetic"}, "--player"),
        ({"settings": {"records": 0}}, "records: expected a whole number from 1 to 50"),
        ({"settings": {"records": "many"}}, "records"),
        ({"settings": {"alpha": -1}}, "alpha"),
        ({"settings": {"no_such": 1}}, "no_such"),
        ({"opponent": {"no_such": 1}}, "no_such"),
        ({"size": 1}, "size"),
    ],
)
def test_a_wrong_value_is_named(values, named):
    with pytest.raises(ConfigurationError, match=named) as caught:
        CellConfiguration(**values)
    assert "expected" in str(caught.value)


def test_the_cells_name_says_records_condition_and_seed():
    def name(**settings):
        return CellConfiguration(settings=settings, seed=3).condition

    assert name() == "r4_a5_s3"
    assert name(records=2, alpha=None) == "r2_anone_s3"
    assert name(alpha="10") == "r4_a10_s3"
    assert name(**parse_alpha("no-relearn")) == "r4_norelearn_s3"


def test_plain_values_and_back():
    cell = CellConfiguration(settings={"records": "3"}, opponent={"mutation": 0.5})
    again = CellConfiguration.from_dict(cell.as_dict())
    assert not again.difference(cell.as_dict())
    assert again.resolved == cell.resolved
    assert again.difference(CellConfiguration(settings={"records": 2}).as_dict())
    with pytest.raises(ConfigurationError):
        CellConfiguration.from_dict({"bogus": 1})


def test_the_rule_is_of_all_its_games():
    exact = CellConfiguration(rule="standard")
    assert exact.rules.rule == "standard"
    assert exact.condition == "r4_a5_s0_standard"
    again = CellConfiguration.from_dict(exact.as_dict())
    assert not again.difference(exact.as_dict())
    assert again.as_dict()["rule"] == "standard"
    usual = CellConfiguration()
    assert "rule" not in usual.as_dict(), "files of before are those of now"
    assert CellConfiguration.from_dict(usual.as_dict()).rules.rule == "freestyle"
    assert exact.difference(usual.as_dict())


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"rule": "renju"}, "cnn-ann: expected the rule freestyle or standard, found renju"),
        (
            {"rule": "exact"},
            "--rule: expected one of freestyle, standard, renju, caro, found 'exact'",
        ),
        (
            {"rule": "standard", "opponents": "league"},
            "oracle: expected the rule freestyle, found standard",
        ),
    ],
)
def test_a_rule_that_a_player_does_not_know_is_one_line(values, line):
    with pytest.raises(ConfigurationError) as refused:
        CellConfiguration(**values)
    assert str(refused.value) == line


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_strengths_are_read(population, generations):
    text = f"{population}x{generations}"
    assert strength(text) == {"population": population, "generations": generations}


@pytest.mark.parametrize("text", ["-5", "five", "nan", "inf", ""])
def test_a_wrong_alpha_is_refused(text):
    with pytest.raises(ConfigurationError, match="--alpha"):
        parse_alpha(text)


def test_pairs_are_split_between_the_players():
    assert parse_pairs(["epochs=5", "ga.mutation=0.5"]) == ({"epochs": "5"}, {"mutation": "0.5"})
    with pytest.raises(ConfigurationError, match="KEY=VALUE"):
        parse_pairs(["epochs"])


def test_a_cell_stored_when_exact_was_the_only_usual_index_is_gone_on_with():
    usual = CellConfiguration()
    assert usual.as_dict()["settings"]["index"] == "auto"
    for before in ("exact", "projection"):
        stored = usual.as_dict()
        stored["settings"]["index"] = before
        assert not usual.difference(stored)
    hnsw = CellConfiguration(settings={"index": "hnsw"})
    assert hnsw.difference(stored | {"settings": stored["settings"] | {"index": "exact"}})
    assert usual.difference(hnsw.as_dict())
