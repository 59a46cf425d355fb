"""The moves of the root, as `list_roots` lists them."""

from __future__ import annotations

import pytest

from ai.game import Board, Rules
from ai.kernels.alpha_beta import layout
from ai.kernels.alpha_beta.root import list_roots
from ai.search.pattern_alpha_beta import PatternAlphaBeta

RULES = Rules(15, 5)


@pytest.mark.parametrize(("moves", "count"), [("h8 g7 i8", None), ("f8 a1 g8 a3 h8 a5 j8", 1)])
def test_a_move_that_was_not_searched_counts_as_lost(moves, count):
    search = PatternAlphaBeta(RULES, memory=1)
    search._position.follow(Board.from_moves(moves, RULES))
    search._fields.scores[:] = 7
    list_roots(search._position.record, search._position.table, search._record)
    listed = int(search._fields.count)
    assert listed == count if count else listed > 1
    assert set(search._fields.scores[:listed].tolist()) == {-layout.WIN}
    assert set(search._fields.visits[:listed].tolist()) == {0}
