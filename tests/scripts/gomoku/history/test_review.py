"""The pure parts of a review: turning points, mistakes, the tree of variations, shares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai import GameRecord, PositionValue, Rules
from ai.session.review import review_game
from scripts.gomoku.explain.comparison import free_shares
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.history.evaluation import known, mistakes, standing, turning_points, whites
from scripts.gomoku.history.variations import UNFINISHED, Variation, Variations, branch_words

RULES = Rules(7, 5, full_board_winner=-1)
MAIN = GameRecord(RULES, tuple(range(12)), 1, "five", 4)


def values(*whites_view, by="exact solver", best=None):
    """Return values of plies 0, 1, …, given from White's view; None is not proven."""
    found = {}
    for ply, value in enumerate(whites_view):
        own = 0.0 if value is None else value * (1 if ply % 2 else -1)
        is_proven = value is not None and by == "exact solver"
        found[ply] = PositionValue(ply, own, is_proven, best, by)
    return found


def test_a_value_is_seen_from_white():
    assert [whites(item) for item in values(-1, 1, -1, None).values()] == [-1, 1, -1, 0]


def test_the_lead_changes_where_the_other_side_wins_for_the_first_time():
    assert turning_points(values(None, 1, None, 1, -1, -1, None, -1, 1)) == [4, 8]
    assert turning_points(values(None, None)) == []
    assert turning_points({}) == []


def test_a_mistake_is_named_with_the_better_point():
    found = mistakes(values(None, 1, 1, 1, -1, best=9), (3, 4, 5, 6), 7)
    assert [(item.ply, item.best) for item in found] == [(3, 9)]
    assert found[0].text == "4. White g7 loses a win; better c6"


def test_what_is_not_proven_is_neither_drawn_nor_a_mistake():
    found = values(None, 1, None, 1, best=9)
    assert [item.ply for item in known(found)] == [1, 3]
    assert mistakes(found, (3, 4, 5), 7) == []
    assert len(known(values(0.0, 0.1, by="alpha-beta"))) == 2


def test_what_may_have_been_lost_before_is_no_mistake():
    assert mistakes(values(None, None, -1, -1), (3, 4, 5), 7) == []
    assert mistakes({3: values(1, 1, 1, 1)[3]}, (3, 4, 5), 7) == [], "values are still missing"


def test_a_players_value_that_falls_is_a_mistake():
    found = mistakes(values(0.0, 0.1, -0.5, by="alpha-beta"), (3, 4), 7)
    assert [item.text for item in found] == ["2. White e7 falls from even to losing"]


def test_a_value_is_said_in_a_word():
    words = [standing(value) for value in (1.0, 0.6, 0.3, -0.0, -0.3, -0.6, -1.0)]
    assert words == ["won", "winning", "better", "even", "worse", "losing", "lost"]


def test_the_panel_and_the_command_name_the_same_mistakes():
    """What the player saw only later was found by the command, and not by the panel."""
    moves, found = (24, 25, 26, 31), values(0.0, 0.0, 0.1, 0.9, 0.9, by="alpha-beta", best=31)
    found[3] = replace(found[3], value=0.2)  # White's 31, which it would play, turns out well
    reviewed = review_game(RULES, moves, found)
    assert [item.ply for item in reviewed if item.is_blunder] == [2]
    assert [item.ply for item in mistakes(found, moves, 7)] == [2]
    solved = values(None, 1, 1, 1, -1, best=9)
    expected = [item.ply for item in review_game(RULES, moves, solved) if item.is_blunder]
    assert [item.ply for item in mistakes(solved, moves, 7)] == expected == [3]


def test_variations_are_kept_on_the_disk(tmp_path):
    path = tmp_path / "scn_a" / "variations.json"
    kept = Variations(path)
    begun = Variation((0, 1, 30), players={1: "you", -1: "pattern"})
    kept.add("2/4", begun)
    kept.add("2/4", Variation((0, 1, 31), -1, "resigned"))
    again = Variations(path)
    assert again.of("2/4") == [begun, Variation((0, 1, 31), -1, "resigned", {1: "", -1: ""})]
    assert again.of("2/5") == []
    again.add("2/4", Variation((0, 1, 30, 33), 1, "five"))
    assert [item.moves for item in again.of("2/4")] == [(0, 1, 31), (0, 1, 30, 33)]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"1/1": [{"moves": 3}]}', '{"1/1": 5}'])
def test_a_file_of_variations_that_cannot_be_read_counts_as_empty(tmp_path, text):
    path = tmp_path / "variations.json"
    path.write_text(text)
    kept = Variations(path)
    assert kept.of("1/1") == []
    kept.add("1/1", Variation((1,)))
    assert Variations(path).of("1/1")


def test_a_full_disk_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    kept = Variations(tmp_path / "file" / "variations.json")
    kept.add("1/1", Variation((1,)))
    assert "expected to write the variations" in kept.fault
    assert kept.of("1/1"), "it is known until the end all the same"


def test_a_variation_says_where_it_begins_and_how_it_ended():
    line = Variation((0, 1, 30))
    assert describe_end(line.record(MAIN)) == "not finished"
    assert line.termination == UNFINISHED
    assert branch_words(line, 2, MAIN) == "from 2: not finished, 3 moves"
    won = Variation((0, 1, 30), 1, "resigned")
    assert branch_words(won, 2, MAIN) == "from 2: Black wins, resigned, 3 moves"


def test_shares_are_those_of_the_free_points():
    shares = free_shares([0.5, 0.3, 0.2], [0, 1, 0])
    assert shares.round(3).tolist() == [0.714, 0.0, 0.286]
    assert free_shares([0.0, 1.0], [0, 1]).tolist() == [0.0, 0.0]
    assert free_shares(None, [0]) is None
