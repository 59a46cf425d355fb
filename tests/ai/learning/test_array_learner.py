"""The base of a project's own learners: what it keeps, what it refuses, what survives a restart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai import ArrayLearner, Board, GameRecord, KeptCheckpoint, Rules
from ai.learning.learner import LearnerError
from ai.messages import ChangeSettings, OpenLearner, TrainRequest
from ai.store.checkpoints import CheckpointError, LearnerCheckpoints
from ai.workers.trainer import TrainerService
from base.worker.service import WorkerRequestError
from tests.common import same
from tests.project_page import own_scripts

RULES = Rules(5, 4)
LOST = "a1 a5 b1 b5 c1 c5 d1"
WON = "a1 a5 b1 b5 c1 c5 e3 d5"


class Counter(ArrayLearner):
    """Counts, for each point, how often the winner played there in the lessons."""

    most_games = 3

    def begin(self):
        return {"counts": np.zeros(self.rules.points), "noise": np.zeros(int(self.width))}

    @property
    def width(self):
        return self.settings.get("width", 1)

    def learn(self, arrays, games, progress):
        counts = np.zeros_like(arrays["counts"])
        for number, game in enumerate(games):
            counts[list(game.moves[::2])] += 1
            progress(number + 1, len(games), 1.0 / (number + 1), 0.5)
        arrays["counts"][:] = -1.0  # a copy: what is current stays as it is
        return {"counts": counts, "noise": self.rng.random(int(self.width))}


def record(game: int, moves: str = LOST) -> GameRecord:
    return GameRecord.from_board(Board.from_moves(moves, RULES), game)


def taught(games: int = 1, **chosen) -> Counter:
    learner = Counter(RULES, chosen, seed=3)
    for game in range(1, games + 1):
        assert learner.observe(record(game))
        learner.train()
    return learner


def test_it_learns_from_lost_games_and_counts_them_all():
    learner = Counter(RULES, {}, seed=3)
    before = learner.weights()
    assert learner.observe(record(1))
    assert not learner.observe(record(1)), "known already"
    told = []
    trained = learner.train(lambda *words: told.append(words))
    assert told == [(1, 1, 1.0, 0.5)]
    assert (trained.network_id, trained.loss, trained.accuracy) == (1, 1.0, 0.5)
    assert trained.arrays["counts"].dtype == np.float32
    assert trained.arrays["counts"].sum() == 4
    assert before.arrays["counts"].sum() == 0
    assert not learner.observe(record(2, WON))
    learner.skip(5)
    assert learner.games_learnt == 5
    assert not learner.observe(record(4))


def test_it_remembers_the_last_games_only():
    learner = taught(5)
    assert [game.game for game in learner.games] == [3, 4, 5]
    assert learner.weights().arrays["counts"].max() == 3
    assert learner.statistics()["nodes"] == 3
    learner.reset()
    assert (learner.games, learner.network_id, learner.games_learnt) == ([], 0, 0)
    with pytest.raises(LearnerError, match="expected a game to learn from"):
        learner.train()


@settings(max_examples=15, deadline=None)
@given(before=st.integers(0, 4), after=st.integers(1, 3))
def test_taken_up_from_a_checkpoint_it_learns_what_it_would_have_learnt(
    tmp_path_factory, before, after
):
    directory = tmp_path_factory.mktemp("learner")
    learner = taught(before)
    LearnerCheckpoints(learner, directory).save()
    other = Counter(RULES, {}, seed=3)
    assert LearnerCheckpoints(other, directory).load() is None
    for one in (learner, other):
        for game in range(before + 1, before + after + 1):
            one.observe(record(game))
            one.train()
    assert same(learner.weights().arrays, other.weights().arrays)
    plain = [{**one.statistics(), "seconds": 0.0} for one in (learner, other)]
    assert plain[0] == plain[1]


def test_a_kept_checkpoint_can_be_returned_to_while_games_go_on_counting(tmp_path):
    learner = taught(1)
    kept = learner.weights().arrays
    LearnerCheckpoints(learner, tmp_path).keep("before", "a note", is_automatic=False)
    learner.observe(record(2))
    learner.train()
    place = "named/00000001"
    assert LearnerCheckpoints(learner, tmp_path).kept() == (
        KeptCheckpoint(place, "before", "a note", 1, 1, 1, is_automatic=False),
    )
    LearnerCheckpoints(learner, tmp_path).roll_back(place)
    assert same(learner.weights().arrays, kept)
    assert (learner.games_learnt, learner.network_id, learner.weights().network_id) == (2, 2, 1)
    LearnerCheckpoints(learner, tmp_path).save()
    LearnerCheckpoints(learner, tmp_path).forget()
    assert LearnerCheckpoints(Counter(RULES, {}), tmp_path).load() is None
    assert len(LearnerCheckpoints(learner, tmp_path).kept()) == 1
    for wrong in ("named/00000002", "../named/1"):
        with pytest.raises(CheckpointError):
            LearnerCheckpoints(learner, tmp_path).roll_back(wrong)


def test_a_damaged_checkpoint_is_set_aside_and_the_one_before_is_taken(tmp_path):
    learner = taught(1)
    LearnerCheckpoints(learner, tmp_path).save()
    learner.observe(record(2))
    learner.train()
    LearnerCheckpoints(learner, tmp_path).save()
    newest = max(tmp_path.rglob("arrays.npz"))
    newest.write_bytes(newest.read_bytes()[:-20])
    other = Counter(RULES, {})
    assert "expected the checksum" in LearnerCheckpoints(other, tmp_path).load()
    assert other.games_learnt == 1


def test_learners_of_other_arrays_keep_theirs_apart(tmp_path):
    LearnerCheckpoints(taught(1), tmp_path).save()
    wider = Counter(RULES, {"width": 2})
    assert LearnerCheckpoints(wider, tmp_path).load() is None
    assert wider.games_learnt == 0
    with pytest.raises(LearnerError, match="settings of the same arrays"):
        wider.change_settings({"width": 3})
    assert wider.settings == {"width": 2}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"counts": np.zeros(25)}, r"expected arrays \{'counts': \[25\], 'noise': \[1\]\}, found"),
        ({"counts": np.full(25, np.nan), "noise": np.zeros(1)}, "expected finite numbers in count"),
        (None, "expected arrays by name, found None"),
    ],
)
def test_what_does_not_fit_is_told_and_changes_nothing(result, said):
    learner = taught(1)
    before = learner.weights()
    learner.learn = lambda arrays, games, progress: result
    with pytest.raises(LearnerError, match=f"Counter.learn: {said}"):
        learner.train()
    assert learner.weights() is before
    with pytest.raises(NotImplementedError, match="expected a method begin"):
        ArrayLearner(RULES, {})
    with pytest.raises(LearnerError, match="expected a game by"):
        learner.observe(GameRecord.from_board(Board.from_moves("a1 b2 a2 b3 a3", Rules(3, 3)), 9))


PUPIL = """
import numpy as np
from ai import ArrayLearner


