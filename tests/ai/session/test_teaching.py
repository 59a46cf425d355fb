"""The self-teaching run with a learner of wood: what comes before what, and what is due."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ai.game import BLACK, Board, Rules
from ai.learning.learner import TrainedWeights
from ai.players.base import MoveChoice
from ai.session.teaching import LearnerSession, TeachingRun
from ai.store.checkpoints import ArraysForm, LearnerState

THREE = Rules(3, 3)


class Wooden:
    """Learns from lost games and writes down everything that is asked of it."""

    def __init__(self, told: list[object]) -> None:
        self.told = told
        self.games_learnt = 0
        self.network_id = 0
        self.breaks = False

    def observe(self, record):
        if record.game <= self.games_learnt:
            return False
        self.games_learnt = record.game
        self.told.append(f"observe {record.game}")
        return record.winner == BLACK

    def train(self, progress=None):
        if self.breaks:
            raise RuntimeError("no memory left")
        self.network_id += 1
        self.told.append("train")
        return self.weights()

    def weights(self):
        return TrainedWeights(self.network_id, {})

    @property
    def checkpoint_form(self):
        return ArraysForm("wooden")

    def state(self):
        self.told.append("save")
        values = {"games_learnt": self.games_learnt, "network_id": self.network_id}
        return LearnerState(values, {})


class Edge:
    """Plays the lowest point, or the highest."""

    def __init__(self, pick) -> None:
        self.pick = pick

    def choose(self, board: Board, limit, rng) -> MoveChoice:
        return MoveChoice(self.pick(board.legal_moves))


@pytest.fixture
def table(tmp_path):
    told: list[object] = []
    learner = Wooden(told)
    learning = LearnerSession(learner, tmp_path)
    run = TeachingRun(
        THREE, learning, seed=4, opponent=lambda game: told.append(f"game {game}") or Edge(min),
        player=Edge(max), swap=lambda trained: told.append(f"swap {trained.network_id}"),
    )  # fmt: skip
    return SimpleNamespace(told=told, learner=learner, learning=learning, run=run)


def test_each_lost_game_is_learnt_and_the_network_swapped_before_the_next(table):
    for _ in range(3):
        session = table.run.play()
        assert table.learning.is_training_due == (session.record().winner == BLACK)
        seconds = table.run.learn()
        assert (seconds is not None) == (session.record().winner == BLACK)
    expected, losses = [], 0
    for number, won in enumerate(lost_games(table), start=1):
        expected += [f"game {number}", f"observe {number}"]
        if won:
            losses += 1
            expected += ["train", f"swap {losses}"]
    assert table.told == expected
    assert (table.run.games, table.run.losses) == (3, losses)
    assert losses > 0


def lost_games(table) -> list[bool]:
    fresh = TeachingRun(THREE, LearnerSession(Wooden([]), None), seed=4,
                        opponent=lambda game: Edge(min), player=Edge(max),
                        swap=lambda trained: None)  # fmt: skip
    return [fresh.play().record().winner == BLACK for _ in range(table.run.games)]


def test_a_game_that_is_stopped_never_was(table):
    def stop(board):
        if board.ply == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table.run.play(stop)
    assert (table.run.games, table.learner.games_learnt) == (0, 0)
    assert not table.learning.is_unsaved


def test_an_unbroken_run_and_one_that_is_taken_up_know_the_same(table):
    records = []
    for _ in range(4):
        records.append(table.run.play().record())
        table.run.learn()
    learner = Wooden([])
    learner.games_learnt = 2
    again, told = [], []
    run = TeachingRun(THREE, LearnerSession(learner, None), seed=4,
                      opponent=lambda game: Edge(min), player=Edge(max),
                      swap=again.append)  # fmt: skip
    run.resume(records, lambda record, seconds: told.append((record.game, seconds is not None)))
    assert (run.games, run.losses) == (4, table.run.losses)
    assert told == [(record.game, record.winner == BLACK) for record in records[2:]]
    assert len(again) == 1, "swapped once, with the newest"
    assert run.play().record() == table.run.play().record()


def test_nothing_is_saved_while_a_training_is_due(table):
    learning = table.learning
    learning.save()
    assert table.told == [], "nothing is known yet"
    while not learning.is_training_due:
        table.run.play()
    learning.save()
    assert learning.is_unsaved
    table.run.learn()
    learning.save()
    assert table.told[-1] == "save"
    assert not learning.is_unsaved
    learning.save()
    assert table.told.count("save") == 1


def test_a_training_that_fails_stays_due_and_comes_again_with_the_game(table):
    record = lost_record()
    table.learner.breaks = True
    table.learning.observe(record)
    with pytest.raises(RuntimeError):
        table.learning.train()
    assert table.learning.is_training_due
    table.learner.breaks = False
    table.learning.observe(record)
    assert table.learning.is_training_due
    table.learning.train()
    assert not table.learning.is_training_due
    table.learning.observe(record)
    assert not table.learning.is_training_due, "a known game"


def lost_record():
    run = TeachingRun(THREE, LearnerSession(Wooden([]), None), seed=4,
                      opponent=lambda game: Edge(min), player=Edge(max),
                      swap=lambda trained: None)  # fmt: skip
    while (record := run.play().record()).winner != BLACK:
        pass
    return record
