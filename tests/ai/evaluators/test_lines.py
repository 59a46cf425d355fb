"""The score of open lines is what its definition says, on boards of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from ai.evaluators.base import LineEvaluator, lines_through
from ai.game import Board, Rules
from ai.game.lines import windows


@pytest.mark.parametrize(
    "rules", [Rules(3, 3), Rules(7, 4, height=6, gravity=True), Rules(15), Rules(22, 5, "caro")]
)
def test_each_open_line_counts_the_square_of_its_stones(rules: Rules) -> None:
    board, rng = Board(rules), np.random.default_rng(rules.size)
    evaluator, rows = LineEvaluator(rules), windows(rules.size, rules.win_length, rules.rows)
    while board.outcome() is None and board.ply < 40:
        board.push(int(rng.choice([*board.legal_moves])))
        held = [[board.stones[point] for point in row] for row in rows]
        expected = sum(
            sum(own) * len([*filter(None, own)]) for own in held if len({*own} - {0}) < 2
        )
        assert evaluator.score(board) == expected * board.to_move
    through = [sum(point in row for row in rows) for point in range(rules.points)]
    assert lines_through(rules).tolist() == through