class Learner(ArrayLearner):
    def begin(self):
        return {"worth": np.zeros(2)}

    def learn(self, arrays, games, progress):
        return {"worth": arrays["worth"] + self.settings["rate"]}


def create(rules, settings):
    raise NotImplementedError
"""
OFFER = """
[players.apprentice]
create = "scripts.apprentice:create"
learner = "scripts.apprentice:Learner"
settings.rate = {default = 0.5, minimum = 0.0, maximum = 2.0, help = "x"}
"""


@pytest.fixture
def own():
    """Give `scripts` back as it was: a project's learner is imported here."""
    with own_scripts():
        yield


@pytest.mark.usefixtures("own")
def test_the_trainer_opens_a_projects_learner_with_checked_settings(tmp_path):
    for name in ("scenes", "scripts"):
        (tmp_path / name).mkdir()
    (tmp_path / "scripts" / "apprentice.py").write_text(PUPIL, encoding="utf-8")
    (tmp_path / "goishi.toml").write_text(OFFER, encoding="utf-8")
    service = TrainerService(project=tmp_path)

    def opening(**chosen):
        return OpenLearner("apprentice", RULES, chosen, 1, str(tmp_path / "kept"), fresh=False)

    with pytest.raises(Exception, match="rate: expected a number from 0 to 2, found '9'"):
        service.handle(opening(rate="9"), print)
    service.handle(opening(), print)
    done = service.handle(TrainRequest(0, 1, record(1)), print)
    assert done.weights["worth"].tolist() == [0.5, 0.5]
    service.handle(ChangeSettings({"rate": "0.25"}), print)
    done = service.handle(TrainRequest(0, 2, record(2)), print)
    assert done.weights["worth"].tolist() == [0.75, 0.75]
    again = TrainerService(project=tmp_path)
    assert again.handle(opening(), print).games_learnt == 2
    with pytest.raises(WorkerRequestError, match="expected a player that learns"):
        again.handle(OpenLearner("random", RULES, {}, 1, None, fresh=True), print)
