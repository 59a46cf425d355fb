"""The trainer worker, in its own process and in this one."""

from __future__ import annotations

import os
import signal
import sys
from types import SimpleNamespace

import pytest

from ai.game import WHITE, Board, GameRecord, Rules
from ai.messages import (
    LearnerOpened,
    OpenLearner,
    ResetLearner,
    SaveLearner,
    SkipGame,
    TrainDone,
    TrainProgress,
    TrainRequest,
)
from ai.store import checkpoints
from ai.workers import trainer
from ai.workers.trainer import LearnerSaved, TrainerService
from base.worker.service import WorkerRequestError
from tests.ai.workers.worker_processes import ANSWER_SECONDS, ask, running
from tests.common import same, silent

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = "d1 a1 d2 a2 d3 a3 d4 a4 d5"
LOST_TOO = "c3 g1 d4 g2 e5 g3 f6 g4 b2"
WON = "d3 a1 g7 a2 d7 a3 g1 a4 b5 a5"


SMALL = {
    "steps": 8, "hidden": "8,8,8", "branch": 16, "kernel_sizes": "3,3,3", "variations": 1,
}  # fmt: skip
"""A small network: what is kept, and goes on, is the same for any."""


def opening(directory=None, *, fresh=False, player="cnn-ann-plus", **settings) -> OpenLearner:
    chosen = {**SMALL, **settings} if player == "cnn-ann-plus" else settings
    return OpenLearner(
        player, RULES, chosen, seed=1, directory=directory and str(directory), fresh=fresh
    )


def lesson(number: int, moves: str = LOST) -> TrainRequest:
    record = GameRecord.from_board(Board.from_moves(moves, RULES), number)
    return TrainRequest(session=9, game=number, record=record)


@pytest.fixture
def service():
    return TrainerService()


def test_requests_before_the_learner_is_opened_are_refused(service):
    with pytest.raises(WorkerRequestError, match="OpenLearner first"):
        service.handle(lesson(1), silent)
    with pytest.raises(WorkerRequestError, match="found str"):
        service.handle("hello", silent)
    with pytest.raises(WorkerRequestError, match="a player that learns"):
        service.handle(OpenLearner("random", RULES, {}, 1, None, False), silent)


def test_a_learner_opens_without_tensorflow():
    code = (
        "import sys\n"
        "from ai.game import Rules, WHITE\n"
        "from ai.messages import OpenLearner\n"
        "from ai.workers.trainer import TrainerService\n"
        "rules = Rules(7, 5, full_board_winner=WHITE)\n"
        "opened = TrainerService().handle(\n"
        "    OpenLearner('cnn-ann-plus', rules, {}, 1, None, False), print)\n"
        "assert opened.weights\n"
        "assert not {'tensorflow', 'keras'} & set(sys.modules)\n"
    )
    import subprocess

    subprocess.run([sys.executable, "-c", code], check=True, timeout=ANSWER_SECONDS)


def test_a_loss_is_trained_with_progress_and_answered_with_weights(service):
    opened = service.handle(opening(), silent)
    assert isinstance(opened, LearnerOpened)
    assert (opened.network_id, opened.games_learnt) == (0, 0)
    reports: list[TrainProgress] = []
    done = service.handle(lesson(1), reports.append)
    assert isinstance(done, TrainDone)
    assert (done.session, done.game, done.retrained, done.network_id) == (9, 1, True, 1)
    assert not same(done.weights, opened.weights)
    assert [report.step for report in reports] == list(range(1, 9))
    assert {(report.session, report.game, report.steps) for report in reports} == {(9, 1, 8)}
    keys = {"nodes", "records", "loss", "accuracy", "seconds", "games_learnt", "checkpoint_error"}
    assert keys <= done.statistics.keys()


def test_a_won_game_and_a_known_one_are_acknowledged_without_weights(service):
    service.handle(opening(), silent)
    service.handle(lesson(1), silent)
    for request in (lesson(1), lesson(2, WON)):
        done = service.handle(request, silent)
        assert (done.retrained, done.weights, done.network_id) == (False, None, 1)
    assert done.statistics["games_learnt"] == 2


def test_every_game_is_in_a_checkpoint_before_it_is_answered(service, tmp_path):
    service.handle(opening(tmp_path), silent)
    trained = service.handle(lesson(1), silent)
    service.handle(lesson(2, WON), silent)
    restarted = TrainerService().handle(opening(tmp_path), silent)
    assert restarted.games_learnt == 2
    assert restarted.network_id == 1
    assert same(restarted.weights, trained.weights)
    assert len(restarted.memory.vectors) >= len(trained.memory.vectors) > 0


def test_fresh_and_reset_forget_what_is_on_disk(service, tmp_path):
    service.handle(opening(tmp_path), silent)
    service.handle(lesson(1), silent)
    again = service.handle(ResetLearner(), silent)
    assert (again.games_learnt, again.network_id) == (0, 0)
    assert TrainerService().handle(opening(tmp_path), silent).games_learnt == 0
    service.handle(lesson(1), silent)
    assert TrainerService().handle(opening(tmp_path, fresh=True), silent).games_learnt == 0
    assert TrainerService().handle(opening(tmp_path), silent).games_learnt == 0


