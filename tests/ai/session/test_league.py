"""Who plays which game of a league, and with which settings."""

from __future__ import annotations

import pytest

from ai.game import WHITE, Rules
from ai.session.league import MEMBERS, league_refusal, member_of, place_of, player_of, strength


def test_a_game_has_its_place_and_its_member_by_its_number_alone() -> None:
    assert [tuple(place_of(game)) for game in (1, 5, 6)] == [(1, 1), (1, 5), (2, 1)]
    later = [member_of(3, game) for game in (12, 13)]
    assert later == [member_of(3, game) for game in range(1, 14)][-2:]


def test_the_order_of_a_seed_is_what_it_was() -> None:
    assert [member_of(3, game) for game in range(1, 8)] == [
        "oracle", "alpha-beta", "10x10", "pattern", "50x30", "50x30", "oracle",
    ]  # fmt: skip


def test_a_strength_goes_before_the_settings_of_the_genetic_algorithm() -> None:
    given = {"population": 7, "elite": 0.1}
    assert player_of("50x30", given) == (
        "genetic", {"population": 50, "generations": 30, "elite": 0.1},
    )  # fmt: skip
    assert player_of("oracle", given) == ("oracle", {})
    assert given == {"population": 7, "elite": 0.1}


@pytest.mark.parametrize("text", ["", "10", "0x3", "10x", "pattern"])
def test_what_is_no_strength_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"expected population x generations .* found '{text}'"):
        strength(text)


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (Rules(7, 5, full_board_winner=WHITE), ""),
        (Rules(15, 5), "oracle: expected a board from 3 to 8, found 15"),
        (Rules(7, 5, "standard"), "oracle: expected the rule freestyle, found standard"),
    ],
)
def test_a_game_that_a_member_does_not_play_is_named(rules: Rules, why: str) -> None:
    assert league_refusal(rules) == why
    assert len(MEMBERS) == 5
