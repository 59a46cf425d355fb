"""How the weights of alpha-beta's evaluation are fitted."""

from __future__ import annotations

import numpy as np

from ai.game import Board
from ai.kernels.position import KernelPosition
from ai.search.pattern_alpha_beta import TEMPO, WEIGHTS, PatternAlphaBeta
from benchmarks import alpha_beta_weights as fitting


def test_a_regression_finds_the_weights_of_made_up_games():
    rng = np.random.default_rng(0)
    weights = np.array([0.5, -1.0, 0.0])
    rows = rng.normal(size=(20_000, 3)) * 2.0
    results = (rng.random(20_000) < 1.0 / (1.0 + np.exp(-rows @ weights))).astype(float)
    found = fitting.fit(rows, results)
    assert np.abs(found - weights).max() < 0.05
    assert fitting.loss(rows, results, found) < fitting.loss(rows, results, np.zeros(3))


def test_what_is_fitted_is_what_the_search_evaluates():
    board = Board.from_moves("h8 i9 h9 i8 h7 h10 i7 i10 h6 h5", fitting.RULES)
    position = KernelPosition(board.rules)
    position.follow(board)
    row = fitting.features(position, board.ply % 2)
    weights = [values.get(kind, 0) for values in WEIGHTS for kind in fitting.CLASSES]
    score = TEMPO + sum(weight * count for weight, count in zip(weights, row, strict=True))
    assert score == PatternAlphaBeta(board.rules).score(board)


def test_settled_positions_teach_nothing():
    board = Board.from_moves("h8 a1 h9 c1 h10 e1", fitting.RULES)
    position = KernelPosition(board.rules)
    position.follow(board)
    assert fitting.features(position, 0) is None
    assert fitting.features(position, 1) is not None


def test_games_are_played_fitted_and_told(capsys, tmp_path):
    out = tmp_path / "weights.json"
    assert fitting.main(["--games", "5", "--nodes", "30", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "own points" in said
    assert "held out" in said
    assert '"games": 5' in out.read_text()
