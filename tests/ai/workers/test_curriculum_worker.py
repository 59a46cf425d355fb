"""The worker of a watched training, and the one that grows a search."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ai.curriculum import run as run_module
from ai.curriculum.actors import OwnProcess
from ai.curriculum.run import Training, TrainingBudget
from ai.curriculum.settings import BASIC, SELF_PLAY, Curriculum, CurriculumError
from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import Board, Rules
from ai.learning.alphagomoku.training import PairTrainer, new_pair
from ai.messages import (
    ChangeTraining,
    GenerationFinished,
    GrowSearch,
    OpenTraining,
    PauseTraining,
    StageBegan,
    TrainingGame,
    TrainingOpened,
    TrainingStopped,
)
from ai.nets.policy_value import load_pair, save_pair
from ai.workers import curriculum as worker
from ai.workers import searcher
from ai.workers.curriculum import CurriculumService
from ai.workers.searcher import SearchService
from base.errors import GoishiError
from base.worker.service import WorkerRequestError

RULES = Rules(4, 3)
TINY = {
    "filters": 2, "blocks": 0, "batch": 4, "steps": 2, "basic_positions": 40, "basic_steps": 2,
    "games": 4, "lot": 2, "simulations": 6, "gate_pairs": 1, "window": 6,
}  # fmt: skip
PHASES = (BASIC, SELF_PLAY)


@pytest.fixture(scope="module", autouse=True)
def one_loop():
    """One traced training loop for each loss, and no mentor: its players take seconds."""
    loops = {}
    patch = pytest.MonkeyPatch()

    def trainer(*words):
        if words not in loops:
            loops[words] = PairTrainer(*words)
        return loops[words]

    patch.setattr(run_module, "PairTrainer", trainer)
    patch.setattr(worker, "PHASES", PHASES)
    yield
    patch.undo()


class Watched:
    """A service in this process, and everything it told."""

    def __init__(self, listen=lambda: None):
        self.told = []
        self.service = CurriculumService(self.told.append, listen)

    def tell(self, message):
        return self.service.handle(message, lambda _: None)

    def open(self, folder, turns, **live):
        self.tell(OpenTraining(RULES, 5, TINY, str(folder), live))
        for _ in range(turns + 1):
            self.service.run_turn()
        return self

    def of(self, kind):
        return [item for item in self.told if isinstance(item, kind)]


@pytest.fixture(scope="module")
def two_generations(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched") / "run"
    here = Watched().open(folder, 2)
    here.service.close()
    return folder, here


def test_a_watched_trainings_games_are_those_of_the_command(two_generations, tmp_path):
    folder, _ = two_generations
    plan = Curriculum.of(RULES, 5, TINY)
    Training(plan, tmp_path / "run", OwnProcess(), has_controls=False).run(
        PHASES, TrainingBudget(4)
    )
    for name in ("run.json", "games.jsonl", "pair.npz"):
        assert (folder / name).read_bytes() == (tmp_path / "run" / name).read_bytes(), name


def test_stages_games_and_generations_are_told_in_their_order(two_generations):
    _, here = two_generations
    assert [type(item).__name__ for item in here.told] == [
        "TrainingOpened", "StageBegan", "GenerationFinished", "StageBegan", *["TrainingGame"] * 4,
        "StageBegan", "StageBegan", "GenerationFinished",
    ]  # fmt: skip
    stages = [(item.phase, item.generation, item.stage) for item in here.of(StageBegan)]
    assert stages == [
        ("basic", 1, "training"), ("self-play", 2, "games"), ("self-play", 2, "training"),
        ("self-play", 2, "match"),
    ]  # fmt: skip
    assert [item.metrics["generation"] for item in here.of(GenerationFinished)] == [1, 2]
    assert "gate" in here.of(GenerationFinished)[1].metrics


def test_a_game_comes_with_what_the_search_and_the_networks_saw(two_generations):
    folder, here = two_generations
    games = here.of(TrainingGame)
    lines = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    assert [list(game.moves) for game in games] == [line["moves"] for line in lines]
    assert [game.number for game in games] == [1, 2, 3, 4]
    for game in games:
        assert game.policies.shape == game.priors.shape == (len(game.moves), 16)
        np.testing.assert_allclose(game.priors.sum(axis=1), 1.0, atol=0.01)
        for ply in range(len(game.moves)):
            assert not game.priors[ply, list(game.moves[:ply])].any()
        assert np.abs(game.values).max() <= 1.0


def test_values_are_blacks_throughout(two_generations):
    _, here = two_generations
    game = here.of(TrainingGame)[0]

    class Sure:
        """A network whose side to move has always won."""

        rules = RULES

        def evaluate(self, boards):
            from ai.evaluators.base import Evaluation

            return Evaluation(np.ones((len(boards), 16), np.float32), np.ones(len(boards)))

    learnt = worker.TrainingRecord(game.moves, game.winner, game.policies)
    found = worker.seen(Sure(), learnt, SELF_PLAY, 1, 1).values
    assert found.tolist() == [1.0 if ply % 2 == 0 else -1.0 for ply in range(len(game.moves))]


def test_a_worker_that_starts_anew_tells_what_was_and_goes_on(two_generations):
    folder, here = two_generations
    again = Watched().open(folder, 0)
    opened = again.of(TrainingOpened)[0]
    assert opened.generation == 2
    assert [line["generation"] for line in opened.metrics] == [1, 2]
    assert [game.moves for game in again.of(TrainingGame)] == [
        game.moves for game in here.of(TrainingGame)
    ]
    again.service.close()


def test_a_change_is_taken_by_the_next_generation_and_kept(tmp_path):
    here = Watched().open(tmp_path / "run", 1)
    answer = here.tell(ChangeTraining({"simulations": 9, "decay": "0.9"}))
    assert answer.settings == {"simulations": 9, "decay": 0.9}
    assert here.service._training.plan.count("simulations") == 6
    here.service.run_turn()
    assert here.service._training.plan.count("simulations") == 9
    assert here.service._training._window._decay == 0.9
    changes = [{"generation": 2, "settings": {"simulations": 9, "decay": 0.9}}]
    assert list(here.of(StageBegan)[-1].changes) == changes
    here.service.close()
    again = Watched().open(tmp_path / "run", 0)
    assert list(again.of(TrainingOpened)[0].changes) == changes
    assert again.service._training.plan.count("simulations") == 9
    again.service.close()


@pytest.mark.nightly
def test_changed_settings_make_a_killed_generation_the_same_games(tmp_path):
    class Killed(BaseException):
        pass

    def train(folder, kills):
        left = [3]

        def listen():
            left[0] -= 1
            if kills and left[0] == 0:  # after the first lot of the second generation
                raise Killed

        here = Watched(listen).open(folder, 0, simulations=8)
        try:
            while here.service._training.progress.generation < 2:
                here.service.run_turn()
        except Killed:
            here.service.close()
            return train(folder, False)
        here.service.close()
        return (folder / "games.jsonl").read_bytes()

    assert train(tmp_path / "one", True) == train(tmp_path / "other", False)


def test_games_played_with_other_settings_are_not_taken_for_those_of_a_change(two_generations):
    folder, _ = two_generations
    plan = Curriculum.of(RULES, 5, TINY)
    live = run_module.LiveSettings(plan, folder)
    live.begin(3)
    assert live.source("abc") == "abc"
    live.plan = Curriculum.of(RULES, 5, {**TINY, "simulations": 7})
    assert live.source("abc") == "abc simulations=7"


def test_other_settings_do_not_change_amid_a_training(two_generations):
    folder, _ = two_generations
    here = Watched().open(folder, 0)
    with pytest.raises(CurriculumError, match=r"expected one of rate, .*found 'filters'"):
        here.tell(ChangeTraining({"filters": 8}))
    with pytest.raises(GoishiError, match="decay"):
        here.tell(ChangeTraining({"decay": 2.0}))
    here.service.close()


def test_unknown_messages_and_changes_of_nothing_are_errors():
    here = Watched()
    with pytest.raises(WorkerRequestError, match="expected a message of the training, found str"):
        here.tell("train")
    with pytest.raises(WorkerRequestError, match="expected an open training"):
        here.tell(ChangeTraining({"rate": 0.1}))
    here.tell(PauseTraining(True))
    assert here.service.is_idle


def test_a_folder_of_something_else_stops_the_training_with_a_reason(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    here = Watched().open(tmp_path, 0)
    assert "expected an empty folder" in here.of(TrainingStopped)[0].reason
    assert here.service.is_idle


@pytest.fixture
def pair_file(tmp_path):
    plan = Curriculum.of(RULES, 5, TINY)
    save_pair(tmp_path / "pair.npz", new_pair(plan.architecture, 5, shares=False))
    return tmp_path / "pair.npz"


def test_a_search_is_told_as_it_grows(pair_file):
    told = []
    request = GrowSearch(RULES, (5, 6), str(pair_file), 60, 20, 0.99, 1.0)
    last = SearchService().handle(request, told.append)
    seen = [item.simulations for item in (*told, last)]
    assert seen == sorted(seen)
    assert seen[-1] == 60
    assert len(told) >= 2
    assert last.visits.sum() > told[0].visits.sum()
    assert last.visits[[5, 6]].sum() == 0
    assert last.prior.sum() == pytest.approx(1.0, abs=1e-3)
    assert last.line[0] == int(last.visits.argmax())
    evaluator = PolicyValueEvaluator(RULES, load_pair(pair_file))
    board = Board.from_moves((5, 6), RULES)
    assert last.network_value == pytest.approx(evaluator.evaluate([board]).value[0], abs=1e-6)
    assert told[0].network_value == last.network_value


def test_two_pairs_are_compared_without_being_read_again(pair_file, monkeypatch):
    other = pair_file.with_name("other.npz")
    plan = Curriculum.of(RULES, 6, TINY)
    save_pair(other, new_pair(plan.architecture, 6, shares=False))
    read = []
    monkeypatch.setattr(searcher, "load_pair", lambda path: read.append(path) or load_pair(path))
    service = SearchService()
    values = [
        service.handle(GrowSearch(RULES, (5,), str(path), 4, 4, 0.99, 1.0), list).network_value
        for path in (pair_file, other, pair_file, other)
    ]
    assert read == [pair_file, other]
    assert values[:2] == values[2:]
    assert values[0] != values[1]


def test_a_finished_game_is_not_searched(pair_file):
    request = GrowSearch(RULES, (0, 4, 1, 5, 2), str(pair_file), 60, 20, 0.99, 1.0)
    with pytest.raises(WorkerRequestError, match="one that is over"):
        SearchService().handle(request, lambda _: None)
