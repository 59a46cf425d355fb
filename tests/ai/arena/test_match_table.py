"""The table of one player against each of the others, as in the report's Table 3."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.arena.arena import run_arena, write_table
from ai.arena.match_table import MatchRow, fault_text, match_rows, ratio_text, sum_of
from ai.arena.page import page_of, table_text_of
from ai.arena.tournament import Tournament, TournamentError
from ai.game import Rules

TINY = Tournament(("one-ply", "random"), games=2, rules=Rules(5, 4), nodes=10, seed=1,
                  first_only=True)  # fmt: skip
COUNTS = st.integers(0, 200)


def test_the_reports_own_sum_has_its_ratio() -> None:
    report = MatchRow("all", 41, 0, 103)
    assert round(report.ratio, 3) == 0.398
    assert ratio_text(report) == "Won to lost: 41 : 103, ratio 0.398 (0.278 to 0.571)."
    assert ratio_text(MatchRow("a", 0, 4, 0)) == "No game was decided."
    assert "ratio ∞ (" in ratio_text(MatchRow("a", 12, 0, 0))


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), min_size=1))
def test_the_sum_is_of_all_games_and_its_intervals_hold_it(counts) -> None:
    total = sum_of([MatchRow(str(place), *row) for place, row in enumerate(counts)])
    assert total.games == sum(map(sum, counts))
    low, high = total.interval
    assert low <= total.share + 1e-12
    assert total.share <= high + 1e-12
    least, most = total.ratio_interval
    if total.won + total.lost:
        assert least <= total.ratio * (1 + 1e-9) + 1e-12
        assert total.ratio <= most * (1 + 1e-9) or math.isinf(most)


def test_games_lost_by_a_fault_are_counted_for_who_made_it() -> None:
    games = [
        {"black": "a", "white": "b", "winner": "black", "fault": "late"},
        {"black": "b", "white": "a", "winner": "black", "fault": "late"},
        {"black": "b", "white": "a", "winner": "white", "fault": "ended"},
        {"black": "b", "white": "a", "winner": "white", "fault": None},
    ]
    results = {"pairs": {"a|b": [3, 0, 1]}, "games": games}
    (row,) = match_rows(results, "a")
    assert (row.opponent, row.won, row.lost, row.faults) == ("b", 3, 1, (2, 1))
    assert match_rows(results, "b")[0].faults == (1, 2)
    assert fault_text(row, "a").endswith("2 by opponents, 1 by a.")
    assert fault_text(MatchRow("b", 1, 0, 0), "a") == ""


def test_a_finished_folder_gives_the_same_table_again(tmp_path) -> None:
    results = run_arena(TINY, tmp_path / "run")
    text = write_table(tmp_path / "run", None, tmp_path / "a" / "b")
    assert text == table_text_of(TINY, results, "one-ply")
    lines = text.splitlines()
    assert lines[0] == "# one-ply against each of the others"
    assert "5x5, 4 in a row, 10 positions a move, openings: balanced, seed 1. 2 of 2" in lines[2]
    assert [line.split(" | ")[0] for line in lines[6:8]] == [
        "| random",
        "| Sum",
    ]  # fmt: skip
    page = (tmp_path / "a" / "b" / "table.html").read_bytes()
    write_table(tmp_path / "run", "one-ply", tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "table.html").read_bytes() == page
    assert (tmp_path / "a" / "b" / "table.md").read_text(encoding="utf-8") == text
    assert "against each of the others" not in page_of(TINY, results), "there are only two"
    with pytest.raises(TournamentError, match="--player: expected one of one-ply, random"):
        write_table(tmp_path / "run", "nobody", tmp_path)


def test_labels_are_text_not_markup() -> None:
    label = "random@x=<b>"
    pair = {"players": [label, "b", "c"], "pairs": {f"{label}|b": [1, 0, 0]}, "games": []}
    named = Tournament((label, "b", "c"), 2, Rules(5, 4))
    values = {**pair, "sprt": None, "seconds": dict.fromkeys(pair["players"]),
              "elo": {name: [1500, 1400, 1600] for name in pair["players"]}}  # fmt: skip
    page = page_of(named, values)
    assert "<b>" not in page
    assert "<h2>random@x=&lt;b&gt; against each of the others</h2>" in page
