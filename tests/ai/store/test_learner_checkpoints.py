"""What learners write down: files of earlier versions open, and every state comes back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ai.game import WHITE, Board, GameRecord, Rules
from ai.learning.ann import create as create_ann
from ai.learning.array_learner import ArrayLearner
from ai.learning.self_teaching import SelfTeachingLearner
from ai.players.base import Limit
from ai.registry.players import create_player
from ai.store.checkpoints import CheckpointError, LearnerCheckpoints

WRITTEN_BEFORE = Path(__file__).parent / "written_before"
RULES = Rules(5, 4, full_board_winner=WHITE)
LOST = "c1 a1 c2 a2 c3 a3 c4"
LOST_TOO = "b2 e1 c3 e2 d4 e3 a1"
SMALL = {
    "records": 2, "hidden": "4,4,4", "kernel_sizes": "3,3,3", "branch": 8, "steps": 40,
    "samples": "kept",
}  # fmt: skip


class Counter(ArrayLearner):
    """Counts the points of the winner, as a project's learner would."""

    most_games = 3

    def begin(self):
        return {"counts": np.zeros(self.rules.points), "noise": np.zeros(1)}

    def learn(self, arrays, games, progress):
        counts = np.zeros_like(arrays["counts"])
        for game in games:
            counts[list(game.moves[::2])] += 1
        return {"counts": counts, "noise": self.rng.random(1)}


MAKERS = {
    "ann": lambda: create_ann(RULES, {"records": 2}),
    "cnn-ann-plus": lambda: SelfTeachingLearner("cnn-ann-plus", RULES, SMALL, 5),
    "counter": lambda: Counter(Rules(5, 4), {}, seed=3),
}


def lost(moves: str, number: int, rules: Rules = RULES) -> GameRecord:
    return GameRecord.from_board(Board.from_moves(moves, rules), number)


def sums(learner) -> dict[str, list[object]]:
    """Return each array's shape and sum, under the names of an earlier version."""
    trained = learner.weights()
    arrays = dict(trained.arrays)
    if trained.memory is not None:
        for name in ("vectors", "counts", "labels", "stones"):
            arrays[f"memory.{name}"] = getattr(trained.memory, name)
    return {
        name: [list(array.shape), float(np.round(np.abs(array.astype(float)).sum(), 3))]
        for name, array in arrays.items()
    }


@pytest.fixture(params=MAKERS)
def written(request, tmp_path):
    shutil.copytree(WRITTEN_BEFORE, tmp_path / "learner")
    expected = json.loads((tmp_path / "learner" / "expected.json").read_text())[request.param]
    learner = MAKERS[request.param]()
    return learner, LearnerCheckpoints(learner, tmp_path / "learner"), *expected


def test_checkpoints_of_an_earlier_version_open_and_go_on(written):
    learner, checkpoints, statistics, arrays = written
    assert checkpoints.load() is None
    assert learner.statistics() == statistics | (
        {"last_distance": None} if "last_distance" in statistics else {}
    )
    assert sums(learner) == arrays
    assert not learner.observe(lost(LOST, 2, learner.rules)), "known"
    moves = "a1 a5 b1 b5 c1 c5 d1"
    assert learner.observe(lost(moves, 3, learner.rules))
    checkpoints.save()
    assert (learner.games_learnt, learner.network_id) == (3, 2)


def test_kept_checkpoints_of_an_earlier_version_are_returned_to(written):
    learner, checkpoints, *_ = written
    checkpoints.load()
    (kept,) = checkpoints.kept()
    assert (kept.name, kept.game, kept.network_id) == ("first", 1, 1)
    checkpoints.roll_back(kept.place)
    assert learner.weights().network_id == 1
    assert (learner.games_learnt, learner.network_id) == (2, 2), "they go on counting"


def test_a_kept_network_is_counted_where_nothing_else_is_left(written):
    learner, checkpoints, *_ = written
    checkpoints.roll_back(checkpoints.kept()[0].place)
    assert (learner.games_learnt, learner.network_id) == (1, 1)


@pytest.mark.parametrize("name", ["ann", "cnn-ann-plus"])
def test_the_files_are_those_of_the_earlier_version(name, tmp_path):
    learner = MAKERS[name]()
    LearnerCheckpoints(learner, WRITTEN_BEFORE).load()
    LearnerCheckpoints(learner, tmp_path).save()
    (new,) = LearnerCheckpoints(learner, tmp_path).store.listed()
    (old,) = LearnerCheckpoints(learner, WRITTEN_BEFORE).store.listed()
    assert new.directory.parent.name == old.directory.parent.name
    assert new.state == old.state
    for file in ("network.weights.h5",):
        assert new.file(file).read_bytes() == old.file(file).read_bytes()
    with np.load(new.file("memory.npz")) as fresh, np.load(old.file("memory.npz")) as before:
        assert set(fresh.files) == set(before.files)
        assert all(np.array_equal(fresh[array], before[array]) for array in before.files)


def test_a_state_is_everything_that_a_learner_knows():
    learner = MAKERS["ann"]()
    learner.observe(lost(LOST, 1))
    learner.train()
    learner.observe(lost(LOST_TOO, 2))
    learner.train()
    twin = MAKERS["ann"]()
    twin.restore(learner.state())
    assert twin.state().values == learner.state().values
    assert sums(twin) == sums(learner)
    third = lost("b1 a1 b2 a2 b3 a3 b4", 3)
    for one in (learner, twin):
        one.observe(third)
        one.train()
    assert sums(twin) == sums(learner)


def test_a_memory_is_no_part_of_the_weights():
    learner = MAKERS["ann"]()
    learner.observe(lost(LOST, 1))
    trained = learner.train()
    assert trained.arrays == {}
    assert len(trained.memory.vectors) == 2
    player = create_player("ann", RULES, {"records": 2})
    trained.load_into(player)
    board = Board.from_moves("c1 a1 c2 a2 c3 a3", RULES)
    board.push(board.rules.points - 1)
    choice = player.choose(board, Limit(), np.random.default_rng(0))
    assert choice.explanation["memory"]["nodes"] == 2


@pytest.mark.parametrize("place", ["named/00000009", "../named/1", "named", ""])
def test_a_place_that_is_none_changes_nothing(written, place):
    learner, checkpoints, *_ = written
    checkpoints.load()
    before = learner.state().values
    with pytest.raises(CheckpointError):
        checkpoints.roll_back(place)
    assert learner.state().values == before
