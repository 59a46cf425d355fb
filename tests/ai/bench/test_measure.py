"""What `bench` measures of the search."""

from __future__ import annotations

import numpy as np
import pytest

from ai.bench import measure
from ai.bench.suite import read_suite
from ai.game import Board
from ai.players.alpha_beta import evaluation_of
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta


def test_answers_are_repeatable_and_told():
    tasks = [task for task in read_suite() if task.kind == "fours"][:2]
    told = []
    first, again = (
        measure.answer_all(tasks, Limit(nodes=400), lambda done, one: told.append(done))
        for _ in range(2)
    )
    assert [one.move for one in first] == [one.move for one in again]
    assert [one.nodes for one in first] == [one.nodes for one in again]
    assert told == [1, 2, 1, 2]
    assert all(one.is_right and one.nodes <= 400 for one in first)
    wrong = measure.TaskAnswer(tasks[0], "a0", 1, 1, 0.0)
    assert not wrong.is_right


def test_the_signature_counts_positions(monkeypatch):
    monkeypatch.setattr(measure, "SIGNED_DEPTH", 4)
    first = measure.signature()
    assert first == SIGNATURE
    monkeypatch.setattr(measure, "SIGNED_DEPTH", 3)
    assert measure.signature() < first


SIGNATURE = 4215
"""Changes whenever the search does: then so does that of `bench`, which docs/engine.md names."""


def test_rates_and_depths(monkeypatch):
    monkeypatch.setattr(measure, "RATED_NODES", 2_000)
    assert measure.rate(rounds=1) > 0.0
    assert Board.from_moves(measure.QUIET, measure.FIFTEEN).ply == 8
    depths = measure.depths_within(0.05)
    assert len(depths) == len(measure.EIGHT)
    assert min(depths) >= 1


@pytest.mark.nightly
def test_depth_is_measured_where_nothing_is_decided():
    """A search that ends by itself, at 171,276 positions in `QUIET`, measures no depth.

    It ended there while a likely win was held for a certain one.
    """
    for moves in measure.EIGHT:
        assert searched(moves, doubt=0) > 250_000, moves
        assert searched(moves) > 250_000, moves
    assert searched(measure.QUIET, doubt=0) < 250_000


def searched(moves: str, **tuning: int) -> int:
    """Return how many positions of 300,000 the search looks at before it ends."""
    board = Board.from_moves(moves, measure.FIFTEEN)
    assert board.ply == 8
    shipped = evaluation_of("shipped")
    search = PatternAlphaBeta(measure.FIFTEEN, tuning=tuning, evaluation=shipped)
    return search.search(board, Limit(nodes=300_000), np.random.default_rng(0)).nodes
