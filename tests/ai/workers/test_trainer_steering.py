"""What people ask of the trainer worker: other settings, retraining, checkpoints to return to."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from ai.game import WHITE, Board, GameRecord, Rules
from ai.learning.learner import LearnerError
from ai.messages import (
    ChangeSettings,
    CheckpointsListed,
    LearnerOpened,
    LearnerSaved,
    ListCheckpoints,
    OpenLearner,
    ResetLearner,
    Retrain,
    RollBack,
    SaveLearner,
    SkipGame,
    TrainProgress,
    TrainRequest,
)
from ai.nets.architecture import InferenceNetwork
from ai.store import checkpoints
from ai.store.checkpoints import CheckpointError
from ai.workers.trainer import TrainerService
from base.worker.service import WorkerRequestError
from tests.common import same, silent

RULES = Rules(7, 5, full_board_winner=WHITE)
GAMES = (
    "d1 a1 d2 a2 d3 a3 d4 a4 d5",
    "c3 g1 d4 g2 e5 g3 f6 g4 b2",
    "a7 g1 b6 g2 c5 g3 d4 g4 e3",
    "b1 g1 b2 g2 b3 g3 b4 g4 b5",
)
PLUS = {
    "steps": 8, "hidden": "8,8,8", "branch": 16, "kernel_sizes": "3,3,3", "variations": 1,
    "epochs": 1, "least_steps": 1,
}  # fmt: skip
"""A small network: what is kept, and goes on, is the same for any."""

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:keras")


def opening(directory=None, **settings) -> OpenLearner:
    return OpenLearner(
        "cnn-ann-plus", RULES, PLUS | settings, 1, directory and str(directory), fresh=False
    )


def lesson(number: int) -> TrainRequest:
    moves = GAMES[(number - 1) % len(GAMES)]
    return TrainRequest(0, number, GameRecord.from_board(Board.from_moves(moves, RULES), number))


def answers(service: TrainerService, weights) -> np.ndarray:
    learner = service._session.learner
    stones = np.random.default_rng(0).integers(-1, 2, (20, 49)).astype(np.int8)
    network = InferenceNetwork(
        learner.architecture, {k: v for k, v in weights.items() if "memory." not in k}
    )
    return network.estimate(learner.encoder.features(stones))


def listed(service) -> tuple:
    answer = service.handle(ListCheckpoints(), silent)
    assert isinstance(answer, CheckpointsListed)
    return answer.checkpoints


@pytest.fixture
def service(tmp_path):
    service = TrainerService()
    service.handle(opening(tmp_path), silent)
    return service


def test_other_settings_keep_network_memory_and_counters(service):
    done = service.handle(lesson(1), silent)
    loop = service._session.learner._compiled()
    changed = service.handle(ChangeSettings(PLUS | {"alpha": 5.0, "records": 3}), silent)
    assert isinstance(changed, LearnerOpened)
    assert same(changed.weights, done.weights)
    kept = ("nodes", "records", "merged", "retrains", "network_id", "games_learnt", "loss")
    assert {key: changed.statistics[key] for key in kept} == {
        key: done.statistics[key] for key in kept
    }
    assert service._session.learner._compiled() is loop, "the training loop is not compiled anew"
    assert service._session.learner.memory.alpha == 5.0
    assert service._session.learner.settings.records == 3
    assert service.handle(lesson(2), silent).network_id == 2


def test_changed_settings_train_as_if_they_had_always_been_asked_for(tmp_path):
    """A restart with the new settings goes on exactly where the changed learner does."""
    first, second = TrainerService(), TrainerService()
    first.handle(opening(tmp_path), silent)
    first.handle(lesson(1), silent)
    first.handle(ChangeSettings(PLUS | {"alpha": 3.0}), silent)
    shutil.copytree(tmp_path, tmp_path.with_name("copy"))
    second.handle(opening(tmp_path.with_name("copy"), alpha=3.0), silent)
    assert same(first.handle(lesson(2), silent).weights, second.handle(lesson(2), silent).weights)


def test_settings_of_another_network_open_what_is_kept_for_that_one(service):
    service.handle(lesson(1), silent)
    other = service.handle(ChangeSettings(PLUS | {"hidden": "4,4,4"}), silent)
    assert other.games_learnt == 0
    back = service.handle(ChangeSettings(PLUS), silent)
    assert (back.games_learnt, back.network_id) == (1, 1)


@pytest.mark.parametrize("settings", [{"alpha": -1.0}, {"alfa": 1.0}, {"alpha": float("nan")}])
def test_wrong_settings_are_refused_and_nothing_changes(service, settings):
    service.handle(lesson(1), silent)
    before = service._session.learner.settings
    with pytest.raises(ValueError):
        service.handle(ChangeSettings(settings), silent)
    assert service._session.learner.settings is before


def test_retraining_makes_a_new_network_of_what_is_remembered(service, tmp_path):
    with pytest.raises(LearnerError, match="expected a lost game"):
        service.handle(Retrain(0, 0), silent)
    first = service.handle(lesson(1), silent)
    reports = []
    again = service.handle(Retrain(3, 1), reports.append)
    assert again.retrained
    assert (again.session, again.game, again.network_id) == (3, 1, 2)
    assert all(isinstance(report, TrainProgress) for report in reports)
    assert len(reports) == 8
    assert again.statistics["records"] == first.statistics["records"]
    assert not same(again.weights, first.weights)
    assert TrainerService().handle(opening(tmp_path), silent).network_id == 2


def test_a_skipped_game_is_never_learnt(service, tmp_path):
    service.handle(SkipGame(4), silent)
    assert not service.handle(lesson(4), silent).retrained
    assert TrainerService().handle(opening(tmp_path), silent).games_learnt == 4
    assert service.handle(lesson(5), silent).retrained


def test_rolling_back_restores_weights_memory_and_statistics_exactly(service):
    kept = service.handle(lesson(1), silent)
    before = answers(service, kept.weights)
    memory = service._session.learner.memory.arrays()
    assert service.handle(SaveLearner("the good one", "alpha 0.5"), silent) == LearnerSaved(1, None)
    for number in (2, 3):
        later = service.handle(lesson(number), silent)
    assert not np.array_equal(answers(service, later.weights), before)
    (checkpoint,) = listed(service)
    assert (checkpoint.name, checkpoint.note, checkpoint.game) == ("the good one", "alpha 0.5", 1)
    assert (checkpoint.network_id, checkpoint.is_automatic) == (1, False)
    assert checkpoint.nodes == kept.statistics["nodes"]
    back = service.handle(RollBack(checkpoint.place), silent)
    assert same(back.weights, kept.weights)
    np.testing.assert_array_equal(answers(service, back.weights), before)
    for name, array in service._session.learner.memory.arrays().items():
        np.testing.assert_array_equal(array, memory[name])
    kept_keys = ("nodes", "records", "merged", "retrains", "network_id", "loss", "accuracy")
    assert {key: back.statistics[key] for key in kept_keys} == {
        key: kept.statistics[key] for key in kept_keys
    }


def test_after_a_roll_back_games_and_networks_go_on_counting(service, tmp_path):
    service.handle(lesson(1), silent)
    service.handle(SaveLearner("one"), silent)
    for number in (2, 3):
        service.handle(lesson(number), silent)
    back = service.handle(RollBack(listed(service)[0].place), silent)
    assert (back.games_learnt, back.network_id) == (3, 1)
    assert not service.handle(lesson(3), silent).retrained, "it is known"
    restarted = TrainerService()
    again = restarted.handle(opening(tmp_path), silent)
    assert same(again.weights, back.weights)
    assert (again.games_learnt, again.network_id) == (3, 1)
    for one in (service, restarted):
        done = one.handle(lesson(4), silent)
        assert (done.retrained, done.network_id) == (True, 4)


def test_kept_checkpoints_outlive_the_newest_two_and_a_reset(service):
    for number in (1, 2, 3, 4):
        service.handle(lesson(number), silent)
        service.handle(SaveLearner(f"game {number}", is_automatic=number % 2 == 0), silent)
    assert [item.game for item in listed(service)] == [1, 2, 3, 4]
    assert [item.is_automatic for item in listed(service)] == [False, True, False, True]
    service.handle(ResetLearner(), silent)
    assert len(listed(service)) == 4


def test_automatic_checkpoints_give_way_and_named_ones_do_not(service, monkeypatch):
    monkeypatch.setattr("ai.store.checkpoints.MOST_KEPT", 2)
    service.handle(lesson(1), silent)
    for number in range(5):
        service.handle(SaveLearner(f"auto {number}", is_automatic=True), silent)
        service.handle(SaveLearner(f"named {number}"), silent)
    names = [item.name for item in listed(service)]
    assert [name for name in names if "auto" in name] == ["auto 3", "auto 4"]
    assert len([name for name in names if "named" in name]) == 5


@pytest.mark.parametrize(
    "place", ["", "../00000001", "named/../../x", "00000001", "named/1\n", "kept/x"]
)
def test_a_place_that_is_none_is_refused(service, place):
    service.handle(lesson(1), silent)
    with pytest.raises(CheckpointError, match="expected the place"):
        service.handle(RollBack(place), silent)


def test_a_damaged_checkpoint_is_refused_and_nothing_changes(service, tmp_path):
    service.handle(lesson(1), silent)
    service.handle(SaveLearner("one"), silent)
    now = service.handle(lesson(2), silent)
    (checkpoint,) = listed(service)
    next(tmp_path.rglob("named/*/memory.npz")).write_bytes(b"cut")
    with pytest.raises(CheckpointError, match="checksum"):
        service.handle(RollBack(checkpoint.place), silent)
    assert service._session.learner.weights().network_id == now.network_id
    assert same(service._session.learner.weights().arrays, now.weights)
    next(tmp_path.rglob("named/*/manifest.json")).write_text("{")
    assert listed(service) == ()


def test_a_full_disk_keeps_no_checkpoint_and_says_so(service, monkeypatch):
    service.handle(lesson(1), silent)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints, "write_synced", full)
    saved = service.handle(SaveLearner("one"), silent)
    assert "No space left on device" in saved.error
    monkeypatch.undo()
    assert listed(service) == ()


def test_without_a_folder_there_is_nothing_to_return_to():
    service = TrainerService()
    service.handle(opening(), silent)
    assert service.handle(SaveLearner("one"), silent).error
    assert listed(service) == ()
    with pytest.raises(WorkerRequestError, match="no folder"):
        service.handle(RollBack("named/00000001"), silent)


def test_a_checkpoint_of_an_older_version_is_taken_up(service, tmp_path):
    kept = service.handle(lesson(1), silent)
    manifest = max(tmp_path.rglob("0*/manifest.json"))
    values = json.loads(manifest.read_text())
    for key in ("newest_network_id", "nodes"):
        del values["state"][key]
    manifest.write_text(json.dumps(values))
    again = TrainerService().handle(opening(tmp_path), silent)
    assert same(again.weights, kept.weights)
