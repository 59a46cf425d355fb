"""The judging parts of `benchmarks.soak` and `benchmarks.learning`."""

from __future__ import annotations

import pytest

from benchmarks import learning
from benchmarks.soak import Growth, judge


def growth(per_thousand: float, *, games: int = 5000, warm_up: float = 50.0) -> Growth:
    """A process that grows at first, then evenly."""
    steps = [*range(100, games + 1, 100)]
    sizes = [200.0 + warm_up * min(step, 500) / 500 + per_thousand * step / 1000 for step in steps]
    return Growth("app", steps, sizes)


@pytest.mark.parametrize(("per_thousand", "is_reached"), [(0.0, True), (1.9, True), (2.1, False)])
def test_growth_is_judged_after_the_first_games(per_thousand, is_reached):
    found = growth(per_thousand)
    assert found.per_thousand == pytest.approx(per_thousand, abs=1e-6)
    assert bool(judge(5000, [found])) != is_reached
    assert ("MISSED" in str(found)) != is_reached


def test_a_soak_of_too_few_games_or_with_a_replaced_worker_has_failed():
    assert judge(1000, [growth(0.0, games=1000)]) == []
    assert "found 900" in judge(900, [growth(0.0, games=900)])[0]
    assert "ended after game 2000" in judge(5000, [growth(0.0), growth(0.0, games=2000)])[0]
    assert judge(5000, []) != []


@pytest.mark.parametrize(
    ("plus", "failed", "faults"), [(10, 0, 0), (51, 0, 1), (10, 2, 1), (60, 1, 2)]
)
def test_a_player_that_learns_no_more_than_a_control_is_told(plus, failed, faults):
    controls = {"untrained": 290, "one-order": 100, "new-order": 280}
    losses = {"cnn-ann-plus": {"none": plus, **controls}, "cnn-ann": {"none": 280, **controls}}
    assert len(learning.judge(losses, failed)) == faults


def test_both_players_play_with_their_controls():
    cells = learning.cells_of(300)
    assert {(cell.player, cell.control) for cell in cells} == {
        (player, control) for player in learning.DICE for control in ("none", *learning.CONTROLS)
    }
