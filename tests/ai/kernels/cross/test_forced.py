"""Forced moves: which of several points that stop a row is taken (`find_forced`)."""

from __future__ import annotations

import pytest

from ai.game import Board, Rules
from ai.kernels.position import KernelPosition
from ai.players.published.default_policy import DefaultPolicy

RULES = Rules(15, 5)


@pytest.mark.parametrize(("takes_first", "expected"), [(True, "h7"), (False, "h3")])
def test_an_open_three_is_stopped_at_the_first_point_or_where_it_is_worth_most(
    takes_first, expected
):
    board = Board.from_moves("h4 g3 h5 f3 h6 a5 a1", RULES)  # with g3 and f3, h3 makes a three
    position = KernelPosition(RULES)
    position.follow(board)
    move, _ = DefaultPolicy(RULES, takes_first=takes_first).find(position)
    assert board.to_text(move) == expected
