"""What `bench` measures of the search."""

from __future__ import annotations

from ai.bench import measure
from ai.bench.suite import read_suite
from ai.game import Board
from ai.search.base import Limit


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
    wrong = measure.Answer(tasks[0], "a0", 1, 1, 0.0)
    assert not wrong.is_right


def test_the_signature_counts_positions(monkeypatch):
    monkeypatch.setattr(measure, "SIGNED_DEPTH", 4)
    first = measure.signature()
    assert first == SIGNATURE
    monkeypatch.setattr(measure, "SIGNED_DEPTH", 3)
    assert measure.signature() < first


SIGNATURE = 4215
"""Changes whenever the search does: then the new figure belongs here, and into docs/engine.md."""


def test_rates_and_depths(monkeypatch):
    monkeypatch.setattr(measure, "RATED_NODES", 2_000)
    assert measure.rate(rounds=1) > 0.0
    assert Board.from_moves(measure.QUIET, measure.FIFTEEN).ply == 8
    assert measure.depth_within(0.05) >= 1