def test_a_damaged_checkpoint_is_told_and_the_one_before_taken(service, tmp_path):
    service.handle(opening(tmp_path), silent)
    for number, moves in enumerate((LOST, LOST_TOO), start=1):
        service.handle(lesson(number, moves), silent)
    newest = max(tmp_path.rglob("memory.npz"))
    newest.write_bytes(b"")
    opened = TrainerService().handle(opening(tmp_path), silent)
    assert opened.games_learnt == 1
    assert "memory.npz" in opened.statistics["message"]


def test_a_full_disk_is_told_and_learning_goes_on(service, tmp_path, monkeypatch, caplog):
    service.handle(opening(tmp_path), silent)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints, "write_synced", full)
    done = service.handle(lesson(1), silent)
    assert done.retrained
    assert "No space left on device" in done.statistics["checkpoint_error"]
    saved = service.handle(SaveLearner(), silent)
    assert isinstance(saved, LearnerSaved)
    assert "No space left" in saved.error
    assert not caplog.records, "who asked tells it"
    for game in (2, 3):
        assert "No space left" in service.handle(SkipGame(game), silent).error
    assert len(caplog.records) == 1, "nobody awaits that answer: the log tells it, once"
    monkeypatch.undo()
    assert service.handle(SaveLearner(), silent) == LearnerSaved(3, None)
    assert TrainerService().handle(opening(tmp_path), silent).games_learnt == 3


def test_a_training_that_failed_stays_due(service, tmp_path):
    service.handle(opening(tmp_path), silent)

    def broken(_):
        raise RuntimeError("the report failed")

    with pytest.raises(RuntimeError, match="the report failed"):
        service.handle(lesson(1), broken)
    service.save_unsaved()
    assert TrainerService().handle(opening(tmp_path), silent).games_learnt == 0
    done = service.handle(lesson(1), silent)
    assert done.retrained
    assert done.statistics["records"] == service.handle(lesson(1), silent).statistics["records"]


def test_the_worker_answers_at_once_trains_and_leaves_at_the_end(tmp_path):
    with running(trainer.main, nice=0) as (connection, process):
        (opened,) = ask(connection, opening(tmp_path), 1)
        assert opened.games_learnt == 0
        if sys.platform != "win32":
            os.kill(process.pid, signal.SIGINT)  # Ctrl+C belongs to the parent
        (bad,) = ask(connection, "nonsense", 2)
        assert bad.kind == "WorkerRequestError"
        *progress, done = ask(connection, lesson(1), 3)
        assert all(isinstance(step, TrainProgress) for step in progress)
        assert done.retrained
    assert process.exitcode == 0


@pytest.mark.nightly
def test_killed_while_it_trains_it_goes_on_from_the_last_checkpoint(tmp_path):
    with running(trainer.main, is_killed=True, nice=0) as (connection, process):
        ask(connection, opening(tmp_path), 1)
        first = ask(connection, lesson(1), 2)[-1]
        connection.send((3, True, lesson(2, LOST_TOO)))
        assert connection.poll(ANSWER_SECONDS)  # the first progress report
        process.kill()
    service = TrainerService()
    opened = service.handle(opening(tmp_path), silent)
    assert opened.games_learnt in (1, 2)  # 2 where the kill came too late
    if opened.games_learnt == 1:
        assert opened.statistics["nodes"] == first.statistics["nodes"]
        assert service.handle(lesson(2, LOST_TOO), silent).retrained


@pytest.mark.parametrize("idle", [0.0, 3600.0], ids=["loads", "waits to load"])
def test_it_leaves_when_the_pipe_ends_before_tensorflow_is_there(idle):
    with running(trainer.main, nice=0, idle=idle) as (connection, _):
        ask(connection, opening(), 1)


@pytest.mark.parametrize("is_retrained", [True, False])
def test_after_a_training_only_weights_are_sent_and_what_is_freed_given_back(
    monkeypatch, is_retrained
):
    given_back = []
    monkeypatch.setattr(trainer, "give_back_freed", lambda: given_back.append(True))
    trained = SimpleNamespace(network_id=4, arrays="weights", memory="memory")
    learner = SimpleNamespace(weights=lambda: trained, statistics=dict)
    trainer_like = SimpleNamespace(_save=lambda session: None)
    done = TrainerService._done(
        trainer_like, lesson(3), SimpleNamespace(learner=learner), is_retrained=is_retrained
    )
    sent = ("weights", "memory") if is_retrained else (None, None)
    assert (done.weights, done.memory) == sent
    assert (done.retrained, done.network_id, done.game) == (is_retrained, 4, 3)
    assert len(given_back) == is_retrained
