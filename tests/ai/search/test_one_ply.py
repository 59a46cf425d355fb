from __future__ import annotations

import numpy as np
import pytest

from ai.evaluators.base import UniformEvaluator
from ai.evaluators.pattern import PatternEvaluator
from ai.game import Board, Rules
from ai.search import one_ply
from ai.search.base import Limit

RULES = Rules(7, 5)


def search(moves, evaluator=None, limit=None, **settings):
    return one_ply.search(
        Board.from_moves(moves, RULES),
        evaluator or UniformEvaluator(),
        limit or Limit(),
        np.random.default_rng(0),
        **settings,
    )


@pytest.mark.parametrize(
    ("moves", "reason", "points", "value"),
    [
        ("b4 b1 c4 c1 d4 d1 e4 e1", "win", {"a4", "f4"}, 1.0),
        ("b4 b1 c4 c1 d4 d1 e4", "stop", {"a4", "f4"}, 0.0),
    ],
)
def test_rows_come_first(moves, reason, points, value):
    found = search(moves)
    assert (found.reason, found.value) == (reason, value)
    board = Board.from_moves(moves, RULES)
    assert {board.to_text(point) for point in found.points} == points
    assert found.move in found.points
    assert set(np.flatnonzero(found.policy)) == set(found.points)
    assert found.principal_variation == (found.move,)
    assert found.nodes == len(list(board.legal_moves))


def test_without_a_row_the_evaluator_is_asked():
    found = search("d4 a1")
    assert (found.reason, len(found.points)) == ("any", 47)
    evaluator = PatternEvaluator(RULES)
    found = search("d4 a1 d5 a2", evaluator)
    shares = evaluator.evaluate((Board.from_moves("d4 a1 d5 a2", RULES),)).policy[0]
    assert found.reason == "any"
    assert set(found.points) == set(np.flatnonzero(shares == shares.max()))


def test_what_is_not_looked_at_is_quiet():
    moves = "b4 b1 c4 c1 d4 d1 e4"
    assert search(moves, attention=0.0).reason == "any"
    cut = search(moves, limit=Limit(nodes=1))
    assert (cut.reason, cut.nodes) == ("any", 1)
